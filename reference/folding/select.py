"""`arith.select`, of resources (`Select`) as of numbers (`HostScalar`): `arith::SelectOp` in
mlir/lib/Dialect/Arith/IR/ArithOps.cpp and ArithCanonicalization.td."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reference.folding.constants import is_integer, same_value, truth, value_key
from reference.folding.host import fold_select, is_i1, is_negation
from reference.folding.layouts import Input, as_scalar, with_inputs
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ops import HostScalar, Select
from reference.types import I1, INDEX, Literal, Scalar, ScalarType

Rule = Callable[[Rewriter, Node], bool]


def fold(rewriter: Rewriter, node: Node) -> Sequence[Input] | None:
    """`fold`: both values the same, or a constant condition."""
    return fold_select(rewriter, node.inputs)


def redundant_false(rewriter: Rewriter, node: Node) -> bool:
    """`RedundantSelectFalse`: a select in the other branch of one with the same condition."""
    condition, then, otherwise = node.inputs
    inner = _made_by_select(rewriter, otherwise)
    if inner is None or not same_value(inner.inputs[0], condition):
        return False
    return _replace(rewriter, node, (condition, then, inner.inputs[2]), inner.identity)


def redundant_true(rewriter: Rewriter, node: Node) -> bool:
    """`RedundantSelectTrue`: the same in the first branch."""
    condition, then, otherwise = node.inputs
    inner = _made_by_select(rewriter, then)
    if inner is None or not same_value(inner.inputs[0], condition):
        return False
    return _replace(rewriter, node, (condition, inner.inputs[1], otherwise), inner.identity)


def negated_condition(rewriter: Rewriter, node: Node) -> bool:
    """`SelectNotCond`: of a negated condition, the branches change places.

    The location is the op's and the one of the constant in the negation, which has none here.
    """
    condition, then, otherwise = node.inputs
    positive = is_negation(rewriter, condition)
    if positive is None:
        return False
    return _replace(rewriter, node, (positive, otherwise, then), node.current.identity)


def negation_of_condition(rewriter: Rewriter, node: Node) -> bool:
    """`SelectI1ToNot`: false where the condition holds, true where not."""
    condition, *values = node.inputs
    then, otherwise = (rewriter.constant_of(item) for item in values)
    if not (is_i1(then) and is_i1(otherwise)) or truth(then) or not truth(otherwise):
        return False
    rewriter.replace(node, (_negated(rewriter, node, as_scalar(condition)),))
    return True


def condition_as_number(rewriter: Rewriter, node: Node) -> bool:
    """`SelectToExtUI`: one and zero, or the other way round, by a condition."""
    (output,) = node.results
    kind = output.type
    if not isinstance(kind, ScalarType) or kind in (I1, INDEX) or not is_integer(kind):
        return False
    condition, *values = node.inputs
    numbers = [
        None if (constant := rewriter.constant_of(item)) is None else value_key(constant)[1]
        for item in values
    ]
    if sorted(map(str, numbers)) != ["0", "1"]:
        return False
    holds = as_scalar(condition)
    if numbers[0] == 0:
        holds = _negated(rewriter, node, holds)
    made = HostScalar(
        identity=node.current.identity,
        name="arith.extui",
        arguments=(holds,),
        outputs=(rewriter.fresh(kind),),
    )
    rewriter.replace_with(node, made)
    return True


def _negated(rewriter: Rewriter, node: Node, condition: Scalar) -> Scalar:
    """What holds where a condition does not, made before an op."""
    identity = node.current.identity
    true = rewriter.make_constant(Literal(-1, I1), identity, node)
    made = HostScalar(
        identity=identity,
        name="arith.xori",
        arguments=(condition, true),
        outputs=(rewriter.fresh(I1),),
    )
    return rewriter.insert(made, node).results[0]


def _made_by_select(rewriter: Rewriter, value: Input) -> Select | HostScalar | None:
    host = rewriter.defining(value, HostScalar)
    if host is not None and host.name == "arith.select":
        return host
    return rewriter.defining(value, Select)


def _replace(rewriter: Rewriter, node: Node, inputs: Sequence[Input], matched: str) -> bool:
    """A select of other operands in the place of one, with the location of another op that was
    matched, too."""
    select = with_inputs(node.current, inputs)
    (output,) = node.results
    identity = "+".join(dict.fromkeys((*select.identity.split("+"), *matched.split("+"))))
    fresh = rewriter.fresh(output.type, output.size)
    assert isinstance(select, Select | HostScalar)
    made = (
        replace(select, identity=identity, outputs=(fresh,))
        if isinstance(select, HostScalar)
        else replace(select, identity=identity, result=fresh)
    )
    rewriter.replace_with(node, made)
    return True


def _of_numbers(rule: Rule) -> Rule:
    """The same rule where an op of the host is a select."""

    def guarded(rewriter: Rewriter, node: Node) -> bool:
        host = node.current
        return isinstance(host, HostScalar) and host.name == "arith.select" and rule(rewriter, node)

    return guarded


_ANY = (redundant_false, redundant_true, negated_condition)

RULES = Rules(fold, tuple(Pattern(rule, benefit=2) for rule in _ANY))

OF_NUMBERS = (
    *(Pattern(_of_numbers(rule), benefit=2) for rule in _ANY),
    Pattern(_of_numbers(negation_of_condition)),
    Pattern(_of_numbers(condition_as_number)),
)
"""The patterns of selects of numbers, which are ops of the host."""
