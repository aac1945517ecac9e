"""`stream.async.update` and `stream.async.copy`: `AsyncUpdateOp` and `AsyncCopyOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from reference.folding.constants import same_value
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.folding.values import tied_base
from reference.ir import Operation
from reference.ops import (
    Barrier,
    Call,
    ChainExternal,
    Clone,
    Concurrent,
    Copy,
    Dispatch,
    Execute,
    Fill,
    For,
    GlobalStore,
    If,
    OptimizationBarrier,
    Slice,
    Splat,
    Transfer,
    Update,
    While,
)
from reference.ops.assembly import Range
from reference.types import Value

_UNDECLARED: frozenset[type[Operation]] = frozenset(
    {
        Barrier, Call, ChainExternal, Clone, Copy, Fill, GlobalStore, OptimizationBarrier, Splat,
        Update,
    }
)  # fmt: skip
"""Ops that do not say what effects they have."""

_READERS: frozenset[type[Operation]] = frozenset({Clone, Slice, Transfer})
"""Ops that say that they read what they take (`AsyncAccessOpInterface`)."""

_WRITERS: frozenset[type[Operation]] = frozenset({Copy, Fill, Update})
"""Ops that write into the storage of their first operand."""


def fold_whole(rewriter: Rewriter, node: Node) -> tuple[Value] | None:
    """`fold`: all of a target written over is what was written; written over by itself, itself.

    The first only where the target is a value of its own, made here by a Stream op.
    """
    update = _update(node)
    if not same_value(update.source.size, update.target.size):
        return None
    if update.source.type == update.result.type and _has_value_semantics(rewriter, update.target):
        return (update.source,)
    return (update.target,) if update.source == update.target else None


def elide_in_place(rewriter: Rewriter, node: Node) -> bool:
    """`ElideInPlaceUpdate`: a value written over the storage it already is in is that value.

    Not where a user of it writes, or may.
    """
    update = _update(node)
    whole = same_value(update.source.size, update.target.size)
    if not whole or update.source.type != update.result.type:
        return False
    if tied_base(rewriter, update.source) != tied_base(rewriter, update.target):
        return False
    if any(_may_write(user, update.source) for user in rewriter.body.users(update.source)):
        return False
    rewriter.replace(node, (update.source,))
    return True


def splat_to_fill(rewriter: Rewriter, node: Node) -> bool:
    """`CombineSplatUpdateFromToFill`: a splat written over part of a target is a fill."""
    update = _update(node)
    splat = rewriter.defining(update.source, Splat)
    if splat is None:
        return False
    assert update.source.size is not None
    fill = Fill(
        identity=update.identity,
        pattern=splat.pattern,
        target=update.target,
        span=Range(update.start, update.end, update.source.size),
        result=rewriter.fresh(update.result.type, update.target.size),
        affinity=update.affinity,
    )
    rewriter.replace_with(node, fill)
    return True


def slice_to_copy(rewriter: Rewriter, node: Node) -> bool:
    """`CombineSliceUpdateFromToCopy`: a slice of this block written over a target is a copy."""
    update = _update(node)
    maker = rewriter.body.definition(update.source)
    cut = rewriter.defining(update.source, Slice)
    if cut is None or maker is None or maker.block is not node.block:
        return False
    assert cut.result.size is not None
    length = cut.result.size
    copy = Copy(
        identity=update.identity,
        source=cut.source,
        source_span=Range(cut.start, cut.end, length),
        target=update.target,
        target_span=Range(update.start, update.end, length),
        result=rewriter.fresh(update.result.type, update.target.size),
        affinity=update.affinity,
    )
    rewriter.replace_with(node, copy)
    return True


def full_copy_to_update(rewriter: Rewriter, node: Node) -> bool:
    """`AsyncCopyFullSourceToUpdate`: a copy of all of its source is an update."""
    copy = node.current
    assert isinstance(copy, Copy)
    size = copy.source.size
    if not same_value(copy.source_span.end, size) or not same_value(copy.target_span.length, size):
        return False
    update = Update(
        identity=copy.identity,
        source=copy.source,
        target=copy.target,
        start=copy.target_span.start,
        end=copy.target_span.end,
        result=rewriter.fresh(copy.result.type, copy.target.size),
        affinity=copy.affinity,
    )
    rewriter.replace_with(node, update)
    return True


def _has_value_semantics(rewriter: Rewriter, value: Value) -> bool:
    """`hasValueSemantics`: made here by a `stream.async` op, and not in another value's storage."""
    maker = rewriter.body.definition(value)
    if maker is None or any(result == value for result, _ in maker.current.tied):
        return False
    return maker.kind.mnemonic.startswith("stream.async.")


def _may_write(user: Node, value: Value) -> bool:
    """Whether an op writes to `value`, or does not say that it does not."""
    if user.kind in _READERS:
        return False
    if user.kind in _WRITERS:
        return user.inputs[0] == value
    if user.kind in (Concurrent, Dispatch, Execute):
        return any(operand == value for _, operand in user.current.tied)
    if user.kind in (For, If, While):
        nested = (node for region in user.regions for node in region.walk())
        return any(node.kind in _UNDECLARED for node in nested)
    return user.kind in _UNDECLARED


def _update(node: Node) -> Update:
    update = node.current
    assert isinstance(update, Update)
    return update


UPDATE = Rules(
    fold_whole,
    (Pattern(elide_in_place), Pattern(splat_to_fill), Pattern(slice_to_copy), ELIDE_UNUSED),
)
COPY = Rules(None, (Pattern(full_copy_to_update), ELIDE_UNUSED))
