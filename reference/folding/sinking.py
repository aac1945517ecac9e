"""Ops that move down to where they are first needed.

Rules from `SinkAllocaLikeOpToConsumers`, `canStablySinkTo` and `sinkOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp.
"""

from __future__ import annotations

from reference.folding.dominance import nearest_common_dominator
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.values import ancestor_in
from reference.ir import Operation
from reference.ops import Alloca, Await, Splat

_SINKING: frozenset[type[Operation]] = frozenset({Splat, Alloca, Await})
"""Ops that sink, and that must not push one another further and further down."""


def sink_to_consumers(rewriter: Rewriter, node: Node) -> bool:
    """`SinkAllocaLikeOpToConsumers`: down to the only user, or to the first.

    Where users lie in other blocks, down to the block that leads to all of them.
    """
    users = rewriter.body.users(node.results[0])
    if len(users) == 1:
        return _sink(rewriter, node, users[0])
    if all(user.block is node.block for user in users):
        return _sink(rewriter, node, min(users, key=lambda user: user.order))
    block = users[0].home
    for user in users:
        block = nearest_common_dominator(block, user.home)
    first = block.terminator
    for user in users:
        within = ancestor_in(user, block)
        if within is not None and within.order < first.order:
            first = within
    return _sink(rewriter, node, first)


def can_stably_sink(rewriter: Rewriter, node: Node, target: Node) -> bool:
    """`canStablySinkTo`: whether the op may move before `target` without end.

    Not where only ops that sink themselves stand between, all of them needed by `target`.
    """
    if node.next is target:
        return False
    if node.block is not target.block:
        return True
    prunes = not target.kind.terminator and not target.regions
    makers = {id(rewriter.body.definition(item)) for item in target.inputs} if prunes else set()
    between: Node | None = node
    while between is not None and between is not target:
        if between.kind not in _SINKING:
            return True
        if prunes and id(between) not in makers:
            return True
        between = between.next
    return False


def _sink(rewriter: Rewriter, node: Node, target: Node) -> bool:
    if not can_stably_sink(rewriter, node, target):
        return False
    rewriter.body.move(node, target)
    return True
