"""`crosscurrent replay`: the corpus on a compiler."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from oracle.commands.durations import Duration
from oracle.commands.options import InputError, MachineError, compiler_option, open_compiler
from oracle.corpus import CorpusError, Survey, default_corpus, survey
from oracle.examiner import ExaminerSettings
from oracle.replay import Replay, Replayed, Standing

_EXIT_DRIFTED = 1
_EXIT_UNUSABLE = 2
_QUIET_SECONDS = 15.0
"""Between two lines of progress where standard error is no terminal."""


@click.command()
@click.argument("corpus_dir", type=click.Path(path_type=Path), default=default_corpus)
@compiler_option
@click.option(
    "--timeout", type=Duration(), default="3s", show_default=True, help="What makes a hang."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, one an entry.")
def replay(corpus_dir: Path, compiler: str, timeout: float, as_json: bool) -> None:
    """Asks the compiler about every entry of CORPUS_DIR, by default the corpus that came along.

    An entry of known/ has to show, on each release that its header names, what the header says;
    one of agree/ has to agree with its recorded answers; one of fixed/ must not show again. Exit
    code 1 when one does not, 2 when a file cannot be used, whatever the others do.
    """
    try:
        found = survey(corpus_dir)
    except CorpusError as error:
        raise InputError(str(error)) from None
    if not found.entries and not found.problems:
        raise InputError(f"{corpus_dir} holds no entry")
    under_test = open_compiler(compiler)
    settings = ExaminerSettings.of(under_test.spec, timeout)
    replayed: list[Replayed] = []
    for problem in found.problems:
        click.echo(json.dumps({"problem": problem}) if as_json else f"unusable: {problem}")
    with Replay(settings, under_test.version, under_test.release, under_test.release) as replaying:
        for one in _with_progress(replaying.entries(found.entries), len(found.entries)):
            replayed.append(one)
            told = _as_json(one) if as_json else _told(one)
            if told:
                click.echo(told)
    counts = Counter(one.standing for one in replayed)
    if as_json:
        click.echo(json.dumps(_summary(found, counts, under_test.facts())))
    else:
        click.echo(_summed_up(found, counts, under_test.version))
    if replayed and counts[Standing.UNUSABLE] == len(replayed):
        raise MachineError("no entry could be asked about")
    _end(found, counts)


def _end(found: Survey, counts: Counter[Standing]) -> None:
    if counts[Standing.DRIFTED]:
        click.get_current_context().exit(_EXIT_DRIFTED)
    if found.problems or counts[Standing.UNUSABLE]:
        click.get_current_context().exit(_EXIT_UNUSABLE)


def _told(one: Replayed) -> str:
    """An entry in a line or two; nothing of one that holds."""
    if one.standing is Standing.HOLDS:
        return ""
    return f"{one.standing.value}: {one.entry.path}\n  {one.advice}"


def _as_json(one: Replayed) -> str:
    return json.dumps(
        {
            "file": str(one.entry.path),
            "id": one.entry.identity,
            "shelf": one.entry.shelf.value,
            "signature": one.entry.signature,
            "check": one.entry.check,
            "standing": one.standing.value,
            "expected": one.expected,
            "effect": one.effect,
            "advice": one.advice,
            "seconds": round(one.seconds, 3),
        }
    )


def _summary(
    found: Survey, counts: Counter[Standing], compiler: dict[str, str | None]
) -> dict[str, object]:
    return {
        "compiler": compiler,
        "entries": len(found.entries),
        **{standing.value: counts[standing] for standing in Standing},
        "problems": len(found.problems),
    }


def _summed_up(found: Survey, counts: Counter[Standing], version: str) -> str:
    parts = [f"{counts[one]} {one.value}" for one in Standing if counts[one]]
    parts += [f"{len(found.problems)} problems with files"] if found.problems else []
    return f"{len(found.entries)} entries on IREE {version}: {', '.join(parts) or 'none asked'}"


def _with_progress(replayed: Iterable[Replayed], total: int) -> Iterator[Replayed]:
    """Passes entries on, showing on standard error how far it is."""
    console = Console(file=sys.stderr)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("entries"), TimeElapsedColumn())
    said = time.monotonic()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("replay", total=total)
        for number, one in enumerate(replayed, start=1):
            bar.advance(task)
            yield one
            if not console.is_terminal and time.monotonic() - said >= _QUIET_SECONDS:
                said = time.monotonic()
                console.print(f"{number}/{total} entries", highlight=False)
