"""`stream.resource.size`: `ResourceSizeOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.values import choose, is_usable_at
from reference.ir import Operation
from reference.ops import (
    Branch,
    Call,
    Condition,
    ConditionalBranch,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    While,
    Yield,
)
from reference.types import INDEX, Index, Value

_SIZELESS: frozenset[type[Operation]] = frozenset(
    {
        Branch, Call, Condition, ConditionalBranch, For, GlobalLoad, GlobalStore, If,
        OptimizationBarrier, Return, Select, While, Yield,
    }
)  # fmt: skip
"""Ops that have no `SizeAwareOpInterface`: they take and give resources without their sizes."""


def fold_known(rewriter: Rewriter, node: Node) -> tuple[Index] | None:
    """`fold`: the size that an op near by gives for the resource."""
    query = _query(node)
    size = find_size(rewriter, query.source, node)
    return None if size is None or size == query.result else (size,)


def size_of_select(rewriter: Rewriter, node: Node) -> bool:
    """`SelectResourceSizeOp`: the size of what is selected is selected."""
    query = _query(node)
    select = rewriter.defining(query.source, Select)
    if select is None:
        return False
    sizes = tuple(_size_or_query(rewriter, query, value, node) for value in select.inputs[1:])
    then, otherwise = sizes
    made = choose(rewriter, query.identity, select.condition, (then, otherwise), query.result)
    rewriter.replace_with(node, made)
    return True


def find_size(rewriter: Rewriter, resource: Value, before: Node) -> Index | None:
    """`SizeAwareTypeInterface::findSizeValue`, Dialect/Util/IR/UtilTypes.cpp: what the op that
    makes a resource says of its size, or one that takes it."""
    value = resource
    while (maker := rewriter.body.definition(value)) is not None:
        operation = maker.current
        if maker.kind not in _SIZELESS:
            return next(result.size for result in operation.results if result == value)
        ties = dict(operation.tied)
        if value not in ties:
            break
        value = ties[value]
    pending = [resource]
    while pending:
        value = pending.pop()
        for user, place in rewriter.body.uses(value):
            size = _size_at(user, place)
            if size is not None and is_usable_at(rewriter.body, size, before):
                return size
            pending += [result for result, operand in user.current.tied if operand == value]
    return None


def _size_at(user: Node, place: int) -> Index | None:
    """What an op says of the size of an operand."""
    operation = user.current
    if isinstance(operation, ResourceSize):
        return operation.result
    item = operation.inputs[place]
    return item.size if user.kind not in _SIZELESS and isinstance(item, Value) else None


def _size_or_query(rewriter: Rewriter, query: ResourceSize, value: object, node: Node) -> Index:
    """`createOrFold`: the size of a value, or a new op that asks for it."""
    assert isinstance(value, Value)
    size = find_size(rewriter, value, node)
    if size is not None:
        return size
    made = ResourceSize(
        identity=query.identity,
        source=value,
        result=rewriter.fresh(INDEX),
        affinity=query.affinity,
    )
    return rewriter.insert(made, node).results[0]


def _query(node: Node) -> ResourceSize:
    query = node.current
    assert isinstance(query, ResourceSize)
    return query


RULES = Rules(fold_known, (Pattern(size_of_select),))
