"""Two `scf.if` that become one: `CombineIfs` and `CombineNestedIfs` in
mlir/lib/Dialect/SCF/IR/SCF.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.constants import same_value
from reference.folding.host import is_negation
from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node, NodeBlock
from reference.folding.region_branch import without_regions
from reference.folding.rewriter import Rewriter
from reference.folding.values import choose, lies_in
from reference.ops import HostScalar, If, Yield
from reference.types import I1, Value


def combine(rewriter: Rewriter, node: Node) -> bool:
    """`CombineIfs`: one that follows another with the same condition, or its negation."""
    previous = node.previous
    if previous is None or previous.kind is not If:
        return False
    sides = _sides(rewriter, previous, node)
    if sides is None:
        return False
    first, second = _if(previous), _if(node)
    _forward_yielded(rewriter, previous, sides)
    outputs = (*first.outputs, *second.outputs)
    shell = replace(
        without_regions(second),
        condition=first.condition,
        outputs=tuple(rewriter.fresh(output.type, output.size) for output in outputs),
    )
    new = rewriter.insert(shell, node)
    for place, block in enumerate(sides):
        rewriter.body.move_region(previous, new, place)
        region = new.regions[place]
        if block is None:
            continue
        if not region.blocks:
            rewriter.body.move_block(block, region)
        else:
            _append(rewriter, region.blocks[-1], block)
    rewriter.replace(previous, new.results[: len(first.outputs)])
    rewriter.replace(node, new.results[len(first.outputs) :])
    return True


def combine_nested(rewriter: Rewriter, node: Node) -> bool:
    """`CombineNestedIfs`: one that holds nothing but another, and yields what it would without."""
    block = node.regions[0].blocks[-1]
    inner = block.first
    if inner is None or inner.kind is not If or inner.next is not block.last:
        return False
    if not _only_yields(node, 1) or not _only_yields(inner, 1):
        return False
    outer_if, inner_if = _if(node), _if(inner)
    then: list[Input] = list(block.terminator.inputs)
    otherwise = _else_yielded(node)
    chosen: list[int] = []
    for place, item in enumerate(then):
        maker = rewriter.body.definition(item)
        if maker is inner and isinstance(item, Value):
            number = inner.results.index(item)
            if not same_value(_else_yielded(inner)[number], otherwise[place]):
                return False
            then[place] = inner.regions[0].blocks[-1].terminator.inputs[number]
        else:
            chosen.append(place)
    both = HostScalar(
        identity=outer_if.identity,
        name="arith.andi",
        arguments=(outer_if.condition, inner_if.condition),
        outputs=(rewriter.fresh(I1),),
    )
    condition = rewriter.insert(both, node).results[0]
    fresh = tuple(rewriter.fresh(output.type, output.size) for output in outer_if.outputs)
    shell = replace(without_regions(outer_if), condition=condition, outputs=fresh)
    new = rewriter.insert(shell, node)
    results: list[Input] = list(new.results)
    for place in chosen:
        select = choose(
            rewriter, outer_if.identity, outer_if.condition, (then[place], otherwise[place]),
            outer_if.outputs[place],
        )  # fmt: skip
        results[place] = rewriter.insert(select, new).results[0]
    into = rewriter.body.add_block(new.regions[0])
    rewriter.merge(inner.regions[0].blocks[-1], (), into)
    _replace_yield(rewriter, into.terminator, then)
    if otherwise:
        values = tuple(map(as_scalar, otherwise))
        last = rewriter.body.add_block(new.regions[1])
        rewriter.append(Yield(identity=outer_if.identity, values=values), last)
    rewriter.replace(node, results)
    return True


def _sides(
    rewriter: Rewriter, previous: Node, node: Node
) -> tuple[NodeBlock | None, NodeBlock | None] | None:
    """The blocks of `node` that run where the first or the second region of `previous` does.

    None where the conditions cannot be compared.
    """
    first, second = previous.inputs[0], node.inputs[0]
    then, otherwise = (region.blocks[-1] if region.blocks else None for region in node.regions)
    sides = (then, otherwise) if same_value(first, second) else None
    for one, other in ((second, first), (first, second)):
        negated = is_negation(rewriter, one)
        if negated is not None and same_value(negated, other):
            sides = (otherwise, then)
    return sides


def _forward_yielded(
    rewriter: Rewriter, previous: Node, sides: tuple[NodeBlock | None, NodeBlock | None]
) -> None:
    """In the regions of the second op, the results of the first are what it yielded."""
    if not previous.results:
        return
    yielded = [region.blocks[-1].terminator.inputs for region in previous.regions]
    for number, result in enumerate(previous.results):
        for user, place in rewriter.body.uses(result):
            for block, values in zip(sides, yielded, strict=True):
                if block is not None and lies_in(user, block.region):
                    rewriter.body.set_input(user, place, values[number])
                    rewriter.push(user)
                    break


def _append(rewriter: Rewriter, into: NodeBlock, block: NodeBlock) -> None:
    """The ops of a block after those of another one; both yield together what each did."""
    first, second = into.terminator, block.terminator
    rewriter.merge(block, (), into)
    values = tuple(as_scalar(item) for item in (*first.inputs, *second.inputs))
    rewriter.append(Yield(identity=second.current.identity, values=values), into)
    rewriter.erase(first)
    rewriter.erase(second)


def _replace_yield(rewriter: Rewriter, terminator: Node, values: list[Input]) -> None:
    made = Yield(
        identity=terminator.current.identity, values=tuple(as_scalar(item) for item in values)
    )
    rewriter.replace_with(terminator, made)


def _only_yields(node: Node, place: int) -> bool:
    """Whether a region of an op is not there, or holds nothing but its terminator."""
    blocks = node.regions[place].blocks
    return not blocks or blocks[-1].first is blocks[-1].last


def _else_yielded(node: Node) -> list[Input]:
    blocks = node.regions[1].blocks
    return blocks[-1].terminator.inputs if blocks else []


def _if(node: Node) -> If:
    operation = node.current
    assert isinstance(operation, If)
    return operation
