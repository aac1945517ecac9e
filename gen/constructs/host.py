"""Arithmetic of the host: one op at a time."""

from __future__ import annotations

from gen.builder import Builder
from reference.ops import HostScalar
from reference.types import I1, INDEX, Literal, Scalar, ScalarType, Value

EQUAL, NOT_EQUAL, SIGNED_LESS, SIGNED_AT_MOST, SIGNED_MORE, UNSIGNED_LESS = 0, 1, 2, 3, 4, 6
"""`arith.cmpi`'s predicates by their numbers."""

_BITWISE = frozenset({"arith.andi", "arith.ori", "arith.xori"})
_NO_OVERFLOW = ("overflowFlags", "#arith.overflow<none>")


def host(
    builder: Builder,
    name: str,
    arguments: tuple[Scalar, ...],
    kind: ScalarType,
    attribute: tuple[str, str] | None = None,
    known: int | None = None,
) -> Value:
    """The result of an arithmetic op of the host; `known` is the number that it will be."""
    result = Value(builder.name(), kind, None, known)
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


def binary(builder: Builder, name: str, left: Scalar, right: Scalar) -> Value:
    """The result of an op of two integers of one type."""
    kind = left.type
    assert isinstance(kind, ScalarType)
    return host(builder, name, (left, right), kind, None if name in _BITWISE else _NO_OVERFLOW)


def comparison(builder: Builder, predicate: int, left: Scalar, right: Scalar) -> Value:
    """An `arith.cmpi`."""
    return host(builder, "arith.cmpi", (left, right), I1, ("predicate", str(predicate)))


def compare(builder: Builder, predicate: int, left: Value, right: int) -> Value:
    """An `arith.cmpi` of an integer with a constant."""
    assert isinstance(left.type, ScalarType)
    return comparison(builder, predicate, left, Literal(right, left.type))


def positive(builder: Builder, count: Value) -> Value:
    """Whether a count that goes down to 0 is not there yet."""
    return compare(builder, NOT_EQUAL, count, 0)


def both(builder: Builder, left: Value, right: Value) -> Value:
    """Whether two conditions hold."""
    return binary(builder, "arith.andi", left, right)


def negated(builder: Builder, condition: Value) -> Value:
    """Whether a condition does not hold."""
    return binary(builder, "arith.xori", condition, Literal(1, I1))


def less_one(builder: Builder, count: Value) -> Value:
    """One less than an index."""
    return binary(builder, "arith.subi", count, Literal(1, INDEX))
