"""`scf.while`: `WhileOp` in mlir/lib/Dialect/SCF/IR/SCF.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding import region_branch
from reference.folding.constants import same_value
from reference.folding.host import CONTRARY, predicate_of
from reference.folding.nodes import Node, NodeBlock
from reference.folding.region_branch import without_regions
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.values import lies_in
from reference.ops import Condition, HostScalar, If, While
from reference.types import I1, Literal, Value

_COMPARISON = "arith.cmpi"


def condition_is_true(rewriter: Rewriter, node: Node) -> bool:
    """`WhileConditionTruth`: in the body, the condition that was handed on holds."""
    before, after = _blocks(node)
    condition, *handed_on = before.terminator.inputs
    true: Value | None = None
    for item, argument in zip(handed_on, after.arguments, strict=True):
        if same_value(item, condition) and rewriter.body.is_used(argument):
            if true is None:
                constant = Literal(-1, I1)
                true = rewriter.make_constant(constant, node.current.identity, node)
            rewriter.replace_uses(argument, true)
    return true is not None


def comparison_is_known(rewriter: Rewriter, node: Node) -> bool:
    """`WhileCmpCond`: in the body, what the condition compared compares as it did.

    The constants are made where the rewriter stands: before the loop.
    """
    before, after = _blocks(node)
    condition, *handed_on = before.terminator.inputs
    compare = rewriter.defining(condition, HostScalar)
    if compare is None or compare.name != _COMPARISON:
        return False
    changed = False
    for item, argument in zip(handed_on, after.arguments, strict=True):
        for place, operand in enumerate(compare.arguments):
            if not same_value(item, operand):
                continue
            for user in rewriter.body.users(argument):
                outcome = _outcome(compare, user, 1 - place)
                if outcome is None:
                    continue
                constant = Literal(-1 if outcome else 0, I1)
                identity = user.current.identity
                rewriter.replace(user, (rewriter.make_constant(constant, identity, node),))
                changed = True
    return changed


def _outcome(known: HostScalar, user: Node, place: int) -> bool | None:
    """What an op gives where a comparison holds whose operand at `place` it shares; None where that
    does not tell."""
    asked = user.current
    if not isinstance(asked, HostScalar) or asked.name != _COMPARISON:
        return None
    if not same_value(asked.arguments[place], known.arguments[place]):
        return None
    if predicate_of(asked) == predicate_of(known):
        return True
    return False if predicate_of(asked) == CONTRARY[predicate_of(known)] else None


def align_arguments(rewriter: Rewriter, node: Node) -> bool:
    """`WhileOpAlignBeforeArgs`: where the condition hands on all arguments, in their order."""
    operation = _while(node)
    before, after = _blocks(node)
    terminator = before.terminator
    condition = terminator.current
    assert isinstance(condition, Condition)
    arguments = list(before.arguments)
    handed_on = condition.values
    if len(handed_on) != len(arguments) or list(handed_on) == arguments:
        return False
    if len(set(handed_on)) != len(handed_on) or set(handed_on) != set(arguments):
        return False
    rewriter.replace_with(terminator, replace(condition, values=tuple(arguments)))
    places = [arguments.index(value) for value in handed_on if isinstance(value, Value)]
    outputs: list[Value] = list(operation.outputs)
    for old, place in enumerate(places):
        output = operation.outputs[old]
        outputs[place] = rewriter.fresh(output.type, output.size)
    shell = replace(without_regions(operation), outputs=tuple(outputs))
    new = rewriter.insert(shell, node)
    inits = [rewriter.fresh(value.type, value.size) for value in arguments]
    new_before = rewriter.body.add_block(new.regions[0], inits)
    turned = [rewriter.fresh(output.type, output.size) for output in outputs]
    new_after = rewriter.body.add_block(new.regions[1], turned)
    rewriter.merge(before, inits, new_before)
    rewriter.merge(after, [turned[place] for place in places], new_after)
    rewriter.replace(node, [new.results[place] for place in places])
    return True


def move_if_down(rewriter: Rewriter, node: Node) -> bool:
    """`WhileMoveIfDown`: an `scf.if` on the loop's condition, just before it, goes to the body."""
    operation = _while(node)
    before, after = _blocks(node)
    terminator = before.terminator
    inner = terminator.previous
    if inner is None or inner.kind is not If:
        return False
    if not same_value(inner.inputs[0], terminator.inputs[0]):
        return False
    otherwise = inner.regions[1].blocks
    if otherwise and otherwise[-1].first is not otherwise[-1].last:
        return False
    then = inner.regions[0].blocks[-1]
    for place, item in enumerate(list(terminator.inputs[1:])):
        if isinstance(item, Value) and item in inner.results:
            number = inner.results.index(item)
            rewriter.replace_uses(item, otherwise[-1].terminator.inputs[number])
            rewriter.replace_uses(after.arguments[place], then.terminator.inputs[number])
    further = _taken_from(rewriter, inner, before)
    outputs = (*operation.outputs, *further)
    shell = replace(
        without_regions(operation),
        outputs=tuple(rewriter.fresh(value.type, value.size) for value in outputs),
    )
    new = rewriter.insert(shell, node)
    rewriter.body.move_regions(node, new)
    added = [rewriter.fresh(value.type, value.size) for value in further]
    rewriter.body.set_arguments(after, [*after.arguments, *added])
    rewriter.push(new)
    condition = terminator.current
    assert isinstance(condition, Condition)
    rewriter.modify(terminator, replace(condition, values=(*condition.values, *further)))
    for value, argument in zip(further, added, strict=True):
        for user, place in rewriter.body.uses(value):
            if lies_in(user, inner.regions[0]):
                rewriter.body.set_input(user, place, argument)
                rewriter.push(user)
    rewriter.erase(then.terminator)
    assert after.first is not None
    rewriter.inline(then, (), after.first)
    rewriter.erase(inner)
    rewriter.replace(node, new.results[: len(operation.outputs)])
    return True


def _taken_from(rewriter: Rewriter, inner: Node, before: NodeBlock) -> list[Value]:
    """What the then region of an op takes of what the block around it makes, each once.

    As MLIR meets it: op by op, the ops of a region before the op around them.
    """
    found: dict[Value, None] = {}
    for node in inner.regions[0].walk_post_order():
        for item in node.inputs:
            if not isinstance(item, Value):
                continue
            maker = rewriter.body.definition(item)
            block = maker.block if maker else rewriter.body.block_of_argument(item)
            if block is before:
                found[item] = None
    return list(found)


def _blocks(node: Node) -> tuple[NodeBlock, NodeBlock]:
    (before,), (after,) = (region.blocks for region in node.regions)
    return before, after


def _while(node: Node) -> While:
    operation = node.current
    assert isinstance(operation, While)
    return operation


RULES = Rules(
    None,
    (
        Pattern(condition_is_true),
        Pattern(comparison_is_known),
        Pattern(align_arguments),
        Pattern(move_if_down),
        *region_branch.PATTERNS,
    ),
)
