"""Branches, the blocks that they lead to, and what they hand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node, NodeBlock
from reference.folding.rewriter import Rewriter
from reference.ir import Successor
from reference.ops import Branch, ConditionalBranch


def edges_to(block: NodeBlock) -> list[tuple[Node, int]]:
    """The branches to a block, each with the place of the block among its successors."""
    return [
        (before.last, place)
        for before in block.region.blocks
        if before.last is not None
        for place, target in enumerate(before.last.successors)
        if target is block
    ]


def handed_on_to(node: Node, place: int) -> Sequence[Input]:
    """What a branch gives the block at one of its successors."""
    branch = node.current
    assert isinstance(branch, Branch | ConditionalBranch)
    return branch.successors[place].arguments


def hand_on(rewriter: Rewriter, node: Node, place: int, values: Sequence[Input]) -> None:
    """Lets a branch give other values to the block at one of its successors; nobody is told."""
    branch = node.current
    target = Successor(0, tuple(map(as_scalar, values)))
    if isinstance(branch, Branch):
        rewriter.body.set_operation(node, replace(branch, target=target))
        return
    assert isinstance(branch, ConditionalBranch)
    changed = replace(branch, otherwise=target) if place else replace(branch, then=target)
    rewriter.body.set_operation(node, changed)


def keep_arguments(rewriter: Rewriter, block: NodeBlock, kept: Sequence[int]) -> None:
    """Takes all but some arguments from a block, and from what branches hand on to it."""
    for node, place in edges_to(block):
        values = handed_on_to(node, place)
        hand_on(rewriter, node, place, [values[number] for number in kept])
    rewriter.body.set_arguments(block, [block.arguments[number] for number in kept])
