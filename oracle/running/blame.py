"""Which op made a byte that a function returns, by following the program back from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reference.ir import Function, Operation, Program, walk
from reference.ops import (
    Barrier,
    Cast,
    Clone,
    Copy,
    Dispatch,
    Export,
    Fill,
    Return,
    Slice,
    Store,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.types import Index, Scalar, Value

Numbers = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Maker:
    """The op that made a byte, and whether a transfer between devices lies on the way from it."""

    operation: Operation | None
    crossed: bool

    @property
    def shape(self) -> tuple[str, ...]:
        """What it is, in words that hold for any program."""
        reach = "cross-device" if self.crossed else "same-device"
        if self.operation is None:
            return ("unknown", reach)
        kind = self.operation.mnemonic.rpartition(".")[2]
        return (kind, "in-place" if self.operation.tied else "new", reach)


def maker(program: Program, function: str, result: int, byte: int, numbers: Numbers) -> Maker:
    """Who made byte `byte` of result number `result`; `numbers` are the function's index values.

    Nobody in particular where the way leads through control flow, or begins with the caller.
    """
    (found,) = [one for one in program.functions if one.name == function]
    path = _Path(found, numbers)
    last = next((one for one in walk(found.body) if isinstance(one, Return)), None)
    if last is None or result >= len(last.values):
        return Maker(None, False)
    item = last.values[result]
    while isinstance(item, Value) and item.name in path.defined:
        operation = path.defined[item.name]
        following = path.before(operation, item, byte)
        if following is None:
            return Maker(operation, path.crossed)
        item, byte = following
    return Maker(None, path.crossed)


class _Path:
    """The way back through one function."""

    def __init__(self, function: Function, numbers: Numbers) -> None:
        self.crossed = False
        self._numbers = numbers
        self.defined = {
            result.name: operation
            for operation in walk(function.body)
            for result in operation.results
        }

    def before(self, operation: Operation, result: Value, byte: int) -> tuple[Any, int] | None:
        """Where a byte of a result comes from; None where the op itself made it."""
        if isinstance(operation, Transfer):
            ends = operation.source_affinity, operation.target_affinity
            devices = [None if end is None else end.device for end in ends]
            self.crossed = self.crossed or devices[0] != devices[1]
            return operation.source, byte
        if isinstance(operation, Export | Cast | Barrier | Clone):
            return operation.source, byte
        if isinstance(operation, Slice):
            return operation.source, byte + self._number(operation.start)
        if isinstance(operation, Update):
            start, end = self._number(operation.start), self._number(operation.end)
            inside = start <= byte < end
            return (operation.source, byte - start) if inside else (operation.target, byte)
        if isinstance(operation, Copy):
            start, end = self._span(operation.target_span)
            if start <= byte < end:
                return operation.source, byte - start + self._span(operation.source_span)[0]
            return operation.target, byte
        if isinstance(operation, Fill):
            start, end = self._span(operation.span)
            return None if start <= byte < end else (operation.target, byte)
        if isinstance(operation, Store):
            return operation.target, byte
        if isinstance(operation, Dispatch):
            return self._before_dispatch(operation, result, byte)
        return None

    def _before_dispatch(
        self, dispatch: Dispatch, result: Value, byte: int
    ) -> tuple[Any, int] | None:
        names = [output.name for output in dispatch.outputs]
        tie = dispatch.ties[names.index(result.name)]
        if tie is None:
            return None
        target = dispatch.arguments[tie]
        spans = {one.value.name: one.span for one in dispatch.bindings}
        value = dict(dispatch.tied)[dispatch.outputs[names.index(result.name)]]
        assert target is not None
        start, end = self._span(spans[value.name])
        return None if start <= byte < end else (value, byte)

    def _span(self, span: Range) -> tuple[int, int]:
        return self._number(span.start), self._number(span.end)

    def _number(self, item: Index | Scalar) -> int:
        if isinstance(item, Value):
            return self._numbers.get(item.name, 0)
        return item if isinstance(item, int) else 0
