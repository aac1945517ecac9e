"""`cf.br` and `cf.cond_br`: `BranchOp` and `CondBranchOp` in
mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding.constants import same_value, truth
from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node, NodeBlock
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.successors import edges_to, handed_on_to
from reference.folding.values import choose
from reference.ir import Successor
from reference.ops import Branch, ConditionalBranch
from reference.types import I1, Literal, Value


def canonicalize_branch(rewriter: Rewriter, node: Node) -> bool:
    """`BranchOp::canonicalize`: the first of three that applies."""
    return (
        _merge_only_successor(rewriter, node)
        or _pass_through(rewriter, node)
        or _unify_arguments(rewriter, node.successors[0])
    )


def unify_arguments(rewriter: Rewriter, node: Node) -> bool:
    """`SimplifyUniformBlockArguments`: an argument that is the same wherever control comes from."""
    changed = False
    for block in node.successors:
        changed |= _unify_arguments(rewriter, block)
    return changed


def constant_condition(rewriter: Rewriter, node: Node) -> bool:
    """`SimplifyConstCondBranchPred`: control goes one way only."""
    chosen = truth(rewriter.constant_of(node.inputs[0]))
    if chosen is None:
        return False
    _branch_instead(rewriter, node, 0 if chosen else 1)
    return True


def pass_through_conditional(rewriter: Rewriter, node: Node) -> bool:
    """`SimplifyPassThroughCondBranch`: past blocks that only go on to another."""
    branch = _conditional(node)
    targets = [
        _collapsed(rewriter, block, _arguments(branch, place))
        for place, block in enumerate(node.successors)
    ]
    if targets == [None, None]:
        return False
    blocks = [
        target[0] if target else block
        for target, block in zip(targets, node.successors, strict=True)
    ]
    then, otherwise = (
        Successor(0, tuple(map(as_scalar, target[1]))) if target else old
        for target, old in zip(targets, (branch.then, branch.otherwise), strict=True)
    )
    rewriter.replace_with(node, replace(branch, then=then, otherwise=otherwise), blocks)
    return True


def identical_successors(rewriter: Rewriter, node: Node) -> bool:
    """`SimplifyCondBranchIdenticalSuccessors`: both ways lead to one block; selects for what
    differs, where control comes from nowhere else."""
    branch = _conditional(node)
    block, other = node.successors
    if block is not other:
        return False
    pairs = list(zip(branch.then.arguments, branch.otherwise.arguments, strict=True))
    differ = not all(same_value(*pair) for pair in pairs)
    if differ and any(edge.block is not node.block for edge, _ in edges_to(block)):
        return False
    values: list[Input] = []
    for pair, argument in zip(pairs, block.arguments, strict=True):
        if same_value(*pair):
            values.append(pair[0])
            continue
        select = choose(rewriter, branch.identity, branch.condition, pair, argument)
        values.append(rewriter.insert(select, node).results[0])
    made = Branch(
        identity=branch.identity, target=Successor(0, tuple(as_scalar(item) for item in values))
    )
    rewriter.replace_with(node, made, (block,))
    return True


def same_condition(rewriter: Rewriter, node: Node) -> bool:
    """`SimplifyCondBranchFromCondBranchOnSameCondition`: what the only way here decided already."""
    edges = edges_to(node.home)
    if len(edges) != 1:
        return False
    ((before, _),) = edges
    if before.kind is not ConditionalBranch or not same_value(before.inputs[0], node.inputs[0]):
        return False
    _branch_instead(rewriter, node, 0 if before.successors[0] is node.block else 1)
    return True


def propagate_condition(rewriter: Rewriter, node: Node) -> bool:
    """`CondBranchTruthPropagation`: where only one way leads to a block, the condition is known."""
    condition = node.inputs[0]
    changed = False
    for place, block in enumerate(node.successors):
        if not isinstance(condition, Value) or len(edges_to(block)) != 1:
            continue
        known: Value | None = None
        for user, number in rewriter.body.uses(condition):
            if user.block is not block:
                continue
            if known is None:
                constant = Literal(0 if place else -1, I1)
                known = rewriter.make_constant(constant, node.current.identity, node)
            rewriter.body.set_input(user, number, known)
            rewriter.push(user)
            changed = True
    return changed


def _merge_only_successor(rewriter: Rewriter, node: Node) -> bool:
    """`simplifyBrToBlockWithSinglePred`: a block that only this branch leads to goes on here."""
    (block,) = node.successors
    home = node.home
    if block is home or len(edges_to(block)) != 1:
        return False
    values = list(node.inputs)
    if any(value in block.arguments for value in values):
        return False
    rewriter.erase(node)
    rewriter.merge(block, values, home)
    rewriter.body.drop_block(block)
    return True


def _pass_through(rewriter: Rewriter, node: Node) -> bool:
    """`simplifyPassThroughBr`: past a block that only goes on to another."""
    (block,) = node.successors
    if block is node.block:
        return False
    target = _collapsed(rewriter, block, node.inputs)
    if target is None:
        return False
    branch = node.current
    assert isinstance(branch, Branch)
    made = replace(branch, target=Successor(0, tuple(map(as_scalar, target[1]))))
    rewriter.replace_with(node, made, (target[0],))
    return True


def _collapsed(
    rewriter: Rewriter, block: NodeBlock, values: Sequence[Input]
) -> tuple[NodeBlock, list[Input]] | None:
    """`collapseBranch`: where a block leads that does nothing but branch, and what it hands on."""
    branch = block.last
    if branch is None or block.first is not branch or branch.kind is not Branch:
        return None
    users = (user for argument in block.arguments for user in rewriter.body.users(argument))
    if any(user is not branch for user in users):
        return None
    (target,) = branch.successors
    if target is block:
        return None
    seen = {id(block), id(target)}
    following = target.terminator
    while following.kind is Branch:
        (beyond,) = following.successors
        if id(beyond) in seen:
            return None
        seen.add(id(beyond))
        following = beyond.terminator
    handed = {argument.name: value for argument, value in zip(block.arguments, values, strict=True)}
    return target, [
        handed.get(item.name, item) if isinstance(item, Value) else item for item in branch.inputs
    ]


def _unify_arguments(rewriter: Rewriter, block: NodeBlock) -> bool:
    edges = edges_to(block)
    if len(edges) < 2:
        return False
    changed = False
    for place, argument in enumerate(block.arguments):
        if not rewriter.body.is_used(argument):
            continue
        values = [handed_on_to(edge, number)[place] for edge, number in edges]
        common = values[0]
        if common == argument or not all(same_value(common, value) for value in values):
            continue
        rewriter.replace_uses(argument, common)
        changed = True
    return changed


def _arguments(branch: ConditionalBranch, place: int) -> Sequence[Input]:
    return (branch.then, branch.otherwise)[place].arguments


def _branch_instead(rewriter: Rewriter, node: Node, place: int) -> None:
    branch = _conditional(node)
    target = (branch.then, branch.otherwise)[place]
    made = Branch(identity=branch.identity, target=target)
    rewriter.replace_with(node, made, (node.successors[place],))


def _conditional(node: Node) -> ConditionalBranch:
    branch = node.current
    assert isinstance(branch, ConditionalBranch)
    return branch


BRANCH = Rules(None, (Pattern(canonicalize_branch), Pattern(unify_arguments)))
CONDITIONAL = Rules(
    None,
    (
        Pattern(constant_condition),
        Pattern(pass_through_conditional),
        Pattern(identical_successors),
        Pattern(same_condition),
        Pattern(propagate_condition),
        Pattern(unify_arguments),
    ),
)
