"""Conditions of branches and loops: what the host can tell when the program runs."""

from __future__ import annotations

from gen.builder import Builder
from reference.ops import HostScalar
from reference.types import I1, INDEX, Literal, Scalar, ScalarType, Value

_MOST_FLAGS = 2
EQUAL, NOT_EQUAL, SIGNED_LESS = 0, 1, 2
"""`arith.cmpi`'s predicates by their numbers."""


def condition(builder: Builder) -> Value:
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


def positive(builder: Builder, count: Value) -> Value:
    """Whether a count that goes down to 0 is not there yet."""
    return compare(builder, NOT_EQUAL, count, 0)


def compare(builder: Builder, predicate: int, left: Value, right: int) -> Value:
    """An `arith.cmpi` of an integer with a constant."""
    assert isinstance(left.type, ScalarType)
    return host(
        builder, "arith.cmpi", (left, Literal(right, left.type)), I1, ("predicate", str(predicate))
    )


def both(builder: Builder, left: Value, right: Value) -> Value:
    """Whether two conditions hold."""
    return host(builder, "arith.andi", (left, right), I1, None)


def less_one(builder: Builder, count: Value) -> Value:
    """One less than an index."""
    return host(builder, "arith.subi", (count, Literal(1, INDEX)), INDEX, _NO_OVERFLOW)


def turns(builder: Builder) -> Scalar:
    """How often a loop runs: a small constant, or an argument."""
    choices, counts = builder.choices, builder.body.counts
    if choices.chance(0.5):
        return Literal(choices.integer(1, 3), INDEX)
    if counts and choices.chance(0.6):
        return choices.pick(counts)
    return builder.body.count(builder.name(), choices.integer(0, 3))


def host(
    builder: Builder,
    name: str,
    arguments: tuple[Scalar, ...],
    kind: ScalarType,
    attribute: tuple[str, str] | None,
) -> Value:
    """The result of an arithmetic op of the host."""
    result = Value(builder.name(), kind)
    builder.emit(
        HostScalar(
            identity=builder.identity(),
            name=name,
            arguments=arguments,
            outputs=(result,),
            attributes=() if attribute is None else (attribute,),
        )
    )
    return result


_NO_OVERFLOW = ("overflowFlags", "#arith.overflow<none>")
