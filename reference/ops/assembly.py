"""Pieces of IREE's custom assembly that several ops share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import Attribute, GenericOperation, UnsupportedOperationError
from reference.types import (
    DEVICE_LIFETIMES,
    I1,
    INDEX,
    TIMEPOINT,
    Index,
    Literal,
    Scalar,
    Type,
    Value,
    known_bytes,
)


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


def typed(items: Iterable[Scalar]) -> str:
    """`%a, %b : type, type`, nothing without any."""
    items = tuple(items)
    if not items:
        return ""
    return f"{', '.join(map(ref, items))} : {', '.join(str(item.type) for item in items)}"


def listed(types: Iterable[Type]) -> str:
    """`(type, type)`."""
    return f"({', '.join(map(str, types))})"


def result_types(outputs: tuple[Value, ...]) -> str:
    """` -> (type, type)` with its blank, nothing without results."""
    return f" -> {listed(output.type for output in outputs)}" if outputs else ""


def assigned(arguments: Iterable[Value], initial: Iterable[Scalar]) -> str:
    """`%argument = %initial` for each argument of a loop's region."""
    pairs = zip(arguments, initial, strict=True)
    return ", ".join(f"%{argument.name} = {ref(item)}" for argument, item in pairs)


def captured(captures: Iterable[Value], arguments: Iterable[Value]) -> str:
    """`%capture as %argument: type{%size}` for each argument of an execution region."""
    pairs = zip(captures, arguments, strict=True)
    return ", ".join(f"%{one.name} as %{other.name}: {sized(one)}" for one, other in pairs)


def waiting(timepoint: Value | None) -> str:
    """`await(…) ` with its blank, nothing when absent."""
    return "" if timepoint is None else f"await(%{timepoint.name}) "


def generic_assembly(
    name: str,
    arguments: tuple[Scalar, ...],
    outputs: tuple[Value, ...],
    attributes: tuple[tuple[str, str], ...],
) -> str:
    """An op in MLIR's generic form, which all ops share; attributes are (name, printed) pairs."""
    pairs = ", ".join(f"{key} = {text}" for key, text in attributes)
    given = f" {{{pairs}}}" if pairs else ""
    return (
        f'{result_names(outputs)}"{name}"({", ".join(map(ref, arguments))}){given} : '
        f"{listed(argument.type for argument in arguments)} -> "
        f"{listed(output.type for output in outputs)}"
    )


def result_names(outputs: tuple[Value, ...]) -> str:
    """`%a, %b = `, or `%a:2 = ` where the values are named `a#0` and `a#1`; nothing without any."""
    if not outputs:
        return ""
    pack = outputs[0].name.partition("#")[0]
    if all(output.name == f"{pack}#{place}" for place, output in enumerate(outputs)):
        return f"%{pack}:{len(outputs)} = "
    return f"{', '.join(f'%{output.name}' for output in outputs)} = "


def sized_results(outputs: tuple[Value, ...], targets: tuple[Value | None, ...]) -> str:
    """The results after an arrow, each tied to a target or not; parenthesised unless one."""
    results = ", ".join(
        sized(output) if target is None else _tied_result(output, target)
        for output, target in zip(outputs, targets, strict=True)
    )
    return results if len(outputs) == 1 else f"({results})"


def _tied_result(output: Value, target: Value) -> str:
    if output.type != target.type:
        return f"%{target.name} as {sized(output)}"
    assert output.size is not None
    return f"%{target.name}{{{ref(output.size)}}}"


def device_lifetime_problem(role: str, value: Value) -> Iterator[str]:
    """IREE checks: staging is not accepted here (StreamBase.td, Stream_AnyStreamResource)."""
    if value.lifetime not in DEVICE_LIFETIMES:
        yield f"{role} %{value.name} is {value.type}, which this op does not take"


def condition_problem(condition: Scalar) -> Iterator[str]:
    """IREE checks: what chooses is an i1."""
    if condition.type != I1:
        yield f"the condition is {condition.type}, not i1"


def timepoint_problem(*values: Value) -> Iterator[str]:
    """IREE checks: what is waited for is a timepoint."""
    for value in values:
        if value.type != TIMEPOINT:
            yield f"%{value.name} is {value.type}, not {TIMEPOINT}"


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
    """An operand that must be an SSA value; `size` is what the op says of a resource's."""
    if not isinstance(item, Value):
        raise UnsupportedOperationError(f"resource operand is the constant {item}")
    # Mostly the very size that the value was made with.
    if size is None or item.size is size or item.size == size or not item.is_resource:
        return item
    return Value(item.name, item.type, index(size))


def sized_values(
    items: Iterable[Index | Literal], sizes: Iterable[Index | Literal]
) -> tuple[Value, ...]:
    """Resources and their sizes. Raises ValueError unless there are as many of both."""
    return tuple([resource(item, size) for item, size in zip(items, sizes, strict=True)])


def values_in(items: Iterable[Index | Literal]) -> tuple[Value, ...]:
    """Operands that must be SSA values without sizes of their own."""
    return tuple(map(resource, items))


def segments(generic: GenericOperation) -> list[tuple[Index | Literal, ...]]:
    """The operands in the groups that `operandSegmentSizes` tells."""
    sizes = generic.attributes.get("operandSegmentSizes")
    if not isinstance(sizes, tuple):
        raise UnsupportedOperationError(f"{generic.name} without operand segments")
    operands, groups, start = generic.operands, [], 0
    for size in sizes:
        assert isinstance(size, int)
        groups.append(operands[start : start + size])
        start += size
    return groups


def ties_of(attribute: Attribute) -> tuple[int | None, ...]:
    """`tied_operands` as positions; empty where no result is tied."""
    if not isinstance(attribute, tuple) or all(tie == -1 for tie in attribute):
        return ()
    return tuple(tie if isinstance(tie, int) and tie >= 0 else None for tie in attribute)


def tied_targets(
    outputs: tuple[Value, ...], ties: tuple[int | None, ...], operands: Sequence[object]
) -> tuple[Value | None, ...]:
    """For each output the operand that it is tied to, None without."""
    if not ties:
        return (None,) * len(outputs)
    targets = [None if tie is None else operands[tie] for tie in ties]
    return tuple(target if isinstance(target, Value) else None for target in targets)


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
