"""Blocks that MLIR goes past, knows the way through, or makes one of.

(`BranchOp` and `CondBranchOp` in mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp, and
`mergeIdenticalBlocks` in mlir/lib/Transforms/Utils/RegionUtils.cpp.)
"""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.constructs import select
from gen.constructs.condition import condition
from gen.constructs.shape import carried, fitted, settle, take
from gen.module import Shape
from gen.ops import clone, dispatch, fill, source, transfer
from gen.scope import Place
from reference.ir import Block, Operation, Successor
from reference.ops import Branch, ConditionalBranch
from reference.types import Value

_STEPS, _MOST_STEPS = 1.2, 3


def add(builder: Builder) -> None:
    """One of the forms, around one value that the last block is given."""
    shape = carried(builder, source.any_value(builder))
    way = builder.choices.integer(0, 3)
    if way == 0:
        _asked_twice(builder, shape)
    elif way == 1:
        _past_an_empty_block(builder, shape)
    elif way == 2:
        _twins(builder, shape)
    else:
        _choosing_twins(builder, shape)


def _asked_twice(builder: Builder, shape: Shape) -> None:
    """One way asks for the same condition again, in a block of its own."""
    chosen = condition(builder)
    first = len(builder.body.blocks) + 1
    again, other, join = first + 1, first + 2, first + 3
    joined = _ask(builder, chosen, Successor(first), Successor(other), shape)
    builder.enter(Place.ARM)
    builder.grow(_STEPS, _MOST_STEPS)
    made = settle(builder, shape)
    kept = take(builder, shape)
    _branch(builder, again, ())
    # What this block asks is dominated by the one before it.
    builder.emit(
        ConditionalBranch(
            identity=builder.identity(),
            condition=chosen,
            then=Successor(join, (builder.read(made),)),
            otherwise=Successor(join, (builder.read(kept),)),
        )
    )
    operations = builder.leave()
    _finish(builder, operations[:-1])
    _finish(builder, operations[-1:])
    sides = [made, kept, _arm(builder, shape, join)]
    builder.unite((builder.define(joined, shape.home), *sides))


def _past_an_empty_block(builder: Builder, shape: Shape) -> None:
    """Two of three ways lead through a block that only goes on to where the third one leads."""
    first = len(builder.body.blocks) + 1
    direct, left, right, empty, join = (first + place for place in range(1, 6))
    chosen, further = condition(builder), condition(builder)
    joined = _ask(builder, chosen, Successor(left), Successor(first), shape)
    # The blocks in order: one that only asks, three that work, the empty one.
    builder.enter(Place.ARM)
    builder.emit(
        ConditionalBranch(
            identity=builder.identity(),
            condition=further,
            then=Successor(right),
            otherwise=Successor(direct),
        )
    )
    _finish(builder, builder.leave())
    sides = [_arm(builder, shape, place) for place in (join, empty, empty)]
    argument = shape.value(builder.name())
    builder.enter(Place.ARM)
    _branch(builder, join, (argument,))
    builder.body.blocks.append(Block(builder.leave(), (argument,)))
    builder.unite((builder.define(joined, shape.home), *sides))


def _twins(builder: Builder, shape: Shape) -> None:
    """Two ways do the same to values that may differ."""
    choices = builder.choices
    pair = [take(builder, shape) for _ in range(2)]
    chosen = condition(builder)
    first = len(builder.body.blocks) + 1
    kinds = [choices.integer(0, 3) for _ in range(choices.integer(1, 2))]
    joined = _ask(builder, chosen, Successor(first), Successor(first + 1), shape)
    sides = []
    for slot in pair:
        builder.enter(Place.ARM)
        made = slot
        for kind in kinds:
            made = _step(builder, kind, made)
        made = fitted(builder, made, shape)
        _branch(builder, first + 2, (builder.read(made),))
        _finish(builder, builder.leave())
        sides.append(made)
    builder.unite((builder.define(joined, shape.home), *sides))


def _choosing_twins(builder: Builder, shape: Shape) -> None:
    """Two ways on which the host only chooses, by the same condition, among what may differ.

    Blocks that make regions of work are never merged; these are.
    """
    choices = builder.choices
    given = [take(builder, shape) for _ in range(3)]
    further, chosen = condition(builder), condition(builder)
    first = len(builder.body.blocks) + 1
    joined = _ask(builder, chosen, Successor(first), Successor(first + 1), shape)
    count = choices.integer(1, 2)
    plan = [choices.pick(given) for _ in range(2 * count)]
    sides = []
    for number in range(2):
        if number:
            plan = [choices.pick(given) if choices.chance(0.4) else slot for slot in plan]
        longer = number and choices.chance(0.1)
        builder.enter(Place.ARM)
        made = plan[0]
        for place in range(count + 1 if longer else count):
            other = plan[(2 * place + 1) % len(plan)]
            made = select.make(builder, further, made, other, shape.value(builder.name()))
        _branch(builder, first + 2, (builder.read(made),))
        _finish(builder, builder.leave())
        sides.append(made)
    builder.unite((builder.define(joined, shape.home), *sides))


def _step(builder: Builder, kind: int, slot: Slot) -> Slot:
    if kind == 0 and builder.may_overwrite(slot):
        return fill.make(builder, slot)
    if kind == 1:
        return transfer.make(builder, slot, builder.other_home(slot.home))
    if kind == 2:
        return dispatch.make(builder, (slot,), None, slot.value.lifetime, slot.value.size)
    return clone.make(builder, slot, slot.value.lifetime)


def _ask(
    builder: Builder, chosen: Value, then: Successor, otherwise: Successor, shape: Shape
) -> Value:
    """Ends the block under construction; the value that the next one of them is given."""
    joined = shape.value(builder.name())
    builder.end_block(
        ConditionalBranch(
            identity=builder.identity(), condition=chosen, then=then, otherwise=otherwise
        ),
        (joined,),
    )
    return joined


def _arm(builder: Builder, shape: Shape, target: int) -> Slot:
    """A block that makes a value and hands it on."""
    builder.enter(Place.ARM)
    builder.grow(_STEPS, _MOST_STEPS)
    slot = settle(builder, shape)
    _branch(builder, target, (builder.read(slot),))
    _finish(builder, builder.leave())
    return slot


def _branch(builder: Builder, target: int, values: tuple[Value, ...]) -> None:
    builder.emit(Branch(identity=builder.identity(), target=Successor(target, values)))


def _finish(builder: Builder, operations: tuple[Operation, ...]) -> None:
    builder.body.blocks.append(Block(operations))
