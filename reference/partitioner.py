"""Which ops run together: the reference partitioning of `iree-stream-schedule-execution`.

Rules from compiler/src/iree/compiler/Dialect/Stream/Analysis/Partitioning/ReferencePartitioning.cpp
(`partitionStreamableOpsReference`). A block is walked from its end: each op joins the earliest made
partition that takes it, or opens one. As the first partition made is the last one to run, `ordinal`
counts from the end of the program. Sets of partitions are bit masks over ordinals.

What becomes of the partitions is in `reference/partition.py`.

Regions inside a block are not modelled (`partition_block` refuses them). They would add hazards of
their own to `_Footing`, from ops whose regions take a value of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reference.affinity import Affinity, can_execute_together, join_and
from reference.ir import Block, Operation, UnsupportedOperationError
from reference.ops import Barrier, Transfer
from reference.releases import Release
from reference.types import Value


@dataclass(frozen=True, slots=True)
class Partition:
    """Ops that become one execution region, identities in the block's order.

    `affinity` is what the members' affinities have in common; None when no member has one, or when
    they had nothing in common: the next member then sets it anew. `clones` are members that are
    repeated in other partitions. `inputs` are the values that come from outside, host scalars
    included, and `results` those that leave; both in the order that IREE lists them.
    """

    affinity: Affinity | None
    operations: tuple[str, ...]
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
    """Where an op stands: the partitions it is in, and those that depend on it in some way."""

    membership: int = 0
    hazards: int = 0


def partition_block(block: Block, release: Release) -> tuple[Partition, ...]:
    """The partitions of a block, in the order they run.

    A barrier or transfer that waits for a producer which itself waits for its own producer ends up
    in none. Raises UnsupportedOperationError for an op with regions.
    """
    for operation in block.operations:
        if operation.regions:
            raise UnsupportedOperationError(f"partitioning around {operation.mnemonic}")
    partitioner = _Partitioner(block.operations, release)
    partitioner.run()
    return tuple(partitioner.emit())


class _Partitioner:
    def __init__(self, operations: Sequence[Operation], release: Release) -> None:
        self.operations = operations
        self.release = release
        self.operands = [operation.operands for operation in operations]
        self.affinities = [operation.execution_affinity for operation in operations]
        self.producers: dict[Value, int] = {}
        # By result, the positions of the ops that take it.
        self.users: dict[Value, list[int]] = {}
        for position, operation in enumerate(operations):
            for value in self.operands[position]:
                if value in self.users:
                    self.users[value].append(position)
            for value in operation.results:
                self.producers[value] = position
                self.users[value] = []
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
            if not operation.streamable:
                if operation.side_effects:
                    # Nothing above may move below it.
                    self.usable = 0
                self.footings[position] = _footing(self._users(position))
                continue
            producer = self._producer_to_join(position)
            if producer is None:
                self._partition(position, operation)
            else:
                self.held.setdefault(producer, []).append(position)

    def _producer_to_join(self, position: int) -> int | None:
        """The op whose partition a barrier or transfer goes into, None when it goes its own way.

        Any streamable producer, at first; since #24748 a transfer only joins one that its own
        execution affinity can execute together with. A barrier's affinity is never asked for.
        """
        operation = self.operations[position]
        if not isinstance(operation, Barrier | Transfer):
            return None
        producer = self.producers.get(operation.source)
        if producer is None or not self.operations[producer].streamable:
            return None
        if (
            self.release.explicit_transfer_execution
            and isinstance(operation, Transfer)
            and not can_execute_together(self.affinities[position], self.affinities[producer])
        ):
            return None
        return producer

    def _users(self, position: int) -> list[_Footing]:
        """The footings of the ops that take a result, without those that are held back."""
        return [
            self.footings[user]
            for result in self.operations[position].results
            for user in self.users[result]
            if user in self.footings
        ]

    def _partition(self, position: int, operation: Operation) -> None:
        """Put an op, and those held back for it, into a partition."""
        users = self._users(position)
        footing = self.footings[position] = _footing(users)
        consumers = 0
        for user in users:
            consumers |= user.membership
        held = self.held.get(position, ())
        for waiting in held:
            for user in self._users(waiting):
                footing.hazards |= user.membership | user.hazards
                # With something in between, the consumers are no longer a place to go to.
                consumers = 0
        everywhere = (1 << len(self.builders)) - 1
        candidates = (everywhere & ~footing.hazards | consumers) & self.usable
        repeatable = operation.prefers_clone_to_consumers
        if repeatable:
            candidates &= self._compatible(position)
            candidates &= ~self._unfit_for_clone(users, candidates)
        else:
            candidates = self._fitting(position, candidates, footing.hazards)
        for waiting in held:
            candidates = self._fitting(waiting, candidates, footing.hazards)
        if repeatable and consumers & ~candidates:
            # Not every consumer can have its own copy, so the op counts as any other.
            candidates = self._fitting(position, candidates, footing.hazards)
        consumers &= candidates
        candidates = consumers or candidates
        ordinal = _lowest(candidates) if candidates else self._open(footing)
        for waiting in held:
            self._insert(ordinal, waiting, footing)
        if repeatable and consumers & (consumers - 1):
            for consumer in _bits(consumers):
                self._insert(consumer, position, footing)
                self.builders[consumer].clones.add(position)
        else:
            self._insert(ordinal, position, footing)

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
        """A new partition. Its op is a hazard to all partitions but the newest before it."""
        ordinal = len(self.builders)
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
        if joined != builder.affinity:
            self.by_affinity[builder.affinity] &= ~(1 << ordinal)
            self.by_affinity[joined] = self.by_affinity.get(joined, 0) | 1 << ordinal
            builder.affinity = joined
        footing.membership |= 1 << ordinal
        footing.hazards &= ~(1 << ordinal)
        builder.members.append(position)
        builder.hazards |= footing.hazards
        if builder.hazards >> ordinal + 1:
            self.upward |= 1 << ordinal

    def emit(self) -> Iterator[Partition]:
        """The finished partitions, the first one to run first."""
        exported_clones: set[int] = set()
        for builder in reversed(self.builders):
            inside = set(builder.members)
            consumed: dict[Value, None] = {}
            produced: set[Value] = set()
            results: list[Value] = []
            for position in reversed(builder.members):
                consumed.update(dict.fromkeys(self.operands[position]))
                produced.update(self.operations[position].results)
                escaping = self._escaping(position, inside, builder, exported_clones)
                if position in builder.clones and escaping:
                    exported_clones.add(position)
                results += escaping
            yield Partition(
                affinity=builder.affinity,
                operations=tuple(self.operations[item].identity for item in sorted(inside)),
                clones=frozenset(self.operations[item].identity for item in builder.clones),
                inputs=tuple(value for value in consumed if value not in produced),
                results=tuple(results),
            )

    def _escaping(
        self, position: int, inside: set[int], builder: _Builder, exported_clones: set[int]
    ) -> list[Value]:
        """The results of a member that leave its partition.

        Of a clone's copies the first to run serves the users that are in no partition by nature;
        a streamable user elsewhere gets nothing, even if its partition holds no copy.
        """
        results = self.operations[position].results
        if position not in builder.clones:
            return [
                result for result in results if any(u not in inside for u in self.users[result])
            ]
        if position in exported_clones:
            return []
        return [
            result
            for result in results
            if any(not self.operations[user].streamable for user in self.users[result])
        ]


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
