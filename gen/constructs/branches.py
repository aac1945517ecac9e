"""`cf.br` and `cf.cond_br`: blocks of a function that branch, join and loop."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs.condition import condition, turns
from gen.constructs.host import less_one, positive
from gen.constructs.shape import carried, handed_on, settle, shape_of, take
from gen.module import Shape
from gen.ops import source
from gen.scope import Place
from reference.ir import Block, Successor
from reference.ops import Branch, ConditionalBranch
from reference.types import INDEX, Scalar, Value

_JOINED = Weighted.of(((1, 4.0), (2, 2.0)))
_STEPS, _MOST_STEPS = 1.4, 4


def add_diamond(builder: Builder) -> None:
    """Two blocks, either of which hands values on to a third; one may be left out."""
    choices = builder.choices
    chosen = condition(builder)
    shapes = [carried(builder, source.any_value(builder)) for _ in range(choices.weighted(_JOINED))]
    first = len(builder.body.blocks) + 1
    way = choices.integer(0, 3)
    if way == 3:
        _choose(builder, chosen, shapes)
        return
    one_sided = way == 2
    join = first + (1 if one_sided else 2)
    # An arm left out hands on what was there before.
    before = [take(builder, shape) for shape in shapes] if one_sided else []
    values = tuple(builder.read(slot) for slot in before)
    otherwise = Successor(join, values) if one_sided else Successor(first + 1)
    joined = tuple(shape.value(builder.name()) for shape in shapes)
    builder.end_block(
        ConditionalBranch(
            identity=builder.identity(),
            condition=chosen,
            then=Successor(first),
            otherwise=otherwise,
        ),
        joined,
    )
    arms = [_arm(builder, shapes, join) for _ in range(1 if one_sided else 2)]
    _define(builder, joined, shapes, [*arms, before] if one_sided else arms)


def _choose(builder: Builder, chosen: Value, shapes: list[Shape]) -> None:
    """Both ways lead to the same block, with other values."""
    sides = [[take(builder, shape) for shape in shapes] for _ in range(2)]
    target = len(builder.body.blocks) + 1
    then, otherwise = (
        Successor(target, tuple(builder.read(slot) for slot in side)) for side in sides
    )
    joined = tuple(shape.value(builder.name()) for shape in shapes)
    builder.end_block(
        ConditionalBranch(
            identity=builder.identity(), condition=chosen, then=then, otherwise=otherwise
        ),
        joined,
    )
    _define(builder, joined, shapes, sides)


def add_loop(builder: Builder) -> None:
    """A block that asks, one that it goes round through, and one that it leaves to."""
    choices = builder.choices
    start = turns(builder)
    initial = []
    for _ in range(choices.weighted(_JOINED)):
        initial.append(handed_on(builder, source.any_value(builder)))
    shapes = [shape_of(slot) for slot in initial]
    header = len(builder.body.blocks) + 1
    values: tuple[Scalar, ...] = (start, *(builder.read(slot) for slot in initial))
    counter = Value(builder.name(), INDEX)
    arguments = tuple(shape.value(builder.name()) for shape in shapes)
    builder.end_block(
        Branch(identity=builder.identity(), target=Successor(header, values)),
        (counter, *arguments),
    )
    _define(builder, arguments, shapes, [initial])
    again = positive(builder, counter)
    leaving = [take(builder, shape) for shape in shapes] if choices.chance(0.3) else []
    left = tuple(builder.read(slot) for slot in leaving)
    exits = shapes if leaving else []
    left_arguments = tuple(shape.value(builder.name()) for shape in exits)
    builder.end_block(
        ConditionalBranch(
            identity=builder.identity(),
            condition=again,
            then=Successor(header + 1),
            otherwise=Successor(header + 2, left),
        ),
        left_arguments,
    )
    turn = _arm(builder, shapes, header, counter)
    for start_slot, end in zip(initial, turn, strict=True):
        builder.unite((start_slot, end))
    _define(builder, left_arguments, exits, [leaving])


def _arm(
    builder: Builder, shapes: list[Shape], target: int, counter: Value | None = None
) -> list[Slot]:
    """A block that hands values of these shapes on, after one less than `counter`, if any."""
    builder.enter(Place.ARM)
    if builder.choices.chance(0.85):
        builder.grow(_STEPS, _MOST_STEPS)
    slots = [settle(builder, shapes[0]), *(take(builder, shape) for shape in shapes[1:])]
    values: tuple[Scalar, ...] = tuple(builder.read(slot) for slot in slots)
    if counter is not None:
        values = (less_one(builder, counter), *values)
    builder.emit(Branch(identity=builder.identity(), target=Successor(target, values)))
    builder.body.blocks.append(Block(builder.leave()))
    return slots


def _define(
    builder: Builder,
    arguments: tuple[Value, ...],
    shapes: list[Shape],
    sides: list[list[Slot]],
) -> None:
    """The arguments of a block are what comes from either side."""
    for place, (argument, shape) in enumerate(zip(arguments, shapes, strict=True)):
        builder.unite((builder.define(argument, shape.home), *(side[place] for side in sides)))
