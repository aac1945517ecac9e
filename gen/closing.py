"""The end of a function: what is unused is used, so that little of a program is dead."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import dispatch, fill, tensor_export, transfer
from reference.types import Lifetime, Value


def close(builder: Builder) -> tuple[Value, ...]:
    """Uses what is unused; what the function returns."""
    returned: list[Value] = []
    for slot in tuple(builder.hollow):
        fill.make(builder, slot)
    for slot in _unused(builder.staging):
        # What a framework's program returns is on a device.
        if not builder.tensors and builder.choices.chance(0.5):
            returned.append(builder.read(slot))
        else:
            transfer.make(builder, slot, builder.home())
    for home in builder.homes:
        _join(builder, [slot for slot in _unused(builder.values) if slot.home == home])
    for slot in _unused(builder.values):
        # Left dead is the simplest: a value that a shrunk program does not need costs no choices.
        if not builder.choices.chance(1 - builder.profile.dead):
            continue
        leaving = tensor_export.external(builder, slot)
        if builder.choices.chance(0.7):
            tensor_export.make(builder, leaving)
        else:
            returned.append(builder.read(leaving))
    given = returned or builder.body.views
    if not given and builder.values and builder.choices.chance(builder.profile.results):
        slot = tensor_export.external(builder, builder.choices.pick(builder.values))
        returned.append(builder.read(slot))
    return (*builder.body.views, *returned, *builder.unused_scalars.values())


def _join(builder: Builder, slots: list[Slot]) -> None:
    """Lets kernels read several values of one home at a time, until few are left.

    Where lifetimes are any, more are left: exports then pin more kinds of storage.
    """
    while len(slots) > (4 if builder.any_lifetimes else 2):
        taken, slots = slots[:3], slots[3:]
        distinct = {slot.root: slot for slot in taken}
        lifetime = Lifetime.UNKNOWN if builder.stream else Lifetime.EXTERNAL
        slots.append(dispatch.make(builder, tuple(distinct.values()), None, lifetime))


def _unused(slots: list[Slot]) -> list[Slot]:
    return [slot for slot in slots if not slot.uses]
