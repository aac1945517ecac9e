"""Whether the compiler makes one thing of a program.

Who compares in which order things stand must know: where the compiler orders them by chance, a
difference from what was foretold is not the model's, nor that of another version of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.checks.determinism import Determinism
from oracle.compiling.answers import Outcome, Request, Seat
from oracle.compiling.inquiry import Compiler
from oracle.verdict import Fault

_LOOKS = 12
"""How often a program is compiled three times: that two of them differ is chance."""


def unsteady(process: Callable[[Seat], Compiler], subject: Subject) -> tuple[Fault, ...]:
    """The faults of `determinism` that a program shows; none where it is not compiled to the end.

    `process` gives the compiler of a seat.
    """
    check = CHECKS[Determinism.name]
    for _ in range(_LOOKS):
        results = []
        for question in check.questions(subject):
            request = Request(subject.text, question.steps)
            (answer,) = process(question.seat).ask([request])
            if answer.outcome is not Outcome.OK:
                return ()
            results.append(answer.results)
        faults = check.judge(subject, results).faults
        if faults:
            return faults
    return ()
