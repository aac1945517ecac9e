"""Which devices touch which memory: the `access` contract.

A buffer is touched only by devices that its allocation names, and what is pinned to one device is
written only there. Exceptions: reads of what the caller made; what a transfer reads, since it
executes where bytes go as well as where they come from (`PlaceTransferExecutions`); devices that
are linked; and pins that the program itself contradicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reference.affinity import Affinity, AnyAffinity, OptimalAffinity, Topology
from reference.commands.breaches import Breach, Origin, word
from reference.commands.buffers import Access, Allocation
from reference.commands.events import Touch, Trace
from reference.contracts.chains import handed_on
from reference.ir import Operation, Program
from reference.ops import For, Transfer, Transients
from reference.types import Value

BY_NO_DEVICE, OFF_THE_PIN = "by-no-device", "off-the-pin"


@dataclass(frozen=True, slots=True)
class Placement:
    """What a program as it was written says of where its ops execute, by the places that they come
    from.

    `placed` are the ops that say so, `transfers` those that are transfers. `chosen` are the
    transfers with an `on(…)`, with its device. `pins` are the transfers whose result is exported on
    one device and that say nothing against it, with that device: not those that execute elsewhere
    by their own word, that go elsewhere, or whose result is pinned to several devices. `sources`
    are the devices that transfers, of several in a row the first, say their bytes come from.
    `lends` is whether the caller gives memory for what is transient.
    """

    placed: frozenset[str]
    chosen: Mapping[str, str]
    transfers: frozenset[str]
    pins: Mapping[str, str]
    sources: Mapping[str, str]
    lends: bool = False

    @staticmethod
    def of(program: Program, origin: Origin) -> Placement:
        """What a program says."""
        operations = tuple(program.operations())
        return Placement(
            placed=frozenset(
                origin(operation.identity)
                for operation in operations
                if operation.execution_affinity is not None
                # On tensors a transfer says where to, not where from nor where it executes.
                and not (program.tensors and isinstance(operation, Transfer))
            ),
            chosen={
                origin(operation.identity): operation.explicit_affinity.device
                for operation in operations
                if isinstance(operation, Transfer) and operation.explicit_affinity is not None
            },
            transfers=frozenset(
                origin(operation.identity)
                for operation in operations
                if isinstance(operation, Transfer)
            ),
            pins=_pins(operations, origin),
            sources={} if program.tensors else _sources(operations, origin),
            lends=any(isinstance(operation, Transients) for operation in operations),
        )


def breaches(
    trace: Trace, program: Program, placement: Placement, origin: Origin
) -> Iterator[Breach]:
    """What a run breaks; what is written off its pin is not told of twice."""
    pinned = tuple(_off_the_pin(trace, program, placement, origin))
    yield from pinned
    told = {breach.what[-1] for breach in pinned}
    for breach in _foreign(trace, program, placement, origin):
        if breach.what[-1] not in told:
            yield breach


def _foreign(
    trace: Trace, program: Program, placement: Placement, origin: Origin
) -> Iterator[Breach]:
    """Devices that touch memory which is not theirs."""
    for touch in trace.touches:
        allocation, access = touch.allocation, touch.access
        devices = _devices(allocation.affinity)
        if not devices or (allocation.imported and not access.writes):
            continue
        affinity, places = access.actor.affinity, _places(access, origin)
        placed = not placement.placed.isdisjoint(places)
        if affinity is None:
            if placed and len(program.devices) > 1:
                yield _breach((BY_NO_DEVICE,), touch, origin)
        elif not (
            affinity.device in devices
            or _linked(program.topology, affinity, devices)
            or any(placement.chosen.get(place) == affinity.device for place in places)
            or not (access.writes or placement.transfers.isdisjoint(places))
        ):
            lent = allocation.imported and placement.lends
            who = "lent" if lent else "placed" if placed else "unplaced"
            yield _breach(("by-another-device", who), touch, origin)


def _off_the_pin(
    trace: Trace, program: Program, placement: Placement, origin: Origin
) -> Iterator[Breach]:
    """Writes to exported bytes by another device than the one that they are pinned to."""
    for export, buffer in trace.exports:
        if not isinstance(export.affinity, Affinity):
            continue
        device = export.affinity.device
        for touch in trace.touches:
            access = touch.access
            places = [
                place for place in _places(access, origin) if placement.pins.get(place) == device
            ]
            if (
                touch.allocation is buffer.allocation
                and access.writes
                and access.start < buffer.offset + buffer.length
                and buffer.offset < access.end
                and access.actor.affinity is not None
                and access.actor.affinity.device != device
                and not _linked(program.topology, access.actor.affinity, frozenset({device}))
                and places
            ):
                ends = _ends(placement.sources.get(places[0]), device)
                yield _breach((OFF_THE_PIN, word(access.actor), ends), touch, origin)


def _ends(source: str | None, target: str) -> str:
    """What a transfer says of its ends: one on one device becomes a clone, which says nothing."""
    if source is None:
        return "unplaced-end"
    return "one-device" if source == target else "placed-ends"


def _sources(operations: Sequence[Operation], origin: Origin) -> dict[str, str]:
    """Transfers in a row become one, from where the first of them takes its bytes, but one that
    does not change the device becomes a clone, or nothing (`IntermediateTransferElision`,
    `SameAffinityTransferToClone` and `fold`: `reference/folding/transfer.py`). So do those with
    control flow between that goes when it hands on one value only."""
    found = {}
    taken: dict[str, Affinity | None] = {}
    same = _handed_on(operations)
    for transfer in operations:
        if isinstance(transfer, Transfer):
            source = taken.get(_root(transfer.source, same), transfer.source_affinity)
            if source is not None:
                found[origin(transfer.identity)] = source.device
            if source is None or source != transfer.target_affinity:
                taken[transfer.result.name] = source
    return found


def _handed_on(operations: Sequence[Operation]) -> dict[str, str]:
    """By the names of results, what control flow and choices hand on whichever way is taken."""
    same = {}
    for operation in operations:
        for number, result in enumerate(operation.results):
            handed = {one.name for one in handed_on(operation, number)}
            if isinstance(operation, For):
                handed.discard(operation.body.blocks[0].arguments[number + 1].name)
            if len(handed) == 1:
                (same[result.name],) = handed
    return same


def _pins(operations: Sequence[Operation], origin: Origin) -> dict[str, str]:
    used = {operand.name for operation in operations for operand in operation.operands}
    pins: dict[str, set[str]] = {}
    storage: dict[str, str] = {}
    transfers: list[Transfer] = []
    for operation in operations:
        for result, operand in operation.tied:
            storage[result.name] = operand.name
        if isinstance(operation, Transfer):
            transfers.append(operation)
        elif (
            operation.pins
            and operation.execution_affinity is not None
            # What nobody takes is no longer exported when memory is placed.
            and not used.isdisjoint(result.name for result in operation.results)
        ):
            for value in (*operation.operands, *operation.results):
                device = operation.execution_affinity.device
                pins.setdefault(_root(value, storage), set()).add(device)
    found = {}
    for transfer in transfers:
        target, chosen = transfer.target_affinity, transfer.explicit_affinity
        devices = pins.get(transfer.result.name)
        if target is not None and devices == {target.device}:
            device = target.device
            if chosen is None or chosen.device == device:
                found[origin(transfer.identity)] = device
    return found


def _root(value: Value, storage: Mapping[str, str]) -> str:
    name = value.name
    while name in storage:
        name = storage[name]
    return name


def _places(access: Access, origin: Origin) -> list[str]:
    return origin(_identity(access)).split("+")


def _devices(affinity: AnyAffinity | None) -> frozenset[str]:
    if isinstance(affinity, Affinity):
        return frozenset({affinity.device})
    if isinstance(affinity, OptimalAffinity):
        return frozenset().union(*(_devices(member) for member in affinity.members))
    return frozenset()


def _linked(topology: Topology | None, affinity: Affinity, devices: frozenset[str]) -> bool:
    if topology is None:
        return False
    return any(
        topology.has_transparent_access(affinity, Affinity(device))
        or topology.has_unified_memory(affinity, Affinity(device))
        for device in devices
    )


def _breach(shape: tuple[str, ...], touch: Touch, origin: Origin) -> Breach:
    access = touch.access
    operation = access.actor.operation
    assert operation is not None
    told = (
        f"memory {_where(touch.allocation)}",
        f"{operation.identity}: {operation.assembly()} on {access.actor.affinity}",
    )
    return Breach(shape, (shape[0], origin(operation.identity)), told)


def _where(allocation: Allocation) -> str:
    maker = "of the caller" if allocation.maker is None else f"of {_made(allocation.maker)}"
    return f"{maker} on {allocation.affinity}"


def _made(operation: Operation) -> str:
    return f"{operation.identity}: {operation.assembly()}"


def _identity(access: Access) -> str:
    assert access.actor.operation is not None
    return access.actor.operation.identity
