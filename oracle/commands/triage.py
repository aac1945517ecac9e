"""`crosscurrent triage RUN_DIR`: a run's findings as candidates for the corpus."""

from __future__ import annotations

from pathlib import Path

import click

from oracle.campaigns.candidates import Triage, default_title, entry_text, identity, recorded
from oracle.campaigns.findings import write_atomically
from oracle.commands.options import InputError, compiler_option, open_compiler
from oracle.verdict import State


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
@click.option("--timeout", default=1.0, show_default=True, help="Seconds that make a hang.")
@click.option("-o", "--output", type=click.Path(path_type=Path),
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
    the file to `corpus/known/`.
    """
    found = [one for one in recorded(run_dir) if with_known or one.state != State.KNOWN.value]
    if not found:
        raise InputError(f"{run_dir} holds no finding to look at")
    specs = [compiler, *(one.strip() for one in also.split(",") if one.strip())]
    opened = [open_compiler(spec) for spec in specs]
    folder = output or run_dir / "candidates"
    folder.mkdir(parents=True, exist_ok=True)
    triage_on = Triage({one.version: one.spec.interpreter for one in opened}, timeout)
    for finding in found:
        candidate = triage_on.candidate(finding)
        if candidate is None:
            click.echo(f"does not show again: {finding.signature}")
            continue
        title = default_title(candidate.fault)
        write_atomically(folder / f"{identity(title)}.mlir", entry_text(candidate, title))
        effects = ", ".join(f"{version} {word}" for version, word in candidate.effects.items())
        confirmed = "stock tools agree" if candidate.confirmation.confirmed else "not confirmed"
        click.echo(f"{candidate.ops} ops, {effects}, {confirmed}: {finding.signature}")
