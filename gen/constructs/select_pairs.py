"""A select of what another one gives, on the same condition or its negation."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs import select
from gen.constructs.condition import condition
from gen.constructs.host import negated
from gen.constructs.shape import handed_on, shape_of, take
from gen.ops import source


def add(builder: Builder) -> None:
    """Two selects; the second takes the first one's result for either of its values."""
    choices = builder.choices
    shape = shape_of(handed_on(builder, source.any_value(builder)))
    some, other, third = (take(builder, shape) for _ in range(3))
    first = condition(builder)
    second = first if choices.chance(0.7) else negated(builder, first)
    inner = select.make(builder, first, some, other, shape.value(builder.name()))
    pair = (inner, third) if choices.chance(0.5) else (third, inner)
    select.make(builder, second, *pair, shape.value(builder.name()))
