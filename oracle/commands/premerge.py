"""`crosscurrent premerge`: what a candidate compiler makes worse than a baseline."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import click
from rich.console import Console

from gen.profiles import Profile
from oracle.campaigns.campaign import CampaignError
from oracle.campaigns.findings import write_atomically
from oracle.campaigns.lane import for_release
from oracle.commands.durations import Duration
from oracle.commands.options import (
    COMPILER_HELP,
    Command,
    CompilerUnderTest,
    InputError,
    MachineError,
    OutFolder,
    answerable,
    checks_option,
    open_compiler,
    profile_option,
)
from oracle.commands.seeding import read_by, say, seed_texts, seeds_options
from oracle.corpus import CorpusError, default_corpus, explained_by, survey
from oracle.examiner import ExaminerError, ExaminerSettings
from oracle.machine import cores
from oracle.premerge import exchange, expectations, terminal
from oracle.premerge.lane import PairSettings
from oracle.premerge.programs import alternating, from_corpus, generated, ranked
from oracle.premerge.report import Context, Report, report, write_difference
from oracle.premerge.run import BARE_BLOCK, BLOCK, Counted, Results, Run, RunSettings, told
from oracle.premerge.side import SideSettings
from oracle.premerge.sorting import Kind
from oracle.seeds.offering import as_they_are, mutants
from oracle.seeds.seeds import GivenText, Seeds, features_of
from oracle.version import VERSION
from reference.releases import Release, release_rules

_SEEDS_FIRST = 24
"""So many seeds are put to both compilers before all else, as they are."""

_QUIET_SECONDS = 15.0
"""Between two lines of progress where standard error is no terminal."""


def _file(name: str, says: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}", f"{name}_file", type=click.Path(dir_okay=False, path_type=Path), help=says
    )


@click.command()
@click.option("--baseline", required=True, metavar="SPEC", help=f"Before: {COMPILER_HELP}")
@click.option("--candidate", required=True, metavar="SPEC", help="After: named likewise.")
@click.option("--time", "seconds", type=Duration(), default="5m", show_default=True,
              help="How long, in all.")  # fmt: skip
@click.option("--examples", type=click.IntRange(0), help="No more fresh programs than that.")
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same programs.")
@seeds_options
@checks_option
@profile_option("nightly")
@click.option("--expect", "expect_file", type=click.Path(path_type=Path),
              help="Signatures of differences that the change is meant to make.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=cores, show_default="one a core",
              help="Pairs of compilers at once.")  # fmt: skip
@click.option("--timeout", type=Duration(), default="3s", show_default=True,
              help="For one program.")  # fmt: skip
@click.option("--memory", type=click.IntRange(512), default=4096, show_default=True, metavar="MIB",
              help="For one compiler process.")  # fmt: skip
@click.option("--corpus", type=click.Path(path_type=Path), default=default_corpus,
              show_default="the one that came with crosscurrent",
              help="Whose known/ entries are put to both first.")  # fmt: skip
@click.option("--out", type=OutFolder(), default="out",
              show_default=True, help="Where differences go, in premerge/.")  # fmt: skip
@_file("json", "All of it as one JSON object.")
@_file("junit", "For a CI system.")
@_file("markdown", "For a comment on a pull request.")
@_file("sarif", "For a code scanner's view.")
def premerge(
    baseline: str,
    candidate: str,
    seconds: float,
    examples: int | None,
    seed: int,
    seeds: tuple[Path, ...],
    seeds_tree: Path | None,
    checks: tuple[str, ...],
    profile: Profile,
    expect_file: Path | None,
    workers: int,
    timeout: float,
    memory: int,
    corpus: Path,
    out: Path,
    json_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    sarif_file: Path | None,
) -> None:
    """Puts the same programs to two compilers and says what the candidate makes worse.

    The corpus comes first, then fresh programs: those first of which the compilers do not make the
    same IR and, among these, those that add most ops and combinations of ops not dealt yet for
    their size. With --seeds, half of the fresh ones are made of what these hold. Each compiler is
    judged by its own release's rules. Exit code 1 only for what regressed: a promise that the
    baseline keeps and the candidate breaks, and that --expect does not name.
    """
    files = {"json": json_file, "junit": junit_file, "markdown": markdown_file,
             "sarif": sarif_file}  # fmt: skip
    for name, path in files.items():
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"--{name}: there is no folder {path.absolute().parent}")
    try:
        surveyed = survey(corpus)
        expected = expectations.Expectations()
        if expect_file is not None:
            expected = expectations.load(expect_file)
    except (CorpusError, expectations.ExpectationsError) as error:
        raise InputError(str(error)) from None
    for problem in surveyed.problems:
        click.echo(f"left out of the corpus: {problem}", err=True)
    sides = [_opened(side, spec) for side, spec in (("baseline", baseline),
                                                    ("candidate", candidate))]  # fmt: skip
    for one in sides:
        checks = answerable(one, checks)
        if not one.known:
            click.echo(
                f"{one.spec.spec}: IREE {one.version} is no release that the model knows; it is "
                f"judged by the rules of {one.release.version}",
                err=True,
            )
    given = seed_texts(seeds, seeds_tree)
    read = _seeds(sides, given.texts, timeout, memory)
    if read is not None:
        say(read, given.notes)
    folder = out / "premerge" / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    context = Context(
        facts={
            "crosscurrent": VERSION,
            "seed": seed,
            "profile": profile.name,
            "checks": list(checks),
            **({"seeds": list(dict.fromkeys(one.name for one in given.texts))} if read else {}),
            "baseline": {**sides[0].facts(), "rules": sides[0].release.version},
            "candidate": {**sides[1].facts(), "rules": sides[1].release.version},
        },
        folder=folder,
        known=explained_by({entry.signature: entry for entry in surveyed.entries}),
        expectations=expected,
    )
    before, after = (
        SideSettings(ExaminerSettings.of(one.spec, timeout, memory << 20), one.release, one.version)
        for one in sides
    )
    pair = PairSettings(
        baseline=before,
        candidate=after,
        checks=checks,
        in_flight=out / "in-flight" / folder.name,
    )
    bare = any(one.spec.bare is not None for one in sides)
    fresh = ranked(generated(seed, for_release(profile, _what_both_have(sides))))
    first = list(from_corpus(surveyed.entries, checks))
    if read is not None:
        told = as_they_are(read)
        first = [*islice(told, _SEEDS_FIRST), *first]
        changed = ranked(mutants(read, seed, features_of(*(one.release for one in sides))))
        fresh = alternating(chain(told, changed), fresh)
    run = Run(
        RunSettings(pair, workers, seconds, examples, BARE_BLOCK if bare else BLOCK),
        first,
        fresh,
        lambda counted: _keep(counted, context),
        _Progress(seconds),
    )
    try:
        run.run()
    except (CampaignError, ExaminerError, OSError) as error:
        run.results.failed = str(error)
    _end(run.results, context, files)


def _opened(side: str, spec: str) -> CompilerUnderTest:
    """A side's compiler; an error says which side it is."""
    try:
        return open_compiler(spec)
    except (InputError, MachineError) as error:
        raise type(error)(f"{side}: {error.message}") from None


def _seeds(
    sides: list[CompilerUnderTest], texts: tuple[GivenText, ...], timeout: float, memory: int
) -> Seeds | None:
    """The programs that --seeds gave; None where it gave none. The candidate reads them: it knows
    what the change adds."""
    if not texts:
        return None
    features = features_of(*(one.release for one in sides))
    return read_by(sides[1], texts, features, timeout, memory)


def _what_both_have(sides: list[CompilerUnderTest]) -> Release:
    """What programs may be made of: that which either does not have is left out."""
    one, other = (side.release for side in sides)
    newest, _ = release_rules("999.0")
    return replace(
        newest,
        async_cast=one.async_cast and other.async_cast,
        explicit_transfer_execution=(
            one.explicit_transfer_execution and other.explicit_transfer_execution
        ),
        while_yield_reaches_results=(
            one.while_yield_reaches_results or other.while_yield_reaches_results
        ),
    )


def _keep(counted: Counted, context: Context) -> None:
    """Writes a difference as soon as it is finished."""
    write_difference(told(counted), context)


def _end(results: Results, context: Context, files: dict[str, Path | None]) -> None:
    for (kind, _), counted in list(results.differences.items()):
        if kind is Kind.CHANGED:
            _keep(counted, context)
    results.differences = {key: told(one) for key, one in results.differences.items()}
    if not results.compared and results.failed is None and not results.interrupted:
        why = f": {results.invalid[0][1]}" if results.invalid else ""
        results.failed = f"no program could be compared{why}"
    made = report(results, context)
    summary = terminal.told(made)
    # First to the terminal: what cannot be written must at least have been said.
    click.echo(summary)
    trouble = results.failed
    if results.mishaps and trouble is None:
        name, how = results.mishaps[0]
        trouble = f"crosscurrent itself went wrong {len(results.mishaps)} x, first on {name}: {how}"
    texts = {
        "json": json.dumps(made, indent=2),
        "junit": exchange.junit(made),
        "markdown": exchange.markdown(made, summary.splitlines()[-1]),
        "sarif": exchange.sarif(made),
    }
    for name, path in {"summary": context.folder / "summary.json", **files}.items():
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, texts["json" if name == "summary" else name].rstrip() + "\n")
        except OSError as error:
            trouble = trouble or f"cannot write {path}: {error.strerror}"
    _exit(made, trouble, results.interrupted)


def _exit(made: Report, trouble: str | None, interrupted: bool) -> None:
    if trouble is not None:
        raise MachineError(trouble)
    click.get_current_context().exit(130 if interrupted else made["exit_code"])


class _Progress:
    """Says now and then on standard error how far a run is."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._console = Console(stderr=True)
        self._said = time.monotonic()

    def __call__(self, results: Results) -> None:
        quiet = 2.0 if self._console.is_terminal else _QUIET_SECONDS
        if time.monotonic() - self._said < quiet:
            return
        self._said = time.monotonic()
        found = ", ".join(f"{len(results.of(kind))} {kind.value}" for kind in Kind)
        self._console.print(
            f"{results.seconds:.0f}/{self._seconds:.0f} s: {results.corpus}+{results.fresh} "
            f"programs, {found}",
            soft_wrap=True,
            end="\r" if self._console.is_terminal else "\n",
            highlight=False,
        )
