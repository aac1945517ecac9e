"""`stream.async.barrier`, which no canonicalization pattern touches."""

from __future__ import annotations

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.ops import Barrier


def remove_barrier(rewriter: Rewriter, node: Node) -> bool:
    """`RemoveBarriers`, compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleExecution.cpp:
    a barrier is what it was put around."""
    barrier = node.current
    assert isinstance(barrier, Barrier)
    rewriter.replace(node, (barrier.source,))
    return True
