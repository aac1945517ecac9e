"""A function that returns in two places."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.condition import condition
from gen.constructs.shape import settle, shape_of, take
from gen.scope import Place
from reference.ir import Block, Successor
from reference.ops import ConditionalBranch, Return
from reference.types import Lifetime, Value

_STEPS, _MOST_STEPS = 1.2, 3


def finish(builder: Builder, returned: tuple[Value, ...]) -> None:
    """Ends the function that returns these values; where the profile says so, in two blocks."""
    if builder.choices.chance(builder.profile.early_return):
        _return_early(builder, returned)
    builder.emit(Return(identity=builder.identity(), values=returned))


def _return_early(builder: Builder, returned: tuple[Value, ...]) -> None:
    """Depending on the run, other values are returned in place of some of them."""
    slots = {slot.value.name: slot for slot in builder.values}
    free = [
        place
        for place, value in enumerate(returned)
        if value.name in slots and value.lifetime is not Lifetime.CONSTANT
    ]
    if not free:
        return
    chosen = condition(builder)
    early = len(builder.body.blocks) + 1
    builder.end_block(
        ConditionalBranch(
            identity=builder.identity(),
            condition=chosen,
            then=Successor(early),
            otherwise=Successor(early + 1),
        ),
        (),
    )
    builder.enter(Place.ARM)
    builder.grow(_STEPS, _MOST_STEPS)
    values = list(returned)
    for count, place in enumerate(free):
        shape = shape_of(slots[returned[place].name])
        slot = settle(builder, shape) if count == 0 else take(builder, shape)
        values[place] = builder.read(slot)
    builder.emit(Return(identity=builder.identity(), values=tuple(values)))
    builder.body.blocks.append(Block(builder.leave()))
