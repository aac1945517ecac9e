"""`scf.if`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs import global_variables
from gen.constructs.condition import condition
from gen.constructs.shape import carried, settle, take
from gen.module import Shape, Variable
from gen.ops import source
from reference.ir import Block, Region
from reference.ops import If, Yield
from reference.types import Value

_RESULTS = Weighted.of(((1, 4.0), (2, 2.0)))
_STEPS, _MOST_STEPS = 1.2, 4


def add(builder: Builder) -> None:
    """One of two values, or pairs of values, each made in a region or captured from outside."""
    choices = builder.choices
    chosen = condition(builder)
    if choices.chance(builder.profile.one_sided_if):
        store(builder, chosen)
        return
    shapes = [
        carried(builder, source.any_value(builder)) for _ in range(choices.weighted(_RESULTS))
    ]
    make(builder, chosen, shapes)


def make(builder: Builder, chosen: Value, shapes: list[Shape]) -> None:
    """Values of these shapes that come from one of two regions, which one `chosen` says."""
    identity = builder.identity()
    then, some = region(builder, shapes)
    otherwise, others = region(builder, shapes)
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    builder.emit(
        If(identity=identity, condition=chosen, outputs=outputs, then=then, otherwise=otherwise)
    )
    for output, shape, one, other in zip(outputs, shapes, some, others, strict=True):
        result = builder.define(output, shape.home)
        builder.unite((result, one, other))


def store(builder: Builder, chosen: Value) -> None:
    """A global is stored to, or not: without results, only what a region does has a meaning."""
    held = global_variables.variable(builder, mutable=True)
    identity = builder.identity()
    then = storing(builder, held)
    builder.emit(
        If(identity=identity, condition=chosen, outputs=(), then=then, otherwise=Region(()))
    )


def storing(builder: Builder, held: Variable) -> Region:
    """A region that stores what it makes to a global."""
    builder.enter_region()
    builder.grow(_STEPS, _MOST_STEPS)
    global_variables.store(builder, settle(builder, held.shape_in(builder.stream)), held)
    builder.emit(Yield(identity=builder.identity(), values=()))
    return Region((Block(builder.leave()),))


def region(builder: Builder, shapes: list[Shape]) -> tuple[Region, list[Slot]]:
    """A region that makes values of these shapes or hands on what there is."""
    builder.enter_region()
    if builder.choices.chance(0.75):
        builder.grow(_STEPS, _MOST_STEPS)
    slots = [settle(builder, shapes[0]), *(take(builder, shape) for shape in shapes[1:])]
    values = tuple(builder.read(slot) for slot in slots)
    builder.emit(Yield(identity=builder.identity(), values=values))
    return Region((Block(builder.leave()),)), slots
