"""Conditions and numbers that the host computes although they are known, or could be said shorter.

Whatever a fold of MLIR's arithmetic may simplify is written the long way
(mlir/lib/Dialect/Arith/IR/ArithOps.cpp).
"""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.host import (
    EQUAL,
    NOT_EQUAL,
    SIGNED_AT_MOST,
    SIGNED_LESS,
    SIGNED_MORE,
    UNSIGNED_LESS,
    binary,
    both,
    compare,
    comparison,
    host,
    negated,
)
from reference.types import I1, I32, INDEX, Literal, Scalar, Value

_TRUE, _FALSE = Literal(1, I1), Literal(0, I1)
_PREDICATES = (EQUAL, NOT_EQUAL, SIGNED_LESS, SIGNED_AT_MOST, SIGNED_MORE, UNSIGNED_LESS)


def disguised(builder: Builder, plain: Value) -> Value:
    """A condition that `plain` decides, or decides in part, in more words than it needs."""
    choices = builder.choices
    way = choices.integer(0, 7)
    if way == 7:
        sides = (_FALSE, _TRUE) if choices.chance(0.7) else (_TRUE, _FALSE)
        return host(builder, "arith.select", (plain, *sides), I1)
    if way == 6 and builder.body.counts:
        # The constant goes to the right.
        count = choices.pick(builder.body.counts)
        turned = comparison(builder, choices.pick(_PREDICATES), Literal(2, INDEX), count)
        return negated(builder, turned) if choices.chance(0.4) else turned
    if way == 0:
        return negated(builder, plain)
    if way == 1:
        return negated(builder, negated(builder, plain))
    if way == 2:
        other = known_condition(builder) if choices.chance(0.3) else _other_flag(builder, plain)
        inner = both(builder, plain, other)
        return both(builder, inner, plain) if choices.chance(0.5) else both(builder, other, inner)
    if way == 3:
        predicate = EQUAL if choices.chance(0.5) else NOT_EQUAL
        return comparison(builder, predicate, plain, choices.pick((_TRUE, _FALSE)))
    if way == 4:
        name = choices.pick(("arith.andi", "arith.ori"))
        left: tuple[Scalar, ...] = (_TRUE, _FALSE, plain)
        return binary(builder, name, choices.pick(left), plain)
    wide = host(builder, "arith.extui", (plain,), I32)
    return compare(builder, choices.pick((NOT_EQUAL, EQUAL)), wide, 0)


def known_condition(builder: Builder) -> Value:
    """A condition that is true or false whatever the caller passes."""
    choices = builder.choices
    way = choices.integer(0, 3)
    if way == 0:
        number = known_number(builder)
        return compare(builder, choices.pick(_PREDICATES), number, choices.integer(0, 3))
    if way == 1:
        left: Scalar = Literal(choices.integer(-2, 2), I32)
        if builder.body.counts and choices.chance(0.5):
            left = choices.pick(builder.body.counts)
        return comparison(builder, choices.pick(_PREDICATES), left, left)
    if way == 2:
        name = choices.pick(("arith.andi", "arith.ori", "arith.xori"))
        left, right = (choices.pick((_TRUE, _FALSE)) for _ in range(2))
        return binary(builder, name, left, right)
    left, right = (Literal(choices.integer(-2, 2), I32) for _ in range(2))
    return comparison(builder, choices.pick(_PREDICATES), left, right)


def known_number(builder: Builder) -> Value:
    """An index that is made of constants."""
    choices = builder.choices
    name = choices.pick(("arith.addi", "arith.subi", "arith.muli"))
    left, right = Literal(choices.integer(0, 3), INDEX), Literal(choices.integer(0, 2), INDEX)
    return binary(builder, name, left, right)


def _other_flag(builder: Builder, plain: Value) -> Value:
    flags = [flag for flag in builder.body.flags if flag != plain]
    if flags:
        return builder.choices.pick(flags)
    return builder.body.flag(builder.name(), builder.choices.integer(0, 1))
