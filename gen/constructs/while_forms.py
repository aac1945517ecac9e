"""`scf.while` in forms that MLIR simplifies (`WhileOp` in mlir/lib/Dialect/SCF/IR/SCF.cpp).

The region that asks hands its arguments on in another order, ends with an `scf.if` on the very
condition, hands on the condition itself, or asks what is known; the other region asks once more.
"""

from __future__ import annotations

from dataclasses import dataclass

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs import conditional, select
from gen.constructs.arithmetic import known_condition
from gen.constructs.condition import turns
from gen.constructs.host import EQUAL, NOT_EQUAL, SIGNED_MORE, both, compare, less_one, positive
from gen.constructs.shape import handed_on, settle, shape_of, take
from gen.module import Shape
from gen.ops import source
from reference.ir import Block, Region
from reference.ops import Condition, If, While, Yield
from reference.types import I1, INDEX, Scalar, Value

_CARRIED = Weighted.of(((1, 3.0), (2, 3.0)))
_FORMS = ("order", "if", "told", "asked", "known")
_STEPS, _MOST_STEPS = 1.0, 3


@dataclass(frozen=True, slots=True)
class _Handed:
    """What the region that asks hands on, in order: a scalar, or a value and what it was."""

    value: Value
    slot: Slot | None = None

    def again(self, name: str) -> Value:
        """What takes its place: a block argument or a result."""
        return Value(name, self.value.type, None if self.slot is None else self.slot.value.size)


def add(builder: Builder) -> None:
    """A loop of one of the forms."""
    choices = builder.choices
    form = choices.pick(_FORMS)
    start = turns(builder)
    initial: list[Slot] = []
    for _ in range(choices.weighted(_CARRIED)):
        initial.append(handed_on(builder, source.any_value(builder)))
    shapes = [shape_of(slot) for slot in initial]
    values = tuple(builder.read(slot) for slot in initial)
    identity = builder.identity()
    before, handed = _before(builder, form, initial, shapes)
    after = _after(builder, form, handed, initial, shapes)
    outputs = tuple(item.again(builder.name()) for item in handed)
    builder.emit(
        While(
            identity=identity,
            initial=(start, *values),
            outputs=outputs,
            before=before,
            after=after,
        )
    )
    _define(builder, outputs, handed)


def _before(
    builder: Builder, form: str, initial: list[Slot], shapes: list[Shape]
) -> tuple[Region, list[_Handed]]:
    """The region that asks, and what it hands on."""
    choices = builder.choices
    builder.enter_region()
    counter = Value(builder.name(), INDEX)
    arguments = tuple(shape.value(builder.name()) for shape in shapes)
    slots = [
        builder.define(argument, shape.home, start)
        for argument, shape, start in zip(arguments, shapes, initial, strict=True)
    ]
    asks_more = form == "asked" and choices.chance(0.4)
    again = compare(builder, SIGNED_MORE, counter, 0) if asks_more else positive(builder, counter)
    if form == "known":
        again = both(builder, again, known_condition(builder))
    handed = [_Handed(counter)]
    if form == "if":
        if choices.chance(0.4):
            builder.grow(_STEPS, _MOST_STEPS)
        slots[0] = _last_if(builder, again, shapes, slots)
    elif form == "told":
        handed.append(_Handed(again))
    handed += [_Handed(builder.read(slot), slot) for slot in slots]
    if form == "order":
        # Any order but their own.
        first = choices.integer(1, len(handed) - 1)
        handed = handed[first:] + handed[:first]
    builder.emit(
        Condition(
            identity=builder.identity(),
            condition=again,
            values=tuple(item.value for item in handed),
        )
    )
    return Region((Block(builder.leave(), (counter, *arguments)),)), handed


def _last_if(builder: Builder, again: Value, shapes: list[Shape], slots: list[Slot]) -> Slot:
    """One more value of the first shape, made only where the loop goes on."""
    shape = shapes[0]
    # What the region made before has to be used before the op, or within it.
    otherwise = settle(builder, shape) if builder.made_here()[len(slots) :] else slots[0]
    identity = builder.identity()
    then, (made, *_) = conditional.region(builder, [shape])
    builder.enter_region()
    builder.emit(Yield(identity=builder.identity(), values=(builder.read(otherwise),)))
    other = Region((Block(builder.leave()),))
    output = shape.value(builder.name())
    builder.emit(
        If(identity=identity, condition=again, outputs=(output,), then=then, otherwise=other)
    )
    slot = builder.define(output, shape.home)
    builder.unite((slot, made, otherwise))
    return slot


def _after(
    builder: Builder, form: str, handed: list[_Handed], initial: list[Slot], shapes: list[Shape]
) -> Region:
    """The region that makes what the next turn is given."""
    builder.enter_region()
    arguments = tuple(item.again(builder.name()) for item in handed)
    _define(builder, arguments, handed)
    counter = next(value for value in arguments if value.type == INDEX)
    flag = next((value for value in arguments if value.type == I1), None)
    if form == "asked":
        predicate = builder.choices.pick((EQUAL, NOT_EQUAL, SIGNED_MORE))
        flag = compare(builder, predicate, counter, 0)
    if flag is not None:
        _chosen(builder, flag, shapes[0])
    builder.grow(_STEPS, _MOST_STEPS)
    first, *others = shapes
    last = [settle(builder, first), *(take(builder, shape) for shape in others)]
    values = tuple(builder.read(slot) for slot in last)
    rest: Scalar = less_one(builder, counter)
    builder.emit(Yield(identity=builder.identity(), values=(rest, *values)))
    for slot, end in zip(initial, last, strict=True):
        builder.unite((slot, end))
    return Region((Block(builder.leave(), arguments),))


def _chosen(builder: Builder, flag: Value, shape: Shape) -> None:
    """One of two values, which one a condition says."""
    pair = [take(builder, shape) for _ in range(2)]
    select.make(builder, flag, pair[0], pair[1], shape.value(builder.name()))


def _define(builder: Builder, values: tuple[Value, ...], handed: list[_Handed]) -> None:
    for value, item in zip(values, handed, strict=True):
        if item.slot is not None:
            builder.define(value, item.slot.home, item.slot)
