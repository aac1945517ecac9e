"""What the ops on resources do, each a rule of `reference/values/machine.py`."""

from __future__ import annotations

from typing import Any

from reference.ir import Operation, UnsupportedOperationError
from reference.ops import (
    Alloca,
    Barrier,
    Binding,
    Cast,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    Import,
    Load,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.types import I1, Index, Scalar, ScalarType
from reference.values.constants import constant_content
from reference.values.content import (
    ENDLESS,
    Content,
    OutOfBoundsError,
    WrongSizeError,
    literal,
    made_of,
    repeated,
)
from reference.values.kernels import builtin, kernel_name
from reference.values.machine import Machine, Rule, View
from reference.values.numbers import as_bytes
from reference.values.terms import UNWRITTEN


def _import(machine: Machine[Any], op: Import) -> None:
    view = machine.values[op.source.name]
    if not isinstance(view, View):
        raise UnsupportedOperationError(f"{op.mnemonic} of what is no argument")
    held, memory = view.held, machine.memory
    if memory.look(held).length == ENDLESS:
        held = memory.fit(held, machine.size(op.result))
    machine.values[op.result.name] = held


def _export(machine: Machine[Any], op: Export) -> None:
    held = machine.values[op.source.name]
    machine.values[op.result.name] = View(held, machine.size(op.source))


def _constant(machine: Machine[Any], op: Constant) -> None:
    size = machine.size(op.result)
    if op.length not in (None, size):
        raise OutOfBoundsError(f"a constant of {op.length} bytes as {size}")
    content = constant_content(op.elements, size, machine.terms)
    machine.values[op.result.name] = machine.memory.new(content, op)


def _alloca(machine: Machine[Any], op: Alloca) -> None:
    content = made_of(UNWRITTEN, machine.size(op.result))
    machine.values[op.result.name] = machine.memory.new(content, None)


def _splat(machine: Machine[Any], op: Splat) -> None:
    content = repeated(_pattern(machine, op.pattern), machine.size(op.result))
    machine.values[op.result.name] = machine.memory.new(content, op)


def _copied(machine: Machine[Any], op: Clone | Transfer) -> None:
    memory, source = machine.memory, machine.values[op.source.name]
    length = machine.size(op.source)
    _is_as_long(memory.look(source), length)
    content = memory.read(source, 0, length, op)
    machine.values[op.result.name] = memory.new(content, op)


def _slice(machine: Machine[Any], op: Slice) -> None:
    memory, source = machine.memory, machine.values[op.source.name]
    start, length = _span(machine, op.start, op.end, machine.size(op.result))
    machine.values[op.result.name] = memory.new(memory.read(source, start, length, op), op)


def _fill(machine: Machine[Any], op: Fill) -> None:
    start, length = _range(machine, op.span)
    content = repeated(_pattern(machine, op.pattern), length)
    machine.values[op.result.name] = machine.memory.write(_target(machine, op), start, content, op)


def _update(machine: Machine[Any], op: Update) -> None:
    memory, values = machine.memory, machine.values
    start, length = _span(machine, op.start, op.end, machine.size(op.source))
    _is_as_long(memory.look(values[op.source.name]), length)
    content = memory.read(values[op.source.name], 0, length, op)
    values[op.result.name] = memory.write(_target(machine, op), start, content, op)


def _copy(machine: Machine[Any], op: Copy) -> None:
    memory, values = machine.memory, machine.values
    content = memory.read(values[op.source.name], *_range(machine, op.source_span), op)
    start, length = _range(machine, op.target_span)
    if length != content.length:
        raise OutOfBoundsError(f"{content.length} bytes over {length}")
    values[op.result.name] = memory.write(_target(machine, op), start, content, op)


def _target(machine: Machine[Any], op: Copy | Fill | Update) -> Any:
    """What an op writes in place. Raises WrongSizeError."""
    held = machine.values[op.target.name]
    _is_as_long(machine.memory.look(held), machine.size(op.result))
    return held


def _is_as_long(content: Content, said: int) -> None:
    """Raises WrongSizeError for what is not so long as an op says."""
    if content.length not in (said, ENDLESS):
        raise WrongSizeError(f"{content.length} bytes as {said}")


def _alias(machine: Machine[Any], op: Barrier | Cast) -> None:
    """The same storage: the ops' ties say so.

    Casts between lifetimes that differ in the end become transfers (`RefineUsage`), which mends
    what a write to one of the two had done to the other.
    """
    machine.values[op.result.name] = machine.values[op.source.name]


def _load(machine: Machine[Any], op: Load) -> None:
    kind = op.result.type
    if not isinstance(kind, ScalarType):
        raise UnsupportedOperationError(f"a load of {kind}")
    source, offset = machine.values[op.source.name], machine.number(op.offset)
    content = machine.memory.read(source, offset, kind.bytes, op)
    known = content.known()
    if known is None:
        machine.undefined |= content.vague
        machine.values[op.result.name] = machine.inputs.sample(content, kind, machine.terms)
        return
    bits = int.from_bytes(known, "little")
    machine.values[op.result.name] = bits & 1 if kind == I1 else bits


def _store(machine: Machine[Any], op: Store) -> None:
    target, offset = machine.values[op.target.name], machine.number(op.offset)
    content = literal(_pattern(machine, op.scalar))
    machine.values[op.result.name] = machine.memory.write(target, offset, content, op)


def _dispatch(machine: Machine[Any], op: Dispatch) -> None:
    """All bindings are read, then those written that hold results, in the kernel's order."""
    memory, values = machine.memory, machine.values
    spans: list[tuple[Any, int, int]] = []
    positions: dict[int, int] = {}
    scalars = [machine.number(item) for item in op.workload]
    for place, argument in enumerate(op.arguments):
        if isinstance(argument, Binding):
            positions[place] = len(spans)
            held = values[argument.value.name]
            spans.append((held, *_range(machine, argument.span)))
        else:
            scalars.append(machine.number(argument))
    name = kernel_name(op)
    known = builtin(name)
    if known is not None:
        _builtin(machine, op, as_bytes(scalars[-2], known.pattern), scalars[-1], spans)
        return
    pairs = list(zip(op.outputs, op.ties, strict=True))
    fresh = [machine.size(output) for output, tie in pairs if tie is None]
    blind = machine.interfaces.blind(name, len(spans) + len(fresh))
    contents: list[Content | int] = []
    for place, (held, start, length) in enumerate(spans):
        unread = place in blind
        contents.append(length if unread else memory.read(held, start, length, op))
    contents += fresh
    told = (name, tuple(scalars), tuple(contents))
    following = len(spans)
    for output, tie in pairs:
        if tie is None:
            content = _result(machine, told, following, machine.size(output))
            values[output.name] = memory.new(content, op)
            following += 1
        else:
            held, start, length = spans[positions[tie]]
            content = _result(machine, told, positions[tie], length)
            values[output.name] = memory.write(held, start, content, op)


def _result(
    machine: Machine[Any],
    told: tuple[str, tuple[int, ...], tuple[Content | int, ...]],
    binding: int,
    length: int,
) -> Content:
    name, scalars, contents = told
    return made_of(machine.terms.kernel(name, binding, scalars, contents), length)


def _builtin(
    machine: Machine[Any],
    op: Dispatch,
    pattern: bytes,
    count: int,
    spans: list[tuple[Any, int, int]],
) -> None:
    """A splat, or a fill of the range that the only binding is."""
    memory, (output,) = machine.memory, op.outputs
    if not spans:
        size = machine.size(output)
        written, rest = repeated(pattern, count * len(pattern)), made_of(UNWRITTEN, size)
        machine.values[output.name] = memory.new(rest.with_part(0, written), op)
        return
    ((held, start, length),) = spans
    content = repeated(pattern, count * len(pattern))
    if content.length > length:
        raise OutOfBoundsError(f"{content.length} bytes over {length}")
    machine.values[output.name] = memory.write(held, start, content, op)


def _pattern(machine: Machine[Any], pattern: Scalar) -> bytes:
    return as_bytes(machine.number(pattern), pattern.type)


def _range(machine: Machine[Any], span: Range) -> tuple[int, int]:
    return _span(machine, span.start, span.end, machine.number(span.length))


def _span(machine: Machine[Any], start: Index, end: Index, length: int) -> tuple[int, int]:
    """Start and length of a range. Raises OutOfBoundsError where its end contradicts them."""
    first, last = machine.number(start), machine.number(end)
    if first + length != last:
        raise OutOfBoundsError(f"[{first}, {last}) for {length} bytes")
    return first, length


WORK_RULES: dict[type[Operation], Rule] = {
    Import: _import,
    Export: _export,
    Constant: _constant,
    Alloca: _alloca,
    Splat: _splat,
    Clone: _copied,
    Transfer: _copied,
    Slice: _slice,
    Fill: _fill,
    Update: _update,
    Copy: _copy,
    Dispatch: _dispatch,
    Barrier: _alias,
    Cast: _alias,
    Load: _load,
    Store: _store,
}
