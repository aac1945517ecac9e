"""Values for ops that need one: from those there are, or a new one."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import splat


def any_value(builder: Builder) -> Slot:
    """A device value, rather an unused one; a new splat where there is none."""
    return builder.choose(builder.values) if builder.values else splat.add(builder)


def target(builder: Builder) -> Slot:
    """A value to write in place: an alloca that waits for it, one that others read, or any."""
    if builder.hollow and builder.choices.chance(0.7):
        return builder.choices.pick(builder.hollow)
    slots = builder.in_place_candidates()
    return builder.choose_target(slots) if slots else splat.add(builder)
