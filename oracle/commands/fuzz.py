"""`crosscurrent fuzz`: random programs put to the compiler, and what came of it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import click

from gen.profiles import Profile
from oracle.campaigns.campaign import Campaign, CampaignError, CampaignSettings, Tally, summary
from oracle.campaigns.findings import write_atomically
from oracle.campaigns.lane import LaneSettings
from oracle.campaigns.progress import Progress
from oracle.campaigns.summary import told
from oracle.commands.durations import Duration, Shard
from oracle.commands.options import (
    CompilerUnderTest,
    InputError,
    MachineError,
    checks_option,
    choose_rules,
    compiler_option,
    open_compiler,
    profile_option,
    rules_option,
)
from oracle.corpus import CorpusError, default_corpus, load_known
from oracle.examiner import ExaminerError, ExaminerSettings
from oracle.machine import cores
from oracle.verdict import State
from oracle.version import VERSION


@click.command()
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same programs.")
@click.option("--examples", type=click.IntRange(1), help="How many programs. [default: 5000]")
@click.option("--time", "seconds", type=Duration(), help="How long, such as 10m, instead.")
@checks_option
@profile_option("well-formed")
@compiler_option
@rules_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=cores,
    show_default="one a core",
    help="Compilers at once.",
)
@click.option("--shard", type=Shard(), default="1/1", metavar="I/N", help="Part I of N of the run.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Where findings go.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The summary as one JSON object.",
)
@click.option(
    "--timeout", type=Duration(), default="5s", show_default=True, help="For one program."
)
@click.option(
    "--memory",
    type=click.IntRange(512),
    default=4096,
    show_default=True,
    metavar="MIB",
    help="For one compiler process.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=default_corpus,
    show_default="the one that came with crosscurrent",
    help="Whose known/ entries are recognised.",
)
def fuzz(
    seed: int,
    examples: int | None,
    seconds: float | None,
    checks: tuple[str, ...],
    profile: Profile,
    compiler: str,
    rules: str | None,
    workers: int,
    shard: tuple[int, int],
    out: Path,
    json_file: Path | None,
    timeout: float,
    memory: int,
    corpus: Path,
) -> None:
    """Generates programs, asks the compiler, compares with the model, and says what was found."""
    if examples is not None and seconds is not None:
        raise InputError("--examples and --time exclude each other")
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise InputError(f"--json: there is no folder {json_file.absolute().parent}")
    try:
        known = load_known(corpus)
    except CorpusError as error:
        raise InputError(str(error)) from None
    under_test = open_compiler(compiler)
    chosen = choose_rules(under_test, rules)
    settings = CampaignSettings(
        lane=LaneSettings(
            seed=seed,
            profile=profile,
            checks=checks,
            examiner=ExaminerSettings(under_test.spec.interpreter, timeout, memory << 20),
            rules=chosen,
            compiler=under_test.release,
            in_flight=out / "in-flight" / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}",
        ),
        out=out,
        workers=workers,
        examples=None if seconds is not None else examples or 5000,
        seconds=seconds,
        shard=shard,
        facts={
            "crosscurrent": VERSION,
            "seed": seed,
            "profile": profile.name,
            "examples": examples,
            "compiler": under_test.facts(),
            "rules": chosen.version,
        },
    )
    campaign = Campaign(settings, known)
    try:
        with Progress(settings.examples, seconds) as progress:
            campaign.run(progress.update)
    except (CampaignError, ExaminerError, OSError) as error:
        campaign.tally.failed = str(error)
    _report(settings, campaign.tally, under_test, json_file)
    _end(campaign.tally)


def _report(
    settings: CampaignSettings, tally: Tally, compiler: CompilerUnderTest, json_file: Path | None
) -> None:
    # First to the terminal: what cannot be written must at least have been said.
    click.echo(told(tally, settings, compiler.version))
    text = json.dumps(summary(tally, settings), indent=2) + "\n"
    for path in (settings.out / "runs" / f"{settings.lane.in_flight.name}.json", json_file):
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
        except OSError as error:
            tally.failed = tally.failed or f"cannot write {path}: {error.strerror}"


def _end(tally: Tally) -> None:
    context = click.get_current_context()
    if tally.failed is not None:
        raise MachineError(tally.failed)
    if tally.interrupted:
        context.exit(130)
    states = tally.states()
    context.exit(1 if states[State.NEW] or states[State.MODEL] or tally.invalid else 0)
