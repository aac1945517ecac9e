"""The device that each transfer runs on once it is scheduled, whatever the schedule looks like.

Before 3.12 that is the only answer to where transfers execute. The cleanup at the end of
`iree-stream-schedule-execution` may fold, turn into clones, or remove the ops in a region, and
remove a region that became empty, but none of its patterns moves an op to another region or changes
a region's affinity (`AsyncExecuteOp::getCanonicalizationPatterns`,
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp).
"""

from __future__ import annotations

import enum

from reference.affinity import Affinity
from reference.folding.working import Body, Node
from reference.ir import Program, UnsupportedOperationError, walk
from reference.ops import Execute, Transfer
from reference.releases import Release
from reference.scheduling.outline import outline_execution
from reference.scheduling.partition_fault import PartitionFault, ScheduleRefusedError
from reference.scheduling.partitioner import Partition, partition_block
from reference.scheduling.schedule import scheduled_body

__all__ = [
    "Outside", "Partition", "PartitionFault", "RegionAffinity", "ScheduleRefusedError",
    "partition_block", "transfer_regions",
]  # fmt: skip


class Outside(enum.Enum):
    """Why a transfer is in no execution region after the pass; the value explains it."""

    STRANDED = "no partition took the op, it stays among the host's ops"
    GONE = "no partition took the op and nothing needs it any more: erased"
    FAILED = "the compiler refuses the partitions of the function"
    UNDECIDED = "partitions wait for each other, and the model does not know the cleanup after it"


RegionAffinity = Affinity | Outside | None
"""The affinity of a region (None for a region without), or why there is no region."""


def transfer_regions(program: Program, release: Release) -> dict[str, RegionAffinity]:
    """The affinity of the region that holds each transfer, by identity.

    A fault in one function fails the program: every transfer is FAILED. Where the release does not
    refuse a cycle itself, cleanup may break it; where that takes a rule which the model does not
    know, every transfer is UNDECIDED. A transfer that the patterns of the pass remove is still
    listed with the region it was in.
    """
    found: dict[str, RegionAffinity] = {}
    faults: set[Outside] = set()
    for region in program.bodies():
        transfers = [item.identity for item in walk(region) if isinstance(item, Transfer)]
        found.update(dict.fromkeys(transfers, Outside.GONE))
        body = Body(region)
        try:
            if not outline_execution(body, release):
                scheduled_body(region, release)
        except ScheduleRefusedError:
            faults.add(Outside.FAILED)
        except UnsupportedOperationError:
            faults.add(Outside.UNDECIDED)
        for node in body.region.walk():
            if node.kind is Transfer:
                found[node.current.identity] = _place(node)
    for fault in (Outside.FAILED, Outside.UNDECIDED):
        if fault in faults:
            return dict.fromkeys(found, fault)
    return found


def _place(transfer: Node) -> RegionAffinity:
    """Where a transfer ended up."""
    parent = transfer.parent
    while parent is not None and parent.kind is not Execute:
        parent = parent.parent
    return Outside.STRANDED if parent is None else parent.current.execution_affinity
