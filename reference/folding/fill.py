"""`stream.async.fill`: `AsyncFillOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.constants import same_value
from reference.folding.host import add
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.folding.splat import narrow_pattern
from reference.folding.values import is_usable_at, tied_base
from reference.ops import Fill, Splat
from reference.ops.assembly import Range
from reference.types import Index


def flatten_full(rewriter: Rewriter, node: Node) -> bool:
    """`FlattenFullFillToSplat`: a fill of all of its target is a splat.

    Only where the target is made here, and not in the storage of another value.
    """
    fill = _fill(node)
    if not same_value(fill.span.length, fill.target.size):
        return False
    if rewriter.body.definition(fill.target) is None:
        return False
    if tied_base(rewriter, fill.target) != fill.target:
        return False
    splat = Splat(
        identity=fill.identity,
        pattern=fill.pattern,
        result=rewriter.fresh(fill.result.type, fill.target.size),
        affinity=fill.affinity,
    )
    rewriter.replace_with(node, splat)
    return True


def elide_redundant(rewriter: Rewriter, node: Node) -> bool:
    """`ElideRedundantFill`: a splat filled with its own pattern is the splat."""
    fill = _fill(node)
    splat = rewriter.defining(fill.target, Splat)
    if splat is None or not same_value(splat.pattern, fill.pattern):
        return False
    rewriter.replace(node, (splat.result,))
    return True


def coalesce_adjacent(rewriter: Rewriter, node: Node) -> bool:
    """`CoalesceAdjacentFills`: two fills next to each other with one pattern are one fill.

    Extended towards the start, the fill begins at the sum of both offsets, as in the source: right
    only where the one that comes later in the program begins at 0.
    """
    fill = _fill(node)
    maker = rewriter.body.definition(fill.target)
    first = rewriter.defining(fill.target, Fill)
    if first is None or maker is None or not rewriter.body.has_one_use(first.result):
        return False
    if not same_value(first.pattern, fill.pattern):
        return False
    after = same_value(first.span.end, fill.span.start)
    if not after and not same_value(first.span.start, fill.span.end):
        return False
    bounds = (fill.span.start, fill.span.length)
    if not all(is_usable_at(rewriter.body, bound, maker) for bound in bounds):
        return False

    def total(left: Index, right: Index) -> Index:
        return add(rewriter, left, right, f"{first.identity}+{fill.identity}", maker)

    if after:
        end = total(first.span.end, fill.span.length)
        span = Range(first.span.start, end, total(first.span.length, fill.span.length))
    else:
        start = total(fill.span.start, first.span.start)
        span = Range(start, first.span.end, total(fill.span.length, first.span.length))
    rewriter.body.set_operation(maker, replace(first, span=span))
    rewriter.push(node)
    rewriter.replace(node, (first.result,))
    return True


def _fill(node: Node) -> Fill:
    fill = node.current
    assert isinstance(fill, Fill)
    return fill


RULES = Rules(
    None,
    (
        Pattern(narrow_pattern),
        Pattern(flatten_full),
        Pattern(elide_redundant),
        Pattern(coalesce_adjacent),
        ELIDE_UNUSED,
    ),
)
