"""Pieces of IREE's custom assembly that several ops share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import Attribute, GenericOperation, UnsupportedOperationError
from reference.types import DEVICE_LIFETIMES, INDEX, Index, Literal, Scalar, Value, known_bytes


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes `[start, end)` of a resource, `length` = end - start, as MLIR carries all three."""

    start: Index
    end: Index
    length: Index

    @staticmethod
    def of(start: Index, length: Index) -> Range:
        """The range of `length` bytes from `start`; a length known only to the caller starts at 0.

        Raises ValueError when the end would have to be computed at run time.
        """
        if isinstance(start, int) and isinstance(length, int):
            return Range(start, start + length, length)
        if start == 0:
            return Range(0, length, length)
        raise ValueError("a range of dynamic length must start at 0")


def literal_name(literal: Literal) -> str:
    """The SSA name of a constant: `c16`, `c7_i32`, `cn1_i8`."""
    digits = str(literal.value)
    if not digits.isdecimal():
        digits = digits.replace("-", "n").replace(".", "p").replace("+", "")
    kind = literal.type.name
    return f"c{digits}" if kind == "index" else f"c{digits}_{kind}"


def ref(item: Index | Scalar) -> str:
    """How an operand is written: `%name`, or the name of its constant."""
    if isinstance(item, Value):
        return f"%{item.name}"
    if isinstance(item, Literal):
        return f"%{literal_name(item)}"
    return f"%c{item}"


def sized(value: Value) -> str:
    """A resource's type with its size: `!stream.resource<transient>{%c16}`."""
    size = value.size
    assert size is not None
    name = size.name if isinstance(size, Value) else f"c{size}"
    return f"{value.type}{{%{name}}}"


def on(affinity: Affinity | None) -> str:
    """`on(…) ` with its blank, nothing when absent."""
    return "" if affinity is None else f"on({affinity}) "


def device_lifetime_problem(role: str, value: Value) -> Iterator[str]:
    """IREE checks: staging is not accepted here (StreamBase.td, Stream_AnyStreamResource)."""
    if value.lifetime not in DEVICE_LIFETIMES:
        yield f"{role} %{value.name} is {value.type}, which this op does not take"


def same_type_problem(left: Value, right: Value) -> Iterator[str]:
    """IREE checks: `AllTypesMatch`."""
    if left.type != right.type:
        yield f"%{left.name} is {left.type} but %{right.name} is {right.type}"


def same_size_problem(left: Value, right: Value) -> Iterator[str]:
    """Nobody checks: both values have the same length."""
    one, other = known_bytes(left.size), known_bytes(right.size)
    if left.size != right.size and (one is None or one != other):
        yield f"%{left.name} has {_bytes(left.size)} but %{right.name} has {_bytes(right.size)}"


def range_problem(role: str, span: Range, size: Index | None) -> Iterator[str]:
    """IREE checks what is constant (VerifyAsyncAccessRanges.cpp); the rest is ours to keep."""
    start, end, length = known_bytes(span.start), known_bytes(span.end), known_bytes(span.length)
    whole = known_bytes(size)
    if start is None or end is None or length is None:
        return
    if start + length != end:
        yield f"{role} range [{start}, {end}) is not {length} bytes"
    if start < 0 or length < 0:
        yield f"{role} range [{start}, {end}) is negative"
    if whole is not None and end > whole:
        yield f"{role} range [{start}, {end}) passes the end at {whole} bytes"


def resource_result(generic: GenericOperation, size: Index | Literal) -> Value:
    """The only result of an op, given its size."""
    (result,) = generic.results
    return Value(result.name, result.type, index(size))


def index(item: Index | Literal) -> Index:
    """An operand that must be an index."""
    if isinstance(item, Literal):
        raise UnsupportedOperationError(f"index operand is the constant {item.value}: {item.type}")
    return item


def resource(item: Index | Literal, size: Index | Literal | None = None) -> Value:
    """An operand that must be an SSA value; `size` fills in what an argument's type lacks."""
    if not isinstance(item, Value):
        raise UnsupportedOperationError(f"resource operand is the constant {item}")
    if item.size is None and size is not None and item.is_resource:
        return Value(item.name, item.type, index(size))
    return item


def scalar(item: Index | Literal) -> Scalar:
    """An operand that must be a host scalar."""
    return Literal(item, INDEX) if isinstance(item, int) else item


def affinity_of(attribute: Attribute, role: str = "affinity") -> Affinity | None:
    """An affinity attribute of one device, or None; UnsupportedOperationError for any other."""
    if attribute is None or isinstance(attribute, Affinity):
        return attribute
    raise UnsupportedOperationError(f"{role} {attribute}")


def _bytes(size: Index | None) -> str:
    return "no size" if size is None else ref(size) if isinstance(size, Value) else f"{size} bytes"
