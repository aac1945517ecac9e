"""What kernels read and write.

A kernel sees bindings: the resource operands of its dispatch in order, then the results that have
storage of their own. That order is all that lowering keeps of a dispatch (`applyAsyncDispatchOp`,
compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleAllocation.cpp), so a kernel is known
by what it does to each binding, whichever operands and results these are by now: a pass may make an
operand of a result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from reference.ir import Program
from reference.ops import Dispatch
from reference.types import I8, I16, I32, I64, ScalarType

_OWN_NAME = re.compile(r"ex::[a-z]+_((?:w|r|o|i8|i16|i32|i64|f32|f64|index)*)_([tn]*)")
_LETTER = re.compile(r"i8|i16|i32|i64|f32|f64|index|w|r|o")
_BUILTIN = re.compile(r"__builtin_(splat|fill)_(i8|i16|i32|i64)::__builtin_\1_\2")
_PATTERNS: dict[str, ScalarType] = {kind.name: kind for kind in (I8, I16, I32, I64)}


@dataclass(frozen=True, slots=True)
class Builtin:
    """A kernel of IREE's own that repeats a pattern of this type over its only binding.

    Its first scalar is the pattern, the second how often it stands there. From
    compiler/src/iree/compiler/Dialect/Stream/Builtins/.
    """

    pattern: ScalarType


def builtin(kernel: str) -> Builtin | None:
    """The builtin that a kernel is, None for any other."""
    match = _BUILTIN.fullmatch(kernel)
    return None if match is None else Builtin(_PATTERNS[match[2]])


@cache
def own_interface(kernel: str) -> tuple[int, frozenset[int]] | None:
    """The bindings of a kernel whose name says its interface: how many, and those that are written
    without being read. None for any other kernel.

    `ex::a_wri32_tn` is kernel `a` over a resource it reads and writes (`w`), one it reads (`r`) and
    an i32, with one tied (`t`) and one new (`n`) result; `o` is written without being read.
    """
    match = _OWN_NAME.fullmatch(kernel)
    if match is None:
        return None
    letters = [letter for letter in _LETTER.findall(match[1]) if letter in ("w", "r", "o")]
    news = match[2].count("n")
    fresh = range(len(letters), len(letters) + news)
    blind = {place for place, letter in enumerate(letters) if letter == "o"}
    return len(letters) + news, frozenset(blind.union(fresh))


class Interfaces:
    """The bindings of each kernel that it writes without reading them.

    A kernel whose name does not say is taken to read each operand that it is given, unless some
    dispatch of `program`, the program as it was written, gives it a new result there: that has no
    contents to read.
    """

    def __init__(self, program: Program) -> None:
        self._fresh: dict[str, frozenset[int]] = {}
        for operation in program.operations():
            if isinstance(operation, Dispatch):
                first = len(operation.bindings)
                count = sum(tie is None for tie in operation.ties)
                fresh = range(first, first + count)
                name = kernel_name(operation)
                self._fresh[name] = self._fresh.get(name, frozenset()).union(fresh)

    def blind(self, kernel: str, bindings: int) -> frozenset[int]:
        """The positions, of so many bindings, that are written without being read."""
        own = own_interface(kernel)
        if own is not None and own[0] == bindings:
            return own[1]
        return self._fresh.get(kernel, frozenset())


def kernel_name(dispatch: Dispatch) -> str:
    """The kernel of a dispatch; of several that do the same work, all."""
    if not dispatch.other_kernels:
        return dispatch.kernel
    return "|".join(sorted((dispatch.kernel, *dispatch.other_kernels)))
