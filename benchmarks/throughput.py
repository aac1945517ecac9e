"""Programs a second, side by side in one run: `python -m benchmarks.throughput`.

Each pair is measured in turns, A B A B …, and its ratio is the median of the turns' ratios, so that
a machine whose speed drifts still gives a fair one. *One core* means that all processes involved
are bound to the same core.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import marshal
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from gen.profiles import PROFILES, Profile
from gen.programs import program
from oracle.campaigns.campaign import BLOCK, Campaign, CampaignSettings
from oracle.campaigns.lane import Lane, LaneSettings, subject_of
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.compiling import stages, worker
from oracle.compiling.answers import Answer, Request, decode, encode
from oracle.compiling.compiler import Restarts
from oracle.compiling.service import Answerer
from oracle.examiner import Examiner, ExaminerSettings
from reference.releases import Release, release_rules
from reference.text import print_program

ROUNDS = 5
PROGRAMS = 50 * BLOCK
SINGLE_PROGRAMS = 8
CAMPAIGN_PROGRAMS = 4000
CHECK = "placement"
PROFILE = PROFILES["placement"]
SEED = 1
RATED = range(12, 21)
"""Ops of a program, where what is rated depends on them."""


@dataclass(frozen=True, slots=True)
class InProcessCompiler:
    """The same compiler without crash isolation: passes run in this process."""

    answer: Answerer
    restarts: Restarts

    def __enter__(self) -> InProcessCompiler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """One answer a request, through the same encoding as with a process."""
        for job, request in enumerate(requests):
            reply = self.answer(json.loads(encode(job, request)), lambda _step: None)
            yield decode(marshal.loads(marshal.dumps(reply)))


def main() -> None:
    """Prints every figure."""
    version = _installed_release()
    placement = stages.placement(version)
    if placement is None:
        sys.exit(f"IREE {version} has no placement pass; this measures 3.12 and later")
    print(f"IREE {version}, profile {PROFILE.name}, seed {SEED}, {ROUNDS} rounds")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        with one_core():
            isolated = Lane(_lane_settings(version, out))
            shared = Lane(_lane_settings(version, out), _in_process_examiner())
            for lane in (isolated, shared):
                lane.run(range(BLOCK))
            pairs = _in_turns(lambda: _lane_rate(isolated), lambda: _lane_rate(shared))
            print(f"one core, generate + model + place + read back + compare: {_rate(pairs, 0)}")
            cost = 1 - statistics.median(one / other for one, other in pairs)
            print(f"crash isolation costs {100 * cost:.1f} % (without it {_rate(pairs, 1)})")
            texts = [print_program(program(SEED, n, PROFILE)) for n in range(SINGLE_PROGRAMS)]
            pairs = _in_turns(
                lambda: _lane_rate(isolated), lambda: _iree_opt_rate(texts, placement.pipeline)
            )
            ratio = statistics.median(one / other for one, other in pairs)
            print(f"one iree-opt process a program: {_rate(pairs, 1)}; ratio {ratio:.0f} x")
        pairs = _in_turns(
            lambda: _campaign_rate(version, out, 2), lambda: _campaign_rate(version, out, 1), 3
        )
        ratio = statistics.median(one / other for one, other in pairs)
        print(
            f"two workers {_rate(pairs, 0)}, one worker {_rate(pairs, 1)}: {ratio:.2f} x "
            f"on {len(os.sched_getaffinity(0))} cores"
        )
    print(f"time to first verdict: {_first_verdict_seconds():.2f} s (median of {ROUNDS} runs)")


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Binds this process, and those it starts meanwhile, to one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def rated(profile: Profile, release: Release, count: int) -> list[Subject]:
    """The first so many programs of a profile that are of the size that is rated."""
    made = (program(SEED, number, profile) for number in itertools.count())
    fit = (one for one in made if sum(1 for _ in one.operations()) in RATED)
    return [subject_of(one, release, release) for one in itertools.islice(fit, count)]


def _in_turns(
    one: Callable[[], float], other: Callable[[], float], rounds: int = ROUNDS
) -> list[tuple[float, float]]:
    return [(one(), other()) for _ in range(rounds)]


def _rate(pairs: list[tuple[float, float]], side: int) -> str:
    rates = [pair[side] for pair in pairs]
    return f"{statistics.median(rates):.0f} programs/s (min {min(rates):.0f}, max {max(rates):.0f})"


def _installed_release() -> str:
    release = worker.hello()["release"]
    if not isinstance(release, str):
        sys.exit("the installed IREE does not say its release")
    return release


def _lane_settings(version: str, out: Path) -> LaneSettings:
    rules, _ = release_rules(version)
    return LaneSettings(
        seed=SEED,
        profile=PROFILE,
        checks=(CHECK,),
        examiner=ExaminerSettings(Path(sys.executable)),
        rules=rules,
        compiler=rules,
        in_flight=out / "in-flight",
    )


def _in_process_examiner() -> Examiner:
    settings = ExaminerSettings(Path(sys.executable))
    compiler = InProcessCompiler(worker.make_answerer(), Restarts())
    return Examiner(settings, [CHECKS[CHECK]], lambda _settings, _flags: compiler)


def _lane_rate(lane: Lane) -> float:
    started = time.perf_counter()
    for first in range(0, PROGRAMS, BLOCK):
        lane.run(range(first, first + BLOCK))
    return PROGRAMS / (time.perf_counter() - started)


def _iree_opt_rate(texts: list[str], pipeline: str) -> float:
    tool = Path(sys.executable).parent / "iree-opt"
    started = time.perf_counter()
    for text in texts:
        subprocess.run(
            [tool, f"--pass-pipeline={pipeline}"],
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            check=True,
        )
    return len(texts) / (time.perf_counter() - started)


def _campaign_rate(version: str, out: Path, workers: int) -> float:
    """Programs per second of a whole campaign after its first verdict, start-up left out."""
    settings = CampaignSettings(
        lane=_lane_settings(version, out),
        out=out,
        workers=workers,
        examples=CAMPAIGN_PROGRAMS,
        seconds=None,
        shard=(1, 1),
        facts={},
    )
    tally = Campaign(settings, {}).run(lambda _tally: None)
    assert tally.first_verdict_seconds is not None
    return tally.programs / (tally.seconds - tally.first_verdict_seconds)


def _first_verdict_seconds() -> float:
    """From the start of the command to its first verdict, all checks on."""
    tool = str(Path(sys.executable).parent / "crosscurrent")
    seconds = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            command = [tool, "fuzz", "--examples", "1", "--workers", "1", "--out", folder]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
