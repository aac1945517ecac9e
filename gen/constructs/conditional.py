"""`scf.if`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs import global_variables
from gen.constructs.condition import condition
from gen.constructs.shape import carried, settle, take
from gen.module import Shape
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
        _store(builder, chosen)
        return
    shapes = [
        carried(builder, source.any_value(builder)) for _ in range(choices.weighted(_RESULTS))
    ]
    identity = builder.identity()
    then, some = _region(builder, shapes)
    otherwise, others = _region(builder, shapes)
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    builder.emit(
        If(identity=identity, condition=chosen, outputs=outputs, then=then, otherwise=otherwise)
    )
    for output, shape, one, other in zip(outputs, shapes, some, others, strict=True):
        result = builder.define(output, shape.home)
        builder.unite((result, one, other))


def _store(builder: Builder, chosen: Value) -> None:
    """A global is stored to, or not: without results, only what a region does has a meaning."""
    held = global_variables.variable(builder, mutable=True)
    identity = builder.identity()
    builder.enter_region()
    builder.grow(_STEPS, _MOST_STEPS)
    global_variables.store(builder, settle(builder, held.shape_in(builder.stream)), held)
    builder.emit(Yield(identity=builder.identity(), values=()))
    then = Region((Block(builder.leave()),))
    builder.emit(
        If(identity=identity, condition=chosen, outputs=(), then=then, otherwise=Region(()))
    )


def _region(builder: Builder, shapes: list[Shape]) -> tuple[Region, list[Slot]]:
    builder.enter_region()
    if builder.choices.chance(0.75):
        builder.grow(_STEPS, _MOST_STEPS)
    slots = [settle(builder, shapes[0]), *(take(builder, shape) for shape in shapes[1:])]
    values = tuple(builder.read(slot) for slot in slots)
    builder.emit(Yield(identity=builder.identity(), values=values))
    return Region((Block(builder.leave()),)), slots
