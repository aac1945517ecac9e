"""Programs a second compiled, run and compared: `python -m benchmarks.run_cost [PROFILE]`.

Programs have as many ops as those of `benchmarks.model_cost`. All processes are bound to one core.
Some of the same programs are then given to `iree-compile` and `iree-run-module`, on one kind of
devices and with one set of inputs, where the check takes up to four and two. The framework's own
time is what is left of the check's when the compilers and the runtime have had theirs. On a machine
that does other work meanwhile, look at the programs a second of processor time. `value` is then
asked about the same programs.
"""

from __future__ import annotations

import importlib.metadata
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.throughput import SEED, one_core, rated
from gen.profiles import profile_named
from oracle.campaigns.lane import for_release
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.checks.run import SEAT, Run
from oracle.compiling.answers import USUAL, Answer, Request
from oracle.compiling.inquiry import Compiler
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.running import whole
from oracle.running.arming import Armed, arm
from oracle.running.mixes import DRIVERS
from oracle.running.stock import can_be_made, stock_program
from oracle.running.trial import Trial, trials
from reference.releases import release_rules

PROGRAMS = 160
STOCK_PROGRAMS = 6
BLOCK = 16
SEATS = {
    "compiling and running": SEAT,
    "whole compilations of some programs on tensors": whole.SEAT,
    "the compiler, asked why a run went wrong": USUAL,
}
"""What IREE's time is spent on."""
ROUNDS = 3


@dataclass(slots=True)
class Watch:
    """The seconds that IREE took."""

    seconds: float = 0.0


def main() -> None:
    """Prints every figure."""
    version = importlib.metadata.version("iree-base-compiler")
    release, _ = release_rules(version)
    profile = for_release(profile_named((*sys.argv[1:], "nightly")[0]), release)
    settings = ExaminerSettings(Path(sys.executable), timeout=5)
    print(f"IREE {version}, profile {profile.name}, seed {SEED}, {ROUNDS} rounds, one core")
    with one_core(), Examiner(settings, [Run()]) as examiner:
        subjects = _that_run(examiner, rated(profile, release, PROGRAMS))
        watches = _watch(examiner)
        ops = statistics.mean(_size(subject) for subject in subjects)
        print(f"{len(subjects)} of {PROGRAMS} programs run to their end, {ops:.0f} ops on average")
        rates, busy = [], []
        shares: dict[str, list[float]] = {name: [] for name in SEATS}
        for _ in range(ROUNDS):
            for watch in watches.values():
                watch.seconds = 0.0
            used, started = _cpu_seconds(), time.perf_counter()
            _examined(examiner, subjects)
            seconds = time.perf_counter() - started
            busy.append(len(subjects) / (_cpu_seconds() - used))
            rates.append(len(subjects) / seconds)
            for name, watch in watches.items():
                shares[name].append(watch.seconds / seconds)
        rate = statistics.median(rates)
        print(f"compile + run + compare: {rate:.0f} programs/s ({min(rates):.0f}–{max(rates):.0f})")
        print(f"programs a second of processor time: {statistics.median(busy):.0f}")
        taken = {name: 100 * statistics.median(share) for name, share in shares.items()}
        for name, share in {**taken, "the framework": 100 - sum(taken.values())}.items():
            print(f"the share of {name}: {share:.0f} %")
        print(f"value over all stages: {_rate_of('value', settings, subjects):.0f} programs/s")
        given = [pair for pair in map(_first_trial, subjects) if can_be_made(pair[1].calls[0])]
        stock = [_stock_seconds(settings, *pair) for pair in given[:STOCK_PROGRAMS]]
        slow = 1 / statistics.median(stock)
        print(f"the tools can run {len(given)} of the {len(subjects)}; {len(stock)} of them taken")
        print(f"iree-compile + iree-run-module: {slow:.2f} programs/s; ratio {rate / slow:.0f} x")


def _rate_of(check: str, settings: ExaminerSettings, subjects: Sequence[Subject]) -> float:
    """Programs a second of another check, by processes of its own that are warm."""
    with Examiner(settings, [CHECKS[check]]) as examiner:
        _examined(examiner, subjects[:BLOCK])
        started = time.perf_counter()
        _examined(examiner, subjects)
        return len(subjects) / (time.perf_counter() - started)


def _that_run(examiner: Examiner, subjects: list[Subject]) -> list[Subject]:
    """The programs that are compiled and run, whatever they return."""
    found = _examined(examiner, subjects)
    return [
        one.subject
        for one in found
        if not one.unsupported
        and all(fault.check == Run.name and fault.shape[0] != "crash" for fault in one.faults)
    ]


def _examined(examiner: Examiner, subjects: Sequence[Subject]) -> list[Examination]:
    return [
        one
        for first in range(0, len(subjects), BLOCK)
        for one in examiner.examine(subjects[first : first + BLOCK])
    ]


def _watch(examiner: Examiner) -> dict[str, Watch]:
    """From now on, what IREE takes in each of the examiner's seats."""
    watches = {}
    for name, seat in SEATS.items():
        watches[name] = _watched(examiner.process(seat))
    return watches


def _watched(compiler: Compiler) -> Watch:
    watch = Watch()
    ask = compiler.ask

    def watching(requests: Sequence[Request]) -> Iterator[Answer]:
        for answer in ask(requests):
            watch.seconds += answer.seconds
            yield answer

    compiler.ask = watching  # type: ignore[method-assign]
    return watch


def _cpu_seconds() -> float:
    """The processor time of this process and those that it started."""
    own = psutil.Process()
    times = [one.cpu_times() for one in (own, *own.children())]
    return sum(one.user + one.system for one in times)


def _size(subject: Subject) -> int:
    assert subject.program is not None
    return sum(1 for _ in subject.program.operations())


def _first_trial(subject: Subject) -> tuple[Armed, Trial]:
    """A program with kernels, and its first set of inputs."""
    assert subject.program is not None
    armed = arm(subject.program)
    return armed, trials(armed.program)[0]


def _stock_seconds(settings: ExaminerSettings, armed: Armed, trial: Trial) -> float:
    """What the stock tools take for one program on one kind of devices, with one set of inputs."""
    drivers = [DRIVERS[0]] * len(armed.devices)
    started = time.perf_counter()
    with stock_program(settings.stock, armed.whole_text) as tried:
        tried.run(trial.calls[0], drivers)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
