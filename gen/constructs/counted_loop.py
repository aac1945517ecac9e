"""`scf.for`."""

from __future__ import annotations

from gen.builder import Builder
from gen.choices import Weighted
from gen.constructs.condition import turns
from gen.constructs.shape import handed_on, settle, shape_of, take
from gen.ops import source
from reference.ir import Block, Region
from reference.ops import For, Yield
from reference.types import INDEX, Index, Literal, Value

_CARRIED = Weighted.of(((1, 5.0), (2, 2.0), (3, 0.5)))
_STEPS, _MOST_STEPS = 1.8, 5


def add(builder: Builder) -> None:
    """A few turns over values that each turn hands on to the next; others are captured."""
    choices = builder.choices
    upper = turns(builder)
    bound: Index = int(upper.value) if isinstance(upper, Literal) else upper
    uneven = choices.chance(builder.profile.loop_bounds)
    lower: Index = choices.pick((bound, 1, 2, 4)) if uneven else 0
    initial = []
    for _ in range(choices.weighted(_CARRIED)):
        initial.append(handed_on(builder, source.any_value(builder)))
    shapes = [shape_of(slot) for slot in initial]
    values = tuple(builder.read(slot) for slot in initial)
    identity = builder.identity()
    builder.enter_region()
    index = Value(builder.name(), INDEX)
    arguments = tuple(shape.value(builder.name()) for shape in shapes)
    slots = [
        builder.define(argument, shape.home, start)
        for argument, shape, start in zip(arguments, shapes, initial, strict=True)
    ]
    builder.grow(_STEPS, _MOST_STEPS)
    last = [settle(builder, shapes[0]), *(take(builder, shape) for shape in shapes[1:])]
    next_values = tuple(builder.read(slot) for slot in last)
    builder.emit(Yield(identity=builder.identity(), values=next_values))
    for slot, start, end in zip(slots, initial, last, strict=True):
        builder.unite((slot, start, end))
    body = Region((Block(builder.leave(), (index, *arguments)),))
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    builder.emit(
        For(
            identity=identity,
            lower=lower,
            upper=bound,
            step=1,
            initial=values,
            outputs=outputs,
            body=body,
        )
    )
    for output, shape, start in zip(outputs, shapes, initial, strict=True):
        builder.define(output, shape.home, start)
