"""Questions about values that several rules ask."""

from __future__ import annotations

from reference.folding.dominance import nearest_common_dominator
from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node, NodeBlock, NodeRegion
from reference.folding.rewriter import Rewriter
from reference.folding.working import Body
from reference.ir import Operation
from reference.ops import HostScalar, Select
from reference.types import Scalar, ScalarType, Value


def tied_base(rewriter: Rewriter, value: Value) -> Value:
    """The value whose storage `value` is, as far as ties tell (`findTiedBaseValue`,
    compiler/src/iree/compiler/Dialect/Util/IR/UtilTypes.cpp)."""
    while True:
        maker = rewriter.body.definition(value)
        if maker is None or maker.kind.tied is Operation.tied:
            return value
        ties = dict(maker.current.tied)
        if value not in ties:
            return value
        value = ties[value]


def is_usable_at(body: Body, value: Input, node: Node) -> bool:
    """Whether a value is there before an op (`isValueUsableForOp`, UtilTypes.cpp).

    A value of another block is, where no way to the op leads past that block.
    """
    if not isinstance(value, Value):
        return True
    maker = body.definition(value)
    block = maker.home if maker is not None else body.block_of_argument(value)
    place = ancestor_in(node, block)
    if place is None:
        assert block is not None
        entry = body.region.blocks[0]
        return block is entry or nearest_common_dominator(block, node.home) is block
    return maker is None or maker.order < place.order


def ancestor_in(node: Node, block: NodeBlock | None) -> Node | None:
    """The op of `block` that is `node` or holds it; None where no op of the block does."""
    current: Node | None = node
    while current is not None:
        if current.block is block:
            return current
        current = current.parent
    return None


def lies_in(node: Node, region: NodeRegion) -> bool:
    """Whether an op is in a region, or in one that the region holds."""
    current: Node | None = node
    while current is not None:
        if current.home.region is region:
            return True
        current = current.parent
    return False


def is_defined_in(body: Body, value: Input, region: NodeRegion) -> bool:
    """Whether a value is made by an op of a region itself, or is an argument of its blocks."""
    if not isinstance(value, Value):
        return False
    maker = body.definition(value)
    block = maker.block if maker is not None else body.block_of_argument(value)
    return block is not None and block.region is region


def choose(
    rewriter: Rewriter,
    identity: str,
    condition: Scalar,
    values: tuple[Input, Input],
    output: Value,
) -> Operation:
    """A new `arith.select` of two values, of the type of `output`."""
    then, otherwise = values
    if isinstance(output.type, ScalarType):
        return HostScalar(
            identity=identity,
            name="arith.select",
            arguments=(condition, as_scalar(then), as_scalar(otherwise)),
            outputs=(rewriter.fresh(output.type),),
        )
    assert isinstance(then, Value)
    assert isinstance(otherwise, Value)
    return Select(
        identity=identity,
        condition=condition,
        then=then,
        otherwise=otherwise,
        result=rewriter.fresh(output.type, output.size),
    )
