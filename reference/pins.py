"""Which values must live on the device of an import or an export.

An op that pins claims the values it makes and takes, and what shares their storage. Rules from
`populatePinnedAffinities` in compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp and
from the two walks it uses, `walkTransitiveUses` and `walkDefiningOps` in
compiler/src/iree/compiler/Dialect/Util/Analysis/Explorer.cpp.

Straight-line functions only. Calls, branches and globals enter at the two places where a walk
stops for want of a tie: `_claim_uses` after an op's tied results, `_claim_origins` at a value that
no op of the function makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import Function, Operation, Program, UnsupportedOperationError
from reference.ops import Dispatch
from reference.types import Value

Pins = Mapping[Value, tuple[Affinity, ...]]
"""The affinities that a function's pinned values must live on, in IREE's order of them (by their
printed form); a value that nothing pins is absent. One affinity may come from several ops."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A value taken by `operation`, and the results that are its storage when taken there."""

    operation: Operation
    tied_results: tuple[Value, ...]


def program_pins(program: Program) -> dict[str, Pins]:
    """The pins of every function, by the function's name."""
    return {function.name: function_pins(function) for function in program.functions}


def function_pins(function: Function) -> Pins:
    """The pins of one straight-line function.

    Raises UnsupportedOperationError where control flow could lead a walk elsewhere.
    """
    if len(function.body.blocks) > 1:
        raise UnsupportedOperationError("pins across blocks")
    operations = function.entry.operations
    if any(operation.regions for operation in operations):
        raise UnsupportedOperationError("pins across regions")
    pinning = [operation for operation in operations if operation.pins]
    if not pinning:
        return {}
    uses, origins = _uses(operations), _origins(operations)
    # Which ops claim a value: a second claim by the same op ends its walk, another op's does not.
    claims: dict[Value, dict[str, Affinity | None]] = {}
    for operation in pinning:
        for result in operation.results:
            _claim_uses(operation, result, uses, claims)
        for operand in operation.operands:
            _claim_origins(operation, operand, origins, claims)
    return {value: _affinities(by.values()) for value, by in claims.items()}


def _claim_uses(
    operation: Operation,
    start: Value,
    uses: Mapping[Value, list[_Use]],
    claims: dict[Value, dict[str, Affinity | None]],
) -> None:
    """Claim `start` and what is stored in it further down.

    Ops that pin are passed over: they claim on their own account. The first of the other uses
    claims the value, so the uses after it find it claimed and lead nowhere. MLIR lists uses newest
    first. A value without such a use is not claimed at all.
    """
    pending = [start]
    while pending:
        value = pending.pop()
        if not value.is_resource:
            continue
        for use in reversed(uses.get(value, ())):
            if use.operation.pins:
                continue
            if _claim(operation, value, claims):
                pending += use.tied_results
            break


def _claim_origins(
    operation: Operation,
    start: Value,
    origins: Mapping[Value, tuple[Operation, Value | None]],
    claims: dict[Value, dict[str, Affinity | None]],
) -> None:
    """Claim `start` and whatever it is stored in further up.

    The walk ends at another op that pins, at a value that is no resource, and at an argument,
    which is never claimed.
    """
    value: Value | None = start
    while value is not None and value.is_resource and value in origins:
        origin, storage = origins[value]
        if origin.pins or not _claim(operation, value, claims):
            return
        value = storage


def _claim(
    operation: Operation, value: Value, claims: dict[Value, dict[str, Affinity | None]]
) -> bool:
    """Note that `operation` claims `value`; whether that is news."""
    by = claims.setdefault(value, {})
    if operation.identity in by:
        return False
    by[operation.identity] = operation.execution_affinity
    return True


def _affinities(claimed: Iterable[Affinity | None]) -> tuple[Affinity, ...]:
    """The distinct affinities, in the order of their printed form (`sortAffinities`)."""
    distinct = {affinity for affinity in claimed if affinity is not None}
    return tuple(sorted(distinct, key=str)) if len(distinct) > 1 else tuple(distinct)


def _uses(operations: Iterable[Operation]) -> dict[Value, list[_Use]]:
    """The uses of every value, oldest first: in the order of ops, then of their operands.

    A tie is a matter of the operand's position, not of its value: a dispatch may take a value
    twice and write only one of the two in place.
    """
    uses: dict[Value, list[_Use]] = {}
    for operation in operations:
        ties = _ties(operation)
        for position, item in enumerate(operation.inputs):
            if isinstance(item, Value) and item.is_resource:
                results = tuple(result for result, tie in ties if tie == position)
                uses.setdefault(item, []).append(_Use(operation, results))
    return uses


def _ties(operation: Operation) -> tuple[tuple[Value, int], ...]:
    """Each tied result with the position in `inputs` of the operand that is its storage."""
    if isinstance(operation, Dispatch):
        first = len(operation.workload)
        return tuple(
            (output, first + tie)
            for output, tie in zip(operation.outputs, operation.ties, strict=True)
            if tie is not None
        )
    # Every other op has its tied operand first.
    return tuple((result, 0) for result, _ in operation.tied)


def _origins(operations: Iterable[Operation]) -> dict[Value, tuple[Operation, Value | None]]:
    """The op that makes each value, and the operand that is the value's storage, if any."""
    origins: dict[Value, tuple[Operation, Value | None]] = {}
    for operation in operations:
        tied = dict(operation.tied)
        for result in operation.results:
            origins[result] = (operation, tied.get(result))
    return origins
