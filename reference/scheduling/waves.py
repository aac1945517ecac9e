"""Which ops of an execution region run at the same time: waves.

Rules from `partitionRegionConcurrencyReference` in compiler/src/iree/compiler/Dialect/Stream/
Analysis/Partitioning/ReferencePartitioning.cpp. The ops are walked from the end of the region; as
the first wave made is the last to run, ordinals count from the end. Sets of waves are bit masks.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from reference.ir import Operation
from reference.ops import Alloca, Barrier, Concurrent, Constant, Copy, Dispatch, Fill, Update
from reference.scheduling.hazards import Access, accesses, have_hazard
from reference.scheduling.partitioner import Partition
from reference.types import Value

_METADATA = (Alloca, Barrier, Constant)
"""`isMetadata`: no work that could run at the same time as other work."""

_TIED = (Barrier, Concurrent, Copy, Dispatch, Fill, Update)
"""Streamable ops with `TiedOpInterface`: some of their results may be written in place."""


class Favor(enum.Enum):
    """`--iree-stream-partitioning-favor` (StreamTypes.cpp)."""

    DEBUG = "debug"
    MIN_PEAK_MEMORY = "min-peak-memory"
    MAX_CONCURRENCY = "max-concurrency"


DEFAULT_FAVOR = Favor.MIN_PEAK_MEMORY
"""What the compiler favors unless told otherwise."""


@dataclass(slots=True)
class _Footing:
    """The wave an op is in, and the waves that it may not run in because others depend on it."""

    membership: int = 0
    hazards: int = 0


def region_waves(operations: Sequence[Operation], favor: Favor) -> tuple[Partition, ...]:
    """The waves of an execution region's ops, in the order they run; none when favoring debugging.

    Every op is in one wave, but for those that are no work: allocas, constants, the yield.
    """
    return () if favor is Favor.DEBUG else _Waves(operations).waves(favor)


class _Waves:
    """The ops of a region, and what each of them and their values are used for."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations
        self._operands = [operation.operands for operation in operations]
        self._results = [operation.results for operation in operations]
        # By the name of a value, the positions of the ops that take it; and which values are
        # written in place.
        self._users: dict[str, list[int]] = {}
        self._tied: set[str] = set()
        self._accesses: dict[int, tuple[Access, ...] | None] = {}
        for position, operation in enumerate(operations):
            for value in self._operands[position]:
                self._users.setdefault(value.name, []).append(position)
            self._tied.update([value.name for _, value in operation.tied])

    def waves(self, favor: Favor) -> tuple[Partition, ...]:
        footings: list[_Footing] = [_Footing() for _ in self._operations]
        waves: list[list[int]] = []
        for position in reversed(range(len(self._operations))):
            operation, footing = self._operations[position], footings[position]
            footing.hazards = hazards = self._hazards(position, footings)
            if not operation.streamable or isinstance(operation, _METADATA):
                continue
            candidates = ((1 << len(waves)) - 1) & ~hazards
            if not candidates:
                ordinal = len(waves)
                waves.append([])
            elif favor is Favor.MAX_CONCURRENCY:
                ordinal = (candidates & -candidates).bit_length() - 1
            else:
                ordinal = candidates.bit_length() - 1
            waves[ordinal].append(position)
            footing.membership = 1 << ordinal
            footing.hazards = (hazards | (1 << ordinal) - 1) & ~footing.membership
        return tuple(self._emit(members) for members in reversed(waves))

    def _hazards(self, position: int, footings: Sequence[_Footing]) -> int:
        """The waves of later ops that must run after this one, and those they may not run in."""
        hazards = 0
        for user in self._later(position):
            footing = footings[user]
            hazards |= footing.hazards
            if footing.membership & ~hazards and self._have_hazard(position, user):
                hazards |= footing.membership
        return hazards

    def _later(self, position: int) -> list[int]:
        """The later ops that take what an op makes, or that take what it takes.

        The latter only where any op writes that value in place, and only of the kinds that may.
        """
        later: list[int] = []
        for result in self._results[position]:
            later += self._users.get(result.name, ())
        if self._tied:
            for operand in self._operands[position]:
                if operand.name in self._tied:
                    for user in self._users[operand.name]:
                        if user > position and isinstance(self._operations[user], _TIED):
                            later.append(user)
        return later

    def _have_hazard(self, producer: int, consumer: int) -> bool:
        made, taken = self._accesses_of(producer), self._accesses_of(consumer)
        if made is None or taken is None:
            results = self._operations[producer].results
            return any(consumer in self._users.get(result.name, ()) for result in results)
        return have_hazard(made, taken)

    def _accesses_of(self, position: int) -> tuple[Access, ...] | None:
        if position not in self._accesses:
            self._accesses[position] = accesses(self._operations[position])
        return self._accesses[position]

    def _emit(self, members: Sequence[int]) -> Partition:
        """A wave as a partition without affinity. `members` are positions, the last first."""
        inside = set(members)
        consumed: dict[str, Value] = {}
        produced: set[str] = set()
        results = []
        for position in reversed(members):
            for value in self._operands[position]:
                consumed.setdefault(value.name, value)
            for result in self._results[position]:
                produced.add(result.name)
                if not inside.issuperset(self._users.get(result.name, ())):
                    results.append(result)
        identities = [self._operations[position].identity for position in members]
        return Partition(
            affinity=None,
            operations=tuple(reversed(identities)),
            order=tuple(identities),
            clones=frozenset(),
            inputs=tuple([value for name, value in consumed.items() if name not in produced]),
            results=tuple(results),
        )
