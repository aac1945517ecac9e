"""Constants as SSA values.

In the program IR a constant is part of its users. In MLIR it is an op; the rewriter keeps one of
each, but makes one of equal ones only when an iteration starts. Until then a constant that a rule
makes is a value of its own, with a place in its block: rules that compare values or look at what
stands between two ops notice it.
"""

from __future__ import annotations

from dataclasses import dataclass

from reference.folding.layouts import Input
from reference.ir import Operation
from reference.types import I1, INDEX, Index, Literal, Scalar, ScalarType, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeConstant(Operation):
    """`arith.constant`, made by a rule in this iteration; gone when the next one starts."""

    number: int | Literal
    result: Value

    mnemonic = "arith.constant"

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)


def constant_type(number: int | Literal) -> ScalarType:
    """The type of a constant as the program IR has it."""
    return INDEX if isinstance(number, int) else number.type


def same_value(left: Input, right: Input) -> bool:
    """Whether two operands are one SSA value."""
    return left is right or (
        left is not None and right is not None and value_key(left) == value_key(right)
    )


def value_key(item: Index | Scalar) -> tuple[str, int | float | str]:
    """What all occurrences of an SSA value have in common. An index constant may be a `Literal`."""
    if isinstance(item, Value):
        return "%", item.name
    return constant_type(item).name, item if isinstance(item, int) else signed(item)


def truth(constant: int | Literal | None) -> bool | None:
    """Whether a constant condition holds; None for what is no constant."""
    return bool(constant.value & 1) if isinstance(constant, Literal) else None  # type: ignore[operator]


def signed(literal: Literal) -> int | float:
    """The number of a constant, an integer as MLIR prints it: signed."""
    value = literal.value
    if not isinstance(value, int) or not is_integer(literal.type):
        return value
    bits = integer_bits(literal.type)
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def integer_bits(kind: ScalarType) -> int:
    """How many bits an integer type has; 64 for an index."""
    return 1 if kind == I1 else 8 * kind.bytes


def is_integer(kind: ScalarType) -> bool:
    """Whether it is an index or an integer type."""
    return kind == INDEX or (kind.name[0] == "i" and kind.name[1:].isdecimal())
