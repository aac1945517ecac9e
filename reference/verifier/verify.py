"""Whether a program is one that a finding may rest on, and if not, why.

Two degrees, each a set of rules. *Valid*: what IREE checks itself, and what nobody checks but every
program has to keep. *Well-formed*: valid, and a compiler that is right cannot be blamed for what
becomes of it (`reference/verifier/wellformed.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reference.ir import Function, Operation, Program, Region, walk
from reference.ops import (
    Call,
    For,
    GlobalLoad,
    If,
    Load,
    OptimizationBarrier,
    Select,
    Store,
    While,
)
from reference.ops.assembly import literal_name
from reference.text import literals
from reference.types import INDEX, Literal, Value
from reference.verifier.problems import Level, Problem, Rule, where
from reference.verifier.structure import STRUCTURE_RULES, regions_of
from reference.verifier.symbols import PROGRAM_RULES, with_named_devices
from reference.verifier.wellformed import PROGRAM_WELL_FORMED_RULES, WELL_FORMED_RULES

__all__ = ["PROGRAM_RULES", "VALID_RULES", "level_of", "verify", "verify_module"]

_NAME = re.compile(r"\d+|[A-Za-z_$.][\w$.-]*(#\d+)?", re.ASCII)
_INITIALIZER = "initializer"
_HANDS = (Call, For, GlobalLoad, If, OptimizationBarrier, Select, While)
"""Ops whose results may have the storage of a value that somebody else holds."""


def verify(program: Program) -> tuple[Problem, ...]:
    """Everything that is wrong with a program; nothing when it is well-formed.

    A program that is not valid is not asked whether it is well-formed: that has no meaning then.
    """
    functions = [*_initializers(program), *program.functions]
    problems = [problem for rule in PROGRAM_RULES for problem in rule(program)]
    for function in functions:
        problems += _apply(VALID_RULES, function, Level.VALID)
    if not problems:
        # Of a program on tensors, IREE's conversion moves values to where they are used, and gives
        # them their lifetimes.
        rules = () if program.tensors else PROGRAM_WELL_FORMED_RULES
        problems += [problem for rule in rules for problem in rule(program)]
        for function in functions:
            problems += _apply(WELL_FORMED_RULES, function, Level.WELL_FORMED)
    return tuple(problems)


def verify_module(program: Program) -> tuple[Problem, ...]:
    """`verify`, for a module of which not all need be there: devices may also be named on the
    compiler's command line."""
    return verify(with_named_devices(program))


def _initializers(program: Program) -> Iterator[Function]:
    """The initializers, as functions that take and return nothing."""
    for initializer in program.initializers:
        yield Function(_INITIALIZER, initializer.body, (), public=False)


def level_of(problems: tuple[Problem, ...]) -> Level | None:
    """The degree that a program with these problems reaches; None if it is not even valid."""
    if any(problem.level is Level.VALID for problem in problems):
        return None
    return Level.VALID if problems else Level.WELL_FORMED


def _apply(rules: tuple[Rule, ...], function: Function, level: Level) -> Iterator[Problem]:
    for rule in rules:
        name = rule.__name__.replace("_", "-")
        for identity, message in rule(function):
            yield Problem(identity, function.name, name, message, level)


def own_rules(function: Function) -> Iterator[tuple[str | None, str]]:
    """What each op demands for itself, staging operands included."""
    for op in list(walk(function.body)):
        for message in op.problems():
            yield op.identity, f"{where(op)}: {message}"


def unique_names(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: a value is defined once, not under the name of a constant."""
    constants = {literal_name(literal) for literal in literals(list(walk(function.body)))}
    seen: set[str] = set()
    for op, value in _definitions(function.body):
        identity = op.identity if op else None
        if value.name in seen:
            yield identity, f"%{value.name} is defined twice; rename one"
        elif value.name in constants:
            yield identity, f"%{value.name} is also the name of a constant; rename the value"
        seen.add(value.name)


def printable_names(function: Function) -> Iterator[tuple[str | None, str]]:
    """`%name`, or `%pack#0`, `%pack#1` … for all the results of one op."""
    for op, value in _definitions(function.body):
        pack = value.name.partition("#")[0]
        names = [result.name for result in op.results] if op else []
        in_pack = len(names) > 1 and names == [f"{pack}#{place}" for place in range(len(names))]
        if not _NAME.fullmatch(value.name) or ("#" in value.name and not in_pack):
            yield op.identity if op else None, f"%{value.name} is no name that MLIR reads"


def complete_sizes(function: Function) -> Iterator[tuple[str | None, str]]:
    """A resource that is used or made has a size: a number that is not negative, or an index."""
    for op in list(walk(function.body)):
        if any(item is None for item in op.inputs):
            yield op.identity, f"{where(op)} takes or makes a resource without a size"
        for value in (*op.operands, *op.results):
            size = value.size
            if isinstance(size, Value) and size.type != INDEX:
                yield op.identity, f"%{value.name} has the size %{size.name}, which is {size.type}"
            elif isinstance(size, int) and size < 0:
                yield op.identity, f"%{value.name} has {size} bytes"


def fitting_literals(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: an integer constant fits its type, signed or unsigned; a float is finite."""
    operations = list(walk(function.body))
    if all(_misfit(literal) is None for literal in literals(operations)):
        return
    for op in operations:
        for literal in literals((op,)):
            misfit = _misfit(literal)
            if misfit is not None:
                yield op.identity, f"{where(op)} takes {misfit}"


def unshared_store(function: Function) -> Iterator[tuple[str | None, str]]:
    """Nobody checks: a store writes memory that nothing reads through another value.

    IREE's copy-on-write pass forgets stores, so what reads the value from before the store, or
    another value with the same storage, may see what is stored. Only the host's own loads, which
    keep their place before the store in its block, cannot. What was handed over by a block, a call
    or a global may be held elsewhere.
    """
    operations = list(walk(function.body))
    if not any(isinstance(op, Store) for op in operations):
        return
    blocks = _blocks(function.body)
    places = {id(op): place for place, op in enumerate(operations)}
    users: dict[Value, list[Operation]] = {}
    for op in operations:
        for value in dict.fromkeys(op.operands):
            users.setdefault(value, []).append(op)
    ties = {result: (operand, op) for op in operations for result, operand in op.tied}
    makers = {value: op for op, value in _definitions(function.body)}
    for store in operations:
        if not isinstance(store, Store):
            continue
        for memory, through in _storage(store, ties):
            maker = makers.get(memory)
            handed = (
                memory not in function.arguments if maker is None else isinstance(maker, _HANDS)
            )
            if handed or (maker is not None and blocks[id(maker)] != blocks[id(store)]):
                message = (
                    f"{where(store)} writes memory of %{memory.name}, which may be held elsewhere; "
                    "transfer to a staging value of its own first"
                )
                yield store.identity, message
            for other in users[memory]:
                loaded_before = (
                    isinstance(other, Load)
                    and blocks[id(other)] == blocks[id(store)]
                    and places[id(other)] < places[id(store)]
                )
                if other is not through and not loaded_before:
                    message = (
                        f"{where(store)} writes memory of %{memory.name}, which {where(other)} "
                        "takes too; transfer to a staging value of its own first"
                    )
                    yield store.identity, message


VALID_RULES: tuple[Rule, ...] = (
    own_rules, unique_names, printable_names, *STRUCTURE_RULES, complete_sizes, fitting_literals,
    unshared_store,
)  # fmt: skip
"""Rules of validity that look at one function; a rule is called as its function is."""


def _misfit(literal: Literal) -> str | None:
    """Why a constant cannot be written; None when it can."""
    kind, value = literal.type.name, literal.value
    if not kind.startswith("i"):
        return None if value - value == 0 else f"the constant {value}; pass it in instead"
    if not isinstance(value, int):
        return f"{value} as an {kind}"
    bits = 64 if kind == "index" else int(kind[1:])
    fits = -(1 << (bits - 1)) <= value < 1 << bits
    return None if fits else f"{value}, which is no {kind}"


def _definitions(body: Region) -> Iterator[tuple[Operation | None, Value]]:
    for _, region in regions_of(body):
        for block in region.blocks:
            for value in block.arguments:
                yield None, value
            for op in block.operations:
                for value in op.results:
                    yield op, value


def _blocks(body: Region) -> dict[int, int]:
    """The block that each op stands in, both by `id`."""
    return {
        id(op): id(block)
        for _, region in regions_of(body)
        for block in region.blocks
        for op in block.operations
    }


def _storage(
    store: Store, ties: dict[Value, tuple[Value, Operation]]
) -> Iterator[tuple[Value, Operation]]:
    """The values whose memory a store writes, each with the op that hands it on to the next."""
    link: tuple[Value, Operation] | None = (store.target, store)
    seen: set[Value] = set()
    while link is not None and link[0] not in seen:
        yield link
        seen.add(link[0])
        link = ties.get(link[0])
