"""What a public function returns is where the caller was promised it.

A framework says of each argument and result which device it lives on: an import or export `on(D)`
(compiler/src/iree/compiler/Bindings/Native/Transforms/WrapEntryPoints.cpp makes them of
`iree.abi.affinity`). A value that comes in on one device and goes out on another has to be moved,
though no op of the program says so: IREE's conversion adds the transfer
(compiler/src/iree/compiler/Dialect/Stream/Conversion/HALToStream/Patterns.cpp). A function that
returns the caller's own buffer instead breaks the promise. Devices that share memory are excused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import Function, Operation, Program, walk
from reference.ops import Barrier, Cast, Export, Import, Return, Transfer
from reference.types import Value

_SAME = (Barrier, Cast)
"""Ops whose result is their source, wherever it lives."""


@dataclass(frozen=True, slots=True)
class Promise:
    """A result that is an argument, promised on other devices: `argument` and `result` by position,
    where each is to live, and the op that exports it."""

    function: str
    argument: int
    source: Affinity
    result: int
    target: Affinity
    export: str


def promises(program: Program) -> Iterator[Promise]:
    """The results of a program on tensors that have to be moved to where they are promised."""
    for function in program.functions:
        if not function.public or function.is_declaration or len(function.body.blocks) != 1:
            continue
        made = {one.name: op for op in walk(function.body) for one in op.results}
        last = function.entry.operations[-1]
        for place, item in enumerate(last.values if isinstance(last, Return) else ()):
            export = made.get(item.name) if isinstance(item, Value) else None
            if not isinstance(export, Export) or export.affinity is None:
                continue
            first = _source(export.source, made)
            if not isinstance(first, Import) or first.affinity is None:
                continue
            if first.source not in function.arguments:
                continue
            if _reaches(program, first.affinity, export.affinity):
                continue
            argument = function.arguments.index(first.source)
            yield Promise(
                function.name, argument, first.affinity, place, export.affinity, export.identity
            )


def broken(promise: Promise, program: Program) -> bool:
    """Whether a program that passes made returns the argument itself."""
    for function in program.functions:
        if function.name == promise.function and not function.is_declaration:
            return _returns_argument(function, promise)
    return False


def _returns_argument(function: Function, promise: Promise) -> bool:
    last = function.body.blocks[-1].operations[-1]
    if not isinstance(last, Return) or len(last.values) <= promise.result:
        return False
    return last.values[promise.result] == function.arguments[promise.argument]


def _source(value: Value, made: dict[str, Operation]) -> Operation | None:
    """The op that a value comes from, unmoved."""
    op = made.get(value.name)
    while isinstance(op, _SAME) or (isinstance(op, Transfer) and _stays(op)):
        op = made.get(op.source.name)
    return op


def _stays(op: Transfer) -> bool:
    return op.source_affinity == op.target_affinity


def _reaches(program: Program, source: Affinity, target: Affinity) -> bool:
    """Whether what lives on one device is where another looks for it, too."""
    if source.device == target.device:
        return True
    links = () if program.topology is None else program.topology.links
    return any(
        (link.source, link.target) == (source.device, target.device)
        and (link.unified_memory or link.transparent_access)
        for link in links
    )
