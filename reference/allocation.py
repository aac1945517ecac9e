"""Which allocations each execution region is given, of which lifetime and where.

Rules from compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleAllocation.cpp
(`allocateExecutionRegion` and what it calls), the same in all releases that the model knows. Every
region gets, in this order:

- constants: one `stream.resource.constants` for each lifetime (`constant`, then `variable`), for
  whether they leave the region, and for each affinity that they are wanted on;
- results: one `stream.resource.alloca` for each affinity and lifetime of the results that have no
  storage yet;
- transients: at most one `stream.resource.alloca`, of lifetime `transient` and on the region's own
  affinity, for all that stays inside, and a `stream.resource.dealloca` on the same affinity.

Nothing outside of regions is given storage by this pass.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from reference.affinity import AnyAffinity, join_all
from reference.ir import Program, walk
from reference.ops import Constant, Execute
from reference.region_storage import RegionStorage
from reference.types import Lifetime, Value

UPLOADED = (Lifetime.CONSTANT, Lifetime.VARIABLE)
"""The lifetimes of constants that are uploaded by an op of their own, in this order. A constant of
another lifetime is given storage like any other value."""


_LIFETIMES = (
    Lifetime.UNKNOWN, Lifetime.EXTERNAL, Lifetime.STAGING, Lifetime.TRANSIENT, Lifetime.VARIABLE,
    Lifetime.CONSTANT,
)  # fmt: skip
"""In the order in which results of one affinity are allocated (`Stream_Lifetime`,
compiler/src/iree/compiler/Dialect/Stream/IR/StreamTypes.td)."""


class AllocationKind(enum.StrEnum):
    """What an allocation is for."""

    CONSTANTS = "constants"
    RESULTS = "results"
    TRANSIENTS = "transients"


@dataclass(frozen=True, slots=True)
class Allocation:
    """Storage made for one execution region.

    `region` is the region's identity. `members` are the identities of the ops whose values are
    stored, one a slice, in order; the order of transients that come from waves is not the
    compiler's. `lifetime` and `affinity` are those of the whole; for constants each slice has the
    lifetime.
    """

    region: str
    kind: AllocationKind
    lifetime: Lifetime
    affinity: AnyAffinity | None
    members: tuple[str, ...]


class ResourceAffinities(Protocol):
    """What the whole-program affinity analysis says of a value of one body (`reference.analysis`).

    None where the analysis has no answer.
    """

    def pinned(self, body: int, value: Value) -> tuple[AnyAffinity, ...] | None:
        """`tryLookupPinnedAffinities`."""

    def usage(self, body: int, value: Value) -> tuple[AnyAffinity, ...] | None:
        """`tryLookupResourceUsageAffinity`."""


def allocations(program: Program, analysis: ResourceAffinities) -> tuple[Allocation, ...]:
    """The allocations of all execution regions of scheduled IR, body by body, in order.

    `analysis` is that of `program`. Lifetimes are taken as they stand; one of `unknown` is
    allocated as such.
    """
    return tuple(
        allocation
        for body, region in enumerate(program.bodies())
        for operation in walk(region)
        if isinstance(operation, Execute)
        for allocation in region_allocations(body, operation, analysis)
    )


def region_allocations(
    body: int, execute: Execute, analysis: ResourceAffinities
) -> Iterator[Allocation]:
    """The allocations of one execution region, which lies in the body of that position."""
    storage = RegionStorage(execute)
    region = _Region(body, execute, storage, analysis)
    handled: set[int] = set()
    mapped: set[Value] = set()
    for lifetime in UPLOADED:
        for affinity, batch in _constant_batches(region, lifetime):
            yield Allocation(
                execute.identity, AllocationKind.CONSTANTS, lifetime, affinity,
                tuple(constant.identity for constant in batch),
            )  # fmt: skip
            if not all(storage.only_yielded(constant.result) for constant in batch):
                # The whole batch counts as captured as soon as one constant is.
                mapped |= {storage.alias_set(constant.result) for constant in batch}
            escapes = (storage.last_escape(constant.result) for constant in batch)
            handled |= {position for position in escapes if position is not None}
    yield from _result_allocations(region, handled)
    members = tuple(_transients(storage, mapped))
    if members:
        yield Allocation(
            execute.identity, AllocationKind.TRANSIENTS, Lifetime.TRANSIENT, execute.affinity,
            members,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Region:
    """An execution region and all that decides where its values live."""

    body: int
    execute: Execute
    storage: RegionStorage
    analysis: ResourceAffinities

    def result_affinity(self, position: int, value: Value) -> AnyAffinity | None:
        """Where the storage of a result is wanted; `value` is what the region makes it of.

        On what pins it or, failing that, on all that make or use it, and on the target of the
        transfer that makes it or, without one, where the region executes (`deriveResultAffinity`).
        """
        result = self.execute.outputs[position]
        found = self.analysis.pinned(self.body, result)
        if found is None:
            found = self.analysis.usage(self.body, result) or ()
        local = self.storage.local_affinity(value) or self.execute.affinity
        return join_all((*found, local))


def _constant_batches(
    region: _Region, lifetime: Lifetime
) -> Iterator[tuple[AnyAffinity | None, list[Constant]]]:
    """The constants that are uploaded together: those that leave the region first.

    Only constants of the region itself: those in a wave stay where they are
    (`extractConstantsWithLifetime`).
    """
    leaving: dict[AnyAffinity | None, list[Constant]] = {}
    staying: dict[AnyAffinity | None, list[Constant]] = {}
    for operation in region.storage.operations:
        if not isinstance(operation, Constant) or operation.result.lifetime is not lifetime:
            continue
        position = region.storage.first_escape(operation.result)
        if position is None:
            staying.setdefault(region.execute.affinity, []).append(operation)
        else:
            affinity = region.result_affinity(position, operation.result)
            leaving.setdefault(affinity, []).append(operation)
    yield from leaving.items()
    yield from staying.items()


def _result_allocations(region: _Region, handled: set[int]) -> Iterator[Allocation]:
    """The results that need storage: neither handled already, nor tied to a captured operand, nor
    made in an argument's storage."""
    execute, storage = region.execute, region.storage
    wanted: dict[AnyAffinity | None, dict[Lifetime, list[str]]] = {}
    for position, (result, value) in enumerate(zip(execute.outputs, storage.yielded, strict=True)):
        if position in handled or (execute.ties and execute.ties[position] is not None):
            continue
        maker = storage.makers.get(storage.base(value))
        if maker is None:
            continue
        assert result.lifetime is not None
        affinity = region.result_affinity(position, value)
        by_lifetime = wanted.setdefault(affinity, {})
        by_lifetime.setdefault(result.lifetime, []).append(maker.identity)
    for affinity, by_lifetime in wanted.items():
        for lifetime in filter(by_lifetime.__contains__, _LIFETIMES):
            yield Allocation(
                execute.identity, AllocationKind.RESULTS, lifetime, affinity,
                tuple(by_lifetime[lifetime]),
            )  # fmt: skip


def _transients(storage: RegionStorage, mapped: set[Value]) -> Iterator[str]:
    """The makers of what lives and dies in the region: whatever shares no storage with an argument,
    with a result or with an uploaded constant (`allocateLocalTransients`)."""
    covered = mapped | {
        storage.alias_set(value) for value in (*storage.arguments, *storage.yielded)
    }
    for value in storage.stored_values():
        alias_set = storage.alias_set(value)
        if alias_set not in covered:
            covered.add(alias_set)
            yield storage.makers[value].identity
