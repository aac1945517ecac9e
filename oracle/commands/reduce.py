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
from oracle.compiling.answers import Request
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import UnreadableError, pieces, subject_from_text
from oracle.reduction.predicate import ShowsFault
from oracle.reduction.reducer import NotShownError, Reducer
from oracle.reduction.text import readable
from oracle.reduction.tree import text_of, tree_of

TRIES = 5
"""How often a fault of `determinism` is looked for: it shows by chance."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--signature", help="The fault to keep; needed where the file shows several.")
@checks_option
@compiler_option
@rules_option
@click.option("--timeout", default=1.0, show_default=True, help="Seconds that make a hang.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: standard output.")
def reduce(
    file: Path,
    signature: str | None,
    checks: tuple[str, ...],
    compiler: str,
    rules: str | None,
    timeout: float,
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
    settings = ExaminerSettings(under_test.spec.interpreter, timeout=timeout)
    with Examiner(settings, [CHECKS[name] for name in checks]) as examiner:
        read = subject_from_text(examiner, found[0].text, chosen, under_test.release)
        if read is None or read.subject is None:
            raise InputError(f"{file} is no valid module: `crosscurrent check` says why")
        (examination,) = examiner.examine([read.subject])
        signatures = [fault.signature for fault in examination.faults]
        signature = _signature(file, signatures, signature)
        fault = next(one for one in examination.faults if one.signature == signature)
    names = [name for name in checks if fault.check in (name, "accept")] or list(checks)
    with Examiner(settings, [CHECKS[name] for name in names]) as examiner:
        tries = TRIES if fault.check == "determinism" else 1
        shows = ShowsFault(examiner, signature, chosen, under_test.release, read.level, tries)
        (answer,) = examiner.process().ask([Request(found[0].text, (("parse",), ("read",)))])
        try:
            reduced = Reducer(shows).reduce(tree_of(answer.results[-1]))
        except NotShownError:
            raise InputError(f"{file} shows {signature} no more: is it chance?") from None
        text = readable(examiner, text_of(reduced.tree), shows)
    click.echo(f"{signature}: {reduced.ops} ops after {reduced.asked} candidates", file=sys.stderr)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


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
