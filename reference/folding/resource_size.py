"""`stream.resource.size`: `ResourceSizeOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.sizes import find_size
from reference.folding.values import choose
from reference.ops import ResourceSize, Select
from reference.types import INDEX, Index, Value


def fold_known(rewriter: Rewriter, node: Node) -> tuple[Index] | None:
    """`fold`: the size that an op near by gives for the resource."""
    query = _query(node)
    size = find_size(rewriter.body, query.source, node)
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


def _size_or_query(rewriter: Rewriter, query: ResourceSize, value: object, node: Node) -> Index:
    """`createOrFold`: the size of a value, or a new op that asks for it."""
    assert isinstance(value, Value)
    size = find_size(rewriter.body, value, node)
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
