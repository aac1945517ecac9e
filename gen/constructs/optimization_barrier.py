"""`util.optimization_barrier`."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.shape import handed_on, shape_of
from gen.ops import source
from reference.ops import OptimizationBarrier


def add(builder: Builder) -> None:
    """One or two values, of any home, as what nothing may see through."""
    choices = builder.choices
    slots = [handed_on(builder, source.any_value(builder))]
    if choices.chance(0.3):
        other = choices.pick([*builder.values, *builder.staging])
        slots.append(other if other in builder.staging else handed_on(builder, other))
    outputs = tuple(shape_of(slot).value(builder.name()) for slot in slots)
    builder.emit(
        OptimizationBarrier(
            identity=builder.identity(),
            sources=tuple(builder.read(slot) for slot in slots),
            outputs=outputs,
        )
    )
    for output, slot in zip(outputs, slots, strict=True):
        builder.define(output, slot.home, slot)
