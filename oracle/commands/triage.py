"""`crosscurrent triage RUN_DIR`: a run's findings as candidates for the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from oracle.campaigns.candidates import NotReducedError, Triage, recorded, rules_of
from oracle.campaigns.findings import verdict_of
from oracle.campaigns.reducing import add_to_verdict, keep_candidate
from oracle.commands.durations import Duration
from oracle.commands.options import InputError, OutFolder, compiler_option, open_compiler
from oracle.examiner import ExaminerError, ExaminerSettings
from oracle.verdict import State
from oracle.wording import counted
from reference.releases import Release


@click.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
@compiler_option
@click.option(
    "--also",
    default="",
    metavar="RELEASE,…",
    help="Further releases to try what was found on.",
)
@click.option("--known", "with_known", is_flag=True, help="Known causes too.")
@click.option(
    "--timeout", type=Duration(), default="1s", show_default=True, help="What makes a hang."
)
@click.option("-o", "--output", type=OutFolder(),
              help="Where candidates go; by default RUN_DIR/candidates.")  # fmt: skip
def triage(
    run_dir: Path,
    compiler: str,
    also: str,
    with_known: bool,
    timeout: float,
    output: Path | None,
) -> None:
    """Reduces each finding of RUN_DIR and writes it as an entry that the corpus can take.

    A candidate's title is made of the fault's shape: give it a better one, its id too, and move
    the file to `corpus/known/`. Its folder gets the reduced program and the draft of a report. A
    finding that was reduced while its run went on is only tried on the releases.
    """
    # What was asked for comes before what there is to do it with.
    specs = [compiler, *(one.strip() for one in also.split(",") if one.strip())]
    opened = [open_compiler(spec) for spec in specs]
    damaged: list[Path] = []
    every = list(recorded(run_dir, damaged))
    found = [one for one in every if with_known or one.state != State.KNOWN.value]
    for folder in damaged:
        click.echo(f"damaged, and left out: {folder}", err=True)
    if not every:
        raise InputError(f"{run_dir} holds no finding to look at")
    if not found:
        known = counted(len(every), "finding")
        click.echo(f"nothing new in {run_dir}: {known}, all known; --known takes them too")
        return
    folder = output or run_dir / "candidates"
    folder.mkdir(parents=True, exist_ok=True)
    compilers = {one.version: ExaminerSettings.of(one.spec, timeout=timeout) for one in opened}
    for finding in found:
        facts = verdict_of(finding.folder)
        try:
            candidate = Triage(compilers, _other_rules(facts)).candidate(finding)
        except (NotReducedError, ExaminerError) as error:
            click.echo(f"{error}: {finding.signature}")
            continue
        told = keep_candidate(finding, candidate, run_dir, facts, candidates=folder)
        add_to_verdict(finding.folder, told)
        effects = ", ".join(f"{version} {word}" for version, word in candidate.effects.items())
        confirmed = "stock tools agree" if candidate.confirmation.confirmed else "not confirmed"
        click.echo(f"{candidate.ops} ops, {effects}, {confirmed}: {finding.signature}")


def _other_rules(facts: Mapping[str, object]) -> Release | None:
    """The rules that a finding's run gave the model (`--rules`), where they are not those of the
    release it was about."""
    compiler, rules = facts.get("compiler"), facts.get("rules")
    if not isinstance(compiler, Mapping) or rules is None:
        return None
    asked = rules_of(str(rules))
    return None if asked == rules_of(str(compiler.get("release"))) else asked
