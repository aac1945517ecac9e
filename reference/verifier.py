"""Whether a program is one that a finding may rest on, and if not, why.

Two degrees, each a set of rules. *Valid*: what IREE checks itself, and what nobody checks but every
program has to keep. *Well-formed*: valid, and a compiler that is right cannot be blamed for what
becomes of it (`reference/wellformed.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from reference.affinity import Affinity
from reference.ir import Function, Operation, Program, Region
from reference.ops import Load, Return, Store, Transfer
from reference.ops.assembly import literal_name
from reference.problems import Level, Problem, Rule, where
from reference.text import literals
from reference.types import INDEX, Literal, Value
from reference.wellformed import WELL_FORMED_RULES

_NAME = re.compile(r"\d+|[A-Za-z_$.][\w$.-]*(#\d+)?", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)

ProgramRule = Callable[[Program], Iterator[Problem]]


def verify(program: Program) -> tuple[Problem, ...]:
    """Everything that is wrong with a program; nothing when it is well-formed.

    A program that is not valid is not asked whether it is well-formed: that has no meaning then.
    """
    problems = [problem for rule in PROGRAM_RULES for problem in rule(program)]
    for function in program.functions:
        problems += _apply(VALID_RULES, function, Level.VALID)
    if not problems:
        for function in program.functions:
            problems += _apply(WELL_FORMED_RULES, function, Level.WELL_FORMED)
    return tuple(problems)


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


def unique_symbols(program: Program) -> Iterator[Problem]:
    """IREE checks: a symbol is defined once, and can be written without quotes."""
    names = [*program.devices, *(function.name for function in program.functions)]
    for name, count in Counter(names).items():
        if count > 1:
            message = f"@{name} is defined {count} times; rename all but one"
            yield Problem(None, None, "unique-symbols", message, Level.VALID)
        if not _SYMBOL.fullmatch(name):
            message = f"@{name} cannot be written without quotes; use letters, digits, _ $ and ."
            yield Problem(None, None, "unique-symbols", message, Level.VALID)


def unique_identities(program: Program) -> Iterator[Problem]:
    """Identity is what is compared across passes: one op each."""
    for identity, count in Counter(op.identity for op in program.operations()).items():
        if count > 1:
            message = f"{count} ops have the identity {identity}; give each its own"
            yield Problem(identity, None, "unique-identities", message, Level.VALID)
        if not identity or '"' in identity or "\\" in identity:
            message = f"the identity {identity!r} cannot be written as a location"
            yield Problem(identity, None, "unique-identities", message, Level.VALID)


def known_devices(program: Program) -> Iterator[Problem]:
    """IREE checks late, with a crash: an affinity names a device of the module."""
    for op in program.operations():
        for affinity in _affinities(op):
            if affinity.device not in program.devices:
                message = f"{where(op)} names @{affinity.device}, which is no device of the module"
                yield Problem(op.identity, None, "known-devices", message, Level.VALID)


def own_rules(function: Function) -> Iterator[tuple[str | None, str]]:
    """What each op demands for itself, staging operands included."""
    for op in _operations(function.body):
        for message in op.problems():
            yield op.identity, f"{where(op)}: {message}"


def unique_names(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: a value is defined once, not under the name of a constant."""
    constants = {literal_name(literal) for literal in literals(_operations(function.body))}
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


def defined_before_use(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: every value that an op takes was made before it, and as what the op says."""
    yield from _uses_in(function.body, {})


def complete_sizes(function: Function) -> Iterator[tuple[str | None, str]]:
    """A resource that is used or made has a size: a number that is not negative, or an index."""
    for op in _operations(function.body):
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
    operations = _operations(function.body)
    if all(_misfit(literal) is None for literal in literals(operations)):
        return
    for op in operations:
        for literal in literals((op,)):
            misfit = _misfit(literal)
            if misfit is not None:
                yield op.identity, f"{where(op)} takes {misfit}"


def one_terminator(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: a block ends in its terminator and has no other."""
    for region in _regions(function.body):
        for block in region.blocks:
            if not block.operations or not block.operations[-1].terminator:
                yield None, "a block does not end in a terminator; add a util.return"
            for op in block.operations[:-1]:
                if op.terminator:
                    yield op.identity, f"{where(op)} stands before the end of its block"


def returned_types(function: Function) -> Iterator[tuple[str | None, str]]:
    """IREE checks: a function returns what it declares."""
    for op in _operations(function.body):
        if isinstance(op, Return):
            types = tuple(value.type for value in op.values)
            if types != function.result_types:
                returned, declared = _listed(types), _listed(function.result_types)
                yield op.identity, f"{where(op)} returns {returned}, the function {declared}"


def unshared_store(function: Function) -> Iterator[tuple[str | None, str]]:
    """Nobody checks: a store writes memory that nothing reads through another value.

    IREE's copy-on-write pass forgets stores, so what reads the value from before the store, or
    another value with the same storage, may see what is stored. Only the host's own loads, which
    keep their place before the store, cannot.
    """
    operations = _operations(function.body)
    places = {id(op): place for place, op in enumerate(operations)}
    users: dict[Value, list[Operation]] = {}
    for op in operations:
        for value in dict.fromkeys(op.operands):
            users.setdefault(value, []).append(op)
    ties = {result: (operand, op) for op in operations for result, operand in op.tied}
    for store in operations:
        if not isinstance(store, Store):
            continue
        for memory, through in _storage(store, ties):
            for other in users[memory]:
                loaded_before = isinstance(other, Load) and places[id(other)] < places[id(store)]
                if other is not through and not loaded_before:
                    message = (
                        f"{where(store)} writes memory of %{memory.name}, which {where(other)} "
                        "takes too; transfer to a staging value of its own first"
                    )
                    yield store.identity, message


PROGRAM_RULES: tuple[ProgramRule, ...] = (unique_symbols, unique_identities, known_devices)
"""Rules of validity that look at the whole program."""

VALID_RULES: tuple[Rule, ...] = (
    own_rules, unique_names, printable_names, defined_before_use, complete_sizes, fitting_literals,
    one_terminator, returned_types, unshared_store,
)  # fmt: skip
"""Rules of validity that look at one function; a rule is called as its function is."""


def _uses_in(region: Region, outer: dict[str, Value]) -> Iterator[tuple[str | None, str]]:
    visible = dict(outer)
    for block in region.blocks:
        visible.update((value.name, value) for value in block.arguments)
        for op in block.operations:
            for value in dict.fromkeys(op.operands):
                made = visible.get(value.name)
                if made is None:
                    yield (
                        op.identity,
                        f"{where(op)} takes %{value.name}, which nothing before makes",
                    )
                elif made.type != value.type:
                    yield (
                        op.identity,
                        f"{where(op)} takes %{value.name} as {value.type}; it is {made.type}",
                    )
                elif made.size is not None and made.size != value.size:
                    yield op.identity, f"{where(op)} takes %{value.name} with another size"
            for nested in op.regions:
                yield from _uses_in(nested, visible)
            visible.update((value.name, value) for value in op.results)


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


def _affinities(op: Operation) -> Iterator[Affinity]:
    if isinstance(op, Transfer):
        ends = (op.explicit_affinity, op.source_affinity, op.target_affinity)
    else:
        ends = (op.execution_affinity, None, None)
    yield from dict.fromkeys(affinity for affinity in ends if affinity is not None)


def _definitions(region: Region) -> Iterator[tuple[Operation | None, Value]]:
    for inner in _regions(region):
        for block in inner.blocks:
            for value in block.arguments:
                yield None, value
            for op in block.operations:
                for value in op.results:
                    yield op, value


def _operations(region: Region) -> list[Operation]:
    return [op for inner in _regions(region) for block in inner.blocks for op in block.operations]


def _regions(region: Region) -> Iterator[Region]:
    """The region and those within, outer before inner."""
    yield region
    for block in region.blocks:
        for op in block.operations:
            for nested in op.regions:
                yield from _regions(nested)


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


def _listed(types: tuple[object, ...]) -> str:
    return f"({', '.join(map(str, types))})"
