"""What is done to regions when the rules are through.

Rules from `simplifyRegions` in mlir/lib/Transforms/Utils/RegionUtils.cpp.
"""

from __future__ import annotations

import enum

from reference.folding.dead import is_trivially_dead, would_be_dead
from reference.folding.merge_blocks import drop_redundant_arguments, merge_identical_blocks
from reference.folding.nodes import Node, NodeBlock, NodeRegion
from reference.folding.rewriter import Rewriter, post_order
from reference.folding.successors import edges_to, handed_on_to, keep_arguments
from reference.types import Value


class RegionCleanup(enum.Enum):
    """`GreedySimplifyRegionLevel`: aggressive cleanup also merges equal blocks."""

    NORMAL = enum.auto()
    AGGRESSIVE = enum.auto()


def simplify_regions(rewriter: Rewriter, cleanup: RegionCleanup) -> bool:
    """Cleans the body's regions up, in place; whether anything but block arguments changed.

    Where no region has several blocks, only ops whose user let go of them without a word are left:
    a terminator that hands on less than before does.
    """
    body = rewriter.body
    regions = _regions(body.region)
    if all(len(region.blocks) <= 1 for region in regions) and not any(
        is_trivially_dead(body, node) for node in body.region.walk()
    ):
        return False
    rewriter.changes += 1
    changed = False
    for region in regions:
        changed |= _erase_unreachable(rewriter, region)
    changed |= _erase_dead(rewriter)
    if cleanup is RegionCleanup.AGGRESSIVE:
        regions = _regions(rewriter.body.region)
        changed |= merge_identical_blocks(rewriter, regions)
        changed |= drop_redundant_arguments(rewriter, regions)
    return changed


def _regions(region: NodeRegion) -> list[NodeRegion]:
    """A region and all within."""
    found = [region]
    for node in region.walk():
        found += node.regions
    return found


def _erase_unreachable(rewriter: Rewriter, region: NodeRegion) -> bool:
    """`eraseUnreachableBlocks`: blocks that no way leads to from the entry."""
    if len(region.blocks) <= 1:
        return False
    reachable = set(map(id, post_order(region, reachable_only=True)))
    lost = [block for block in region.blocks if id(block) not in reachable]
    for block in lost:
        for node in reversed(list(block)):
            rewriter.erase(node)
        rewriter.body.drop_block(block)
    return bool(lost)


def _erase_dead(rewriter: Rewriter) -> bool:
    """`runRegionDCE`: what nothing alive uses, cycles through block arguments included.

    Block arguments go too, those of entry blocks apart, but do not count as a change.
    """
    live = _Liveness(rewriter)
    erased = False
    for region in _regions(rewriter.body.region):
        for block in region.blocks:
            for node in reversed(list(block)):
                if not live.is_live(node) and node.block is block:
                    rewriter.erase(node)
                    erased = True
    for region in _regions(rewriter.body.region):
        for block in region.blocks[1:]:
            kept = [
                place for place, value in enumerate(block.arguments) if value.name in live.arguments
            ]
            if len(kept) != len(block.arguments):
                keep_arguments(rewriter, block, kept)
    return erased


class _Liveness:
    """Which ops and block arguments something with effects, or a terminator, needs in the end."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter
        self._nodes: set[int] = set()
        self.arguments: set[str] = set()
        self._pending: list[Node] = []
        for node in rewriter.body.region.walk():
            if not would_be_dead(node):
                self._mark(node)
        while self._pending:
            self._follow(self._pending.pop())

    def is_live(self, node: Node) -> bool:
        return id(node) in self._nodes

    def _mark(self, node: Node) -> None:
        if id(node) not in self._nodes:
            self._nodes.add(id(node))
            self._pending.append(node)

    def _follow(self, node: Node) -> None:
        # What a branch hands on is needed only where the block's argument is.
        handed_on = sum(len(to.arguments) for to in node.successors)
        for item in node.inputs[: len(node.inputs) - handed_on]:
            if isinstance(item, Value):
                self._mark_value(item)

    def _mark_value(self, value: Value) -> None:
        maker = self._rewriter.body.definition(value)
        if maker is not None:
            self._mark(maker)
        elif value.name not in self.arguments:
            self.arguments.add(value.name)
            block = self._rewriter.body.block_of_argument(value)
            if block is not None:
                self._mark_handed_on(block, block.arguments.index(value))

    def _mark_handed_on(self, block: NodeBlock, number: int) -> None:
        """What live terminators hand on to an argument that is live."""
        for node, place in edges_to(block):
            value = handed_on_to(node, place)[number]
            if isinstance(value, Value):
                self._mark_value(value)
