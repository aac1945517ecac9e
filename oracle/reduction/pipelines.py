"""The pipeline that shows a finding without the passes that do nothing to its program.

A pass is left out where it leaves the module to the letter as it is, so what the others are given
is the same, and what they make of it too: no pass is blamed for the lack of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from oracle.checks.base import Confirmation, Subject, pass_pipeline
from oracle.compiling import stages
from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.examiner import Examiner
from oracle.verdict import Fault, Verdict

_OPTION = pass_pipeline("")
_FAILED = frozenset({Verdict.REJECTED, Verdict.CRASH, Verdict.HANG})


def shortened(examiner: Examiner, subject: Subject, fault: Fault) -> Fault:
    """The fault with the shortest options of `iree-opt` that show it; with those that it has where
    stock tools do not show it with others, or make something else of the program.

    Raises ExaminerError.
    """
    others = tuple(one for one in fault.stock_arguments if not one.startswith(_OPTION))
    for argument in fault.stock_arguments:
        if argument not in others:
            alone = replace(fault, stock_arguments=(argument, *others))
            shown = examiner.confirm(subject, alone)
            if shown.confirmed:
                text = fault.text or subject.text
                needed = needed_passes(examiner, text, argument.removeprefix(_OPTION))
                less = replace(fault, stock_arguments=(pass_pipeline(needed), *others))
                same = shows_the_same(fault, shown, examiner.confirm(subject, less))
                return less if same else alone
    return fault


def shows_the_same(fault: Fault, shown: Confirmation, other: Confirmation) -> bool:
    """Whether stock tools show a fault with other options, and end in the same program."""
    # Which text a crash leaves behind is chance.
    return other.confirmed and (fault.verdict in _FAILED or other.output == shown.output)


def needed_passes(examiner: Examiner, text: str, pipeline: str) -> str:
    """A pipeline's text without the passes that leave a module as it is, up to the one that fails
    if one does. Raises ExaminerError."""
    passes = stages.each_alone(pipeline)
    answer = _run(examiner, text, passes)
    kept, failing = passes, passes[:0]
    if answer.outcome is not Outcome.OK:
        done = (answer.step - 1) // 2
        kept, failing = passes[:done], passes[done : done + 1]
        answer = _run(examiner, text, kept)
    digests = answer.results[1:]
    steps = zip(kept, pairwise(digests[::2]), strict=False)
    needed = [one for one, (before, after) in steps if before != after]
    return stages.in_one_short([*needed, *failing])


def _run(examiner: Examiner, text: str, passes: Sequence[str]) -> Answer:
    steps: list[tuple[Json, ...]] = [("parse",), ("digest",)]
    for one in passes:
        steps += [("run", one), ("digest",)]
    (answer,) = examiner.process().ask([Request(text, tuple(steps))])
    return answer
