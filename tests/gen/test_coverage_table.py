"""What 2,000 programs of the default profile cover: every cell of the table that IREE accepts.

A cell is (op, detail, pinned, cross). The details of an op are the lifetimes, pattern types or
scalar types that the op takes. `pinned`: a value of the op shares its storage, through ties, with
one that an import or export with `on(…)` pins. `cross`: a value of the op comes from, or goes to,
another device through a transfer; for a transfer itself, its ends are two devices.

Staging memory is tied to nothing that pins, so what touches staging alone has no pinned cells.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from gen.profiles import profile_named
from gen.programs import program
from reference.ir import Operation, Program
from reference.ops import (
    Alloca,
    Barrier,
    Binding,
    Cast,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    Import,
    Load,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.types import DEVICE_LIFETIMES, Lifetime, Value

SEED, COUNT = 7, 2000

L = tuple(lifetime.value for lifetime in DEVICE_LIFETIMES)
ALL = tuple(lifetime.value for lifetime in Lifetime)
PATTERNS = ("i8", "i16", "i32", "i64")

DETAILS: dict[str, tuple[str, ...]] = {
    "splat": (*L, *PATTERNS),
    "constant": L,
    "alloca": L,
    "clone": tuple(map(">".join, itertools.product(L, L))),
    "cast": tuple(map(">".join, itertools.product(L, L))),
    "slice": (*L, "whole", "part"),
    "fill": (*L, *PATTERNS, "whole", "part"),
    "update": (*map(">".join, itertools.product(L, L)), "whole", "part"),
    "copy": (*map(">".join, itertools.product(L, L)), "whole", "part", "self"),
    "transfer": (
        *map(">".join, itertools.product(ALL, ALL)),
        "no on", "on from", "on to", "on third", "dynamic", "static",
    ),
    "barrier": ALL,
    "load": ("i8", "i16", "i32", "i64", "f32", "f64", "index"),
    "store": ("i8", "i16", "i32", "i64", "f32"),
    "dispatch": (
        *(f"operand {life}" for life in L),
        *(f"result {life}" for life in L),
        *(f"tied {left}>{right}" for left, right in itertools.product(L, L)),
        *(f"{count} operands" for count in range(4)),
        "1 results", "2 results", "part", "whole",
        *(f"scalar {kind}" for kind in ("i8", "i32", "i64", "f32", "f64", "index")),
        "loaded scalar", "workload", "no workload",
    ),
    "import": ("on", "no on", "static", "dynamic"),
    "export": ("on", "no on", "static", "dynamic"),
}  # fmt: skip
"""The details of each op: the columns of the table."""

UNPINNED = {"load", "store", ("barrier", "staging"), ("transfer", "staging>staging")}
"""Ops, and single details of ops, that touch staging alone."""

IMPOSSIBLE = {("import", "on", False), ("export", "on", False)}
"""(op, detail, pinned): an import or export with `on` pins."""


def cells() -> set[tuple[str, str, bool, bool]]:
    """The whole table."""
    found = set()
    for op, details in DETAILS.items():
        for detail, pinned, cross in itertools.product(details, (False, True), (False, True)):
            never = op in UNPINNED or (op, detail) in UNPINNED
            if op == "alloca" and cross:
                continue  # Nobody may read, and so nobody sends, what is not written.
            if (pinned and never) or (op, detail, pinned) in IMPOSSIBLE:
                continue
            found.add((op, detail, pinned, cross))
    return found


def hit(programs: Iterator[Program]) -> set[tuple[str, str, bool, bool]]:
    """The cells that the programs are in."""
    found = set()
    for made in programs:
        operations = tuple(made.operations())
        pinned, crossing = pinned_values(operations), crossing_values(operations)
        for operation in operations:
            values = [*operation.results, *operation.operands]
            is_pinned = any(value.name in pinned for value in values)
            cross = any(value.name in crossing for value in values)
            if isinstance(operation, Transfer):
                cross = operation.source_affinity != operation.target_affinity
            kind = operation.mnemonic.rpartition(".")[2]
            for detail in details_of(operation):
                found.add((kind, detail, is_pinned, cross))
    return found


def pinned_values(operations: tuple[Operation, ...]) -> set[str]:
    """The values that share storage, through ties, with an import's or export's that pins."""
    groups: dict[str, str] = {}

    def group(name: str) -> str:
        while name in groups:
            name = groups[name]
        return name

    for operation in operations:
        for result, operand in operation.tied:
            if group(result.name) != group(operand.name):
                groups[group(result.name)] = group(operand.name)
    roots = {group(op.operands[0].name) for op in operations if op.pins}
    names = {value.name for op in operations for value in (*op.operands, *op.results)}
    return {name for name in names if group(name) in roots}


def crossing_values(operations: tuple[Operation, ...]) -> set[str]:
    """The ends of transfers between two devices."""
    return {
        value.name
        for op in operations
        if isinstance(op, Transfer) and op.source_affinity != op.target_affinity
        for value in (op.source, op.result)
    }


def life(value: Value) -> str:
    """The lifetime of a resource as it is printed."""
    assert value.lifetime is not None
    return value.lifetime.value


def details_of(op: Operation) -> Iterator[str]:
    """The details that an op has."""
    if isinstance(op, Splat | Fill):
        yield str(op.pattern.type)
    if isinstance(op, Splat | Constant | Alloca | Barrier):
        yield life(op.results[0])
    elif isinstance(op, Clone | Cast | Transfer):
        yield f"{life(op.source)}>{life(op.result)}"
    elif isinstance(op, Update | Copy):
        yield f"{life(op.source)}>{life(op.target)}"
    elif isinstance(op, Slice | Fill):
        yield life(op.result)
    elif isinstance(op, Load):
        yield str(op.result.type)
    elif isinstance(op, Store):
        yield str(op.scalar.type)
    if isinstance(op, Copy) and op.source == op.target:
        yield "self"
    if isinstance(op, Slice):
        yield "whole" if op.result.size == op.source.size else "part"
    elif isinstance(op, Update):
        yield "whole" if op.source.size == op.target.size else "part"
    elif isinstance(op, Fill):
        yield "whole" if op.span.length == op.target.size else "part"
    elif isinstance(op, Copy):
        yield "whole" if op.target_span.length == op.target.size else "part"
    elif isinstance(op, Transfer):
        yield from transfer_details(op)
    elif isinstance(op, Dispatch):
        yield from dispatch_details(op)
    elif isinstance(op, Import | Export):
        yield "on" if op.affinity else "no on"
        yield "dynamic" if op.dimensions else "static"


def transfer_details(op: Transfer) -> Iterator[str]:
    """Where a transfer says it executes, and whether its size is known."""
    yield "dynamic" if isinstance(op.source.size, Value) else "static"
    if op.explicit_affinity is None:
        yield "no on"
        return
    ends = (op.source_affinity, op.target_affinity)
    if op.explicit_affinity == ends[0]:
        yield "on from"
    if op.explicit_affinity == ends[1]:
        yield "on to"
    if op.explicit_affinity not in ends:
        yield "on third"


def dispatch_details(op: Dispatch) -> Iterator[str]:
    """The shape of a dispatch."""
    yield f"{len(op.bindings)} operands"
    yield f"{len(op.outputs)} results"
    yield "workload" if op.workload else "no workload"
    for binding in op.bindings:
        yield f"operand {life(binding.value)}"
        yield "whole" if binding.span.length == binding.value.size else "part"
    for output in op.outputs:
        yield f"result {life(output)}"
    for output, target in op.tied:
        yield f"tied {life(target)}>{life(output)}"
    for argument in op.arguments:
        if not isinstance(argument, Binding):
            yield f"scalar {argument.type}"
            if isinstance(argument, Value):
                yield "loaded scalar"


@pytest.fixture(scope="module")
def covered() -> set[tuple[str, str, bool, bool]]:
    """The cells that the programs of the test hit."""
    profile = profile_named("default")
    return hit(program(SEED, index, profile) for index in range(COUNT))


@pytest.mark.parametrize("op", DETAILS)
def test_every_cell_is_hit(op: str, covered: set[tuple[str, str, bool, bool]]) -> None:
    missing = {cell for cell in cells() - covered if cell[0] == op}
    assert not missing, sorted(missing)


def test_no_cell_is_unknown(covered: set[tuple[str, str, bool, bool]]) -> None:
    unknown = {cell for cell in covered - cells() if cell[0] != "return"}
    assert not unknown, sorted(unknown)
