"""One program with every op, from which tests change one thing at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version

import pytest

from reference.affinity import Affinity
from reference.folding.driver import DEFAULT, rewrite
from reference.folding.rules import Rules
from reference.folding.working import Body, Names
from reference.ir import Block, Function, Operation, Program, Region
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
    HostScalar,
    Import,
    Load,
    Return,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.releases import Release, release_rules
from reference.types import (
    BUFFER_VIEW,
    I32,
    INDEX,
    RESOURCES,
    Lifetime,
    Literal,
    Type,
    Value,
)

Ask = Callable[..., list[object]]
"""The fixture `ask`: from a module's text and steps to the steps' results."""

A, B = Affinity("dev_a"), Affinity("dev_b")
SEVEN = Literal(7, I32)


def resource(name: str, lifetime: Lifetime = Lifetime.TRANSIENT, size: int | Value = 16) -> Value:
    """A resource value."""
    return Value(name, RESOURCES[lifetime], size)


VIEW = Value("view", BUFFER_VIEW)
ARGUMENT = resource("argument")
LENGTH = Value("length", INDEX, known=32)
DYNAMIC = resource("dynamic", size=LENGTH)

_imported = resource("imported", Lifetime.EXTERNAL)
_constant = resource("constant", Lifetime.CONSTANT)
_allocated = resource("allocated")
_splat = resource("splat")
_cloned = resource("cloned")
_slice = resource("slice", size=4)
_filled = resource("filled")
_updated = resource("updated")
_copied = resource("copied")
_in_place, _fresh = resource("in_place"), resource("fresh", Lifetime.EXTERNAL, 8)
_moved = resource("moved")
_behind = resource("behind")
_cast = resource("cast", Lifetime.EXTERNAL)
_staged = resource("staged", Lifetime.STAGING)
_loaded = Value("loaded", I32)
_scratch = resource("scratch", Lifetime.STAGING)
_stored = resource("stored", Lifetime.STAGING)
_sum = Value("sum", INDEX)
_exported = Value("exported", BUFFER_VIEW)
_whole = Range.of(0, 16)

SAMPLES: dict[type[Operation], Operation] = {
    type(operation): operation
    for operation in (
        Import(
            identity="op0", source=VIEW, encoding="tensor<4xi32>", dimensions=(), result=_imported,
            affinity=A,
        ),
        Constant(
            identity="op1", elements="dense<[1, 2, 3, 4]> : tensor<4xi32>", length=16,
            result=_constant, affinity=A,
        ),
        Alloca(identity="op2", result=_allocated, affinity=A),
        Splat(identity="op3", pattern=SEVEN, result=_splat, affinity=A),
        Clone(identity="op4", source=_splat, result=_cloned, affinity=A),
        Slice(identity="op5", source=_cloned, start=4, end=8, result=_slice, affinity=A),
        Fill(
            identity="op6", pattern=SEVEN, target=_cloned, span=Range.of(8, 4), result=_filled,
            affinity=A,
        ),
        Update(
            identity="op7", source=_slice, target=_filled, start=0, end=4, result=_updated,
            affinity=A,
        ),
        Copy(
            identity="op8", source=_splat, source_span=Range.of(0, 4), target=_updated,
            target_span=Range.of(4, 4), result=_copied, affinity=A,
        ),
        Dispatch(
            identity="op9", kernel="ex::mix", workload=(4,),
            arguments=(SEVEN, Binding(_copied, _whole), Binding(_allocated, Range.of(4, 4))),
            outputs=(_in_place, _fresh), ties=(1, None), affinity=A,
        ),
        Transfer(
            identity="op10", source=_in_place, result=_moved, source_affinity=A,
            target_affinity=B, explicit_affinity=None,
        ),
        Barrier(identity="op11", source=_moved, result=_behind, affinity=B),
        Cast(identity="op12", source=_behind, result=_cast, affinity=B),
        Load(identity="op14", source=_staged, offset=0, result=_loaded),
        Store(identity="op16", target=_scratch, offset=4, scalar=_loaded, result=_stored),
        HostScalar(
            identity="op17", name="arith.addi", arguments=(LENGTH, Literal(0, INDEX)),
            outputs=(_sum,), attributes=(("overflowFlags", "#arith.overflow<none>"),),
        ),
        Export(
            identity="op18", source=_imported, encoding="tensor<4xi32>", dimensions=(),
            result=_exported, affinity=A,
        ),
        Return(identity="op19", values=(_cast, ARGUMENT, _stored, _exported)),
    )
}  # fmt: skip
"""One op of each kind, each as the next ones use it."""

_STAGING = {
    "op12": Transfer(
        identity="op13", source=_cast, result=_staged, source_affinity=B, target_affinity=B,
        explicit_affinity=A,
    ),
    "op14": Transfer(
        identity="op15", source=_cast, result=_scratch, source_affinity=B, target_affinity=B,
    ),
}  # fmt: skip


def function(
    *operations: Operation, arguments: tuple[Value, ...] = (), name: str = "main"
) -> Function:
    """A function of these ops; a return of nothing is added unless they end in one."""
    if not operations or not operations[-1].terminator:
        operations = (*operations, Return(identity=f"{name}_end", values=()))
    types: tuple[Type, ...] = tuple(value.type for value in operations[-1].operands)
    return Function(name, Region((Block(operations, arguments),)), types)


def program(*operations: Operation, arguments: tuple[Value, ...] = ()) -> Program:
    """A module of two devices and one function."""
    return Program((A.device, B.device), (function(*operations, arguments=arguments),))


def installed_rules() -> Release:
    """The rules of the release that the tests run on."""
    return release_rules(version("iree-base-compiler"))[0]


def _known_here(operation: Operation) -> Operation:
    """The op, or what stands in for it where the installed release does not know it."""
    rules = installed_rules()
    if isinstance(operation, Cast) and not rules.async_cast:
        return Clone(
            identity=operation.identity,
            source=operation.source,
            result=operation.result,
            affinity=operation.affinity,
        )
    if isinstance(operation, Transfer) and not rules.explicit_transfer_execution:
        return replace(operation, explicit_affinity=None)
    return operation


def every_op() -> Program:
    """A well-formed program with at least one op of each kind that the installed release knows."""
    operations: list[Operation] = []
    for operation in map(_known_here, SAMPLES.values()):
        operations.append(operation)
        if operation.identity in _STAGING:
            operations.append(_known_here(_STAGING[operation.identity]))
    return program(*operations, arguments=(VIEW, ARGUMENT, LENGTH))


def with_operation(changed: Operation) -> Program:
    """The program of every op with the op of the same identity replaced.

    Skips the test where the installed release does not know the op.
    """
    if _known_here(changed) != changed:
        pytest.skip(f"IREE {installed_rules().version} does not know {changed.assembly()}")
    whole = every_op()
    (main,) = whole.functions
    operations = tuple(
        changed if operation.identity == changed.identity else operation
        for operation in main.entry.operations
    )
    return replace(
        whole, functions=(replace(main, body=Region((Block(operations, main.arguments),))),)
    )


def canonical(text: str) -> str:
    """A module's text with the values of each function numbered in order."""
    return "util.func".join(map(_numbered, text.split("util.func")))


def _numbered(text: str) -> str:
    numbers: dict[str, str] = {}
    return re.sub(r"%[\w.$-]+", lambda name: numbers.setdefault(name[0], f"%{len(numbers)}"), text)


def patterns_applied(
    region: Region,
    rules: Mapping[type[Operation], Rules],
    release: Release,
    names: Names | None = None,
) -> Region:
    """A body after rules in the rewriter's default configuration, as passes other than
    `canonicalize` run it."""
    body = Body(region)
    rewrite(body, rules, release, DEFAULT)
    return body.to_region(names or Names())
