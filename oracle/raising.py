"""The highest level at which a finding shows: a maintainer believes a program on tensors at once.

A finding of a lower level is tried on tensors, where the program has a form there. What counts is
the same cause: the same check, and the same shape of what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gen.profiles import Level
from oracle.checks.base import Confirmation, Subject
from oracle.examiner import Examiner
from oracle.verdict import Fault
from reference.tensor import InexpressibleError, expressible
from reference.text import print_program


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding at the highest level at which it shows: the program there, its fault, and what the
    stock tools say of it. `why_not` is why it is not of level `tensor`, None where it is."""

    level: Level
    subject: Subject
    fault: Fault
    confirmation: Confirmation | None
    why_not: str | None = None


def on_tensors(subject: Subject) -> Subject | str:
    """The same program written on tensors; what of it has no form there instead."""
    program = subject.program
    if program is None:
        return "the model does not know all of the program"
    missing = expressible(program)
    if missing is not None:
        return missing
    lifted = replace(program, tensors=True)
    try:
        text = print_program(lifted)
    except InexpressibleError as error:
        return str(error)
    return replace(subject, text=text, program=lifted, resolved=False)


def raised(
    examiner: Examiner,
    subject: Subject,
    fault: Fault,
    level: Level,
    note: Callable[[str], None] = lambda text: None,
) -> Raised:
    """A finding of `level` where it shows highest. Asks the compiler again. Raises ExaminerError.

    `note` is told the text that the compiler is about to see. `confirmation` is None where the
    finding stays where it is: that was confirmed there.
    """
    if level is Level.TENSOR:
        return Raised(level, subject, fault, None)
    higher = on_tensors(subject)
    if isinstance(higher, str):
        return Raised(level, subject, fault, None, f"not expressible on tensors: {higher}")
    note(higher.text)
    (examination,) = examiner.examine([higher])
    if examination.invalid is not None:
        return Raised(level, subject, fault, None, "not valid on tensors")
    for found in examination.faults:
        if (found.check, found.shape) == (fault.check, fault.shape):
            confirmation = examiner.confirm(higher, found)
            if confirmation.confirmed:
                return Raised(Level.TENSOR, higher, found, confirmation)
    return Raised(level, subject, fault, None, "does not show on tensors")
