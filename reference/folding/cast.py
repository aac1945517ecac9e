"""`stream.async.cast`: `AsyncCastOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp (from #22803 on)."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.layouts import sized
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ops import Cast
from reference.types import Value


def fold_no_change(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: a cast to the type that the source has, or that the source was cast from."""
    cast = _cast(node)
    if cast.source.type == cast.result.type:
        return (cast.source,)
    first = rewriter.defining(cast.source, Cast)
    if first is not None and first.source.type == cast.result.type:
        return (first.source,)
    return None


def collapse_chain(rewriter: Rewriter, node: Node) -> bool:
    """`CollapseAsyncCastChain`: a cast of a cast is one cast, of the size of the first source."""
    cast = _cast(node)
    first = rewriter.defining(cast.source, Cast)
    if first is None or first.source.type == cast.result.type:
        return False
    direct = replace(
        cast,
        source=first.source,
        result=sized(rewriter.fresh(cast.result.type), first.source.size),
    )
    rewriter.replace_with(node, direct)
    return True


def _cast(node: Node) -> Cast:
    cast = node.current
    assert isinstance(cast, Cast)
    return cast


RULES = Rules(fold_no_change, (Pattern(collapse_chain), ELIDE_UNUSED))
