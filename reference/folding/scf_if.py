"""`scf.if`: `IfOp` in mlir/lib/Dialect/SCF/IR/SCF.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding import region_branch
from reference.folding.combine_ifs import combine, combine_nested
from reference.folding.constants import same_value
from reference.folding.host import is_negation
from reference.folding.layouts import Input
from reference.folding.nodes import Node
from reference.folding.region_branch import without_regions
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.values import choose, is_defined_in, lies_in
from reference.ir import UnsupportedOperationError
from reference.ops import If, Yield
from reference.types import I1, Literal, Value


def fold_negated(rewriter: Rewriter, node: Node) -> Sequence[Input] | None:
    """`fold`: with a negated condition the regions change places, in place."""
    positive = is_negation(rewriter, node.inputs[0])
    if positive is None or not node.regions[1].blocks:
        return None
    rewriter.body.set_input(node, 0, positive)
    node.regions.reverse()
    return ()


def propagate_condition(rewriter: Rewriter, node: Node) -> bool:
    """`ConditionPropagation`: within a region the condition is known."""
    condition = node.inputs[0]
    if not isinstance(condition, Value) or rewriter.constant_of(condition) is not None:
        return False
    known: dict[int, Value] = {}
    for user, place in rewriter.body.uses(condition):
        for number, region in enumerate(node.regions):
            if not lies_in(user, region):
                continue
            if number not in known:
                constant = Literal(-1 if number == 0 else 0, I1)
                identity = node.current.identity
                known[number] = rewriter.make_constant(constant, identity, node)
            rewriter.body.set_input(user, place, known[number])
            rewriter.push(user)
            break
    return bool(known)


def hoist_to_selects(rewriter: Rewriter, node: Node) -> bool:
    """`ConvertTrivialIfToSelect`: what both regions only hand on is chosen by a select."""
    operation = _if(node)
    if not operation.outputs:
        return False
    yields = [region.blocks[-1].terminator for region in node.regions]
    pairs = list(zip(yields[0].inputs, yields[1].inputs, strict=True))
    made_within = [
        any(map(is_defined_in, (rewriter.body,) * 2, pair, node.regions)) for pair in pairs
    ]
    if all(made_within):
        return False
    kept = [place for place, within in enumerate(made_within) if within]
    shell = replace(
        without_regions(operation),
        outputs=tuple(
            rewriter.fresh(operation.outputs[place].type, operation.outputs[place].size)
            for place in kept
        ),
    )
    new = rewriter.insert(shell, node)
    rewriter.body.move_regions(node, new)
    staying = iter(new.results)
    results: list[Input] = []
    for (then, otherwise), within, output in zip(
        pairs, made_within, operation.outputs, strict=True
    ):
        if within:
            results.append(next(staying))
        elif same_value(then, otherwise):
            results.append(then)
        else:
            select = choose(
                rewriter, operation.identity, operation.condition, (then, otherwise), output
            )
            results.append(rewriter.insert(select, new).results[0])
    for terminator in yields:
        handed_on = terminator.current
        assert isinstance(handed_on, Yield)
        values = tuple(handed_on.values[place] for place in kept)
        rewriter.replace_with(terminator, replace(handed_on, values=values))
    rewriter.replace(node, results)
    return True


def remove_empty_else(rewriter: Rewriter, node: Node) -> bool:
    """`RemoveEmptyElseBranch`: an else region that does nothing, of an op without results."""
    operation = _if(node)
    otherwise = node.regions[1].blocks
    if operation.outputs or not otherwise or otherwise[-1].first is not otherwise[-1].last:
        return False
    new = rewriter.insert(without_regions(operation), node)
    rewriter.body.move_region(node, new)
    rewriter.erase(node)
    return True


def replace_yielded(rewriter: Rewriter, node: Node) -> bool:
    """`ReplaceIfYieldWithConditionOrValue`: refused.

    What both regions yield is chosen by a select before, unless the constants are made within.
    """
    if not node.results:
        return False
    then, otherwise = (region.blocks[-1].terminator.inputs for region in node.regions)
    for pair in zip(then, otherwise, strict=True):
        if all(rewriter.constant_of(item) is not None for item in pair):
            raise UnsupportedOperationError("scf.if that yields constants made within")
    return False


def _if(node: Node) -> If:
    operation = node.current
    assert isinstance(operation, If)
    return operation


RULES = Rules(
    fold_negated,
    (
        Pattern(combine),
        Pattern(combine_nested),
        Pattern(propagate_condition),
        Pattern(hoist_to_selects),
        Pattern(remove_empty_else),
        Pattern(replace_yielded),
        *region_branch.PATTERNS,
    ),
)
