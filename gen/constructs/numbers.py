"""Numbers that the host computes although they are known, or are what they are made of.

Every op is one that a fold of MLIR's makes nothing of (mlir/lib/Dialect/Arith/IR/ArithOps.cpp), so
that one on the result of another is one, too.
"""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.condition import condition
from gen.constructs.host import EQUAL, NOT_EQUAL, binary, comparison, host, negated
from reference.ops import Load, Select
from reference.types import I8, I16, I32, I64, INDEX, Literal, Scalar, ScalarType, Value

_KINDS = (INDEX, I32, I64, I16, I8)
_NEUTRAL = {"arith.addi": 0, "arith.subi": 0, "arith.ori": 0, "arith.xori": 0, "arith.muli": 1}
_ABSORBING = {"arith.muli": 0, "arith.andi": 0, "arith.ori": -1}
_COMMUTE = frozenset({"arith.addi", "arith.ori", "arith.xori", "arith.muli", "arith.andi"})
_OF_CONSTANTS = ("arith.subi", *sorted(_COMMUTE))
_PAIRS = ((1, 0), (0, 1), (0, -1), (7, 3))
_DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")


def add(builder: Builder) -> None:
    """A number for others to take, of one that was loaded or of constants."""
    choices = builder.choices
    kind = choices.pick(_KINDS)
    known = builder.scalars.get(kind)
    way = choices.integer(0, 6 if known else 3)
    if way == 0:
        builder.define_scalar(_cast(builder, kind))
    elif way == 1:
        builder.define_scalar(_chosen(builder, kind))
    elif way < 4 or not known:
        builder.define_scalar(_of_constants(builder, kind, divided=way == 3))
    elif way == 4 and _select(builder, known):
        return
    else:
        value = choices.pick(known)
        builder.unused_scalars.pop(value.name, None)
        builder.define_scalar(_same(builder, value) if way == 5 else _known(builder, value))


def _same(builder: Builder, value: Value) -> Value:
    """A number as it is."""
    choices = builder.choices
    assert isinstance(value.type, ScalarType)
    if choices.chance(0.2):
        return binary(builder, choices.pick(("arith.andi", "arith.ori")), value, value)
    if choices.chance(0.2):
        return _divided(builder, choices.pick(_DIVISIONS[:2]), value, Literal(1, value.type))
    name = choices.pick(tuple(_NEUTRAL))
    neutral = Literal(_NEUTRAL[name], value.type)
    if name in _COMMUTE and choices.chance(0.5):
        return binary(builder, name, neutral, value)
    return binary(builder, name, value, neutral)


def _known(builder: Builder, value: Value) -> Value:
    """A number that is the same whatever another one is."""
    choices = builder.choices
    assert isinstance(value.type, ScalarType)
    if choices.chance(0.4):
        return binary(builder, choices.pick(("arith.subi", "arith.xori")), value, value)
    if choices.chance(0.2):
        return _divided(builder, choices.pick(_DIVISIONS[2:]), value, Literal(1, value.type))
    name = choices.pick(tuple(_ABSORBING))
    return binary(builder, name, value, Literal(_ABSORBING[name], value.type))


def _of_constants(builder: Builder, kind: ScalarType, *, divided: bool) -> Value:
    choices = builder.choices
    left = Literal(choices.integer(-9, 60), kind)
    if divided:
        return _divided(
            builder, choices.pick(_DIVISIONS), left, Literal(choices.integer(1, 7), kind)
        )
    name = choices.pick(_OF_CONSTANTS)
    return binary(builder, name, left, Literal(choices.integer(-3, 60), kind))


def _divided(builder: Builder, name: str, left: Scalar, right: Scalar) -> Value:
    assert isinstance(left.type, ScalarType)
    return host(builder, name, (left, right), left.type)


def _cast(builder: Builder, kind: ScalarType) -> Value:
    """A constant as a number of another type."""
    choices = builder.choices
    other = choices.pick([one for one in _KINDS if one is not kind])
    if INDEX in (kind, other):
        name = choices.pick(("arith.index_cast", "arith.index_castui"))
    elif kind.bytes < other.bytes:
        name = "arith.trunci"
    else:
        name = choices.pick(("arith.extsi", "arith.extui"))
    return host(builder, name, (Literal(choices.integer(-9, 60), other),), kind)


def _chosen(builder: Builder, kind: ScalarType) -> Value:
    """One of two constants, which one a condition says; or of such a number and a third one, where
    the same condition or its negation says it."""
    choices = builder.choices
    first = condition(builder)
    pair = (Literal(number, kind) for number in choices.pick(_PAIRS))
    inner = host(builder, "arith.select", (first, *pair), kind)
    if choices.chance(0.4):
        return inner
    second = first if choices.chance(0.7) else negated(builder, first)
    third = Literal(choices.integer(8, 9), kind)
    sides = (inner, third) if choices.chance(0.5) else (third, inner)
    return host(builder, "arith.select", (second, *sides), kind)


def _select(builder: Builder, known: list[Value]) -> bool:
    """One of two loaded numbers, which one whether they are equal says; False where they lack."""
    choices = builder.choices
    loaded = {op.result.name for op in builder.operations if isinstance(op, Load)}
    pair = [value for value in known if value.name in loaded][:2]
    if len(pair) < 2:
        return False
    for value in pair:
        builder.unused_scalars.pop(value.name, None)
    kind = pair[0].type
    then, otherwise = pair
    sides = pair if choices.chance(0.5) else [otherwise, then]
    chosen = comparison(builder, choices.pick((EQUAL, NOT_EQUAL)), *sides)
    result = Value(builder.name(), kind)
    builder.emit(
        Select(
            identity=builder.identity(),
            condition=chosen,
            then=then,
            otherwise=otherwise,
            result=result,
        )
    )
    builder.define_scalar(result)
    return True
