"""Which ops vanish when nobody uses what they make.

Rules from `isOpTriviallyDead` and `wouldOpBeTriviallyDead`
(mlir/lib/Interfaces/SideEffectInterfaces.cpp) and the traits of each op
(compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.td, Dialect/Util/IR/UtilOps.td): an op that
is `Pure` or only reads goes; one with `RecursiveMemoryEffects` goes if all within it would.
"""

from __future__ import annotations

from reference.folding.constants import MadeConstant
from reference.folding.nodes import Node
from reference.folding.opaque import ALLOCATING, READING
from reference.folding.working import Body
from reference.ir import Operation
from reference.ops import (
    Await,
    Branch,
    Cast,
    Concurrent,
    Condition,
    ConditionalBranch,
    Constant,
    Dispatch,
    Execute,
    Export,
    For,
    GlobalLoad,
    HostScalar,
    If,
    Immediate,
    Import,
    Join,
    Load,
    OpaqueOperation,
    ResourceSize,
    Select,
    Slice,
    Store,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transfer,
    Transients,
    While,
    Yield,
)

_PURE: frozenset[type[Operation]] = frozenset(
    {
        Await, Branch, Cast, Condition, ConditionalBranch, Constant, Dispatch, Export, GlobalLoad,
        HostScalar, Immediate, Import, Join, Load, MadeConstant, ResourceSize,
        Select, Slice, Store, StreamYield, TimepointBarrier, TimepointExport, TimepointImport,
        Transfer, Transients, Yield,
    }
)  # fmt: skip

_RECURSIVE: frozenset[type[Operation]] = frozenset({Concurrent, Execute, For, If, While})


def is_trivially_dead(body: Body, node: Node) -> bool:
    """Whether nobody uses the op and nothing else would miss it."""
    return body.is_unused(node) and would_be_dead(node)


def would_be_dead(node: Node) -> bool:
    """Whether nothing but its users keeps the op."""
    return not node.kind.terminator and _has_no_effect(node)


def _has_no_effect(node: Node) -> bool:
    if node.kind in _PURE:
        return True
    operation = node.current
    if isinstance(operation, OpaqueOperation):
        pure = not operation.side_effects and operation.name not in ALLOCATING
        return pure or operation.name in READING
    return node.kind in _RECURSIVE and all(
        _has_no_effect(inner)
        for region in node.regions
        for block in region.blocks
        for inner in block
    )
