"""Programs on tensors through the whole compiler, as `iree-compile` runs it for a framework.

What comes before Stream's own passes (input conversion, dispatch creation, constant evaluation)
costs as much as all the rest, so that one program in some is compiled so, the text deciding which.
Constant evaluation is a way of its own: it runs parts of a program while compiling it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from oracle.compiling.answers import Seat
from oracle.running.arming import Armed

SEAT = Seat(number=101, runs=True, patience=10)
"""Of processes of its own: constant evaluation ends one now and then. All that comes before Stream,
and a code generator, take more than Stream's passes do."""


@dataclass(frozen=True, slots=True)
class Way:
    """A stage's name, the options of `iree-compile`, and how many programs one of is compiled."""

    stage: str
    options: tuple[str, ...]
    one_in: int


_EXACT = "--iree-input-demote-f64-to-f32=false"
"""Unless told otherwise, IREE makes f32 of f64 wherever it stands, which is no fault."""

WHOLE = Way("iree-compile", ("--iree-opt-const-eval=false", _EXACT), 8)
EVALUATED = Way("iree-compile-const-eval", (_EXACT,), 40)
WAYS = (WHOLE, EVALUATED)


def ways(armed: Armed, sampled: bool) -> tuple[Way, ...]:
    """The ways that a program goes beside the fast one; where it is one of many, few of them do."""
    if not armed.program.tensors:
        return ()
    if not sampled:
        return WAYS
    mark = zlib.crc32(armed.whole_text.encode())
    return tuple(one for one in WAYS if mark % one.one_in == 0)
