"""`stream.async.dispatch`: `AsyncDispatchOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ops import Dispatch


def deduplicate_kernels(rewriter: Rewriter, node: Node) -> bool:
    """`DeduplicateAsyncDispatchEntryRefs`: each kernel is named once."""
    dispatch = node.current
    assert isinstance(dispatch, Dispatch)
    if not dispatch.other_kernels:
        return False
    kernels = (dispatch.kernel, *dispatch.other_kernels)
    unique = tuple(dict.fromkeys(kernels))
    if unique == kernels:
        return False
    rewriter.modify(node, replace(dispatch, other_kernels=unique[1:]))
    return True


RULES = Rules(None, (ELIDE_UNUSED, Pattern(deduplicate_kernels)))
