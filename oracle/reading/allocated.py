"""What execution regions are given, as the compiler's output and as the model tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from oracle.reading.raw import RawOperation, location_name, origin, plain
from reference.affinity import Affinity, AnyAffinity, OptimalAffinity
from reference.allocation import Allocation, AllocationKind
from reference.ir import UnsupportedOperationError
from reference.types import Lifetime, ResourceType, parse_type

REGION = "stream.cmd.execute"
_ALLOCA, _CONSTANTS = "stream.resource.alloca", "stream.resource.constants"
_PACK, _RELEASE = "stream.resource.pack", "stream.resource.dealloca"
FOUND = (REGION, _ALLOCA, _CONSTANTS, _PACK, _RELEASE)
"""The ops that `allocated` reads."""

_NOT_A_NAME = re.compile(r"line\d+|unknown")
"""What an op is called that has no named location: fused with others, it leaves no trace."""


Affinities: TypeAlias = frozenset[AnyAffinity | None]
"""The members of an optimal set, or a single affinity; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Allocated:
    """One allocation.

    `lifetimes` are those of the slices, each once. `names` are the locations of the ops whose
    values are stored, `slices` is how many values there are. `released` is the affinity of the
    `stream.resource.dealloca`, None where there is none.
    """

    kind: AllocationKind
    lifetimes: frozenset[Lifetime]
    affinity: Affinities
    names: frozenset[str]
    slices: int
    released: Affinities | None = None

    def __str__(self) -> str:
        lifetimes = ", ".join(sorted(lifetime.value for lifetime in self.lifetimes))
        released = "" if self.released is None else f", released on {_affinities(self.released)}"
        return (
            f"{self.kind.value} <{lifetimes}> on {_affinities(self.affinity)}: {self.slices} of "
            f"{', '.join(sorted(self.names)) or 'ops without a name'}{released}"
        )


Regions = Mapping[str | None, list[list[Allocated]]]
"""What each region of a function is given, in order; under None those of all initializers."""


def foreseen(allocation: Allocation) -> Allocated:
    """What the model says."""
    transient = allocation.kind is AllocationKind.TRANSIENTS
    affinity = _members(allocation.affinity)
    return Allocated(
        kind=allocation.kind,
        lifetimes=frozenset({allocation.lifetime}),
        affinity=affinity,
        names=_names("+".join(allocation.members)),
        slices=len(allocation.members),
        released=affinity if transient else None,
    )


class _FoundOperation(RawOperation):
    operand_types: list[str]
    result_types: list[str]
    within: list[RawOperation]


def allocated(found: object) -> Regions:
    """What the compiler made, from the answer to `["find", FOUND]`.

    The pass puts allocations right before their region and releases right after it. Only transients
    are released, and their allocation is the last of their region. Raises
    UnsupportedOperationError for an affinity that is neither a device nor a set of devices.
    """
    regions: dict[str | None, list[list[Allocated]]] = {}
    pending: list[Allocated] = []
    slices = 1
    for op in cast("list[_FoundOperation]", found):
        if op["name"] == _PACK:
            slices = len(op["operand_types"])
        elif op["name"] == REGION:
            regions.setdefault(_function(op), []).append(pending)
            pending, slices = [], 1
        elif op["name"] == _RELEASE:
            last = regions[_function(op)][-1]
            last[-1] = replace(last[-1], kind=AllocationKind.TRANSIENTS, released=_affinity(op))
        else:
            pending.append(_made(op, slices))
            slices = 1
    return regions


def _made(op: _FoundOperation, slices: int) -> Allocated:
    types = map(parse_type, op["result_types"])
    lifetimes = [kind.lifetime for kind in types if isinstance(kind, ResourceType)]
    constants = op["name"] == _CONSTANTS
    return Allocated(
        kind=AllocationKind.CONSTANTS if constants else AllocationKind.RESULTS,
        lifetimes=frozenset(lifetimes),
        affinity=_affinity(op),
        names=_names(location_name(op) or ""),
        slices=len(lifetimes) if constants else slices,
    )


def _function(op: _FoundOperation) -> str | None:
    functions = [outer for outer in op["within"] if outer["name"] == "util.func"]
    return str(functions[-1]["attributes"]["sym_name"]) if functions else None


def _affinity(op: RawOperation) -> Affinities:
    raw = op["attributes"].get("affinity")
    affinity = None if raw is None else plain(raw)
    if affinity is not None and not isinstance(affinity, Affinity | OptimalAffinity):
        raise UnsupportedOperationError(f"{op['name']} on {affinity}")
    return _members(affinity)


def _members(affinity: AnyAffinity | None) -> Affinities:
    if affinity is None:
        return frozenset()
    return frozenset(affinity.members if isinstance(affinity, OptimalAffinity) else (affinity,))


def _names(joined: str) -> frozenset[str]:
    """The locations in an identity: fused ones are joined by a plus sign."""
    names = map(origin, joined.split("+"))
    return frozenset(name for name in names if name and not _NOT_A_NAME.fullmatch(name))


def _affinities(members: Affinities) -> str:
    return f"{{{', '.join(sorted(map(str, members)))}}}" if members else "no affinity"
