"""The command: record, change, judge, and list what survives."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import track

from benchmarks.mutants.reach import Reach, StaleRecordingError, reach
from benchmarks.mutants.recording import record
from benchmarks.mutants.sites import Mutant, mutate, sites, spread
from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks import AGREEMENTS, CHECKS
from oracle.commands.options import open_compiler
from oracle.examiner import Examiner, ExaminerSettings

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PROCESSOR_TIME = 10.0
"""Seconds for one program, after which a mutant counts as killed; the model takes hundredths."""
HANG_SECONDS = 0.5
"""What makes a hang of the compiler, as in `fuzz`."""
OTHERS = {"commands", "contracts", "values", "verifier", "tensor", "timeline.py"}
"""Parts of `reference/` that no agreement asks: held by planted faults and by their tests. `tensor`
writes programs down on tensors, `timeline.py` draws."""
PRINTED = {
    "__init__", "ir", "types", "text", "assembly", "tensor_assembly", "tensor_phase", "encoded",
    "releases",
}  # fmt: skip
RULES = tuple(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "reference").rglob("*.py"))
    if path.relative_to(ROOT).parts[1] not in OTHERS
    and "command" not in path.parts
    and path.stem not in PRINTED
)
"""Modules of the model that decide something. What only prints is held by its tests, and what
releases differ in by runs against each of them."""

NOT_ASKED = frozenset(
    {
        ("reference.affinity", "Topology.has_transparent_access"),
        ("reference.affinity", "Topology.has_unified_memory"),
        ("reference.affinity", "Topology._has"),
        ("reference.analysis.affinities", "AffinityAnalysis._node"),
        ("reference.analysis.explorer", "Explorer.find"),
    }
)
"""Functions that no agreement asks: contracts and explanations do."""
ONLY_BEFORE_3_12 = frozenset(
    {
        ("reference.scheduling.partition", "_place"),
        ("reference.scheduling.partition", "transfer_regions"),
        ("reference.scheduling.schedule", "_is_ordered"),
    }
)
"""Rules that later releases do not have, where they are equivalent to none."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: the program that killed it, None for a survivor, and how."""

    mutant: Mutant
    killed: int | None
    how: str

    def __str__(self) -> str:
        end = "survives" if self.killed is None else f"killed by program {self.killed}"
        return f"{end} ({self.how}): {self.mutant}"


@click.command()
@click.option("--mutants", "count", default=150, show_default=True, help="How many; 0 for all.")
@click.option("--programs", default=3000, show_default=True, help="Programs each must survive.")
@click.option("--profile", default="nightly", show_default=True, type=click.Choice([*PROFILES]))
@click.option("--compiler", default="installed", show_default=True)
@click.option("--checks", default=",".join(sorted(AGREEMENTS)), show_default=True)
@click.option("--modules", default=",".join(RULES), help="Modules to change; default all rules.")
@click.option("--seed", default=1, show_default=True, help="Of the programs and of the choice.")
@click.option("--recording", type=click.Path(path_type=Path), required=True,
              help="The compiler's answers; made when the file does not exist.")  # fmt: skip
def main(
    count: int,
    programs: int,
    profile: str,
    compiler: str,
    checks: str,
    modules: str,
    seed: int,
    recording: Path,
) -> None:
    """Changes the model's rules one at a time and asks whether fuzzing would notice.

    Exit code 1 where fewer than 95 % of the mutants that are no equivalents are killed.
    """
    names = checks.split(",")
    under_test = open_compiler(compiler)
    settings = ExaminerSettings(under_test.spec.interpreter, timeout=HANG_SECONDS)
    if not recording.exists():
        wanted = for_release(PROFILES[profile], under_test.release)
        made = (program(seed, index, wanted) for index in range(programs))
        release = under_test.release
        subjects = (subject_of(one, release, release) for one in made)
        unfinished = recording.with_suffix(".part")
        with (
            unfinished.open("wb") as file,
            Examiner(settings, [CHECKS[name] for name in names]) as examiner,
        ):
            record(_shown(subjects, programs, "recording"), settings, examiner, file)
        unfinished.replace(recording)
    left_out = NOT_ASKED
    if under_test.release.explicit_transfer_execution:
        left_out |= ONLY_BEFORE_3_12
    rules = (
        site
        for site in sites(ROOT, modules.split(","))
        if (site.module, site.function) not in left_out
    )
    every = spread([*rules], seed)
    made_mutants = (mutant for site in every if (mutant := mutate(ROOT, site)) is not None)
    picked = list(islice(made_mutants, count or None))
    task = {
        "recording": str(recording.resolve()),
        "checks": names,
        "interpreter": str(under_test.spec.interpreter),
        "seconds": PROCESSOR_TIME,
    }
    try:
        past = reach(recording, names, under_test.spec.interpreter, ROOT / "reference")
    except StaleRecordingError as error:
        # One that changes nothing must survive: the recording is of another commit.
        raise click.ClickException(f"{error}: delete {recording} and record again") from None
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outcomes = []
        for outcome in pool.map(lambda mutant: _judged(mutant, task, past), picked):
            outcomes.append(outcome)
            # A run takes many minutes: what is known so far is said at once.
            click.echo(f"{len(outcomes)}/{len(picked)} {outcome}", err=True)
    sys.exit(_report(outcomes))


def _shown(items: Iterator[T], total: int, title: str) -> Iterator[T]:
    yield from track(items, title, total, console=Console(stderr=True))


def _judged(mutant: Mutant, task: dict[str, object], past: Reach) -> Outcome:
    file = ROOT.joinpath(*mutant.module.split(".")).with_suffix(".py")
    seen = past.of(file, mutant.span)
    places = seen or past.some()
    asked = {
        **task, "module": mutant.module, "source": mutant.source, "file": str(file),
        "places": places,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutants.evaluation"],
        input=json.dumps(asked), capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    if done.returncode:
        return Outcome(mutant, places[0][0], f"ends with {done.returncode}")
    answer = json.loads(done.stdout)
    survives = f"{len(seen) or 'no'} programs come past"
    how = survives if answer["killed"] is None else answer["how"]
    return Outcome(mutant, answer["killed"], how)


def _report(outcomes: list[Outcome]) -> int:
    """Prints every figure; the exit code."""
    reasons = _equivalent()
    survivors = [one for one in outcomes if one.killed is None]
    explained = [one for one in survivors if _key(one.mutant) in reasons]
    others = [one for one in survivors if _key(one.mutant) not in reasons]
    killed = [one.killed for one in outcomes if one.killed is not None]
    counted = len(outcomes) - len(explained)
    share = 100 * len(killed) / counted if counted else 0.0
    click.echo(f"{len(outcomes)} mutants, {len(explained)} of them equivalent")
    click.echo(f"killed: {len(killed)} of {counted} ({share:.1f} %)")
    if killed:
        click.echo(
            f"by program (median, 95th of 100, last): {statistics.median(killed):.0f}, "
            f"{sorted(killed)[int(0.95 * (len(killed) - 1))]}, {max(killed)}"
        )
    for one in explained:
        click.echo(f"equivalent: {one.mutant}: {reasons[_key(one.mutant)]}")
    for one in others:
        click.echo(str(one))
    return 0 if share >= 95 else 1


def _key(mutant: Mutant) -> tuple[str, str, str, str]:
    return mutant.module, mutant.function, mutant.operator, " ".join(mutant.after.split())


def _equivalent() -> dict[tuple[str, str, str, str], str]:
    """The mutants that are known to change nothing, with the reason."""
    return {
        (one["module"], one["function"], one["operator"], one["after"]): one["reason"]
        for one in _entries()
    }


def _entries() -> Iterator[dict[str, str]]:
    yield from tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
