"""Which block every way to a block leads through."""

from __future__ import annotations

from reference.folding.nodes import NodeBlock, NodeRegion


def nearest_common_dominator(left: NodeBlock, right: NodeBlock) -> NodeBlock:
    """The innermost block that dominates both; both are within one body.

    Rule: `DominanceInfo::findNearestCommonDominator`, mlir/lib/IR/Dominance.cpp. A block in a
    nested region counts as the block of the op that holds it in the innermost common region.
    """
    pair = _in_common_region(left, right)
    if pair[0] is pair[1]:
        return pair[0]
    dominators = Dominators(pair[0].region)
    return dominators.nearest_common(*pair)


class Dominators:
    """The dominator tree of a region, by the algorithm of Cooper, Harvey and Kennedy."""

    def __init__(self, region: NodeRegion) -> None:
        entry = region.blocks[0]
        order = _reverse_post_order(entry)
        self._place = {id(block): place for place, block in enumerate(order)}
        before: dict[int, list[NodeBlock]] = {id(block): [] for block in order}
        for block in order:
            for following in block.terminator.successors:
                before[id(following)].append(block)
        self._parent: dict[int, NodeBlock] = {id(entry): entry}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                parent: NodeBlock | None = None
                for previous in before[id(block)]:
                    if id(previous) in self._parent:
                        parent = previous if parent is None else self._meet(previous, parent)
                assert parent is not None
                if self._parent.get(id(block)) is not parent:
                    self._parent[id(block)] = parent
                    changed = True

    def nearest_common(self, left: NodeBlock, right: NodeBlock) -> NodeBlock:
        """The innermost block that dominates both; an unreachable block is dominated by all."""
        if id(left) not in self._place:
            return right
        if id(right) not in self._place:
            return left
        return self._meet(left, right)

    def _meet(self, left: NodeBlock, right: NodeBlock) -> NodeBlock:
        while left is not right:
            if self._place[id(left)] > self._place[id(right)]:
                left = self._parent[id(left)]
            else:
                right = self._parent[id(right)]
        return left


def _reverse_post_order(entry: NodeBlock) -> list[NodeBlock]:
    order: list[NodeBlock] = []
    seen = {id(entry)}
    pending: list[tuple[NodeBlock, int]] = [(entry, 0)]
    while pending:
        block, place = pending.pop()
        following = block.terminator.successors
        if place == len(following):
            order.append(block)
            continue
        pending.append((block, place + 1))
        if id(following[place]) not in seen:
            seen.add(id(following[place]))
            pending.append((following[place], 0))
    order.reverse()
    return order


def _in_common_region(left: NodeBlock, right: NodeBlock) -> tuple[NodeBlock, NodeBlock]:
    """The blocks of the innermost region around both that hold them."""
    around: dict[int, NodeBlock] = {}
    block: NodeBlock | None = left
    while block is not None:
        around[id(block.region)] = block
        block = block.region.parent.block if block.region.parent else None
    block = right
    while id(block.region) not in around:
        parent = block.region.parent
        assert parent is not None
        block = parent.home
    return around[id(block.region)], block
