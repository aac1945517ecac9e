"""The `tensor` level: a program as a framework hands it over.

`lifted` writes a program of the Stream phase on tensors, which `reference.text` prints; `lowered`
is what ops on tensors mean, as a program of the Stream phase again. A program is written at this
level where its `tensors` says so: then it is one of the Stream phase all the same, and what IREE's
conversion adds (moves to where an op runs, lifetimes) is not in it.
"""

from reference.tensor.expression import InexpressibleError
from reference.tensor.lift import expressible, lifted
from reference.tensor.lower import is_on_tensors, lowered

__all__ = ["InexpressibleError", "expressible", "is_on_tensors", "lifted", "lowered"]
