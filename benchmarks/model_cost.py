"""What the model costs beside the compiler, in one run: `python -m benchmarks.model_cost`.

First the rate of the checks `affinity`, `fold`, `placement` and `schedule` on one core, and the
model's own share of it. Then both costs as programs grow: the model's per program, and that of the
passes it models, each the least of several turns; `--plot FILE.svg` draws the two curves. What
grows is one straight function of the profile without what IREE's partitioning gets wrong
(`_grown`): else the compiler refuses all programs of some hundred ops.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.throughput import InProcessCompiler, one_core, rated
from gen.profiles import PROFILES, Profile, Weights
from gen.programs import program
from oracle.campaigns.lane import for_release, spare_the_collector
from oracle.checks import CHECKS
from oracle.commands.options import open_compiler
from oracle.compiling import stages, worker
from oracle.compiling.answers import Request
from oracle.compiling.compiler import Restarts
from oracle.examiner import Examiner, ExaminerSettings
from reference.analysis import analyze
from reference.folding import canonicalize
from reference.ir import Program, UnsupportedOperationError
from reference.placement import apply_placement, place_transfers
from reference.releases import Release
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.partition_fault import ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.text import print_program

NAMES = ("affinity", "fold", "placement", "schedule")
SIZES = (10, 20, 50, 100, 200, 500, 1000)
LEFT_OUT = "casts, barriers, and ops on a queue or on no device"
"""Of the profile, where programs grow: what the compiler's scheduler refuses to put together."""
TRIES = 60
"""Programs of one size that are tried until one goes the whole way."""
ROUNDS = 3
SEED = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one program of `ops` ops, by the model and by the compiler."""

    ops: int
    model: float
    compiler: float


@click.command()
@click.option("--programs", default=400, show_default=True, help="Of the first figure.")
@click.option("--profile", default="well-formed", show_default=True, type=click.Choice([*PROFILES]))
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curves; needs matplotlib.")
def main(programs: int, profile: str, plot: Path | None) -> None:
    """Prints every figure."""
    under_test = open_compiler("installed")
    release = under_test.release
    chosen = for_release(PROFILES[profile], release)
    print(f"IREE {under_test.version}, profile {profile}, seed {SEED}, one core")
    spare_the_collector()
    with one_core():
        _rate(programs, chosen, release, ExaminerSettings(under_test.spec.interpreter))
        print(f"growth: one function a program, without {LEFT_OUT}")
        costs = [cost for size in SIZES if (cost := _cost(size, chosen, release)) is not None]
    for cost in costs:
        print(
            f"{cost.ops:5d} ops: model {1e3 * cost.model:8.2f} ms, compiler "
            f"{1e3 * cost.compiler:8.2f} ms, model / (n log n) "
            f"{1e6 * cost.model / (cost.ops * math.log2(cost.ops)):6.2f} µs"
        )
    print(f"growth of the model from {costs[0].ops} ops on: n^{_exponent(costs):.2f}")
    if plot is not None:
        _draw(costs, plot)


def _rate(count: int, profile: Profile, release: Release, settings: ExaminerSettings) -> None:
    subjects = rated(profile, release, count)
    made = [one.program for one in subjects if one.program is not None]
    with Examiner(settings, [CHECKS[name] for name in NAMES]) as examiner:
        examiner.examine(subjects[:8])
        started = time.perf_counter()
        for start in range(0, count, 8):
            examiner.examine(subjects[start : start + 8])
        whole = time.perf_counter() - started
    started = time.perf_counter()
    for one in made:
        _model(one, release)
    model = time.perf_counter() - started
    ops = statistics.mean(sum(1 for _ in one.operations()) for one in made)
    print(
        f"{', '.join(NAMES)}: {count / whole:.0f} programs/s at {ops:.0f} ops a program; "
        f"the model's own share {100 * model / whole:.0f} %"
    )


def _model(made: Program, release: Release) -> bool:
    """All that the four checks ask of the model about one program; whether it went all the way."""
    try:
        analyze(made, release)
        folded = canonicalize(made, release)
        placed = apply_placement(folded, place_transfers(folded, release))
        scheduled = schedule_execution(placed, release)
        schedule_concurrency(scheduled)
        analyze(scheduled, release)
    except (UnsupportedOperationError, ScheduleRefusedError):
        return False
    return True


def _cost(size: int, profile: Profile, release: Release) -> Cost | None:
    """The costs of a program of that size, None where none is scheduled to the end."""
    tried = (program(SEED, index, _grown(profile, size)) for index in range(TRIES))
    made = next((one for one in tried if _model(one, release)), None)
    if made is None:
        print(f"{size:5d} ops: each of {TRIES} programs is refused by the scheduler")
        return None
    placement = stages.placement(release.version)
    passes = [stages.ANNOTATE_AFFINITIES, stages.CANONICALIZE, stages.SCHEDULE_EXECUTION]
    passes += [] if placement is None else [placement]
    compiler = InProcessCompiler(worker.make_answerer(), Restarts())
    text = print_program(made)
    asked = [Request(text, (("parse",), ("run", one.pipeline))) for one in passes]

    def ask() -> None:
        for _ in compiler.ask(asked):
            pass

    ops = sum(1 for _ in made.operations())
    return Cost(ops, _least(lambda: _model(made, release)), _least(ask))


def _grown(profile: Profile, size: int) -> Profile:
    """The profile for programs of that size, none of whose ops the compiler puts into a partition
    that it then refuses.

    Casts and barriers stay among the host's ops when what they wait for waits itself
    (`PartitionFault.CIRCULAR`, `PartitionFault.CYCLE`), and a partition that took an op without a
    device, or on one queue, may then take another device's (`PartitionFault.AFFINITY`). With some
    hundred ops a program, each program has one of these.
    """
    return replace(
        profile,
        minimum=size,
        average=float(size),
        maximum=size,
        stream_share=0.0,
        operations=_without(profile.operations, "barrier"),
        motifs=_without(profile.motifs, "tied_chain"),
        casts=False,
        omitted=0.0,
        absent_home=0.0,
        queues=0.0,
    )


def _without(weights: Weights, left_out: str) -> Weights:
    return tuple((name, 0.0 if name == left_out else weight) for name, weight in weights)


def _least(action: Callable[[], None]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _exponent(costs: Sequence[Cost]) -> float:
    """The slope of a straight line through the logarithms."""
    return statistics.linear_regression(
        [math.log(cost.ops) for cost in costs], [math.log(cost.model) for cost in costs]
    ).slope


def _draw(costs: Sequence[Cost], file: Path) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    sizes = [cost.ops for cost in costs]
    axes.loglog(sizes, [cost.model for cost in costs], marker="o", label="model")
    axes.loglog(sizes, [cost.compiler for cost in costs], marker="o", label="compiler")
    axes.set_xlabel("ops a program")
    axes.set_ylabel("seconds")
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    main()
