"""What the ops of the command level do, each a rule of `reference/values/machine.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reference.commands.buffers import Actor, Buffer, Who
from reference.commands.host_bytes import host_content
from reference.commands.kernels import uses_of
from reference.commands.memory import CommandMemory
from reference.commands.packing import packed
from reference.ir import Operation, UnsupportedOperationError
from reference.ops import (
    Export,
    Import,
    OpaqueOperation,
)
from reference.ops.command import (
    CommandConcurrent,
    CommandCopy,
    CommandDispatch,
    CommandExecute,
    CommandFill,
    CommandSerial,
    Discard,
    FileConstant,
    FileRead,
    Flush,
    Invalidate,
    IsTerminal,
    Pack,
    Part,
    Release,
    ResourceAlloc,
    ResourceAlloca,
    ResourceConstants,
    ResourceDealloca,
    ResourceLoad,
    ResourceStore,
    Retain,
    Subview,
    TryMap,
    Use,
)
from reference.types import I1, Lifetime, Scalar, ScalarType, Value
from reference.values.constants import constant_content
from reference.values.content import ENDLESS, Content, OutOfBoundsError, literal, made_of, repeated
from reference.values.control import CONTROL_RULES
from reference.values.kernels import builtin
from reference.values.machine import Machine, Opaque, Rule, View
from reference.values.numbers import as_bytes
from reference.values.terms import UNWRITTEN

_BUFFER_CONSTANT = "util.buffer.constant"


@dataclass(frozen=True, slots=True)
class HostBytes:
    """Bytes that the host keeps, or a file made of them."""

    content: Content


def _memory(machine: Machine[Any]) -> CommandMemory:
    memory = machine.memory
    assert isinstance(memory, CommandMemory)
    return memory


def _execute(machine: Machine[Any], op: CommandExecute) -> None:
    memory = machine.memory
    (block,) = op.body.blocks
    machine.bind(block.arguments, [machine.values[value.name] for value in op.captures])
    memory.begin(_awaited(machine, op.awaits), op.affinity)
    machine.run(block)
    machine.values[op.timepoint.name] = memory.end()


def _concurrent(machine: Machine[Any], op: CommandConcurrent) -> None:
    memory = _memory(machine)
    (block,) = op.body.blocks
    memory.fork()
    machine.run(block, memory.branch)
    memory.join()


def _serial(machine: Machine[Any], op: CommandSerial) -> None:
    (block,) = op.body.blocks
    machine.run(block)


def _copy(machine: Machine[Any], op: CommandCopy) -> None:
    memory = _memory(machine)
    actor = memory.actor(op)
    source, start, length = _span(machine, op.read)
    target, place, _ = _span(machine, op.written)
    memory.overlap(actor, [(source, start, length, Use.READ), (target, place, length, Use.WRITE)])
    memory.put(actor, target, place, memory.take(actor, source, start, length))


def _fill(machine: Machine[Any], op: CommandFill) -> None:
    buffer, start, length = _span(machine, op.part)
    pattern = as_bytes(machine.number(op.pattern), op.pattern.type)
    machine.memory.write(buffer, start, repeated(pattern, length), op)


def _flush(machine: Machine[Any], op: Flush) -> None:
    _memory(machine).flush(*_span(machine, op.part))


def _invalidate(machine: Machine[Any], op: Invalidate) -> None:
    memory = _memory(machine)
    memory.invalidate(memory.actor(op), *_span(machine, op.part))


def _discard(machine: Machine[Any], op: Discard) -> None:
    buffer, start, length = _span(machine, op.part)
    machine.memory.write(buffer, start, made_of(UNWRITTEN, length), op)


def _dispatch(machine: Machine[Any], op: CommandDispatch) -> None:
    """All bindings are read, then those written, in the kernel's order."""
    memory = _memory(machine)
    actor = memory.actor(op)
    spans = [_span(machine, binding.part) for binding in op.bindings]
    scalars = [machine.number(item) for item in (*op.workload, *op.scalars)]
    known = builtin(op.kernel)
    if known is not None:
        if len(op.scalars) != 2:
            raise UnsupportedOperationError(f"@{op.kernel} with other operands than its own")
        _builtin(machine, actor, as_bytes(scalars[-2], known.pattern), scalars, spans)
        return
    uses, _ = uses_of(op)
    memory.overlap(actor, [(*span, use) for span, use in zip(spans, uses, strict=True)])
    name = "|".join(sorted((op.kernel, *op.other_kernels)))
    blind = machine.interfaces.blind(name, len(spans))
    contents: list[Content | int] = []
    for place, (span, use) in enumerate(zip(spans, uses, strict=True)):
        reads = place not in blind and Use.READ in use
        contents.append(memory.take(actor, *span) if reads else span[2])
    told = (tuple(scalars), tuple(contents))
    for place, ((buffer, start, length), use) in enumerate(zip(spans, uses, strict=True)):
        if Use.WRITE in use:
            term = machine.terms.kernel(name, place, *told)
            memory.put(actor, buffer, start, made_of(term, length))


def _builtin(
    machine: Machine[Any],
    actor: Actor,
    pattern: bytes,
    scalars: list[int],
    spans: list[tuple[Buffer, int, int]],
) -> None:
    """A splat or a fill of the part that the only binding is."""
    ((buffer, start, length),) = spans
    content = repeated(pattern, scalars[-1] * len(pattern))
    if content.length > length:
        raise OutOfBoundsError(f"{content.length} bytes over {length}")
    _memory(machine).put(actor, buffer, start, content)


def _alloc(machine: Machine[Any], op: ResourceAlloc) -> None:
    content = made_of(UNWRITTEN, machine.size(op.result))
    machine.values[op.result.name], _ = _memory(machine).allocate(
        content, op, op.result.lifetime, op.affinity
    )


def _alloca(machine: Machine[Any], op: ResourceAlloca) -> None:
    content = made_of(UNWRITTEN, machine.size(op.result))
    buffer, there = _memory(machine).allocate(
        content, op, op.result.lifetime, op.affinity, _awaited(machine, op.awaits)
    )
    machine.bind(op.results, (buffer, there))


def _dealloca(machine: Machine[Any], op: ResourceDealloca) -> None:
    buffer = machine.values[op.buffer.name]
    done = _memory(machine).free(buffer, op, _awaited(machine, op.awaits))
    machine.values[op.timepoint.name] = done


def _subview(machine: Machine[Any], op: Subview) -> None:
    source: Buffer = machine.values[op.source.name]
    offset, length = machine.number(op.offset), machine.size(op.result)
    if offset + length > source.length:
        raise OutOfBoundsError(f"bytes [{offset}, {offset + length}) of {source.length}")
    view = Buffer(source.allocation, source.offset + offset, length)
    machine.values[op.result.name] = view


def _pack(machine: Machine[Any], op: Pack) -> None:
    base = 0 if op.base is None else machine.number(op.base)
    slices = [(one.start, one.end, machine.number(one.size)) for one in op.slices]
    offsets, total = packed(slices)
    machine.bind(op.results, [base + place for place in (total, *offsets)])


def _constants(machine: Machine[Any], op: ResourceConstants) -> None:
    """Uploaded as one: all are there at the same time. What is constant may be mapped instead
    (`buildTryMapConstantResource`, PackConstants.cpp), so nobody may write it."""
    memory = _memory(machine)
    agent, before = memory.order.moment(0)
    for output, elements in zip(op.outputs, op.elements, strict=True):
        content = constant_content(elements, machine.size(output), machine.terms)
        buffer, _ = memory.allocate(content, op, output.lifetime, op.affinity)
        buffer.allocation.born = agent
        buffer.allocation.read_only = output.lifetime is Lifetime.CONSTANT
        machine.values[output.name] = buffer
    machine.values[op.timepoint.name] = before | 1 << agent


def _load(machine: Machine[Any], op: ResourceLoad) -> None:
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


def _store(machine: Machine[Any], op: ResourceStore) -> None:
    content = literal(_bytes(machine, op.scalar))
    target = machine.values[op.target.name]
    machine.memory.write(target, machine.number(op.offset), content, op)


def _retain(machine: Machine[Any], op: Retain) -> None:
    machine.values[op.buffer.name].allocation.owners += 1


def _release(machine: Machine[Any], op: Release) -> None:
    allocation = machine.values[op.buffer.name].allocation
    allocation.owners -= 1
    machine.values[op.result.name] = int(allocation.owners == 0)


def _is_terminal(machine: Machine[Any], op: IsTerminal) -> None:
    allocation = machine.values[op.buffer.name].allocation
    machine.values[op.result.name] = int(allocation.owners <= 1)


def _try_map(machine: Machine[Any], op: TryMap) -> None:
    """Works where the number of the set of inputs is odd."""
    mapped = machine.inputs.seed & 1
    size = machine.size(op.result)
    content = made_of(UNWRITTEN, size)
    if mapped:
        content = _host_bytes(machine, op.source).part(machine.number(op.offset), size)
    buffer, _ = _memory(machine).allocate(content, op, op.result.lifetime, op.affinity)
    buffer.allocation.read_only = op.result.lifetime is Lifetime.CONSTANT
    machine.bind(op.results, (mapped, buffer))


def _file_constant(machine: Machine[Any], op: FileConstant) -> None:
    offset, length = machine.number(op.offset), machine.number(op.length)
    content = _host_bytes(machine, op.source).part(offset, length)
    machine.values[op.result.name] = HostBytes(content)


def _file_read(machine: Machine[Any], op: FileRead) -> None:
    memory = _memory(machine)
    agent, before = memory.order.moment(_awaited(machine, op.awaits))
    buffer, start, length = _span(machine, op.part)
    content = _host_bytes(machine, op.source).part(machine.number(op.source_offset), length)
    memory.put(Actor(Who.HOST, agent, before, 0, op, None), buffer, start, content)
    # What stands in for memory that could not be mapped.
    buffer.allocation.read_only |= buffer.allocation.lifetime is Lifetime.CONSTANT
    machine.values[op.timepoint.name] = before | 1 << agent


def _opaque(machine: Machine[Any], op: OpaqueOperation) -> None:
    if op.name == _BUFFER_CONSTANT:
        elements = next((text for name, text in op.attributes if name == "value"), "")
        content = host_content(elements, machine.terms)
        if content is not None:
            machine.bind(op.outputs, [HostBytes(content)])
            return
    CONTROL_RULES[OpaqueOperation](machine, op)


def _import(machine: Machine[Any], op: Import) -> None:
    view = machine.values[op.source.name]
    if not isinstance(view, View):
        raise UnsupportedOperationError(f"{op.mnemonic} of what is no argument")
    buffer: Buffer = view.held
    if buffer.length == ENDLESS:
        buffer = machine.memory.fit(buffer, machine.size(op.result))
    buffer.allocation.affinity = op.affinity
    machine.values[op.result.name] = buffer


def _export(machine: Machine[Any], op: Export) -> None:
    buffer = machine.values[op.source.name]
    _memory(machine).exports.append((op, buffer))
    machine.values[op.result.name] = View(buffer, machine.size(op.source))


def _span(machine: Machine[Any], part: Part) -> tuple[Buffer, int, int]:
    buffer: Buffer = machine.values[part.buffer.name]
    size = machine.size(part.buffer)
    if buffer.length == ENDLESS:
        buffer = machine.memory.fit(buffer, size)
    return buffer, machine.number(part.offset), machine.number(part.length)


def _bytes(machine: Machine[Any], item: Scalar) -> bytes:
    return as_bytes(machine.number(item), item.type)


def _host_bytes(machine: Machine[Any], source: Value) -> Content:
    found = machine.values[source.name]
    if isinstance(found, HostBytes):
        return found.content
    if isinstance(found, Opaque):
        return made_of(machine.terms.foreign(found.name), ENDLESS)
    raise UnsupportedOperationError(f"the bytes of {source.type}")


def _awaited(machine: Machine[Any], timepoint: Value | None) -> int:
    found = 0 if timepoint is None else machine.values[timepoint.name]
    return found if isinstance(found, int) else 0


COMMAND_RULES: dict[type[Operation], Rule] = {
    **CONTROL_RULES,
    CommandExecute: _execute,
    CommandConcurrent: _concurrent,
    CommandSerial: _serial,
    CommandCopy: _copy,
    CommandFill: _fill,
    CommandDispatch: _dispatch,
    Flush: _flush,
    Invalidate: _invalidate,
    Discard: _discard,
    ResourceAlloc: _alloc,
    ResourceAlloca: _alloca,
    ResourceDealloca: _dealloca,
    Subview: _subview,
    Pack: _pack,
    ResourceConstants: _constants,
    ResourceLoad: _load,
    ResourceStore: _store,
    Retain: _retain,
    Release: _release,
    IsTerminal: _is_terminal,
    TryMap: _try_map,
    FileConstant: _file_constant,
    FileRead: _file_read,
    OpaqueOperation: _opaque,
    Import: _import,
    Export: _export,
}
