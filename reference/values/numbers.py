"""Host scalars as numbers: bit patterns, and what arithmetic makes of them.

A scalar is the unsigned number that its bits spell, whatever its type: an i8 of -1 is 255, an f32
of 1.0 is 0x3f800000. What an op does with signs and floats is in its name. Semantics are those of
MLIR's mlir/include/mlir/Dialect/Arith/IR/ArithOps.td.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence

from reference.ir import UnsupportedOperationError
from reference.types import I1, Literal, ScalarType, Type

_FORMATS = {"f32": ("<f", "<I"), "f64": ("<d", "<Q")}

Arithmetic = Callable[[Sequence[int], Sequence[Type], Type, int], int]
"""From the bits and types of what an op takes, the type of its result and its predicate, to the
result's bits before they are cut to its width."""


def bit_width(kind: Type) -> int:
    """The bits of a scalar. Raises UnsupportedOperationError for any other type."""
    if not isinstance(kind, ScalarType):
        raise UnsupportedOperationError(f"arithmetic on {kind}")
    return 1 if kind == I1 else 8 * kind.bytes


def bits_of(literal: Literal) -> int:
    """The bits of a constant."""
    if literal.type.name in _FORMATS:
        return float_bits(literal.value, literal.type)
    return int(literal.value) & _mask(literal.type)


def float_bits(value: float, kind: Type) -> int:
    """The bits of a float of that type; what is too large becomes infinite."""
    real, whole = _FORMATS[str(kind)]
    try:
        packed = struct.pack(real, value)
    except OverflowError:
        packed = struct.pack(real, math.copysign(math.inf, value))
    (bits,) = struct.unpack(whole, packed)
    return int(bits)


def as_float(bits: int, kind: Type) -> float:
    """The float that these bits spell."""
    real, whole = _FORMATS[str(kind)]
    (value,) = struct.unpack(real, struct.pack(whole, bits))
    return float(value)


def same_number(one: int, other: int, kind: Type) -> bool:
    """Whether bits spell one number. All that are no number are one: conversion to another width,
    as for a caller in Python, makes a signalling one quiet."""
    if one == other or str(kind) not in _FORMATS:
        return one == other
    return all(math.isnan(as_float(bits, kind)) for bits in (one, other))


def as_bytes(bits: int, kind: Type) -> bytes:
    """A scalar as it lies in memory: little-endian, an i1 a byte."""
    if not isinstance(kind, ScalarType):
        raise UnsupportedOperationError(f"{kind} in memory")
    return bits.to_bytes(kind.bytes, "little")


def signed(bits: int, kind: Type) -> int:
    """The number in two's complement."""
    width = bit_width(kind)
    return bits - (1 << width) if bits >> (width - 1) else bits


def evaluate(
    name: str, arguments: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int = 0
) -> int:
    """The bits that host op `name` makes of the bits of its arguments.

    `predicate` is a comparison's. Raises UnsupportedOperationError for an op that is not known
    here, for types without a fixed width, and where the result is not defined.
    """
    rule = _RULES.get(name)
    if rule is None:
        raise UnsupportedOperationError(f"{name}, which the interpreter does not evaluate")
    try:
        return rule(arguments, takes, gives, predicate) & _mask(gives)
    except (ZeroDivisionError, ValueError, OverflowError):
        raise UnsupportedOperationError(f"{name}, whose result is not defined here") from None


def _mask(kind: Type) -> int:
    return (1 << bit_width(kind)) - 1


def _unsigned(compute: Callable[[int, int], int]) -> Arithmetic:
    return lambda given, takes, gives, predicate: compute(given[0], given[1])


def _signed(compute: Callable[[int, int], int]) -> Arithmetic:
    return lambda given, takes, gives, predicate: compute(
        signed(given[0], takes[0]), signed(given[1], takes[1])
    )


def _shift(compute: Callable[[int, int], int], signs: bool = False) -> Arithmetic:
    """A shift by as many bits as there are, or more, gives poison."""

    def shifted(given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int) -> int:
        if given[1] >= bit_width(takes[0]):
            raise ValueError
        return compute(signed(given[0], takes[0]) if signs else given[0], given[1])

    return shifted


def _float(compute: Callable[..., float]) -> Arithmetic:
    return lambda given, takes, gives, predicate: float_bits(
        compute(*map(as_float, given, takes)), gives
    )


def _quotient(left: int, right: int) -> int:
    """Division that rounds towards zero."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _divide(left: float, right: float) -> float:
    if right:
        return left / right
    if left == 0 or left != left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _larger(left: float, right: float) -> float:
    """`maximumf`: not a number if either is not; 0.0 is larger than -0.0."""
    if left != left or right != right:
        return math.nan
    return max(left, right, key=lambda one: (one, math.copysign(1.0, one)))


def _smaller(left: float, right: float) -> float:
    return -_larger(-left, -right)


_COMPARISONS: tuple[tuple[bool, Callable[[int, int], bool]], ...] = (
    (False, operator.eq), (False, operator.ne),
    (True, operator.lt), (True, operator.le), (True, operator.gt), (True, operator.ge),
    (False, operator.lt), (False, operator.le), (False, operator.gt), (False, operator.ge),
)  # fmt: skip
"""`arith.cmpi`'s predicates by number: whether they look at signs, and what they ask."""


def _compare(given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int) -> int:
    signs, holds = _COMPARISONS[predicate]
    left, right = given
    if signs:
        left, right = signed(left, takes[0]), signed(right, takes[1])
    return int(holds(left, right))


def _never(left: float, right: float) -> bool:
    return False


def _always(left: float, right: float) -> bool:
    return True


_ORDERINGS: tuple[Callable[[float, float], bool], ...] = (
    operator.eq, operator.gt, operator.ge, operator.lt, operator.le, operator.ne,
)  # fmt: skip
_FLOAT_COMPARISONS = (_never, *_ORDERINGS, _always, *_ORDERINGS, _never, _always)
"""`arith.cmpf`'s predicates by number: false, six that want numbers, `ord`, six that hold of what
is not a number too, `uno`, true."""
_UNORDERED = 8
"""The first predicate that holds where a side is not a number."""


def _compare_floats(
    given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int
) -> int:
    left, right = map(as_float, given, takes)
    if left != left or right != right:
        return int(predicate >= _UNORDERED)
    return int(_FLOAT_COMPARISONS[predicate](left, right))


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def _same(given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int) -> int:
    return given[0]


def _with_sign(given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int) -> int:
    return signed(given[0], takes[0])


def _select(given: Sequence[int], takes: Sequence[Type], gives: Type, predicate: int) -> int:
    return given[1] if given[0] else given[2]


_RULES: dict[str, Arithmetic] = {
    "arith.addi": _unsigned(operator.add),
    "arith.subi": _unsigned(operator.sub),
    "arith.muli": _unsigned(operator.mul),
    "arith.divui": _unsigned(operator.floordiv),
    "arith.remui": _unsigned(operator.mod),
    "arith.divsi": _signed(_quotient),
    "arith.remsi": _signed(lambda left, right: left - right * _quotient(left, right)),
    "arith.ceildivui": _unsigned(lambda left, right: -(-left // right)),
    "arith.ceildivsi": _signed(lambda left, right: -(-left // right)),
    "arith.floordivsi": _signed(operator.floordiv),
    "arith.andi": _unsigned(operator.and_),
    "arith.ori": _unsigned(operator.or_),
    "arith.xori": _unsigned(operator.xor),
    "arith.shli": _shift(operator.lshift),
    "arith.shrui": _shift(operator.rshift),
    "arith.shrsi": _shift(operator.rshift, signs=True),
    "arith.maxui": _unsigned(max),
    "arith.minui": _unsigned(min),
    "arith.maxsi": _signed(max),
    "arith.minsi": _signed(min),
    "arith.cmpi": _compare,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.index_cast": _with_sign,
    "arith.index_castui": _same,
    "arith.extsi": _with_sign,
    "arith.extui": _same,
    "arith.trunci": _same,
    "arith.bitcast": _same,
    "arith.addf": _float(operator.add),
    "arith.subf": _float(operator.sub),
    "arith.mulf": _float(operator.mul),
    "arith.divf": _float(_divide),
    "arith.maximumf": _float(_larger),
    "arith.minimumf": _float(_smaller),
    "arith.negf": _float(operator.neg),
    "arith.extf": _float(lambda value: value),
    "arith.truncf": _float(lambda value: value),
    "arith.sitofp": lambda given, takes, gives, predicate: float_bits(
        signed(given[0], takes[0]), gives
    ),
    "arith.uitofp": lambda given, takes, gives, predicate: float_bits(given[0], gives),
    "arith.fptosi": lambda given, takes, gives, predicate: int(as_float(given[0], takes[0])),
    "arith.fptoui": lambda given, takes, gives, predicate: int(as_float(given[0], takes[0])),
    "util.align": _unsigned(_align),
}
