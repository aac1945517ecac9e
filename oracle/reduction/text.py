"""A reduced module as people write it."""

from __future__ import annotations

from oracle.compiling.answers import Outcome, Request
from oracle.examiner import Examiner
from oracle.reading.reader import read_program
from oracle.reduction.reducer import Predicate
from reference.tensor import expressible
from reference.text import print_program


def readable(examiner: Examiner, text: str, shows: Predicate) -> str:
    """The module as people write it: by our printer where the model knows it and the fault stays,
    else as the compiler prints it."""
    steps = (("parse",), ("read",), ("print", True))
    (answer,) = examiner.process().ask([Request(text, steps)])
    if answer.outcome is not Outcome.OK:
        return text
    read = read_program(answer.results[1])
    program = read.program
    # What was read on tensors may lack, reduced, what it takes to be written so again.
    written = read.complete and not (program.tensors and expressible(program))
    ours = print_program(program) if written else text
    return next(one for one in (ours, str(answer.results[2]), text) if one == text or shows(one))
