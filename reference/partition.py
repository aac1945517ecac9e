"""The execution regions of `iree-stream-schedule-execution`: partitions and what becomes of them.

Which ops go together is decided in `reference/partitioner.py`. Rules from
compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleExecution.cpp and the checks of
compiler/src/iree/compiler/Dialect/Stream/Analysis/Partitioning.cpp. Each partition becomes a
`stream.async.execute` on its affinity. The pass then runs every canonicalization pattern: they may
fold, turn into clones, or remove the ops in a region, and remove a region that became empty, but
none moves an op to another region or changes a region's affinity
(`AsyncExecuteOp::getCanonicalizationPatterns`, StreamOpFolders.cpp).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from reference.affinity import Affinity
from reference.ir import Block, Operation, Program
from reference.ops import Transfer
from reference.partitioner import Partition, partition_block
from reference.releases import Release
from reference.types import Value

__all__ = [
    "Outside", "Partition", "PartitionFault", "RegionAffinity", "left_behind", "partition_block",
    "partition_fault", "transfer_regions",
]  # fmt: skip


class PartitionFault(enum.Enum):
    """Why the compiler refuses its own partitions; the value explains it to people.

    A CYCLE is refused by the pass itself since 3.12, before by whatever verifies next.
    """

    AFFINITY = "an op's affinity is not the affinity of the partition that took it"
    CIRCULAR = "a partition takes a value made outside from one of its own results"
    ORDER = "a partition takes a value that a later one makes"
    CYCLE = "partitions and the ops between them wait for each other"


class Outside(enum.Enum):
    """Why a transfer is in no execution region after the pass; the value explains it."""

    STRANDED = "no partition took the op, it stays among the host's ops"
    GONE = "no partition took the op and nothing needs it any more: erased"
    FAILED = "the compiler refuses the partitions of the function"
    UNDECIDED = "partitions wait for each other; this release fails unless cleanup breaks the cycle"


RegionAffinity = Affinity | Outside | None
"""The affinity of a region (None for a region without), or why there is no region."""


def transfer_regions(program: Program, release: Release) -> dict[str, RegionAffinity]:
    """The affinity of the region that holds each transfer, by identity.

    A fault in one function fails the program: every transfer is FAILED. Where the release does not
    refuse a cycle itself every transfer is UNDECIDED: the folding patterns are not in this model.
    A transfer that those patterns remove is still listed with the region it was in.
    """
    found: dict[str, RegionAffinity] = {}
    faults: set[PartitionFault | None] = set()
    for function in program.functions:
        for block in function.body.blocks:
            partitions = partition_block(block, release)
            faults.add(partition_fault(block, partitions))
            found.update(_block_regions(block, partitions))
    faults.discard(None)
    if not faults:
        return found
    undecided = faults == {PartitionFault.CYCLE} and not release.refuses_cyclic_schedule
    return dict.fromkeys(found, Outside.UNDECIDED if undecided else Outside.FAILED)


def partition_fault(block: Block, partitions: Sequence[Partition]) -> PartitionFault | None:
    """The first reason for which the compiler refuses the partitions, None when it takes them.

    `Partition::verify`, `PartitionSet::verify` and the sort at the end of `processRegion`.
    """
    by_identity = {operation.identity: operation for operation in block.operations}
    producers = {
        result: operation for operation in block.operations for result in operation.results
    }
    for partition in partitions:
        if not _affinities_agree(partition, by_identity):
            return PartitionFault.AFFINITY
        results = set(partition.results)
        for value in partition.inputs:
            producer = producers.get(value)
            if producer is not None and not results.isdisjoint(producer.operands):
                return PartitionFault.CIRCULAR
    made_later: set[Value] = set()
    for partition in reversed(partitions):
        if not made_later.isdisjoint(partition.inputs):
            return PartitionFault.ORDER
        made_later.update(partition.results)
    return PartitionFault.CYCLE if _is_cyclic(block, partitions) else None


def left_behind(block: Block, partitions: Sequence[Partition]) -> Iterator[Operation]:
    """The streamable ops that remain outside of all regions, the last one first.

    The block's ops are erased after they were copied into regions, unless a result that no region
    hands out is still taken: by a region, by a host op, or by another op that remains.
    """
    handed_out = {value for partition in partitions for value in partition.results}
    needed = {value for partition in partitions for value in partition.captures} - handed_out
    for operation in reversed(block.operations):
        remains = not operation.streamable or not needed.isdisjoint(operation.results)
        if remains:
            needed.update(value for value in operation.operands if value not in handed_out)
            if operation.streamable:
                yield operation


def _block_regions(
    block: Block, partitions: Sequence[Partition]
) -> Iterator[tuple[str, RegionAffinity]]:
    regions = {
        identity: partition.affinity
        for partition in partitions
        for identity in partition.operations
    }
    transfers = [item.identity for item in block.operations if isinstance(item, Transfer)]
    if all(identity in regions for identity in transfers):
        yield from ((identity, regions[identity]) for identity in transfers)
        return
    stranded = {operation.identity for operation in left_behind(block, partitions)}
    for identity in transfers:
        yield (
            identity,
            regions.get(identity, Outside.STRANDED if identity in stranded else Outside.GONE),
        )


def _affinities_agree(partition: Partition, by_identity: dict[str, Operation]) -> bool:
    """`AffinityAttr::areCompatible`: equal or absent, which is stricter than what joined them."""
    if partition.affinity is None:
        return True
    return all(
        by_identity[identity].execution_affinity in (None, partition.affinity)
        for identity in partition.operations
    )


def _is_cyclic(block: Block, partitions: Sequence[Partition]) -> bool:
    """Whether regions, host ops and ops left behind cannot be put into any order."""
    makers: dict[Value, int] = {}
    remaining = [*left_behind(block, partitions)]
    remaining += [operation for operation in block.operations if not operation.streamable]
    for node, operation in enumerate(remaining):
        makers.update(dict.fromkeys(operation.results, node))
    for node, partition in enumerate(partitions, start=len(remaining)):
        makers.update(dict.fromkeys(partition.results, node))
    sorter: TopologicalSorter[int] = TopologicalSorter()
    taken = [operation.operands for operation in remaining]
    taken += [partition.inputs for partition in partitions]
    for node, values in enumerate(taken):
        sorter.add(node, *{makers[value] for value in values if value in makers})
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False
