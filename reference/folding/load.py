"""`stream.async.load` and `stream.async.store`: `AsyncLoadOp` and `AsyncStoreOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.host import add
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ir import UnsupportedOperationError
from reference.ops import Clone, HostScalar, Load, Slice, Store, Transfer
from reference.types import ScalarType, Value

_BITCAST = "arith.bitcast"


def load_bitcast(rewriter: Rewriter, node: Node) -> bool:
    """`FoldAsyncLoadBitcast`: what is loaded and only bitcast is loaded as that type."""
    load = _load(node)
    if not rewriter.body.has_one_use(load.result):
        return False
    (user,) = rewriter.body.users(load.result)
    bitcast = user.current
    if not isinstance(bitcast, HostScalar) or bitcast.name != _BITCAST:
        return False
    (output,) = bitcast.outputs
    result = Value(load.result.name, output.type)
    rewriter.modify(node, replace(load, result=result))
    rewriter.replace(user, (result,))
    return True


def load_of_clone(rewriter: Rewriter, node: Node) -> bool:
    """`FoldAsyncCloneIntoLoad` (#24740): a load from a transferred clone loads from a slice.

    The slice, of the bytes loaded, is of what was cloned, and is transferred in its stead; all
    three ops have the load's location. Only where nobody else uses the transfer.
    """
    if not rewriter.release.loads_slice_cloned_sources:
        return False
    load = _load(node)
    transfer = rewriter.defining(load.source, Transfer)
    if transfer is None or not rewriter.body.has_one_use(transfer.result):
        return False
    clone = rewriter.defining(transfer.source, Clone)
    if clone is None:
        return False
    bytes_loaded = _rounded_width(load.result)
    width = rewriter.make_constant(bytes_loaded, load.identity, node)
    zero = rewriter.make_constant(0, load.identity, node)
    end = add(rewriter, load.offset, width, load.identity, node)
    cut = Slice(
        identity=load.identity,
        source=clone.source,
        start=load.offset,
        end=end,
        result=rewriter.fresh(clone.source.type, width),
        affinity=clone.affinity,
    )
    staged = Transfer(
        identity=load.identity,
        source=cut.result,
        result=rewriter.fresh(transfer.result.type, width),
        source_affinity=transfer.source_affinity,
        target_affinity=transfer.target_affinity,
        explicit_affinity=None,
    )
    rewriter.insert(cut, node)
    rewriter.insert(staged, node)
    direct = Load(
        identity=load.identity,
        source=staged.result,
        offset=zero,
        result=rewriter.fresh(load.result.type),
    )
    rewriter.replace_with(node, direct)
    return True


def store_bitcast(rewriter: Rewriter, node: Node) -> bool:
    """`FoldAsyncStoreBitcast`: what is bitcast and stored is stored as the type it had."""
    store = node.current
    assert isinstance(store, Store)
    bitcast = rewriter.defining(
        store.scalar if isinstance(store.scalar, Value) else None, HostScalar
    )
    if bitcast is None or bitcast.name != _BITCAST:
        return False
    (scalar,) = bitcast.arguments
    rewriter.modify(node, replace(store, scalar=scalar))
    return True


def _rounded_width(value: Value) -> int:
    """`getRoundedElementByteWidth`: bytes of a scalar, up to the next power of two."""
    if not isinstance(value.type, ScalarType):
        raise UnsupportedOperationError(f"a load of {value.type} from a transferred clone")
    return value.type.bytes


def _load(node: Node) -> Load:
    load = node.current
    assert isinstance(load, Load)
    return load


LOAD = Rules(None, (Pattern(load_bitcast), Pattern(load_of_clone)))
STORE = Rules(None, (Pattern(store_bitcast),))
