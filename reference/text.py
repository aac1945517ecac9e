"""Programs as MLIR text in IREE's custom assembly, one op a line.

The same program is always the same text. Constants stand at the top of the function that uses
them, in the order of type and value; each op ends in the location that is its identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference.ir import Function, Operation, Program
from reference.ops.assembly import literal_name
from reference.types import INDEX, Literal


def print_program(program: Program, locations: bool = True) -> str:
    """The module as text; `locations=False` leaves identities out, for people to read."""
    lines = ["module {"]
    lines += [f"  util.global private @{device} : !hal.device" for device in program.devices]
    for function in program.functions:
        lines += _function(function, locations)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _function(function: Function, locations: bool) -> Iterator[str]:
    arguments = ", ".join(f"%{value.name}: {value.type}" for value in function.arguments)
    results = ", ".join(map(str, function.result_types))
    arrow = f" -> ({results})" if results else ""
    visibility = "public" if function.public else "private"
    yield f"  util.func {visibility} @{function.name}({arguments}){arrow} {{"
    operations = function.entry.operations
    for literal in literals(operations):
        yield f"    %{literal_name(literal)} = arith.constant {_number(literal)} : {literal.type}"
    for operation in operations:
        identity = f' loc("{operation.identity}")' if locations else ""
        yield f"    {operation.assembly()}{identity}"
    yield "  }"


def literals(operations: Iterable[Operation]) -> tuple[Literal, ...]:
    """Every constant that the ops take (sizes, offsets, patterns), in the order of printing."""
    # By name, not by equality: 0.0 and -0.0 are equal, 1 and 1.0 too, and each needs its line.
    found: dict[str, Literal] = {}
    indices: set[int] = set()
    for operation in operations:
        for item in operation.inputs:
            if isinstance(item, int):
                indices.add(item)
            elif isinstance(item, Literal):
                found[literal_name(item)] = item
    for number in indices:
        literal = Literal(number, INDEX)
        found[literal_name(literal)] = literal
    return tuple(
        found[name]
        for name in sorted(found, key=lambda name: (str(found[name].type), found[name].value, name))
    )


def _number(literal: Literal) -> str:
    """A number as MLIR reads it: a float has a point."""
    text = str(literal.value)
    if literal.type.name.startswith("f") and "." not in text:
        mantissa, e, exponent = text.partition("e")
        return f"{mantissa}.0{e}{exponent}"
    return text
