"""`crosscurrent fuzz`: random programs put to the compiler, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import click

from gen.profiles import PROFILES, Profile
from oracle.campaigns.campaign import BLOCK, Campaign, CampaignError, CampaignSettings
from oracle.campaigns.counts import Cause, Tally
from oracle.campaigns.findings import write_atomically
from oracle.campaigns.journal import JournalError
from oracle.campaigns.lane import LaneSettings, for_release
from oracle.campaigns.pools import Pool, PoolError
from oracle.campaigns.progress import Progress
from oracle.campaigns.reductions import Reductions
from oracle.campaigns.run_folder import RunFolder
from oracle.campaigns.run_settings import RunSettings
from oracle.campaigns.source import Generated, Seeded, fingerprint
from oracle.campaigns.summary import summary, told
from oracle.campaigns.tasks import FindingTask
from oracle.commands.durations import Duration, Shard
from oracle.commands.options import (
    CompilerUnderTest,
    InputError,
    MachineError,
    OutFolder,
    answerable,
    checks_option,
    choose_rules,
    compiler_option,
    exit_code,
    open_compiler,
    profile_option,
    rules_option,
)
from oracle.commands.resuming import check_version, compiler_of, known_by_signature, reopen
from oracle.commands.seeding import read_by, say, seed_texts, seeds_options
from oracle.corpus import default_corpus
from oracle.examiner import ExaminerError, ExaminerSettings
from oracle.machine import cores
from oracle.seeds.seeds import GivenText, Seeds, features_of
from oracle.version import VERSION
from oracle.wording import counted
from reference.releases import release_rules

_EXAMPLES = 5000
_HANG_SECONDS = 1.0
"""A reduction meets many hangs."""
_REDUCTION_SECONDS = 600.0
"""The longest that a finding's reduction may take beside the lanes."""


@click.command()
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same programs.")
@click.option(
    "--examples", type=click.IntRange(1), help=f"How many programs. [default: {_EXAMPLES}]"
)
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
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the Dask cluster with that scheduler, such as tcp://host:8786, not on this "
    "machine. Needs crosscurrent[cluster] there and here.",
)
@seeds_options
@click.option("--shard", type=Shard(), default="1/1", metavar="I/N", help="Part I of N of the run.")
@click.option(
    "--out",
    type=OutFolder(),
    default="out",
    show_default=True,
    help="Where findings go; runs may share it.",
)
@click.option(
    "--resume",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Go on with the unfinished run in DIR, an --out folder or one of its runs/NAME. "
    "The run keeps its settings.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The summary as one JSON object.",
)
@click.option(
    "--timeout",
    type=Duration(),
    default="0.5s",
    show_default=True,
    help="How long a compiler may compute on one program; longer is a hang. Whole compilations, "
    "which some programs on tensors go through, have ten times that.",
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
@click.option(
    "--reduce/--no-reduce",
    default=True,
    help="Reduce what is found, and confirm what is known, beside the lanes.  [default: reduce]",
)
@click.option(
    "--reduce-time",
    "reduce_seconds",
    type=Duration(),
    default="1m",
    show_default=True,
    help="How long to go on reducing after the last program.",
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
    scheduler: str | None,
    seeds: tuple[Path, ...],
    seeds_tree: Path | None,
    shard: tuple[int, int],
    out: Path,
    resume: Path | None,
    json_file: Path | None,
    timeout: float,
    memory: int,
    corpus: Path,
    reduce: bool,
    reduce_seconds: float,
) -> None:
    """Generates programs, asks the compiler, compares with the model, and says what was found."""
    if examples is not None and seconds is not None:
        raise InputError("--examples and --time exclude each other")
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise InputError(f"--json: there is no folder {json_file.absolute().parent}")
    if scheduler is not None and find_spec("distributed") is None:
        raise InputError("--scheduler needs Dask: pip install 'crosscurrent[cluster]'")
    if resume is not None:
        run = reopen(resume, click.get_current_context())
    else:
        under_test = open_compiler(compiler)
        known = known_by_signature(corpus, under_test.version)
        checks = answerable(under_test, checks)
        given = seed_texts(seeds, seeds_tree)
        read = _seeds(under_test, given.texts, timeout, memory)
        if read is not None:
            say(read, given.notes)
        settings = RunSettings(
            crosscurrent=VERSION,
            programs=_programs(seed, profile, under_test, read),
            seed=seed,
            profile=profile.name,
            checks=checks,
            compiler=under_test.facts(),
            rules=choose_rules(under_test, rules).version,
            examples=None if seconds is not None else examples or _EXAMPLES,
            seconds=seconds,
            shard=shard,
            timeout=timeout,
            memory=memory,
            block=BLOCK,
            known=known,
            seeds=given.texts,
        )
        try:
            run = RunFolder.create(out, settings)
        except OSError as error:
            raise MachineError(f"cannot write {error.filename}: {error.strerror}") from None
    try:
        if resume is not None:
            under_test, read = _still_the_same(run)
        tally = _campaign(
            run, under_test, read, workers, scheduler, reduce_seconds if reduce else None
        )
        _report(run, tally, json_file)
    finally:
        run.close()
    _end(tally)


def _still_the_same(run: RunFolder) -> tuple[CompilerUnderTest, Seeds | None]:
    """The compiler and the seeds of a run that is taken up again. Raises InputError where it, or
    the programs that this crosscurrent makes, are others by now."""
    settings = run.settings
    check_version(settings, None)
    compiler = compiler_of(settings)
    read = _seeds(compiler, settings.seeds, settings.timeout, settings.memory)
    if not run.journal.earlier.complete:
        profile = PROFILES[settings.profile]
        check_version(settings, _programs(settings.seed, profile, compiler, read))
    return compiler, read


def _seeds(
    compiler: CompilerUnderTest, texts: tuple[GivenText, ...], timeout: float, memory: int
) -> Seeds | None:
    """The programs in the modules that `--seeds` gave; None where it gave none."""
    if not texts:
        return None
    return read_by(compiler, texts, features_of(compiler.release), timeout, memory)


def _programs(seed: int, profile: Profile, compiler: CompilerUnderTest, seeds: Seeds | None) -> str:
    """The fingerprint of where a run's programs come from."""
    generated = Generated(seed, for_release(profile, compiler.release))
    if seeds is None:
        return fingerprint(generated)
    return fingerprint(Seeded(generated, seeds, features_of(compiler.release)))


def _campaign(
    run: RunFolder,
    compiler: CompilerUnderTest,
    seeds: Seeds | None,
    workers: int,
    scheduler: str | None,
    reduce_seconds: float | None,
) -> Tally:
    """Runs what is left of a run, and returns what all its sessions counted. Findings are reduced,
    and for so long when all is run, unless that is None."""
    asked = run.settings
    rules, _ = release_rules(asked.rules)
    settings = CampaignSettings(
        lane=LaneSettings(
            seed=asked.seed,
            profile=PROFILES[asked.profile],
            checks=asked.checks,
            examiner=ExaminerSettings.of(compiler.spec, asked.timeout, asked.memory << 20),
            rules=rules,
            compiler=compiler.release,
            in_flight=run.out / "in-flight" / run.name,
            seeds=seeds,
            known=frozenset(asked.known),
        ),
        out=run.out,
        workers=workers,
        examples=asked.examples,
        seconds=asked.seconds,
        shard=asked.shard,
        facts=asked.facts(),
    )
    reductions = None
    if reduce_seconds is not None:
        reductions = Reductions(run.out, _reduction(run, settings.lane), workers, reduce_seconds)
    try:
        pool = None if scheduler is None else _cluster(scheduler, run, settings.lane)
        campaign = Campaign(settings, asked.known, run, pool, reductions)
    except JournalError as error:
        raise MachineError(str(error)) from None
    except OSError as error:
        raise MachineError(f"cannot write {error.filename}: {error.strerror}") from None
    before = campaign.tally.programs
    click.echo(
        f"{run.path}: {counted(before, 'program') + ' done before' if before else 'begins'}",
        err=True,
    )
    try:
        with Progress(asked.examples, asked.seconds) as progress:
            campaign.run(progress.update)
    except OSError as error:
        campaign.tally.failed = f"cannot write {error.filename}: {error.strerror}"
    except (CampaignError, ExaminerError, PoolError) as error:
        campaign.tally.failed = str(error)
    return campaign.tally


def _cluster(scheduler: str, run: RunFolder, lane: LaneSettings) -> Callable[[], Pool]:
    """How lanes are opened on a cluster."""
    # Dask is an extra, and slow to import.
    from oracle.campaigns.cluster import ClusterPool
    from oracle.campaigns.node import NodeSettings

    compiler = run.settings.compiler
    settings = NodeSettings(
        lane=lane,
        run=run.name,
        programs=run.settings.programs,
        compiler=str(compiler["spec"]),
        release=compiler["release"],
        revision=compiler["revision"],
    )
    return lambda: ClusterPool(scheduler, settings)


def _reduction(run: RunFolder, lane: LaneSettings) -> Callable[[Cause], FindingTask]:
    """How findings of a run are reduced: with its settings, but for how long a hang is waited
    for."""
    facts = run.settings.facts()
    hang = min(lane.examiner.timeout, _HANG_SECONDS)

    def task(cause: Cause) -> FindingTask:
        return FindingTask(
            folder=run.out / "findings" / cause.folder,
            run=run.name,
            version=str(run.settings.compiler["release"]),
            settings=replace(lane.examiner, timeout=hang),
            rules=lane.rules,
            checks=lane.checks,
            seconds=_REDUCTION_SECONDS,
            facts=facts,
        )

    return task


def _report(run: RunFolder, tally: Tally, json_file: Path | None) -> None:
    """Says what came of a run, and writes it down; at its end, the journal says so last."""
    asked = run.settings
    facts = {**asked.facts(), "run": run.name}
    # First to the terminal: what cannot be written must at least have been said.
    click.echo(told(tally, facts, asked.checks, run.out))
    text = json.dumps(summary(tally, facts, asked.checks, run.out), indent=2) + "\n"
    try:
        run.write_summary(text)
        if not (tally.interrupted or tally.failed or run.journal.earlier.complete):
            run.journal.end()
    except OSError as error:
        tally.failed = tally.failed or f"cannot write {error.filename}: {error.strerror}"
    try:
        if json_file is not None:
            write_atomically(json_file, text)
    except OSError as error:
        tally.failed = tally.failed or f"cannot write {json_file}: {error.strerror}"
    if tally.failed or tally.interrupted:
        click.echo(f"crosscurrent fuzz --resume {run.path} goes on", err=True)


def _end(tally: Tally) -> None:
    context = click.get_current_context()
    if tally.failed is not None:
        raise MachineError(tally.failed)
    if tally.interrupted:
        context.exit(130)
    context.exit(exit_code(tally))
