"""`arith.select` of two resources."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.constructs.condition import condition
from gen.constructs.shape import fits, fitted, handed_on, shape_of
from gen.ops import source
from reference.ops import Select
from reference.types import Value


def add(builder: Builder) -> Slot:
    """One of two values of a home, which one depending on the run; sometimes of staging memory."""
    choices = builder.choices
    pair = [slot for slot in builder.staging if not slot.storable]
    if len(pair) > 1 and choices.chance(0.3):
        first = choices.pick(pair)
        others = [slot for slot in pair if slot.home == first.home and slot is not first]
        others = [slot for slot in others if slot.value.size == first.value.size]
        if others:
            return _make(builder, first, choices.pick(others))
    first = handed_on(builder, source.any_value(builder))
    shape = shape_of(first)
    fitting = [slot for slot in builder.values if slot is not first and fits(shape, slot)]
    if fitting:
        return _make(builder, first, builder.choose(fitting))
    others = [slot for slot in builder.values if slot is not first]
    second = fitted(builder, builder.choose(others), shape) if others else first
    return _make(builder, first, second)


def _make(builder: Builder, first: Slot, second: Slot) -> Slot:
    result = shape_of(first).value(builder.name())
    return make(builder, condition(builder), first, second, result)


def make(builder: Builder, chosen: Value, then: Slot, otherwise: Slot, result: Value) -> Slot:
    """`result` is one of two values of a home, which one `chosen` says."""
    builder.emit(
        Select(
            identity=builder.identity(),
            condition=chosen,
            then=builder.read(then),
            otherwise=builder.read(otherwise),
            result=result,
        )
    )
    slot = builder.define(result, then.home)
    builder.unite((slot, then, otherwise))
    return slot
