"""Where each op of a program executes and where its values live, and why: the model's word.

What decides is one of: the op's own `on(…)`, the placement pass's rule for transfers, the affinity
analysis, or nothing, for what the host does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.analysis import Affinities, AffinityAnalysis, analyze
from reference.folding import canonicalize
from reference.ir import Operation, Program, Region, UnsupportedOperationError, walk
from reference.ops import Transfer
from reference.placement import PlacementRule, TransferPlacement, place_transfers
from reference.releases import Release
from reference.types import Lifetime, Value

_OF_ENDS = frozenset(
    {
        PlacementRule.NO_PASS,
        PlacementRule.NO_PIN,
        PlacementRule.NOT_UNIQUE,
        PlacementRule.TARGET_ABSENT,
        PlacementRule.TARGET_INCOMPATIBLE,
        PlacementRule.ALREADY_THERE,
    }
)


@dataclass(frozen=True, slots=True)
class Home:
    """Where a value lives: its lifetime, where it may have been made, where it must be and where it
    is used. None where IREE has no answer."""

    name: str
    lifetime: str
    resource: Affinities | None
    pinned: Affinities | None
    usage: Affinities | None


@dataclass(frozen=True, slots=True)
class Placed:
    """One op: the text of it, where it executes, and what decides that."""

    identity: str
    mnemonic: str
    assembly: str
    executes: str
    reason: str
    results: tuple[Home, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """What one `canonicalize` makes of a transfer."""

    identity: str
    fate: str


def placed_operations(program: Program, release: Release) -> dict[str, tuple[Placed, ...]]:
    """The ops that have to do with resources, by the name of their function, in order.

    Raises UnsupportedOperationError where the release's own analysis is undefined.
    """
    analysis = analyze(program, release)
    placements = place_transfers(program, release)
    found = {}
    for body, (name, region) in enumerate(_bodies(program)):
        found[name] = tuple(
            _placed(operation, body, analysis, placements)
            for operation in walk(region)
            if any(value.is_resource for value in (*operation.operands, *operation.results))
        )
    return found


def folded_transfers(program: Program, release: Release) -> tuple[Folded, ...] | str:
    """What becomes of each transfer, or what keeps the model from telling."""
    try:
        after = canonicalize(program, release)
    except UnsupportedOperationError as error:
        return str(error)
    left: dict[str, list[Operation]] = {}
    for operation in after.operations():
        left.setdefault(operation.identity, []).append(operation)
    return tuple(
        Folded(operation.identity, _fate(operation, left.get(operation.identity, [])))
        for operation in program.operations()
        if isinstance(operation, Transfer)
    )


def named(affinities: Affinities | None) -> str:
    """Affinities for people."""
    if affinities is None:
        return "unknown"
    return ", ".join(short(one) for one in affinities) or "anywhere"


def short(affinity: AnyAffinity | None) -> str:
    """An affinity without the dialect's words around it: `@dev_a`, `@dev_a, [0]`."""
    if affinity is None:
        return "no device"
    return str(affinity).removeprefix("#hal.device.affinity<").removesuffix(">")


def _bodies(program: Program) -> Iterator[tuple[str, Region]]:
    names = [f"initializer {place}" for place, _ in enumerate(program.initializers, 1)]
    names += [f"@{function.name}" for function in program.functions]
    yield from zip(names, program.bodies(), strict=True)


def _placed(
    operation: Operation,
    body: int,
    analysis: AffinityAnalysis,
    placements: dict[str, TransferPlacement],
) -> Placed:
    executes, reason = _decided(operation, body, analysis, placements)
    head = operation.assembly_pieces()[0] if operation.regions else operation.assembly()
    return Placed(
        identity=operation.identity,
        mnemonic=operation.mnemonic,
        assembly=head,
        executes=executes,
        reason=reason,
        results=tuple(
            _home(value, body, analysis) for value in operation.results if value.is_resource
        ),
    )


def _decided(
    operation: Operation,
    body: int,
    analysis: AffinityAnalysis,
    placements: dict[str, TransferPlacement],
) -> tuple[str, str]:
    """Where an op executes, and what decides it."""
    if isinstance(operation, Transfer):
        placement = placements[operation.identity]
        reason = placement.rule.value
        if placement.rule in _OF_ENDS:
            reason = f"{reason}; {_side(operation)}"
        return short(placement.execution), reason
    own = operation.execution_affinity
    if own is not None:
        return short(own), "its own on(…)"
    if not operation.takes_affinity:
        return "host", "the op has no affinity: the host does it"
    return named(analysis.execution(body, operation)), "no on(…): by the affinity analysis"


def _side(transfer: Transfer) -> str:
    """The rule of `Transfer.default_execution_affinity`, told of this transfer."""
    source, result = transfer.source.lifetime, transfer.result.lifetime
    told = f"{_word(source)} to {_word(result)}"
    if transfer.default_execution_affinity == transfer.source_affinity:
        both = transfer.source_affinity == transfer.target_affinity
        return f"{told} {'stays on' if both else 'executes at from, on'} its source's device"
    return f"{told} executes at to, on its result's device"


def _word(lifetime: Lifetime | None) -> str:
    return "none" if lifetime is None else lifetime.value


def _home(value: Value, body: int, analysis: AffinityAnalysis) -> Home:
    return Home(
        name=value.name,
        lifetime=_word(value.lifetime) if value.lifetime is not None else str(value.type),
        resource=analysis.resource(body, value),
        pinned=analysis.pinned(body, value),
        usage=analysis.usage(body, value),
    )


def _fate(transfer: Transfer, left: list[Operation]) -> str:
    if not left:
        return "is gone"
    same = [one for one in left if isinstance(one, Transfer)]
    if not same:
        return f"becomes {left[0].assembly()}"
    (first, *_) = same
    return "stays" if first == transfer else f"becomes {first.assembly()}"
