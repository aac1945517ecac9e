"""`crosscurrent bisect`: which compilers show a finding, or each entry of the corpus."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from oracle.campaigns.findings import write_atomically
from oracle.commands.durations import Duration
from oracle.commands.options import (
    InputError,
    MachineError,
    checks_option,
    open_compiler,
)
from oracle.corpus import SHOWS, CorpusError, default_corpus, survey
from oracle.examiner import ExaminerError, ExaminerSettings
from oracle.files import UnreadableError, pieces
from oracle.machine import cores
from oracle.premerge.bisection import Answered, Column, Row, answers, as_json, corpus_rows, rows
from oracle.premerge.side import SideSettings

RELEASES = "3.9.0,3.10.0,3.11.0,3.12.0,3.13.0"
"""Every release that has what is checked here."""

_MARKS = {
    "shows": "x",
    "sometimes": "x",
    "not": "·",
    "unparsed": "-",
    "unanswered": "?",
    "agrees": "=",
}


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--corpus", is_flag=True, help="The corpus as a whole instead of a FILE.")
@click.option(
    "--corpus-dir",
    type=click.Path(path_type=Path),
    default=default_corpus,
    show_default="the one that came with crosscurrent",
    help="Which corpus.",
)
@click.option("--compilers", default=RELEASES, show_default=True, metavar="SPEC,…",
              help="In this order, the oldest first.")  # fmt: skip
@click.option("--signature", help="This finding only.")
@checks_option
@click.option(
    "--timeout", type=Duration(), default="3s", show_default=True, help="What makes a hang."
)
@click.option("--workers", type=click.IntRange(1), default=cores, show_default="one a core",
              help="Compilers at once.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path),
              help="The table as one JSON object.")  # fmt: skip
def bisect(
    file: Path | None,
    corpus: bool,
    corpus_dir: Path,
    compilers: str,
    signature: str | None,
    checks: tuple[str, ...],
    timeout: float,
    workers: int,
    json_file: Path | None,
) -> None:
    """Says which of the compilers shows the finding in FILE first, and which first does not.

    With --corpus, a table of all entries instead. A compiler that cannot run is named with the
    reason, and does not stop the others.
    """
    if (file is None) is not corpus:
        raise InputError("give a FILE, or --corpus")
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise InputError(f"--json: there is no folder {json_file.absolute().parent}")
    specs = [spec.strip() for spec in compilers.split(",") if spec.strip()]
    if not specs:
        raise InputError("--compilers names nothing")
    if file is not None and len(specs) < 2:
        raise InputError("--compilers: a bisection needs two compilers or more")
    columns = [_column(spec, timeout) for spec in specs]
    if all(column.why for column in columns):
        reasons = "\n".join(f"  {one.spec}: {one.why}" for one in columns)
        raise MachineError(f"none of the compilers can run:\n{reasons}")
    found: list[Answered | None] = []
    if file is None:
        subject = str(corpus_dir)
        table, columns = _corpus(corpus_dir, columns, workers)
        _show_corpus(table, columns)
    else:
        subject = str(file)
        found = _file(file, columns, checks)
        table = [row for row in rows(found) if signature in (None, row.signature)]
        _show_file(table, columns, found, signature)
    if json_file is not None:
        told = as_json(subject, columns, table, found)
        write_atomically(json_file, json.dumps(told, indent=2) + "\n")


def _column(spec: str, timeout: float) -> Column:
    try:
        one = open_compiler(spec)
    except (InputError, MachineError) as error:
        return Column(spec, why=error.message)
    settings = SideSettings(
        ExaminerSettings.of(one.spec, timeout=timeout), one.release, one.version
    )
    return Column(
        spec, one.version, one.revision, settings, unanswerable=frozenset(one.unanswerable)
    )


def _corpus(folder: Path, columns: list[Column], workers: int) -> tuple[list[Row], list[Column]]:
    try:
        surveyed = survey(folder)
    except CorpusError as error:
        raise InputError(str(error)) from None
    for problem in surveyed.problems:
        click.echo(f"unusable: {problem}", err=True)
    if not surveyed.entries:
        raise InputError(f"{folder} holds no entry that can be used")
    runs = sum(not column.why for column in columns)
    with Progress(
        TextColumn("entries × compilers"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("", total=runs * len(surveyed.entries))
        return corpus_rows(surveyed.entries, columns, workers, lambda: progress.advance(task))


def _file(file: Path, columns: list[Column], checks: tuple[str, ...]) -> list[Answered | None]:
    try:
        modules = pieces(file)
    except UnreadableError as error:
        raise InputError(str(error)) from None
    if len(modules) > 1:
        raise InputError(f"{file} holds {len(modules)} modules; give one in a file of its own")
    found: list[Answered | None] = []
    for column in columns:
        if column.why:
            found.append(None)
            continue
        try:
            names = tuple(name for name in checks if name not in column.unanswerable)
            found.append(answers(modules[0].text, column, names))
        except ExaminerError as error:
            raise MachineError(f"{column.spec}: {error}") from None
    if all(one is None or one.refusal is not None for one in found):
        reasons = {one.refusal for one in found if one is not None}
        raise InputError(f"no compiler takes {file}: {'; '.join(sorted(map(str, reasons)))}")
    return found


def _show_file(
    table: list[Row],
    columns: list[Column],
    found: list[Answered | None],
    signature: str | None,
) -> None:
    for column, answered in zip(columns, found, strict=True):
        if answered is None:
            click.echo(f"{column.spec}: cannot run: {column.why}")
        elif answered.refusal is not None:
            click.echo(f"{column.spec}: does not parse it: {answered.refusal}")
        elif not answered.signatures:
            click.echo(f"{column.spec}: agree")
        else:
            told = zip(answered.verdicts, answered.signatures, strict=True)
            lines = "".join(f"\n  {verdict}: {one}" for verdict, one in told)
            click.echo(f"{column.spec}:{lines}")
    if not table:
        what = "a finding" if signature is None else signature
        click.echo(f"none of the compilers shows {what}")
    for row in table:
        click.echo(f"\n{row.signature}")
        first, gone = row.first_shows, row.first_not
        shown = "none" if first is None else columns[first].spec
        early = " (already in the oldest asked)" if first == row.oldest else ""
        click.echo(f"  first shown by: {shown}{early}")
        still = "none (in all that were asked)" if row.always else "none"
        click.echo(f"  first not shown by: {still if gone is None else columns[gone].spec}")


def _show_corpus(table: list[Row], columns: list[Column]) -> None:
    shown = Table(title="x shows, · does not, - is not parsed, ? has no answer, = agrees",
                  title_justify="left", box=None, pad_edge=False)  # fmt: skip
    shown.add_column("entry", overflow="ellipsis", no_wrap=True)
    for column in columns:
        shown.add_column(column.spec, justify="center", no_wrap=True, min_width=len(column.spec))
    for row in table:
        marks = ("!" if one is None else _MARKS[one] for one in row.effects)
        shown.add_row("" if row.entry is None else row.entry.identity, *marks)
    Console(highlight=False).print(shown)
    for place, column in enumerate(columns):
        if column.why:
            click.echo(f"{column.spec} cannot run: {column.why}")
            continue
        counts = Counter(row.effects[place] for row in table)
        told = ", ".join(f"{count} {word}" for word, count in sorted(counts.items(), key=str))
        click.echo(f"{column.spec}: {told} ({counts[SHOWS]} of {len(table)} show)")
