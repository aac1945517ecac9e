"""`util.global.store` and `stream.resource.transients`: `GlobalStoreOp` in
compiler/src/iree/compiler/Dialect/Util/IR/UtilOpFolders.cpp, `ResourceTransientsOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ops import GlobalLoad, GlobalStore, Transients


def erase_store_of_load(rewriter: Rewriter, node: Node) -> bool:
    """`EraseUnusedGlobalStoreOp`: a global is given what was loaded from it.

    Also where another value was stored in between, as in the source.
    """
    store = node.current
    assert isinstance(store, GlobalStore)
    load = rewriter.defining(store.source, GlobalLoad)
    if load is None or load.symbol != store.symbol:
        return False
    rewriter.erase(node)
    return True


def fold_consecutive_transients(rewriter: Rewriter, node: Node) -> bool:
    """`FoldConsecutiveResourceTransientsOps`: of two storages the last one is taken."""
    transients = node.current
    assert isinstance(transients, Transients)
    inner = rewriter.defining(transients.source, Transients)
    if inner is None:
        return False
    changed = replace(
        transients,
        source=inner.source,
        result=replace(transients.result, size=inner.source.size),
    )
    rewriter.modify(node, changed)
    return True


GLOBAL_STORE = Rules(None, (Pattern(erase_store_of_load),))
TRANSIENTS = Rules(None, (Pattern(fold_consecutive_transients),))
