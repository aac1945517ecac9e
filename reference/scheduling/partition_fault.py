"""Which partitions the compiler refuses to schedule.

Rules from compiler/src/iree/compiler/Dialect/Stream/Analysis/Partitioning.cpp (`Partition::verify`,
`PartitionSet::verify`) and the sort at the end of `processRegion` in
compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleExecution.cpp.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from reference.ir import Operation
from reference.scheduling.block_uses import nested
from reference.scheduling.partitioner import Partition


class PartitionFault(enum.Enum):
    """Why the compiler refuses its own partitions; the value explains it to people.

    A CYCLE is refused by the pass itself since 3.12, before by whatever verifies next.
    """

    AFFINITY = "an op's affinity is not the affinity of the partition that took it"
    CIRCULAR = "a partition takes a value made outside from one of its own results"
    ORDER = "a partition takes a value that a later one makes"
    CYCLE = "partitions and the ops between them wait for each other"


class ScheduleRefusedError(Exception):
    """The compiler refuses the program while it schedules it; `fault` says why."""

    def __init__(self, fault: PartitionFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


def partition_fault(
    operations: Sequence[Operation], partitions: Sequence[Partition]
) -> PartitionFault | None:
    """The first reason for which the compiler refuses the partitions of a block, None without.

    A cycle shows only once the regions stand in the block: `reference/scheduling/outline.py`.
    """
    by_identity = {operation.identity: operation for operation in operations}
    makers = {result.name: operation for operation in operations for result in operation.results}
    taken: dict[str, set[str]] = {}
    for partition in partitions:
        if not _affinities_agree(partition, by_identity):
            return PartitionFault.AFFINITY
        results = {value.name for value in partition.results}
        for value in partition.inputs:
            maker = makers.get(value.name)
            if maker is None:
                continue
            if maker.identity not in taken:
                taken[maker.identity] = _taken(maker)
            if not results.isdisjoint(taken[maker.identity]):
                return PartitionFault.CIRCULAR
    made_later: set[str] = set()
    for partition in reversed(partitions):
        if any(value.name in made_later for value in partition.inputs):
            return PartitionFault.ORDER
        made_later.update(value.name for value in partition.results)
    return None


def _taken(operation: Operation) -> set[str]:
    """The names of all that an op takes, in its regions too."""
    return {value.name for inner in (operation, *nested(operation)) for value in inner.operands}


def _affinities_agree(partition: Partition, by_identity: dict[str, Operation]) -> bool:
    """`AffinityAttr::areCompatible`: equal or absent, which is stricter than what joined them."""
    if partition.affinity is None:
        return True
    return all(
        by_identity[identity].execution_affinity in (None, partition.affinity)
        for identity in partition.operations
    )
