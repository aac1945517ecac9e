"""Two `scf.if` that say as much as one: in a row, or one within the other.

What MLIR makes of them is in `CombineIfs` and `CombineNestedIfs`, mlir/lib/Dialect/SCF/IR/SCF.cpp.
"""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs import conditional, global_variables
from gen.constructs.condition import condition
from gen.constructs.host import negated
from gen.constructs.shape import carried, take
from gen.module import Shape
from gen.ops import source
from reference.ir import Block, Region
from reference.ops import If, Yield
from reference.types import Value

_RESULTS = Weighted.of(((1, 4.0), (2, 2.0)))
_OTHERWISE = 0.2
"""How often what would have to be alike is not, so that two stay two."""


def add(builder: Builder) -> None:
    """A pair of either kind."""
    way = builder.choices.integer(0, 3)
    if way == 0:
        _stores(builder)
    elif way == 1:
        _in_a_row(builder)
    else:
        _nested(builder)


def _in_a_row(builder: Builder) -> None:
    """Two on one condition, or on it and its negation; the second may take what the first made."""
    source.any_value(builder)
    first, second = _conditions(builder)
    conditional.make(builder, first, _shapes(builder))
    conditional.make(builder, second, _shapes(builder))


def _stores(builder: Builder) -> None:
    """Two without results that store to globals, with a second region or without."""
    choices = builder.choices
    first, second = _conditions(builder)
    held = [global_variables.variable(builder, mutable=True) for _ in range(4)]
    for place, chosen in enumerate((first, second)):
        identity = builder.identity()
        then = conditional.storing(builder, held[2 * place])
        has_other = choices.chance(0.5)
        other = conditional.storing(builder, held[2 * place + 1]) if has_other else Region(())
        builder.emit(
            If(identity=identity, condition=chosen, outputs=(), then=then, otherwise=other)
        )


def _conditions(builder: Builder) -> tuple[Value, Value]:
    first = condition(builder)
    if builder.choices.chance(_OTHERWISE):
        return first, condition(builder)
    if builder.choices.chance(0.5):
        return first, first
    other = negated(builder, first)
    return (first, other) if builder.choices.chance(0.5) else (other, first)


def _shapes(builder: Builder) -> list[Shape]:
    count = builder.choices.weighted(_RESULTS)
    return [carried(builder, source.any_value(builder)) for _ in range(count)]


def _nested(builder: Builder) -> None:
    """The inner one alone in the first region of the outer one; else both hand on the same."""
    outer, inner = condition(builder), condition(builder)
    shapes = _shapes(builder)
    others = [take(builder, shape) for shape in shapes]
    identity = builder.identity()
    then, some = _outer_region(builder, inner, shapes, others)
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    builder.emit(
        If(
            identity=identity,
            condition=outer,
            outputs=outputs,
            then=then,
            otherwise=_handing_on(builder, others),
        )
    )
    for output, shape, one, other in zip(outputs, shapes, some, others, strict=True):
        builder.unite((builder.define(output, shape.home), one, other))


def _outer_region(
    builder: Builder, inner: Value, shapes: list[Shape], others: list[Slot]
) -> tuple[Region, list[Slot]]:
    """A region that holds the inner op, and what it hands on."""
    choices = builder.choices
    builder.enter_region()
    identity = builder.identity()
    then, some = conditional.region(builder, shapes)
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    alike = not choices.chance(_OTHERWISE)
    otherwise = _handing_on(builder, others) if alike else conditional.region(builder, shapes)[0]
    builder.emit(
        If(identity=identity, condition=inner, outputs=outputs, then=then, otherwise=otherwise)
    )
    handed: list[Slot] = []
    for place, (output, shape) in enumerate(zip(outputs, shapes, strict=True)):
        result = builder.define(output, shape.home)
        builder.unite((result, some[place], others[place]))
        # What does not come from the inner op is chosen by a select.
        captured = place > 0 and choices.chance(0.4)
        handed.append(others[place - 1] if captured and shapes[place] == shapes[0] else result)
    values = tuple(builder.read(slot) for slot in handed)
    builder.emit(Yield(identity=builder.identity(), values=values))
    return Region((Block(builder.leave()),)), handed


def _handing_on(builder: Builder, slots: list[Slot]) -> Region:
    """A region that only hands on values from outside."""
    builder.enter_region()
    values = tuple(builder.read(slot) for slot in slots)
    builder.emit(Yield(identity=builder.identity(), values=values))
    return Region((Block(builder.leave()),))
