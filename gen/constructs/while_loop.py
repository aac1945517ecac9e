"""`scf.while`.

A count that the host takes down ends the loop, or a flag that holds for one turn at most. What the
region that asks hands on may be other values than it is given, more or fewer, and elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs.condition import condition, turns
from gen.constructs.host import NOT_EQUAL, both, compare, less_one, positive
from gen.constructs.shape import handed_on, settle, shape_of, take
from gen.module import Shape
from gen.ops import load, source, transfer
from reference.ir import Block, Region
from reference.ops import Condition, While, Yield
from reference.types import I1, I32, INDEX, Lifetime, Literal, Scalar, Value

_CARRIED = Weighted.of(((1, 4.0), (2, 2.0), (3, 0.7)))
_ASKING, _MOST_ASKING = 0.6, 3
_STEPS, _MOST_STEPS = 1.2, 4
_MOST_OTHERS = 2


@dataclass(frozen=True, slots=True)
class _Carried:
    """What goes into a region each turn: its shapes, and what it was at first."""

    shapes: list[Shape]
    slots: list[Slot]


def add(builder: Builder) -> None:
    """A loop over values that a region hands on as long as a count or a flag says so."""
    choices = builder.choices
    start: Scalar = condition(builder) if choices.chance(0.1) else turns(builder)
    given = _Carried([], [])
    for _ in range(choices.weighted(_CARRIED)):
        given.slots.append(handed_on(builder, source.any_value(builder)))
        given.shapes.append(shape_of(given.slots[-1]))
    initial = tuple(builder.read(slot) for slot in given.slots)
    identity = builder.identity()
    aligned = not choices.chance(builder.profile.uneven_loops)
    # Once asked, a flag has served; a count goes on.
    counted = start.type == INDEX or aligned
    before, handed = _before(builder, given, start, counted, aligned)
    after = _after(builder, given, handed, start, counted)
    outputs = tuple(shape.value(builder.name()) for shape in handed.shapes)
    counts = _counter(builder, start) if counted else ()
    builder.emit(
        While(
            identity=identity,
            initial=(start, *initial),
            outputs=(*counts, *outputs),
            before=before,
            after=after,
        )
    )
    for output, shape, slot in zip(outputs, handed.shapes, handed.slots, strict=True):
        builder.define(output, shape.home, slot)


def _counter(builder: Builder, start: Scalar) -> tuple[Value, ...]:
    return (Value(builder.name(), INDEX if start.type == INDEX else I1),)


def _before(
    builder: Builder, given: _Carried, start: Scalar, counted: bool, aligned: bool
) -> tuple[Region, _Carried]:
    """The region that asks whether to go on, and what it hands on."""
    builder.enter_region()
    (counter,) = _counter(builder, start)
    arguments = tuple(shape.value(builder.name()) for shape in given.shapes)
    slots = _define(builder, arguments, given)
    again = counter if counter.type == I1 else positive(builder, counter)
    if builder.choices.chance(0.35):
        builder.grow(_ASKING, _MOST_ASKING)
    if builder.choices.chance(0.25):
        again = both(builder, again, _told(builder, builder.choices.pick(slots)))
    handed = _handed_on(builder, slots, aligned)
    values = tuple(builder.read(slot) for slot in handed.slots)
    counts = (counter,) if counted else ()
    builder.emit(Condition(identity=builder.identity(), condition=again, values=(*counts, *values)))
    return Region((Block(builder.leave(), (counter, *arguments)),)), handed


def _told(builder: Builder, slot: Slot) -> Value:
    """What a value itself says, once the host has read it."""
    told = load.make_of(builder, transfer.make(builder, slot, slot.home, Lifetime.STAGING), I32)
    builder.unused_scalars.pop(told.name)
    return compare(builder, NOT_EQUAL, told, 7)


def _handed_on(builder: Builder, arguments: list[Slot], aligned: bool) -> _Carried:
    """What the region made, in place of some of what it was given; one value at least.

    `aligned`: as many as it was given, in the same order.
    """
    choices = builder.choices
    made = [slot for slot in builder.made_here() if not slot.uses and slot not in arguments]
    chosen: list[Slot] = []
    for argument in arguments:
        if aligned or not chosen or choices.chance(0.6):
            slot = made.pop() if made else argument
            far = choices.chance(builder.profile.cross * 0.3)
            home = builder.other_home(slot.home) if far else slot.home
            chosen.append(transfer.make(builder, slot, home) if far else slot)
    if not aligned:
        chosen += made[:_MOST_OTHERS]
    slots = [handed_on(builder, slot) for slot in chosen]
    return _Carried([shape_of(slot) for slot in slots], slots)


def _after(
    builder: Builder, given: _Carried, handed: _Carried, start: Scalar, counted: bool
) -> Region:
    """The region that makes what the next turn is given."""
    builder.enter_region()
    counts = _counter(builder, start) if counted else ()
    arguments = tuple(shape.value(builder.name()) for shape in handed.shapes)
    slots = _define(builder, arguments, handed)
    builder.grow(_STEPS, _MOST_STEPS)
    first, *others = given.shapes
    last = [settle(builder, first), *(take(builder, shape) for shape in others)]
    values = tuple(builder.read(slot) for slot in last)
    rest: Scalar = less_one(builder, counts[0]) if start.type == INDEX else Literal(0, I1)
    builder.emit(Yield(identity=builder.identity(), values=(rest, *values)))
    for slot, end in zip(given.slots, last, strict=True):
        builder.unite((slot, end))
    for slot, start_slot in zip(slots, handed.slots, strict=True):
        builder.unite((slot, start_slot))
    return Region((Block(builder.leave(), (*counts, *arguments)),))


def _define(builder: Builder, arguments: tuple[Value, ...], what: _Carried) -> list[Slot]:
    return [
        builder.define(argument, shape.home, slot)
        for argument, shape, slot in zip(arguments, what.shapes, what.slots, strict=True)
    ]
