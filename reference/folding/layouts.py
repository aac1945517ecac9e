"""How an op is made again around other operands.

`Operation.inputs` gives what an op takes in MLIR's operand order; `with_inputs` is its inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from reference.folding.fixed_layouts import FIXED, Step
from reference.ir import Operation, Successor, UnsupportedOperationError, changed
from reference.ops import (
    Await,
    Barrier,
    Binding,
    Branch,
    Call,
    ChainExternal,
    Concurrent,
    Condition,
    ConditionalBranch,
    Copy,
    Dispatch,
    Execute,
    Export,
    Fill,
    For,
    HostScalar,
    Import,
    Join,
    OpaqueOperation,
    OptimizationBarrier,
    Return,
    Store,
    StreamYield,
    TimepointBarrier,
    TimepointImport,
    Transients,
    Update,
    While,
    Yield,
)
from reference.ops.assembly import Range
from reference.types import INDEX, Index, Literal, Scalar, Value

Input: TypeAlias = Index | Scalar | None
Inputs: TypeAlias = Sequence[Input]

_SAME_SIZE: dict[type[Operation], tuple[tuple[str, str], ...]] = {
    Barrier: (("result", "source"),),
    Copy: (("result", "target"),),
    Fill: (("result", "target"),),
    Store: (("result", "target"),),
    TimepointBarrier: (("result", "source"),),
    Transients: (("result", "source"),),
    Update: (("result", "target"),),
}
"""Results whose size is the size of an operand, and not an operand of its own."""


def with_inputs(operation: Operation, inputs: Inputs) -> Operation:
    """`operation` with other `inputs`, as many as it has, in the same order."""
    kind = type(operation)
    steps = FIXED.get(kind)
    if steps is not None:
        return _fixed(operation, steps, inputs)
    variadic = _VARIADIC.get(kind)
    if variadic is None:
        raise UnsupportedOperationError(f"folding {operation.mnemonic}")
    return variadic(operation, inputs)


def with_successors(operation: Operation, blocks: Sequence[int]) -> Operation:
    """A branch to other blocks, given by their positions, with the same arguments."""
    if isinstance(operation, Branch):
        return replace(operation, target=replace(operation.target, block=blocks[0]))
    assert isinstance(operation, ConditionalBranch)
    return replace(
        operation,
        then=replace(operation.then, block=blocks[0]),
        otherwise=replace(operation.otherwise, block=blocks[1]),
    )


def as_scalar(item: Input) -> Scalar:
    """An operand as a scalar, a constant index as `Literal`."""
    assert item is not None
    return Literal(item, INDEX) if isinstance(item, int) else item


def sized(value: Input, size: Input) -> Value:
    """A value as an op takes it, `size` being what the op says of its length."""
    assert isinstance(value, Value)
    size = _index(size)
    if value.size is size:
        return value
    assert not isinstance(size, Literal)
    return Value(value.name, value.type, size, value.known)


def _fixed(operation: Operation, steps: tuple[Step, ...], inputs: Inputs) -> Operation:
    changes: dict[str, Any] = {}
    spans: dict[str, dict[str, Input]] = {}
    if len(steps) != len(inputs):
        steps = tuple(
            step
            for step in steps
            if not step.optional or getattr(operation, step.field) is not None
        )
    for step, item in zip(steps, inputs, strict=True):
        field, part = step.field, step.part
        if not part:
            changes[field] = as_scalar(item) if step.scalar else _index(item)
        elif part == "size":
            value = changes[field] if field in changes else getattr(operation, field)
            changes[field] = sized(value, item)
        else:
            spans.setdefault(field, {})[part] = item
    for field, parts in spans.items():
        changes[field] = _span(getattr(operation, field), parts)
    for result, operand in _SAME_SIZE.get(type(operation), ()):
        source = changes[operand]
        assert isinstance(source, Value)
        changes[result] = sized(getattr(operation, result), source.size)
    if isinstance(operation, Copy):
        source_span, target_span = changes["source_span"], changes["target_span"]
        assert isinstance(source_span, Range)
        assert isinstance(target_span, Range)
        changes["source_span"] = replace(source_span, length=target_span.length)
    return changed(operation, changes)


def _span(old: Range, parts: dict[str, Input]) -> Range:
    bounds = {name: parts.get(name, getattr(old, name)) for name in ("start", "end", "length")}
    return _range(old, bounds["start"], bounds["end"], bounds["length"])


def _range(old: Range, start: Input, end: Input, length: Input) -> Range:
    """A range of other bounds; `old` where they are the same."""
    if start is old.start and end is old.end and length is old.length:
        return old
    return Range(_bound(start), _bound(end), _bound(length))


def _bound(item: Input) -> Index:
    item = _index(item)
    assert item is not None
    assert not isinstance(item, Literal)
    return item


def _index(item: Input) -> Input:
    """A constant index as a number, anything else as it is."""
    if isinstance(item, Literal) and item.type == INDEX:
        assert isinstance(item.value, int)
        return item.value
    return item


def _values(items: Inputs) -> tuple[Value, ...]:
    found = tuple([item for item in items if isinstance(item, Value)])
    assert len(found) == len(items)
    return found


def _scalars(items: Inputs) -> tuple[Scalar, ...]:
    return tuple(map(as_scalar, items))


def _pairs(values: Inputs, sizes: Inputs) -> tuple[Value, ...]:
    return tuple([sized(value, size) for value, size in zip(values, sizes, strict=True)])


class _Cursor:
    """Inputs, taken group by group."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs, self._place = inputs, 0

    def take(self, count: int) -> Inputs:
        taken = self._inputs[self._place : self._place + count]
        self._place += count
        return taken

    def rest(self) -> Inputs:
        return self._inputs[self._place :]


def _dispatch(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Dispatch)
    cursor = _Cursor(inputs)
    workload = cursor.take(len(operation.workload))
    values = cursor.take(len(operation.arguments))
    count = len(operation.bindings)
    sizes, starts, ends, lengths = (cursor.take(count) for _ in range(4))
    outputs = cursor.take(len(operation.outputs))
    arguments: list[object] = []
    place = 0
    for old, new in zip(operation.arguments, values, strict=True):
        if not isinstance(old, Binding):
            arguments.append(as_scalar(new))
            continue
        span = _range(old.span, starts[place], ends[place], lengths[place])
        arguments.append(Binding(value=sized(new, sizes[place]), span=span))
        place += 1
    changes: dict[str, object] = {"workload": _indices(workload), "arguments": tuple(arguments)}
    changes["outputs"] = _pairs(operation.outputs, outputs)
    return changed(operation, changes)


def _execute(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Execute)
    cursor, count = _Cursor(inputs), len(operation.captures)
    captures = _pairs(cursor.take(count), cursor.take(count))
    outputs = _pairs(operation.outputs, cursor.take(len(operation.outputs)))
    awaits = _values(cursor.rest())
    awaited = awaits[0] if awaits else None
    return changed(operation, {"captures": captures, "outputs": outputs, "awaits": awaited})


def _concurrent(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Concurrent)
    cursor, count = _Cursor(inputs), len(operation.captures)
    captures = _pairs(cursor.take(count), cursor.take(count))
    outputs = _pairs(operation.outputs, cursor.rest())
    return changed(operation, {"captures": captures, "outputs": outputs})


def _stream_yield(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, StreamYield)
    count = len(operation.values)
    return changed(operation, {"values": _pairs(inputs[:count], inputs[count:])})


def _await(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Await)
    count = len(operation.sources)
    sources = _pairs(inputs[:count], inputs[count : 2 * count])
    sizes = [source.size for source in sources]
    (awaits,) = _values(inputs[2 * count :])
    outputs = _pairs(operation.outputs, sizes)
    return changed(operation, {"sources": sources, "outputs": outputs, "awaits": awaits})


def _transients(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Transients)
    source, storage = _pairs(inputs[0:4:2], inputs[1:4:2])
    awaits = _values(inputs[4:])
    return replace(
        operation,
        source=source,
        storage=storage,
        awaits=awaits[0] if awaits else None,
        result=sized(operation.result, source.size),
    )


def _import(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Import)
    (source,) = _values(inputs[:1])
    return replace(
        operation,
        source=source,
        dimensions=_indices(inputs[1:-1]),
        result=sized(operation.result, inputs[-1]),
    )


def _export(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Export)
    return replace(
        operation, source=sized(inputs[0], inputs[-1]), dimensions=_indices(inputs[1:-1])
    )


def _indices(items: Inputs) -> tuple[Index, ...]:
    return tuple(map(_bound, items))


def _for(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, For)
    lower, upper, step = _indices(inputs[:3])
    return replace(operation, lower=lower, upper=upper, step=step, initial=_scalars(inputs[3:]))


def _condition(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Condition)
    condition, *values = _scalars(inputs)
    return replace(operation, condition=condition, values=tuple(values))


def _branch(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, Branch)
    return replace(operation, target=_successor(operation.target, inputs))


def _conditional_branch(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, ConditionalBranch)
    cursor = _Cursor(inputs)
    (condition,) = _scalars(cursor.take(1))
    then = _successor(operation.then, cursor.take(len(operation.then.arguments)))
    return replace(
        operation,
        condition=condition,
        then=then,
        otherwise=_successor(operation.otherwise, cursor.rest()),
    )


def _successor(old: Successor, arguments: Inputs) -> Successor:
    return Successor(old.block, _scalars(arguments))


def _scalars_of(field: str) -> Callable[[Operation, Inputs], Operation]:
    """For an op whose inputs are one field of scalars."""

    def build(operation: Operation, inputs: Inputs) -> Operation:
        return changed(operation, {field: _scalars(inputs)})

    return build


def _chain_external(operation: Operation, inputs: Inputs) -> Operation:
    assert isinstance(operation, ChainExternal)
    source, *externals = _values(inputs)
    return replace(operation, source=source, externals=tuple(externals))


_VARIADIC: dict[type[Operation], Callable[[Operation, Inputs], Operation]] = {
    Await: _await,
    Branch: _branch,
    Call: _scalars_of("arguments"),
    ChainExternal: _chain_external,
    Concurrent: _concurrent,
    Condition: _condition,
    ConditionalBranch: _conditional_branch,
    Dispatch: _dispatch,
    Execute: _execute,
    Export: _export,
    For: _for,
    HostScalar: _scalars_of("arguments"),
    OpaqueOperation: _scalars_of("arguments"),
    Import: _import,
    Join: _scalars_of("sources"),
    OptimizationBarrier: _scalars_of("sources"),
    Return: _scalars_of("values"),
    StreamYield: _stream_yield,
    TimepointImport: _scalars_of("sources"),
    Transients: _transients,
    While: _scalars_of("initial"),
    Yield: _scalars_of("values"),
}
