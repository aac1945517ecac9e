"""`stream.async.constant`: `AsyncConstantOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

import re

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ir import UnsupportedOperationError
from reference.ops import Constant, Splat
from reference.types import I1, Literal, ScalarType, parse_type

_DENSE = re.compile(r"dense<(?P<elements>.*)> : (?:tensor|vector)<(?:\d+x)*(?P<type>[^<>]+)>", re.S)
_ELEMENT = re.compile(r"[^\s\[\],]+")


def splat_elements(rewriter: Rewriter, node: Node) -> bool:
    """`ConvertSplatConstantsIntoSplats`: a constant of equal elements is a splat of the element."""
    constant = node.current
    assert isinstance(constant, Constant)
    element = repeated_element(constant.elements)
    if element is None:
        return False
    splat = Splat(
        identity=constant.identity,
        pattern=rewriter.make_constant(element, constant.identity, node),
        result=rewriter.fresh(constant.result.type, constant.result.size),
        affinity=constant.affinity,
        awaits=constant.awaits,
    )
    rewriter.replace_with(node, splat)
    return True


def repeated_element(elements: str) -> Literal | None:
    """The one element that a printed attribute repeats (`DenseElementsAttr::isSplat`), or None.

    MLIR keeps a list of equal elements as one. Raises UnsupportedOperationError for equal elements
    of a type that the model has no constants of.
    """
    match = _DENSE.fullmatch(elements)
    if match is None:
        return None
    listed = list(dict.fromkeys(_ELEMENT.findall(match["elements"])))
    if len(listed) != 1:
        return None
    (element,) = listed
    kind = parse_type(match["type"])
    if not isinstance(kind, ScalarType) or kind == I1 or element.startswith('"'):
        raise UnsupportedOperationError(f"a constant that may be a splat of {match['type']}")
    return Literal(float(element) if kind.name.startswith("f") else int(element, 0), kind)


RULES = Rules(None, (Pattern(splat_elements),))
