"""Which ops of an execution region may not run at the same time.

Rules from `ResourceHazardAnalysis::hasHazard` in
compiler/src/iree/compiler/Dialect/Stream/Analysis/ResourceHazards.cpp, `AsyncAccessRange` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamTypes.cpp, and each op's
`getAsyncAccessRanges` in compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reference.ir import Operation
from reference.ops import (
    Binding,
    Clone,
    Concurrent,
    Constant,
    Copy,
    Dispatch,
    Fill,
    Slice,
    Splat,
    Transfer,
    Update,
)
from reference.types import Index, Value

_MAKERS = (Splat, Constant)
_MOVERS = (Clone, Transfer)


class Access(NamedTuple):
    """Bytes `[start, end)` of a value that an op reads, or writes; `start` is None for the whole.

    Ranges are compared as IREE does: `end` is compared with another's `start`, nothing else.
    """

    value: Value
    start: Index | None
    end: Index | None
    writes: bool


def accesses(operation: Operation) -> tuple[Access, ...] | None:
    """What an op says it accesses, None for an op that does not say (`AsyncAccessOpInterface`)."""
    if isinstance(operation, Dispatch):
        return _dispatch(operation)
    if isinstance(operation, Concurrent):
        return _concurrent(operation)
    if isinstance(operation, _MAKERS):
        return (_whole(operation.result, writes=True),)
    if isinstance(operation, _MOVERS):
        return (_whole(operation.source, writes=False), _whole(operation.result, writes=True))
    if isinstance(operation, Slice):
        read = Access(operation.source, operation.start, operation.end, writes=False)
        return (read, _whole(operation.result, writes=True))
    if isinstance(operation, Fill):
        return _in_place(
            operation.target, operation.result, operation.span.start, operation.span.end
        )
    if isinstance(operation, Update):
        written = _in_place(operation.target, operation.result, operation.start, operation.end)
        return (_whole(operation.source, writes=False), *written)
    if isinstance(operation, Copy):
        span, source = operation.target_span, operation.source_span
        read = Access(operation.source, source.start, source.end, writes=False)
        return (read, *_in_place(operation.target, operation.result, span.start, span.end))
    return None


def have_hazard(first: Sequence[Access], second: Sequence[Access]) -> bool:
    """Whether an op of the second accesses has to run after one of the first."""
    for one in first:
        name = one.value.name
        for other in second:
            if (
                name == other.value.name
                and (one.writes or other.writes)
                and one.end != other.start
                and one.start != other.end
            ):
                return True
    return False


def _dispatch(operation: Dispatch) -> tuple[Access, ...]:
    found: list[Access] = []
    tied: dict[int, list[Value]] = {}
    made: list[Access] = []
    for output, tie in zip(operation.outputs, operation.ties, strict=True):
        if tie is None:
            made.append(_whole(output, writes=True))
        else:
            tied.setdefault(tie, []).append(output)
    for position, argument in enumerate(operation.arguments):
        if isinstance(argument, Binding):
            span, outputs = argument.span, tied.get(position, ())
            found.append(Access(argument.value, span.start, span.end, writes=bool(outputs)))
            found += [Access(output, span.start, span.end, writes=True) for output in outputs]
    return (*found, *made)


def _concurrent(operation: Concurrent) -> tuple[Access, ...]:
    found = []
    tied = {capture: output for output, capture in operation.tied}
    for capture in operation.captures:
        output = tied.get(capture)
        found.append(_whole(capture, writes=output is not None))
        if output is not None:
            found.append(Access(output, None, capture.size, writes=True))
    written = {output for output, _ in operation.tied}
    found += [_whole(output, writes=True) for output in operation.outputs if output not in written]
    return tuple(found)


def _whole(value: Value, *, writes: bool) -> Access:
    return Access(value, None, value.size, writes)


def _in_place(target: Value, result: Value, start: Index, end: Index) -> tuple[Access, ...]:
    return (Access(target, start, end, writes=True), Access(result, start, end, writes=True))
