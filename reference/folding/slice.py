"""`stream.async.slice`: `AsyncSliceOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from reference.folding.constants import same_value
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ops import Slice, Splat
from reference.types import Value


def fold_whole(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: a slice of all of its source is the source."""
    cut = _slice(node)
    return (cut.source,) if same_value(cut.source.size, cut.result.size) else None


def slice_of_splat(rewriter: Rewriter, node: Node) -> bool:
    """`PropagateSplatsThroughSlices`: a slice of a splat is a smaller splat."""
    cut = _slice(node)
    splat = rewriter.defining(cut.source, Splat)
    if splat is None:
        return False
    smaller = Splat(
        identity=cut.identity,
        pattern=splat.pattern,
        result=rewriter.fresh(cut.result.type, cut.result.size),
        affinity=cut.affinity,
        awaits=splat.awaits,
    )
    rewriter.replace_with(node, smaller)
    return True


def _slice(node: Node) -> Slice:
    cut = node.current
    assert isinstance(cut, Slice)
    return cut


RULES = Rules(fold_whole, (Pattern(slice_of_splat), ELIDE_UNUSED))
