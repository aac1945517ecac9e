"""Conditions of branches and loops: what the host can tell when the program runs."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.arithmetic import disguised, known_condition
from gen.constructs.host import EQUAL, SIGNED_LESS, compare
from reference.types import INDEX, Literal, Scalar, Value

_MOST_FLAGS = 2
_KNOWN = 0.3
"""How many of the conditions that are computed do not depend on the run."""


def condition(builder: Builder) -> Value:
    """An i1: what `plain_condition` gives or, where the profile says so, what is computed of it."""
    if not builder.choices.chance(builder.profile.computed_conditions):
        return plain_condition(builder)
    if builder.choices.chance(_KNOWN):
        return known_condition(builder)
    return disguised(builder, plain_condition(builder))


def plain_condition(builder: Builder) -> Value:
    """An i1: an argument, or what a comparison of a loaded scalar or of an index argument gives."""
    choices, flags = builder.choices, builder.body.flags
    if choices.chance(0.35):
        for kind, loaded in builder.scalars.items():
            if kind.name.startswith("i"):
                value = choices.pick(loaded)
                builder.unused_scalars.pop(value.name, None)
                return compare(builder, choices.integer(EQUAL, SIGNED_LESS), value, 7)
    if choices.chance(0.2) and builder.body.counts:
        return compare(builder, SIGNED_LESS, choices.pick(builder.body.counts), 2)
    if flags and (len(flags) >= _MOST_FLAGS or choices.chance(0.5)):
        return choices.pick(flags)
    return builder.body.flag(builder.name(), choices.integer(0, 1))


def turns(builder: Builder) -> Scalar:
    """How often a loop runs: a small constant, or an argument."""
    choices, counts = builder.choices, builder.body.counts
    if choices.chance(0.5):
        return Literal(choices.integer(1, 3), INDEX)
    if counts and choices.chance(0.6):
        return choices.pick(counts)
    return builder.body.count(builder.name(), choices.integer(0, 3))
