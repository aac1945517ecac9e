"""`crosscurrent reduce FILE`: the smallest program that shows the same fault."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from oracle.checks import CHECKS
from oracle.commands.options import (
    InputError,
    checks_option,
    choose_rules,
    compiler_option,
    open_compiler,
    rules_option,
)
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import UnreadableError, pieces, subject_from_text
from oracle.machine import cores
from oracle.reduction.reducer import NotShownError
from oracle.reduction.reducing import check_that_shows, reduce_text

MOST_WORKERS = 4
"""More candidates at once are mostly in vain: the first that shows the fault is taken."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--signature", help="The fault to keep; needed where the file shows several.")
@checks_option
@compiler_option
@rules_option
@click.option("--timeout", default=1.0, show_default=True, help="Seconds that make a hang.")
@click.option(
    "--workers",
    default=min(cores(), MOST_WORKERS),
    show_default="one a core",
    type=click.IntRange(min=1),
    help="How many candidates to try at once; the outcome is the same.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: standard output.")
def reduce(
    file: Path,
    signature: str | None,
    checks: tuple[str, ...],
    compiler: str,
    rules: str | None,
    timeout: float,
    workers: int,
    output: Path | None,
) -> None:
    """Reduces the module in FILE to the smallest one that shows the same fault."""
    try:
        found = pieces(file)
    except UnreadableError as error:
        raise InputError(str(error)) from None
    if len(found) > 1:
        raise InputError(f"{file} holds {len(found)} modules; give one in a file of its own")
    under_test = open_compiler(compiler)
    chosen = choose_rules(under_test, rules)
    settings = ExaminerSettings.of(under_test.spec, timeout=timeout)
    with Examiner(settings, [CHECKS[name] for name in checks]) as examiner:
        read = subject_from_text(examiner, found[0].text, chosen, under_test.release)
        if read is None or read.subject is None:
            raise InputError(f"{file} is no valid module: `crosscurrent check` says why")
        (examination,) = examiner.examine([read.subject])
        signatures = [fault.signature for fault in examination.faults]
        signature = _signature(file, signatures, signature)
        fault = next(one for one in examination.faults if one.signature == signature)
    names = [name for name in checks if fault.check in (name, "accept")] or list(checks)
    try:
        asking = check_that_shows(
            found[0].text, signature, names, settings, chosen, under_test.release
        )
        reduced = reduce_text(
            found[0].text, signature, [asking], settings, chosen, under_test.release, workers
        )
    except NotShownError:
        raise InputError(f"{file} shows {signature} no more: is it chance?") from None
    click.echo(f"{signature}: {reduced.ops} ops after {reduced.asked} candidates", file=sys.stderr)
    if output is None:
        click.echo(reduced.text, nl=False)
    else:
        output.write_text(reduced.text, encoding="utf-8")


def _signature(file: Path, found: list[str], wanted: str | None) -> str:
    if not found:
        raise InputError(f"{file} shows no fault")
    if wanted is None and len(found) == 1:
        return found[0]
    if wanted not in found:
        listed = "".join(f"\n  {one}" for one in found)
        problem = (
            "shows several faults; choose one with --signature"
            if wanted is None
            else (f"does not show {wanted}")
        )
        raise InputError(f"{file} {problem}. It shows:{listed}")
    return wanted
