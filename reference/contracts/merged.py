"""Ops that one op stands for since their blocks are one block now.

Canonicalization makes one of blocks of a region that end alike and hold the same ops: what the ops
take may differ, and is handed on as arguments of the block that is left (`mergeIdenticalBlocks` in
mlir/lib/Transforms/Utils/RegionUtils.cpp). Whichever of the blocks a run would have come to, the op
that is left does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reference.ir import Block, Operation, Region
from reference.ops import Dispatch, Transfer

Question = Callable[[Operation], bool]


def merged_into(body: Region, operation: Operation, needed: Question, remains: Question) -> bool:
    """Whether an op of a body may have become one that `remains`, in a block that its own was
    merged with. What is not `needed` may have been gone before."""
    region, own = next(
        (region, block)
        for region in _regions(body)
        for block in region.blocks
        if any(inner is operation for inner in block.operations)
    )
    # Nothing goes on to a region's first block, which is merged with none.
    entry, *others = region.blocks
    if own is entry:
        return False
    work = _work(own, needed)
    place = next(place for place, inner in enumerate(work) if inner is operation)
    for block in others:
        its = _work(block, needed)
        if block is own or not _end_alike(block, own) or len(its) != len(work):
            continue
        if all(map(_same_work, work, its)) and remains(its[place]):
            return True
    return False


def _regions(region: Region) -> Iterator[Region]:
    yield region
    for block in region.blocks:
        for operation in block.operations:
            for nested in operation.regions:
                yield from _regions(nested)


def _work(block: Block, needed: Question) -> list[Dispatch | Transfer]:
    """The ops of a block that no fold takes away."""
    found = (one for one in block.operations if isinstance(one, Dispatch | Transfer))
    return [one for one in found if needed(one)]


def _end_alike(one: Block, other: Block) -> bool:
    """Whether two blocks end with the same op, which goes on to the same blocks."""
    last, its_last = one.operations[-1], other.operations[-1]
    onward, its_onward = (
        [successor.block for successor in end.successors] for end in (last, its_last)
    )
    return type(last) is type(its_last) and onward == its_onward


def _same_work(one: Dispatch | Transfer, other: Dispatch | Transfer) -> bool:
    """Whether two ops are equal but for what they take."""
    if isinstance(one, Dispatch) and isinstance(other, Dispatch):
        same = (one.kernel, one.other_kernels, one.ties) == (
            other.kernel,
            other.other_kernels,
            other.ties,
        )
    else:
        ends, its_ends = (
            (work.source_affinity, work.target_affinity) if isinstance(work, Transfer) else None
            for work in (one, other)
        )
        same = ends == its_ends
    types, its_types = ([result.type for result in work.results] for work in (one, other))
    return (
        same
        and type(one) is type(other)
        and one.execution_affinity == other.execution_affinity
        and types == its_types
    )
