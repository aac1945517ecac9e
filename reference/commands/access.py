"""Which devices touch which memory: the `access` contract.

A buffer is touched only by devices that its allocation names, and what is pinned to one device is
written only there. Exceptions: reads of what the caller made, devices that are linked, and pins
that the program itself contradicts (`pinned_places`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reference.affinity import Affinity, AnyAffinity, OptimalAffinity, Topology
from reference.commands.breaches import Breach, Origin, word
from reference.commands.buffers import Access, Allocation
from reference.commands.events import Touch, Trace
from reference.ir import Operation, Program
from reference.ops import Transfer
from reference.types import Value


def foreign(
    trace: Trace, program: Program, chosen: Mapping[str, str], origin: Origin
) -> Iterator[Breach]:
    """Devices that touch memory which is not theirs.

    `chosen` are the transfers that the program itself has a device execute (`chosen_places`).
    """
    for touch in trace.touches:
        allocation, access = touch.allocation, touch.access
        devices = _devices(allocation.affinity)
        if not devices or (allocation.imported and not access.writes):
            continue
        affinity = access.actor.affinity
        if affinity is None:
            if len(program.devices) > 1:
                yield _breach("by-no-device", touch, origin)
        elif affinity.device not in devices and not (
            _linked(program.topology, affinity, devices)
            or any(chosen.get(place) == affinity.device for place in _places(access, origin))
        ):
            yield _breach("by-another-device", touch, origin)


def off_the_pin(
    trace: Trace, program: Program, pins: Mapping[str, str], origin: Origin
) -> Iterator[Breach]:
    """Writes to exported bytes by another device than the one that they are pinned to.

    `pins` says which writers, by place, must write to which device's exports (`pinned_places`).
    """
    for export, buffer in trace.exports:
        if not isinstance(export.affinity, Affinity):
            continue
        device = export.affinity.device
        for touch in trace.touches:
            access = touch.access
            if (
                touch.allocation is buffer.allocation
                and access.writes
                and access.start < buffer.offset + buffer.length
                and buffer.offset < access.end
                and access.actor.affinity is not None
                and access.actor.affinity.device != device
                and not _linked(program.topology, access.actor.affinity, frozenset({device}))
                and any(pins.get(place) == device for place in _places(access, origin))
            ):
                yield _breach("off-the-pin", touch, origin)


def chosen_places(program: Program, origin: Origin) -> dict[str, str]:
    """The transfers that say where they execute, by place: the device."""
    return {
        origin(operation.identity): operation.explicit_affinity.device
        for operation in program.operations()
        if isinstance(operation, Transfer) and operation.explicit_affinity is not None
    }


def pinned_places(program: Program, origin: Origin) -> dict[str, str]:
    """The transfers whose result is exported on one device and that say nothing against it.

    A transfer is left out that executes elsewhere by its own word, that goes elsewhere, or whose
    result is pinned to several devices. By place, the device.
    """
    pins: dict[str, set[str]] = {}
    aliases: dict[str, str] = {}
    transfers: dict[str, Transfer] = {}
    for operation in program.operations():
        for result, operand in operation.tied:
            aliases[result.name] = operand.name
        if isinstance(operation, Transfer):
            transfers[operation.result.name] = operation
        elif operation.pins and operation.execution_affinity is not None:
            for value in (*operation.operands, *operation.results):
                name = _root(value, aliases)
                pins.setdefault(name, set()).add(operation.execution_affinity.device)
    found = {}
    for name, transfer in transfers.items():
        devices = pins.get(name, set())
        target, explicit = transfer.target_affinity, transfer.explicit_affinity
        if len(devices) == 1 and target is not None and target.device in devices:
            (device,) = devices
            if explicit is None or explicit.device == device:
                found[origin(transfer.identity)] = device
    return found


def _root(value: Value, aliases: Mapping[str, str]) -> str:
    name = value.name
    while name in aliases:
        name = aliases[name]
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


def _breach(reason: str, touch: Touch, origin: Origin) -> Breach:
    allocation, access = touch.allocation, touch.access
    use = "write" if access.writes else "read"
    lifetime = "caller" if allocation.lifetime is None else allocation.lifetime.value
    operation = access.actor.operation
    assert operation is not None
    told = (
        f"memory {_where(allocation)}",
        f"{_identity(access)}: {operation.assembly()} on {access.actor.affinity}: {use}",
    )
    what = (reason, use, origin(operation.identity))
    return Breach((reason, use, word(access.actor), lifetime), what, told)


def _where(allocation: Allocation) -> str:
    maker = "of the caller" if allocation.maker is None else f"of {_made(allocation.maker)}"
    return f"{maker} on {allocation.affinity}"


def _made(operation: Operation) -> str:
    return f"{operation.identity}: {operation.assembly()}"


def _identity(access: Access) -> str:
    assert access.actor.operation is not None
    return access.actor.operation.identity
