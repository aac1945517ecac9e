"""`stream.async.transfer`: `AsyncTransferOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.ops import Clone, Transfer
from reference.types import Lifetime, Value


def fold_back_and_forth(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: a transfer of a transfer is the first source where that comes back whence it came.

    From #24748 on only where neither says where it executes.
    """
    transfer = _transfer(node)
    first = rewriter.defining(transfer.source, Transfer)
    if first is None or transfer.explicit_affinity or first.explicit_affinity:
        return None
    comes_back = (
        first.source.type == transfer.result.type
        and first.source_affinity == transfer.target_affinity
    )
    return (first.source,) if comes_back else None


def same_affinity_to_clone(rewriter: Rewriter, node: Node) -> bool:
    """`SameAffinityTransferToClone`: without a change of device it is a clone, unless staging.

    Where the transfer says it executes is lost.
    """
    transfer = _transfer(node)
    if transfer.source_affinity != transfer.target_affinity:
        return False
    if Lifetime.STAGING in (transfer.source.lifetime, transfer.result.lifetime):
        return False
    clone = Clone(
        identity=transfer.identity,
        source=transfer.source,
        result=rewriter.fresh(transfer.result.type, transfer.result.size),
        affinity=transfer.source_affinity,
    )
    rewriter.replace_with(node, clone)
    return True


def elide_intermediate(rewriter: Rewriter, node: Node) -> bool:
    """`IntermediateTransferElision`: a chain of transfers becomes one from its first source.

    Where the inner ones say they execute is lost.
    """
    transfer = _transfer(node)
    origin = transfer
    while (previous := rewriter.defining(origin.source, Transfer)) is not None:
        origin = previous
    if origin is transfer:
        return False
    direct = replace(
        transfer,
        source=origin.source,
        source_affinity=origin.source_affinity,
        result=rewriter.fresh(transfer.result.type, transfer.result.size),
    )
    rewriter.replace_with(node, direct)
    return True


def _transfer(node: Node) -> Transfer:
    transfer = node.current
    assert isinstance(transfer, Transfer)
    return transfer


RULES = Rules(
    fold_back_and_forth,
    (Pattern(same_affinity_to_clone), Pattern(elide_intermediate), ELIDE_UNUSED),
)
