"""Blocks of a region that do the same, and block arguments that always are the same.

Rules from `mergeIdenticalBlocks` and `dropRedundantArguments` in
mlir/lib/Transforms/Utils/RegionUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from reference.folding.constants import MadeConstant, constant_type, same_value, value_key
from reference.folding.layouts import Input, with_inputs
from reference.folding.nodes import Node, NodeBlock, NodeRegion
from reference.folding.rewriter import Rewriter
from reference.folding.successors import edges_to, hand_on, handed_on_to, keep_arguments
from reference.folding.working import Body
from reference.ir import Operation
from reference.types import Type, Value

_LEFT_OUT = frozenset({"identity", "result", "outputs", "timepoint"})
"""Fields in which equal ops differ."""

Mismatch = tuple[int, int]
"""An op of a block, by its place, and the place of an operand of it."""


@dataclass(slots=True)
class _Cluster:
    """Blocks that may become one: the first, those like it, and the operands that differ."""

    leader: NodeBlock
    others: list[NodeBlock] = field(default_factory=list)
    mismatches: set[Mismatch] = field(default_factory=set)


def merge_identical_blocks(rewriter: Rewriter, regions: Sequence[NodeRegion]) -> bool:
    """Makes one of blocks that do the same; what differs becomes an argument."""
    changed = False
    for region in regions:
        while _merge_in(rewriter, region):
            changed = True
    return changed


def drop_redundant_arguments(rewriter: Rewriter, regions: Sequence[NodeRegion]) -> bool:
    """Takes arguments from blocks that are given the same value from everywhere."""
    changed = False
    for region in regions:
        for block in region.blocks:
            changed |= _drop_in(rewriter, block)
    return changed


def _merge_in(rewriter: Rewriter, region: NodeRegion) -> bool:
    groups: dict[tuple[int, ...], list[NodeBlock]] = {}
    for block in region.blocks[1:]:
        groups.setdefault(tuple(map(id, block.terminator.successors)), []).append(block)
    changed = False
    for blocks in groups.values():
        if len(blocks) == 1:
            continue
        clusters: list[_Cluster] = []
        for block in blocks:
            if _may_merge(rewriter.body, block) and not any(
                _joins(rewriter.body, cluster, block) for cluster in clusters
            ):
                clusters.append(_Cluster(block))
        for cluster in clusters:
            if cluster.others:
                _merge(rewriter, cluster)
                changed = True
    return changed


def _may_merge(body: Body, block: NodeBlock) -> bool:
    """Whether a block has no nested regions and keeps its arguments to itself."""
    if any(region.blocks for node in block for region in node.regions):
        return False
    return all(user.block is block for argument in block.arguments for user in body.users(argument))


def _joins(body: Body, cluster: _Cluster, block: NodeBlock) -> bool:
    """`BlockMergeCluster::addToCluster`."""
    leader = cluster.leader
    if _types(leader.arguments) != _types(block.arguments):
        return False
    ours, theirs = list(leader), list(block)
    if len(ours) != len(theirs):
        return False
    numbers = _numbers(leader), _numbers(block)
    mismatches: set[Mismatch] = set()
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if not _same_operation(one, other):
            return False
        for number, (left, right) in enumerate(zip(one.inputs, other.inputs, strict=True)):
            if same_value(left, right):
                continue
            inside = [
                _number(values, item) for values, item in zip(numbers, (left, right), strict=True)
            ]
            if inside == [None, None]:
                mismatches.add((place, number))
            elif inside[0] != inside[1]:
                return False
        if any(
            user.block is not node.block
            for node in (one, other)
            for result in node.results
            for user in body.users(result)
        ):
            return False
    cluster.others.append(block)
    cluster.mismatches |= mismatches
    return True


def _merge(rewriter: Rewriter, cluster: _Cluster) -> None:
    """`BlockMergeCluster::merge`."""
    body, leader = rewriter.body, cluster.leader
    blocks = [leader, *cluster.others]
    nodes = [list(block) for block in blocks]
    handed: list[list[Input]] = [[] for _ in blocks]
    added: list[Value] = []
    for place, number in sorted(cluster.mismatches):
        for values, operations in zip(handed, nodes, strict=True):
            values.append(operations[place].inputs[number])
        argument = body.fresh(_type(nodes[0][place].inputs[number]))
        added.append(argument)
        body.set_arguments(leader, [*leader.arguments, argument])
        body.set_input(nodes[0][place], number, argument)
    kept = _without_repetitions(rewriter, handed, added)
    body.set_arguments(
        leader,
        [value for value in leader.arguments if value not in added]
        + [added[number] for number in kept],
    )
    for block, values in zip(blocks, handed, strict=True):
        for node, place in edges_to(block):
            further = [values[number] for number in kept]
            hand_on(rewriter, node, place, [*handed_on_to(node, place), *further])
            node.successors[place] = leader
    for block in cluster.others:
        for node in reversed(list(block)):
            rewriter.erase(node)
        body.drop_block(block)


def _without_repetitions(
    rewriter: Rewriter, handed: list[list[Input]], added: list[Value]
) -> list[int]:
    """`pruneRedundantArguments`: the new arguments that are not equal to an earlier one in all."""
    first: dict[tuple[str, int | float | str], int] = {}
    kept = []
    for number, item in enumerate(handed[0]):
        assert item is not None
        earlier = first.setdefault(value_key(item), number)
        if earlier != number and all(
            same_value(values[earlier], values[number]) for values in handed[1:]
        ):
            rewriter.body.replace_uses(added[number], added[earlier])
        else:
            kept.append(number)
    return kept


def _drop_in(rewriter: Rewriter, block: NodeBlock) -> bool:
    edges = edges_to(block)
    if not edges or not block.arguments:
        return False
    kept = []
    for number, argument in enumerate(block.arguments):
        values = [handed_on_to(node, place)[number] for node, place in edges]
        if all(same_value(values[0], value) for value in values):
            rewriter.replace_uses(argument, values[0])
        else:
            kept.append(number)
    if len(kept) == len(block.arguments):
        return False
    keep_arguments(rewriter, block, kept)
    return True


def _same_operation(left: Node, right: Node) -> bool:
    """Whether two ops are equal but for their locations and which values of the same types, in the
    same places, they take."""
    if left.kind is not right.kind or _taken(left) != _taken(right):
        return False
    if _types(left.results) != _types(right.results):
        return False
    one, other = left.current, right.current
    if isinstance(one, MadeConstant) and isinstance(other, MadeConstant):
        return same_value(one.number, other.number)
    return _attributes(with_inputs(one, right.inputs)) == _attributes(other)


def _attributes(operation: Operation) -> list[object]:
    names = (item.name for item in fields(operation))
    return [getattr(operation, name) for name in names if name not in _LEFT_OUT]


def _numbers(block: NodeBlock) -> dict[str, int]:
    """The values of a block in order: arguments, then results."""
    values = [*block.arguments, *(result for node in block for result in node.results)]
    return {value.name: number for number, value in enumerate(values)}


def _number(numbers: dict[str, int], item: Input) -> int | None:
    return numbers.get(item.name) if isinstance(item, Value) else None


def _taken(node: Node) -> list[Type | None]:
    """The types of what an op takes, None for what it does without."""
    return [None if item is None else _type(item) for item in node.inputs]


def _types(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]


def _type(item: Input) -> Type:
    assert item is not None
    return constant_type(item) if not isinstance(item, Value) else item.type
