"""`crosscurrent reduce FILE`: the smallest program that shows the same fault."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import click

from oracle.campaigns.findings import write_atomically
from oracle.checks import CHECKS
from oracle.commands.durations import Duration
from oracle.commands.options import (
    InputError,
    MachineError,
    OutFile,
    checks_option,
    choose_rules,
    compiler_option,
    open_compiler,
    rules_option,
)
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import Piece, UnreadableError, pieces, subject_from_text, subjects_from
from oracle.machine import cores
from oracle.reduction.reducer import NotShownError
from oracle.reduction.reducing import TRIES, check_that_shows, reduce_text, written
from oracle.signature import shows_by_chance
from oracle.verdict import Fault
from oracle.wording import counted
from reference.releases import Release

EXIT_INTERRUPTED = 130

MOST_WORKERS = 4
"""More candidates at once are mostly in vain: the first that shows the fault is taken."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--signature", help="The fault to keep; needed where the file shows several.")
@checks_option
@compiler_option
@rules_option
@click.option(
    "--timeout", type=Duration(), default="1s", show_default=True, help="What makes a hang."
)
@click.option(
    "--workers",
    default=min(cores(), MOST_WORKERS),
    show_default="one a core",
    type=click.IntRange(min=1),
    help="How many candidates to try at once; the outcome is the same.",
)
@click.option("-o", "--output", type=OutFile(), help="Default: standard output.")
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
    """Reduces the module in FILE to the smallest one that shows the same fault.

    Ctrl-C ends the search; the smallest module so far is written, with exit code 130.
    """
    try:
        found = pieces(file)
    except UnreadableError as error:
        raise InputError(str(error)) from None
    if len(found) > 1:
        raise InputError(f"{file} holds {len(found)} modules; give one in a file of its own")
    under_test = open_compiler(compiler)
    chosen = choose_rules(under_test, rules)
    settings = ExaminerSettings.of(under_test.spec, timeout=timeout)
    search = _Search(found[0].text, "", (), settings, chosen, under_test.release)
    try:
        by_chance = signature is not None and shows_by_chance(signature)
        faults = _faults(found[0], checks, search, TRIES if by_chance else 1)
        signature = _signature(file, [fault.signature for fault in faults], signature)
        fault = next(one for one in faults if one.signature == signature)
        names = [name for name in checks if fault.check in (name, "accept")] or list(checks)
        search = replace(search, signature=signature, checks=tuple(names))
        _reduce(search, workers, output)
    except NotShownError:
        raise InputError(f"{file} shows {signature} no more: is it chance?") from None
    except ExaminerError as error:
        raise MachineError(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Search:
    """What is reduced, for which fault, and how to ask for it."""

    text: str
    signature: str
    checks: tuple[str, ...]
    settings: ExaminerSettings
    rules: Release
    compiler: Release


def _faults(
    piece: Piece, checks: tuple[str, ...], search: _Search, tries: int
) -> tuple[Fault, ...]:
    """What is wrong with a module, looked at so many times. Raises InputError with the reason where
    it is not valid."""
    with Examiner(search.settings, [CHECKS[name] for name in checks]) as examiner:
        read = subject_from_text(examiner, piece.text, search.rules, search.compiler)
        if read is None or read.subject is None:
            said = subjects_from(examiner, piece, search.rules, search.compiler)
            why = "".join(f"\n  {note}" for one in said for note in one.notes)
            raise InputError(f"{piece.file} is no valid module:{why}")
        found = examiner.examine([read.subject] * tries)
        if found[0].invalid is not None:
            raise InputError(f"{piece.file} is no valid module:\n  {found[0].invalid}")
        faults = {fault.signature: fault for one in found for fault in one.faults}
        return tuple(faults.values())


def _reduce(search: _Search, workers: int, output: Path | None) -> None:
    """Searches, and hands over what came of it, also when somebody interrupts."""
    kept: list[str] = []
    try:
        asking = check_that_shows(
            search.text, search.signature, search.checks, search.settings, search.rules,
            search.compiler,
        )  # fmt: skip
        search = replace(search, checks=(asking,))
        reduced = reduce_text(
            search.text, search.signature, search.checks, search.settings, search.rules,
            search.compiler, workers, kept.append,
        )  # fmt: skip
    except KeyboardInterrupt:
        if not kept:
            raise
        _hand_over(_readable(search, kept[-1]), output)
        steps = counted(len(kept) - 1, "step")
        click.echo(f"interrupted after {steps}: this is the smallest so far", err=True)
        click.get_current_context().exit(EXIT_INTERRUPTED)
    _hand_over(reduced.text, output)
    click.echo(
        f"{search.signature}: {counted(reduced.ops, 'op')} after "
        f"{counted(reduced.asked, 'candidate')}",
        err=True,
    )


def _readable(search: _Search, text: str) -> str:
    """A program as people write it, or as it is where there is no time or compiler for that."""
    try:
        return written(
            text, search.signature, search.checks, search.settings, search.rules, search.compiler
        )
    except (KeyboardInterrupt, ExaminerError):
        return text


def _hand_over(text: str, output: Path | None) -> None:
    """Writes or prints a module; where it cannot be written, it is printed all the same."""
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        if output.exists() and not output.is_file():
            # A pipe or a device: to put a file in its place would do harm.
            output.write_text(text, encoding="utf-8")
        else:
            write_atomically(output.resolve(), text)
    except OSError as error:
        click.echo(text, nl=not text.endswith("\n"))
        raise MachineError(f"cannot write {output}: {error.strerror}") from None


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
