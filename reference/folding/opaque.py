"""Host ops that the model passes through: refused where they may fold.

Which ops have folds or canonicalization patterns is said by `hasFolder` and `hasCanonicalizer` in
compiler/src/iree/compiler/Dialect/HAL/IR/HALOps.td and Dialect/Util/IR/UtilOps.td.
"""

from __future__ import annotations

from reference.folding.constants import truth
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ir import UnsupportedOperationError
from reference.ops import OpaqueOperation

FENCE = "hal.fence.create"
"""The op that makes a fence (`MemAlloc`): nothing but `ElideUnusedOp` changes it."""

_WITHOUT_RULES = frozenset(
    {
        "hal.allocator.allocate", "hal.allocator.import", "hal.buffer.assert", "hal.buffer.length",
        "hal.buffer.load", "hal.buffer.store", "hal.buffer.subspan", "hal.buffer_view.assert",
        "hal.buffer_view.buffer", "hal.buffer_view.dim", "hal.buffer_view.element_type",
        "hal.buffer_view.encoding_type", "hal.buffer_view.rank", "hal.buffer_view.trace",
        "hal.device.allocator", "hal.device.query", "hal.device.resolve", "hal.devices.count",
        "hal.devices.get", "hal.element_type", "hal.encoding_type", "hal.fence.fail",
        "hal.fence.query", "util.buffer.compare", "util.buffer.copy", "util.buffer.dealloc",
        "util.buffer.fill", "util.buffer.hash", "util.buffer.slice", "util.buffer.store",
        "util.global.address", "util.list.construct", "util.list.create", "util.list.get",
        "util.list.resize", "util.list.set", "util.list.size", "util.status.check_ok",
    }
)  # fmt: skip


READING = frozenset({"hal.buffer.load", "util.buffer.hash", "util.list.get", "util.list.size"})
"""Ops that only read (`MemRead`), and go when nobody uses what they read."""

ALLOCATING = frozenset(
    {"util.buffer.alloc", "util.buffer.slice", "util.list.construct", "util.list.create"}
)
"""Ops that allocate (`MemAlloc`) and stay without users, though they are pure otherwise."""


def refuse_or_elide(rewriter: Rewriter, node: Node) -> bool:
    """`ElideUnusedOp` of `FenceCreateOp`, Dialect/HAL/IR/HALOpFolders.cpp, and
    `AssertOp::canonicalize`, mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp.

    Raises UnsupportedOperationError for any other op that has rules.
    """
    operation = node.current
    assert isinstance(operation, OpaqueOperation)
    if operation.name == FENCE:
        return ELIDE_UNUSED.rewrite(rewriter, node)
    if operation.name == "cf.assert":
        holds = truth(rewriter.constant_of(node.inputs[0])) is True
        if holds:
            rewriter.erase(node)
        return holds
    if operation.name not in _WITHOUT_RULES:
        raise UnsupportedOperationError(f"folding {operation.name}")
    return False


RULES = Rules(None, (Pattern(refuse_or_elide),))
