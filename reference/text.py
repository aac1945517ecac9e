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
    for literal in sorted(literals(operations), key=lambda item: (str(item.type), item.value)):
        yield f"    %{literal_name(literal)} = arith.constant {literal.value} : {literal.type}"
    for operation in operations:
        identity = f' loc("{operation.identity}")' if locations else ""
        yield f"    {operation.assembly()}{identity}"
    yield "  }"


def literals(operations: Iterable[Operation]) -> set[Literal]:
    """Every constant that the ops take: sizes, offsets, patterns."""
    found: set[Literal] = set()
    for operation in operations:
        for item in operation.inputs:
            if isinstance(item, int):
                found.add(Literal(item, INDEX))
            elif isinstance(item, Literal):
                found.add(item)
    return found
