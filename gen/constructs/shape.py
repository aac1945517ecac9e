"""Values made to fit: of the lifetime, home and size that another place asks for."""

from __future__ import annotations

from collections.abc import Sequence

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.module import Shape
from gen.ops import cast, clone, dispatch, fill, slice, splat, transfer
from reference.ops.assembly import Range
from reference.types import Lifetime

_WAYS = Weighted.of((("clone", 2.0), ("transfer", 2.0), ("cast", 1.5), ("dispatch", 1.0)))
"""How a value gets another lifetime."""


def fits(shape: Shape, slot: Slot) -> bool:
    """Whether a value has that shape."""
    value = slot.value
    return value.lifetime is shape.lifetime and slot.home == shape.home and value.size == shape.size


def shape_of(slot: Slot) -> Shape:
    """The shape of a value."""
    lifetime, size = slot.value.lifetime, slot.value.size
    assert lifetime is not None
    assert size is not None
    return Shape(lifetime, slot.home, size)


def carried(builder: Builder, slot: Slot) -> Shape:
    """The shape of a value like this one that several ops may make.

    IREE's conversion gives variable and constant only to what flows to or from globals.
    """
    shape = shape_of(slot)
    if builder.any_lifetimes or shape.lifetime not in (Lifetime.VARIABLE, Lifetime.CONSTANT):
        return shape
    return Shape(Lifetime.TRANSIENT, shape.home, shape.size)


def handed_on(builder: Builder, slot: Slot) -> Slot:
    """A value, or what is made of it where it is variable or constant and may not stay so."""
    return fitted(builder, slot, carried(builder, slot))


def take(builder: Builder, shape: Shape, candidates: Sequence[Slot] | None = None) -> Slot:
    """A value of that shape, one that is there or one that is made."""
    slots = builder.values if candidates is None else candidates
    fitting = [slot for slot in slots if fits(shape, slot)]
    if fitting:
        return builder.choose(fitting)
    if not slots:
        return splat.make(builder, shape.home, shape.size, shape.lifetime)
    return fitted(builder, builder.choose(slots), shape)


def fitted(builder: Builder, chosen: Slot, shape: Shape) -> Slot:
    """`chosen`, or what has to be made of it to have that shape.

    In programs that are merely valid, it may keep its own home.
    """
    if chosen.home != shape.home:
        if builder.choices.chance(builder.profile.mixed_homes):
            shape = Shape(shape.lifetime, chosen.home, shape.size)
        else:
            same = chosen.value.size == shape.size
            lifetime = shape.lifetime if same else None
            chosen = transfer.make(builder, chosen, shape.home, lifetime)
    if chosen.value.size != shape.size:
        if isinstance(shape.size, int) and chosen.bytes > shape.size:
            chosen = slice.make(builder, chosen, Range.of(0, shape.size))
        else:
            chosen = dispatch.make(builder, (chosen,), None, shape.lifetime, shape.size)
    if chosen.value.lifetime is not shape.lifetime:
        chosen = _under(builder, chosen, shape.lifetime)
    return chosen


def _under(builder: Builder, chosen: Slot, lifetime: Lifetime) -> Slot:
    """`chosen` under that lifetime."""
    way = builder.choices.weighted(_WAYS)
    if way == "transfer" or builder.stream:
        return transfer.make(builder, chosen, chosen.home, lifetime)
    if way == "cast" and builder.may_overwrite(chosen):
        return cast.make(builder, chosen, lifetime)
    if way == "dispatch" and builder.may_overwrite(chosen):
        return dispatch.make(builder, (), chosen, lifetime)
    return clone.make(builder, chosen, lifetime)


def settle(builder: Builder, shape: Shape) -> Slot:
    """What a block within hands on as a value of that shape, made of what it would leave unused."""
    for slot in tuple(builder.hollow):
        fill.make(builder, slot)
    for slot in builder.staging_made_here():
        if not slot.uses:
            transfer.make(builder, slot, shape.home)
    unused = [slot for slot in builder.made_here() if not slot.uses]
    if len(unused) == 1:
        return fitted(builder, unused[0], shape)
    if not unused:
        return take(builder, shape)
    near = [
        slot if slot.home == shape.home else transfer.make(builder, slot, shape.home)
        for slot in unused
    ]
    while len(near) > 1:
        some, near = near[:3], near[3:]
        distinct = tuple({slot.root: slot for slot in some}.values())
        near.append(dispatch.make(builder, distinct, None, shape.lifetime, shape.size))
    return fitted(builder, near[0], shape)
