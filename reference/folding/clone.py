"""`stream.async.clone`: `AsyncCloneOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ir import Operation
from reference.ops import Alloca, Clone, Dispatch, Splat
from reference.types import Value


def propagate_cloneable(rewriter: Rewriter, node: Node) -> bool:
    """`PropagateCloneableOps`: what is cheap to make again is made again for each use of a clone.

    Copies have the location of what they are copies of. The user is given the copy's first result
    (a clone has but one), whichever result the clone was of, under the clone's type.
    """
    body = rewriter.body
    clone = node.current
    assert isinstance(clone, Clone)
    uses = body.uses(clone.result)
    maker = body.definition(clone.source)
    if not uses or maker is None:
        return False
    source = maker.current
    if not source.streamable or not source.prefers_clone_to_consumers:
        return False
    for user, place in uses:
        copy = rewriter.insert(_copy(rewriter, source, clone.result), user)
        body.set_input(user, place, copy.results[0])
    rewriter.erase(node)
    return True


def _copy(rewriter: Rewriter, source: Operation, result: Value) -> Operation:
    """`source` with results of its own, the first of them of the type of `result`."""
    if isinstance(source, Dispatch):
        kinds = (result.type, *(output.type for output in source.outputs[1:]))
        sizes = (output.size for output in source.outputs)
        outputs = tuple(map(rewriter.fresh, kinds, sizes))
        return replace(source, outputs=outputs)
    assert isinstance(source, Alloca | Clone | Splat)
    return replace(source, result=rewriter.fresh(result.type, source.result.size))


RULES = Rules(None, (Pattern(propagate_cloneable), ELIDE_UNUSED))
