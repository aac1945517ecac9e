"""Which programs two compilers make the same IR of: no promise about IR can then differ on them."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.checks.base import QuestionBuilder
from oracle.compiling import stages
from oracle.compiling.answers import Answer, Outcome, Request, Seat
from oracle.premerge.programs import Offered
from oracle.premerge.side import Side

SCREENED = 96
"""Programs that are screened together."""

SEAT = Seat(number=102, patience=0.2)
"""A process that soon takes a program for one that hangs: else those that do would be most of what
screening costs. One that only is slow there is put to the checks, which wait as long as asked."""

_LOOKED_AT = (
    "copy-on-write",
    "elide-async-copies",
    "refine-usage",
    "schedule-execution",
    "schedule-concurrency",
    "propagate-timepoints",
    "schedule-allocation",
    "fold-uniform-operands",
)
"""After these stages the module's text is compared, locations and all."""


def differing(baseline: Side, candidate: Side, programs: Sequence[Offered]) -> list[bool]:
    """For each program whether the compilers do not do the same with it: leave another text after
    some stage, or end otherwise. Raises ExaminerError for a compiler that cannot be asked."""
    told = [_told(side, programs) for side in (baseline, candidate)]
    return [one != other for one, other in zip(*told, strict=True)]


def _told(side: Side, programs: Sequence[Offered]) -> list[tuple[object, ...]]:
    version = side.settings.release.version
    requests = []
    for offered in programs:
        builder = QuestionBuilder()
        for stage in stages.pipeline(version, "lean"):
            builder.run(stage)
            if stage.name in _LOOKED_AT:
                builder.step(stage.name, "digest")
        requests.append(Request(offered.text, builder.question().steps))
    steps = requests[0].steps if requests else ()
    return [_result(answer, steps) for answer in side.examiner.process(SEAT).ask(requests)]


def _result(answer: Answer, steps: Sequence[Sequence[object]]) -> tuple[object, ...]:
    """What there is to compare: digests by their order, and how it ended."""
    if answer.lost:
        return (answer.outcome, answer.signal)
    digests = [
        result for step, result in zip(steps, answer.results, strict=False) if step[0] == "digest"
    ]
    message = "" if answer.outcome is Outcome.OK else answer.message
    return (answer.outcome, message, *digests)
