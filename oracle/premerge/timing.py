"""Compile times of two compilers on the same programs, pass by pass, and which are longer.

Each program is compiled by both in turn, in the order A B B A, by processes that do nothing else,
and the processor time of each pass is taken (not the clock: other programs of a busy machine do not
count). A pass is slower when the paired ratios say so three ways: by a signed-rank test, by how far
above 1 the whole confidence interval of the median lies, and by what the same compiler's two turns
differ by. Processes differ among themselves, too, so several pairs are started, and every one of
them has to show it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from oracle.checks.base import QuestionBuilder, Subject
from oracle.compiling import stages
from oracle.compiling.answers import Outcome, Request
from oracle.examiner import Examiner
from oracle.premerge.programs import Offered
from oracle.premerge.side import Side, SideSettings

LAUNCHES = 3
"""Pairs of processes, one after the other."""

WHOLE = "all passes"

_WARMING = 4
"""Programs that are compiled before any is measured: a process's first ones take longer."""
_LEAST_PROGRAMS = 12
_SIGNIFICANCE = 0.001
_TOLERANCE = 0.10
"""What is slower by less is not told: layouts of memory alone make as much."""
_LEAST_SECONDS = 20e-6
_CONFIDENCE = 0.99

_Numbers = NDArray[np.float64]


@dataclass(slots=True)
class Timings:
    """Processor seconds by launch and pass: for each program both compilers' two turns."""

    turns: dict[tuple[int, str], list[tuple[float, float, float, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """(baseline, candidate, candidate again, baseline again) of each program."""


@dataclass(frozen=True, slots=True)
class Slower:
    """A pass that takes longer: medians in seconds a program, the median ratio of candidate to
    baseline, the interval it lies in, and the largest p-value of any launch."""

    stage: str
    programs: int
    baseline: float
    candidate: float
    ratio: float
    low: float
    high: float
    p_value: float


def can_measure(*sides: SideSettings) -> bool:
    """Whether both compilers tell how long each pass took: a bare `iree-opt` does not, exactly
    enough."""
    return all(side.examiner.bare is None for side in sides)


def measure(
    baseline: SideSettings, candidate: SideSettings, programs: Sequence[Offered]
) -> Timings:
    """Compiles each program by both compilers. Raises ExaminerError."""
    timings = Timings()
    for launch in range(LAUNCHES):
        with Side(baseline, ()) as one, Side(candidate, ()) as other:
            for place, offered in enumerate(programs):
                turns = [_times(side, offered) for side in (one, other, other, one)]
                if place < _WARMING:
                    continue
                for stage in turns[0].keys() & turns[1].keys():
                    if all(stage in turn for turn in turns):
                        first, second, third, fourth = (turn[stage] for turn in turns)
                        timings.turns[launch, stage].append((first, second, third, fourth))
    return timings


def slower(timings: Timings) -> list[Slower]:
    """The passes that take the candidate longer, the worst first."""
    return _longer(timings, swapped=False)


def faster(timings: Timings) -> list[Slower]:
    """The passes that take the baseline longer, as `slower` would tell them of the other way."""
    return _longer(timings, swapped=True)


def _longer(timings: Timings, swapped: bool) -> list[Slower]:
    names = sorted({stage for _, stage in timings.turns})
    found = []
    for stage in names:
        launches = [
            np.array(turns, dtype=np.float64)
            for (_, name), turns in sorted(timings.turns.items())
            if name == stage
        ]
        one = _compared(stage, launches, len(names), swapped)
        if one is not None:
            found.append(one)
    return sorted(found, key=lambda one: (-(one.candidate - one.baseline), one.stage))


def _compared(
    stage: str, launches: Sequence[_Numbers], stages_compared: int, swapped: bool
) -> Slower | None:
    ratios: list[_Numbers] = []
    worst = 0.0
    for turns in launches:
        if len(turns) < _LEAST_PROGRAMS:
            return None
        before, after = turns[:, (0, 3)].min(axis=1), turns[:, (1, 2)].min(axis=1)
        if swapped:
            before, after = after, before
        logs = np.log(np.maximum(after, 1e-9) / np.maximum(before, 1e-9))
        own = np.abs(np.log(np.maximum(turns[:, 3], 1e-9) / np.maximum(turns[:, 0], 1e-9)))
        noise = max(math.log1p(_TOLERANCE), float(np.median(own)))
        if float(np.median(logs)) <= noise or float(np.median(after - before)) < _LEAST_SECONDS:
            return None
        p_value = float(stats.wilcoxon(logs, alternative="greater").pvalue)
        if p_value * stages_compared > _SIGNIFICANCE:
            return None
        worst = max(worst, p_value)
        ratios.append(logs)
    together = np.concatenate(ratios)
    test = stats.quantile_test(together, q=0.0, p=0.5)
    interval = test.confidence_interval(confidence_level=_CONFIDENCE)
    if interval.low <= math.log1p(_TOLERANCE):
        return None
    everything = np.concatenate(launches)
    medians = [float(np.median(everything[:, places].min(axis=1))) for places in ((0, 3), (1, 2))]
    return Slower(
        stage=stage,
        programs=len(launches[0]),
        baseline=medians[swapped],
        candidate=medians[not swapped],
        ratio=math.exp(float(np.median(together))),
        low=math.exp(float(interval.low)),
        high=math.exp(float(interval.high)),
        p_value=worst,
    )


def _times(side: Side, offered: Offered) -> dict[str, float]:
    """Processor seconds of each pass and of all; nothing for a program that is refused."""
    subject = side.prepare(offered).subject
    if subject is None:
        return {}
    names, request = _request(side.examiner, subject)
    (answer,) = side.examiner.process().ask([request])
    if answer.outcome is not Outcome.OK or len(answer.step_seconds) != len(names):
        return {}
    spent: dict[str, float] = defaultdict(float)
    for name, seconds in zip(names, answer.step_seconds, strict=True):
        spent[name] += seconds
        spent[WHOLE] += seconds
    return dict(spent)


def _request(examiner: Examiner, subject: Subject) -> tuple[Sequence[str], Request]:
    """The stock pipeline, each stage a step, and what each step is called."""
    builder = QuestionBuilder()
    for stage in stages.pipeline(subject.compiler.version):
        builder.run(stage)
    question = builder.question()
    return question.stages, Request(subject.text, question.steps)


def merged(parts: Iterable[Timings]) -> Timings:
    """The timings of several lanes; each lane's launches stay apart."""
    whole = Timings()
    for number, part in enumerate(parts):
        for (launch, stage), turns in part.turns.items():
            whole.turns[number * LAUNCHES + launch, stage] = turns
    return whole
