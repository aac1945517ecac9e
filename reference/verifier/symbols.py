"""The rules of a valid module: what its symbols are, and that their users agree with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from reference.affinity import Affinity
from reference.ir import Function, Global, Operation, Program, walk
from reference.ops import Call, GlobalLoad, GlobalStore, Transfer
from reference.ops.assembly import listed
from reference.verifier.problems import Level, Problem, where

ProgramRule = Callable[[Program], Iterator[Problem]]

_SYMBOL = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)


def unique_symbols(program: Program) -> Iterator[Problem]:
    """IREE checks: a symbol is defined once, and can be written without quotes."""
    names = [
        *program.devices,
        *(item.name for item in program.globals),
        *(function.name for function in program.functions),
    ]
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
    for identity, what, device in _named_devices(program):
        if device not in program.devices:
            message = f"{what} names @{device}, which is no device of the module"
            yield Problem(identity, None, "known-devices", message, Level.VALID)


def with_named_devices(program: Program) -> Program:
    """The program with every device that it names among its devices."""
    named = (device for _, _, device in _named_devices(program))
    return replace(program, devices=tuple(dict.fromkeys((*program.devices, *named))))


def known_globals(program: Program) -> Iterator[Problem]:
    """IREE checks: a global that is loaded or stored is there, with this type.

    Nobody checks until initialization is verified (VerifyInitializationOrder.cpp): one that is not
    mutable is given its value once, at first or by an initializer.
    """
    globals_by_name = {item.name: item for item in program.globals}
    given = {item.name for item in program.globals if item.initial is not None}
    for place, body in enumerate(program.bodies()):
        initializing = place < len(program.initializers)
        for op in walk(body):
            if not isinstance(op, GlobalLoad | GlobalStore):
                continue
            kind = op.result.type if isinstance(op, GlobalLoad) else op.source.type
            found = globals_by_name.get(op.symbol)
            message = None
            if found is None:
                message = f"names @{op.symbol}, which is no global"
            elif found.type != kind:
                message = f"takes @{op.symbol} as {kind}; it is {found.type}"
            elif isinstance(op, GlobalLoad):
                if op.immutable and found.mutable:
                    message = f"says that @{op.symbol} is immutable, which it is not"
            else:
                message = _store_problem(found, initializing, given)
                given.add(op.symbol)
            if message is not None:
                text = f"{where(op)} {message}"
                yield Problem(op.identity, None, "known-globals", text, Level.VALID)


def known_callees(program: Program) -> Iterator[Problem]:
    """IREE checks: what is called is there, with these types and ties."""
    functions = {function.name: function for function in program.functions}
    for op in program.operations():
        if isinstance(op, Call):
            message = _call_problem(op, functions.get(op.callee))
            if message is not None:
                text = f"{where(op)} {message}"
                yield Problem(op.identity, None, "known-callees", text, Level.VALID)


def declared_ties(program: Program) -> Iterator[Problem]:
    """IREE checks: a result is tied to an argument that is there."""
    for function in program.functions:
        count = len(function.argument_types)
        if function.ties and len(function.ties) != len(function.result_types):
            message = f"{len(function.result_types)} results have {len(function.ties)} ties"
            yield Problem(None, function.name, "declared-ties", message, Level.VALID)
        for tie in function.ties:
            if tie is not None and not 0 <= tie < count:
                message = f"a result is tied to argument {tie} of {count}"
                yield Problem(None, function.name, "declared-ties", message, Level.VALID)


def _store_problem(found: Global, initializing: bool, given: set[str]) -> str | None:
    if found.mutable:
        return None
    if not initializing:
        return f"stores to @{found.name}, which is not mutable"
    return f"stores to @{found.name} once more" if found.name in given else None


def _call_problem(op: Call, callee: Function | None) -> str | None:
    if callee is None:
        return f"names @{op.callee}, which is no function"
    takes = tuple(argument.type for argument in op.arguments)
    gives = tuple(output.type for output in op.outputs)
    if takes != callee.argument_types:
        return f"gives {listed(takes)}; @{op.callee} takes {listed(callee.argument_types)}"
    if gives != callee.result_types:
        return f"makes {listed(gives)}; @{op.callee} returns {listed(callee.result_types)}"
    none = (None,) * len(gives)
    if (op.ties or none) != (callee.ties or none):
        return f"ties other results than @{op.callee}"
    return None


def _named_devices(program: Program) -> Iterator[tuple[str | None, str, str]]:
    """Each device that is named: the op's identity, who names it, the device."""
    scopes: list[tuple[str, Affinity | None]] = [("the module", program.default_affinity)]
    scopes += [(f"@{item.name}", item.affinity) for item in program.globals]
    scopes += [(f"@{item.name}", item.default_affinity) for item in program.functions]
    for what, affinity in scopes:
        if affinity is not None:
            yield None, what, affinity.device
    for link in program.topology.links if program.topology is not None else ():
        yield None, "the topology", link.source
        yield None, "the topology", link.target
    for op in program.operations():
        for device in dict.fromkeys(affinity.device for affinity in _affinities(op)):
            yield op.identity, where(op), device


def _affinities(op: Operation) -> Iterator[Affinity]:
    ends: tuple[Affinity | None, ...] = (op.execution_affinity,)
    if isinstance(op, Transfer):
        ends = (op.explicit_affinity, op.source_affinity, op.target_affinity)
    yield from (affinity for affinity in ends if affinity is not None)


PROGRAM_RULES: tuple[ProgramRule, ...] = (
    unique_symbols, unique_identities, known_devices, known_globals, known_callees, declared_ties,
)  # fmt: skip
"""Rules of validity that look at the whole program."""
