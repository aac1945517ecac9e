"""Which ops run together: the reference partitioning of `iree-stream-schedule-execution`.

Rules from compiler/src/iree/compiler/Dialect/Stream/Analysis/Partitioning/ReferencePartitioning.cpp
(`partitionStreamableOpsReference`). A block is walked from its end: each op joins the earliest made
partition that takes it, or opens one. As the first partition made is the last one to run, `ordinal`
counts from the end of the program. Sets of partitions are bit masks over ordinals.

What becomes of the partitions is in `reference/scheduling/outline.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from reference.affinity import Affinity, OptimalAffinity, can_execute_together, join_and
from reference.ir import Block, Operation
from reference.ops import Barrier, GlobalStore, Immediate, Transfer
from reference.releases import Release
from reference.scheduling.block_uses import BlockUses, Elsewhere, holds_back
from reference.types import Value

_NOTHING: Mapping[Value, Operation] = MappingProxyType({})

_FOLLOWERS = (Barrier, Transfer)
"""Ops that may go where their producer goes."""
_NOWHERE = (GlobalStore, Immediate)
"""Host ops that the walk passes over."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Ops that become one execution region, identities in the block's order.

    `affinity` is what the members' affinities have in common; None when no member has one, or when
    they had nothing in common: the next member then sets it anew. `order` are the same identities
    in the order in which they were put in. `clones` are members that are repeated in other
    partitions. `inputs` are the values that come from outside, host scalars included, and `results`
    those that leave; both in the order that IREE lists them. A partition may be empty.
    """

    affinity: Affinity | None
    operations: tuple[str, ...]
    order: tuple[str, ...]
    clones: frozenset[str]
    inputs: tuple[Value, ...]
    results: tuple[Value, ...]

    @property
    def captures(self) -> tuple[Value, ...]:
        """The resources among the inputs: the region's operands. Scalars stay visible inside."""
        return tuple(value for value in self.inputs if value.is_resource)


@dataclass(slots=True)
class _Builder:
    """A partition while ops are put in. `members` are positions in the block, first put first."""

    affinity: Affinity | None = None
    members: list[int] = field(default_factory=list)
    clones: set[int] = field(default_factory=set)
    hazards: int = 0


@dataclass(slots=True)
class _Footing:
    """Where an op stands: the partitions it is in, and those that depend on it in some way.

    `nested` are partitions that depend on an op whose regions take a result of this one.
    """

    membership: int = 0
    hazards: int = 0
    nested: int = 0


def partition_block(
    block: Block,
    release: Release,
    elsewhere: Elsewhere | None = None,
    outside: Mapping[Value, Operation] = _NOTHING,
) -> tuple[Partition, ...]:
    """The partitions of a block, in the order they run.

    `elsewhere` is what other blocks of the same region take, `outside` the streamable ops that
    remained among the host's ops of blocks around and before, by the values they make. An op may
    end up in no partition: a barrier or transfer that waits for a producer which itself waits for
    its own producer or lies outside, and an op to be repeated that only ops in regions take.
    """
    partitioner = _Partitioner(block.operations, release, elsewhere, outside)
    partitioner.run()
    return tuple(partitioner.emit())


class _Partitioner:
    def __init__(
        self,
        operations: Sequence[Operation],
        release: Release,
        elsewhere: Elsewhere | None,
        outside: Mapping[Value, Operation],
    ) -> None:
        self.operations = operations
        self.release = release
        self.outside = outside
        self.uses = BlockUses(operations, elsewhere)
        self.affinities = [operation.execution_affinity for operation in operations]
        self.builders: list[_Builder] = []
        self.usable = 0
        # The partitions of each affinity, and those that an earlier partition waits for.
        self.by_affinity: dict[Affinity | None, int] = {}
        self.upward = 0
        # An op held back for its producer has no footing.
        self.footings: dict[int, _Footing] = {}
        self.held: dict[int, list[int]] = {}

    def run(self) -> None:
        for position in reversed(range(len(self.operations))):
            operation = self.operations[position]
            if operation.streamable:
                self._streamable(position, operation)
            elif not isinstance(operation, _NOWHERE):
                if holds_back(operation):
                    # Nothing above may move below it.
                    self.usable = 0
                footing = self.footings[position] = _footing(self._users(position))
                footing.hazards |= self._holding(position)

    def _streamable(self, position: int, operation: Operation) -> None:
        if isinstance(operation, _FOLLOWERS):
            place = self.uses.makers.get(operation.source.name)
            producer = (
                self.outside.get(operation.source) if place is None else self.operations[place]
            )
            if producer is not None and self._joins(operation, producer):
                # A producer of another block never asks for those that wait for it.
                if place is not None:
                    self.held.setdefault(place, []).append(position)
                return
        self._partition(position, operation)

    def _joins(self, operation: Operation, producer: Operation) -> bool:
        """Whether a barrier or transfer goes where its producer goes.

        To any streamable producer, at first; since #24748 a transfer only to one that its own
        execution affinity can execute together with. A barrier's affinity is never asked for.
        """
        if not producer.streamable:
            return False
        if not self.release.explicit_transfer_execution or isinstance(operation, Barrier):
            return True
        return can_execute_together(operation.execution_affinity, producer.execution_affinity)

    def _users(self, position: int) -> list[_Footing]:
        """The footings of the ops that take a result, without those that are held back."""
        footings, users = self.footings, self.uses.users
        return [
            footings[user]
            for result in self.uses.results[position]
            for user in users[result.name]
            if user in footings
        ]

    def _holding(self, position: int) -> int:
        """The partitions that depend on the ops with regions that take a result, in any way."""
        hazards = 0
        for result in self.uses.results[position]:
            for holder in self.uses.holders.get(result.name, ()):
                footing = self.footings[holder]
                hazards |= footing.membership | footing.hazards
        return hazards

    def _beyond_holders(self, position: int) -> int:
        """The partitions that depend on results of ops whose regions take a result.

        Whoever joined one of them would wait for itself.
        """
        hazards = 0
        for result in self.uses.results[position]:
            for holder in self.uses.holders.get(result.name, ()):
                for user in self._users(holder):
                    hazards |= user.membership | user.hazards
        return hazards

    def _partition(self, position: int, operation: Operation) -> None:
        """Put an op, and those held back for it, into a partition."""
        users = self._users(position)
        footing = self.footings[position] = _footing(users)
        if self.uses.holders:
            footing.nested = self._beyond_holders(position)
            footing.hazards |= self._holding(position)
        consumers = 0
        for user in users:
            consumers |= user.membership
        held = self.held.get(position, ())
        for waiting in held:
            for user in self._users(waiting):
                footing.hazards |= user.membership | user.hazards
                # With something in between, the consumers are no longer a place to go to.
                consumers = 0
            if self.uses.holders:
                footing.nested |= self._beyond_holders(waiting)
        consumers, candidates = self._candidates(position, consumers, users, footing)
        ordinal = _lowest(candidates) if candidates else self._open(footing)
        for waiting in held:
            self._insert(ordinal, waiting, footing)
        repeated = operation.prefers_clone_to_consumers and (
            consumers & (consumers - 1) or footing.nested
        )
        if repeated and consumers:
            for consumer in _bits(consumers):
                self._insert(consumer, position, footing)
                self.builders[consumer].clones.add(position)
        elif not repeated or any(self.uses.users[result.name] for result in operation.results):
            self._insert(ordinal, position, footing)

    def _candidates(
        self, position: int, consumers: int, users: Sequence[_Footing], footing: _Footing
    ) -> tuple[int, int]:
        """The consumers that can take an op, and all partitions that can: those first, if any."""
        held = self.held.get(position, ())
        everywhere = (1 << len(self.builders)) - 1
        candidates = (everywhere & ~footing.hazards | consumers) & self.usable & ~footing.nested
        hazards = footing.hazards | footing.nested
        repeatable = self.operations[position].prefers_clone_to_consumers
        if repeatable:
            candidates &= self._compatible(position)
            candidates &= ~self._unfit_for_clone(users, candidates)
        else:
            candidates = self._fitting(position, candidates, hazards)
        for waiting in held:
            candidates = self._fitting(waiting, candidates, hazards)
        if repeatable and consumers & ~candidates:
            # Not every consumer can have its own copy, so the op counts as any other.
            candidates = self._fitting(position, candidates, hazards)
        consumers &= candidates
        return consumers, consumers or candidates

    def _compatible(self, position: int) -> int:
        """The partitions that the op can execute together with, in this direction."""
        mask, own = 0, self.affinities[position]
        for affinity, ordinals in self.by_affinity.items():
            if ordinals and can_execute_together(own, affinity):
                mask |= ordinals
        return mask

    def _fitting(self, position: int, candidates: int, hazards: int) -> int:
        """The candidates that can take the op without a cycle between partitions."""
        candidates &= self._compatible(position)
        return candidates & ~self._cyclic(candidates, hazards)

    def _cyclic(self, candidates: int, hazards: int) -> int:
        """The candidates that may not become something that the partitions in `hazards` wait for.

        That is those that would have to run after one of them, and those that wait for one.
        """
        if not candidates or not hazards:
            return 0
        unfit = (1 << hazards.bit_length() - 1) - 1
        if candidates & ~unfit:
            for ordinal in _bits(hazards & self.upward):
                unfit |= self.builders[ordinal].hazards & ~(1 << ordinal)
        return unfit

    def _unfit_for_clone(self, users: Sequence[_Footing], candidates: int) -> int:
        """The candidates that cannot take a copy made for the users they hold."""
        hazards: dict[int, int] = {}
        for user in users:
            for ordinal in _bits(user.membership & candidates):
                hazards[ordinal] = hazards.get(ordinal, 0) | user.hazards
        unfit = 0
        for ordinal, waiting in hazards.items():
            unfit |= self._cyclic(1 << ordinal, waiting) & 1 << ordinal
        return unfit

    def _open(self, footing: _Footing) -> int:
        """A new partition. Its op is a hazard to all partitions but the newest before it.

        The op counts as a member from here on, also when it is then put into none: what it takes
        may join the partition that was opened for it.
        """
        ordinal = len(self.builders)
        footing.membership |= 1 << ordinal
        if ordinal:
            footing.hazards |= (1 << ordinal - 1) - 1
        self.builders.append(_Builder())
        self.by_affinity[None] = self.by_affinity.get(None, 0) | 1 << ordinal
        self.usable |= 1 << ordinal
        return ordinal

    def _insert(self, ordinal: int, position: int, footing: _Footing) -> None:
        """Put an op into a partition; one held back shares the footing of its producer.

        Where affinities have nothing in common the partition ends up without one and takes the
        next op's, whatever that is.
        """
        builder = self.builders[ordinal]
        affinity = self.affinities[position]
        joined = affinity if builder.affinity is None else join_and(builder.affinity, affinity)
        assert not isinstance(joined, OptimalAffinity), "ops run on one device each"
        if joined != builder.affinity:
            self.by_affinity[builder.affinity] &= ~(1 << ordinal)
            self.by_affinity[joined] = self.by_affinity.get(joined, 0) | 1 << ordinal
            builder.affinity = joined
        footing.membership |= 1 << ordinal
        footing.hazards &= ~(1 << ordinal)
        builder.members.append(position)
        builder.hazards |= footing.hazards | footing.nested
        if builder.hazards >> ordinal + 1:
            self.upward |= 1 << ordinal

    def emit(self) -> Iterator[Partition]:
        """The finished partitions, the first one to run first."""
        exported_clones: set[int] = set()
        identities = [operation.identity for operation in self.operations]
        for builder in reversed(self.builders):
            inside = set(builder.members)
            consumed: dict[str, Value] = {}
            produced: set[str] = set()
            results: list[Value] = []
            for position in reversed(builder.members):
                for value in self.uses.operands[position]:
                    consumed.setdefault(value.name, value)
                produced.update([result.name for result in self.uses.results[position]])
                escaping = self._escaping(position, inside, builder, exported_clones)
                if position in builder.clones and escaping:
                    exported_clones.add(position)
                results += escaping
            yield Partition(
                affinity=builder.affinity,
                operations=tuple([identities[item] for item in sorted(inside)]),
                order=tuple([identities[item] for item in builder.members]),
                clones=frozenset([identities[item] for item in builder.clones]),
                inputs=tuple([value for name, value in consumed.items() if name not in produced]),
                results=tuple(results),
            )

    def _escaping(
        self, position: int, inside: set[int], builder: _Builder, exported_clones: set[int]
    ) -> list[Value]:
        """The results of a member that leave its partition.

        Of a clone's copies the first to run serves the users that are in no partition by nature;
        a streamable user elsewhere gets nothing, even if its partition holds no copy.
        """
        results = self.uses.results[position]
        if position not in builder.clones:
            return [result for result in results if self._is_taken_outside(result, inside)]
        if position in exported_clones:
            return []
        return [
            result
            for result in results
            if result.name in self.uses.taken_by_other
            or any(not self.operations[user].streamable for user in self.uses.users[result.name])
        ]

    def _is_taken_outside(self, value: Value, inside: set[int]) -> bool:
        return self.uses.leaves(value) or not inside.issuperset(self.uses.users[value.name])


def _footing(users: Sequence[_Footing]) -> _Footing:
    """The footing of an op in no partition: all that its users are in, or that depends on them."""
    footing = _Footing()
    for user in users:
        footing.hazards |= user.membership | user.hazards
    return footing


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
