"""`arith.select` of resources and other values that are no host scalars: `arith::SelectOp` in
mlir/lib/Dialect/Arith/IR/ArithOps.cpp and ArithCanonicalization.td."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding.constants import same_value
from reference.folding.host import fold_select, is_negation
from reference.folding.layouts import Input
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ops import Select


def fold(rewriter: Rewriter, node: Node) -> Sequence[Input] | None:
    """`fold`: both values the same, or a constant condition."""
    return fold_select(rewriter, node.inputs)


def redundant_false(rewriter: Rewriter, node: Node) -> bool:
    """`RedundantSelectFalse`: a select in the other branch of one with the same condition."""
    select = _select(node)
    inner = rewriter.defining(select.otherwise, Select)
    if inner is None or not same_value(inner.condition, select.condition):
        return False
    return _replace(rewriter, node, replace(select, otherwise=inner.otherwise), inner.identity)


def redundant_true(rewriter: Rewriter, node: Node) -> bool:
    """`RedundantSelectTrue`: the same in the first branch."""
    select = _select(node)
    inner = rewriter.defining(select.then, Select)
    if inner is None or not same_value(inner.condition, select.condition):
        return False
    return _replace(rewriter, node, replace(select, then=inner.then), inner.identity)


def negated_condition(rewriter: Rewriter, node: Node) -> bool:
    """`SelectNotCond`: of a negated condition, the branches change places.

    The location is the op's and the one of the constant in the negation, which has none here.
    """
    select = _select(node)
    positive = is_negation(rewriter, select.condition)
    if positive is None:
        return False
    swapped = replace(select, condition=positive, then=select.otherwise, otherwise=select.then)
    return _replace(rewriter, node, swapped, select.identity)


def _replace(rewriter: Rewriter, node: Node, select: Select, matched: str) -> bool:
    """Puts `select` in the place of an op, with the location of another that was matched, too."""
    identities = dict.fromkeys((*select.identity.split("+"), *matched.split("+")))
    made = replace(
        select,
        identity="+".join(identities),
        result=rewriter.fresh(select.result.type, select.result.size),
    )
    rewriter.replace_with(node, made)
    return True


def _select(node: Node) -> Select:
    select = node.current
    assert isinstance(select, Select)
    return select


RULES = Rules(
    fold,
    (
        Pattern(redundant_false, benefit=2),
        Pattern(redundant_true, benefit=2),
        Pattern(negated_condition, benefit=2),
    ),
)
