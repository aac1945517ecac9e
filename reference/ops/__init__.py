"""The ops of the program IR, one a file, and their registry by MLIR name.

To add an op: one file here with its class, one entry below, one strategy in `gen/ops/`, one test.
"""

from __future__ import annotations

from reference.ir import Operation
from reference.ops.alloca import Alloca
from reference.ops.barrier import Barrier
from reference.ops.branch import Branch
from reference.ops.call import Call
from reference.ops.cast import Cast
from reference.ops.clone import Clone
from reference.ops.command import COMMAND_OPERATIONS
from reference.ops.concurrent import Concurrent
from reference.ops.conditional_branch import ConditionalBranch
from reference.ops.constant import Constant
from reference.ops.copy import Copy
from reference.ops.dispatch import Binding, Dispatch
from reference.ops.execute import Execute
from reference.ops.fill import Fill
from reference.ops.global_load import GlobalLoad
from reference.ops.global_store import GlobalStore
from reference.ops.host import HOST_SCALAR_NAMES, HostScalar
from reference.ops.load import Load
from reference.ops.opaque import OpaqueOperation
from reference.ops.optimization_barrier import OptimizationBarrier
from reference.ops.resource_size import ResourceSize
from reference.ops.ret import Return
from reference.ops.scf_condition import Condition
from reference.ops.scf_for import For
from reference.ops.scf_if import If
from reference.ops.scf_while import While
from reference.ops.scf_yield import Yield
from reference.ops.select import Select
from reference.ops.slice import Slice
from reference.ops.splat import Splat
from reference.ops.store import Store
from reference.ops.stream_yield import StreamYield
from reference.ops.tensor_export import Export
from reference.ops.tensor_import import Import
from reference.ops.timepoint_await import Await
from reference.ops.timepoint_barrier import TimepointBarrier
from reference.ops.timepoint_chain_external import ChainExternal
from reference.ops.timepoint_export import TimepointExport
from reference.ops.timepoint_immediate import Immediate
from reference.ops.timepoint_import import TimepointImport
from reference.ops.timepoint_join import Join
from reference.ops.transfer import Transfer
from reference.ops.transients import Transients
from reference.ops.update import Update

OPERATIONS: dict[str, type[Operation]] = {
    operation.mnemonic: operation
    for operation in (
        Import, Export, Constant, Alloca, Splat, Clone, Slice, Fill, Update, Copy, Dispatch,
        Transfer, Barrier, Cast, Load, Store, Return,
        GlobalLoad, GlobalStore, Call, If, For, While, Yield, Condition, Branch, ConditionalBranch,
        Select, OptimizationBarrier, Transients, Execute, Concurrent, StreamYield, Immediate,
        TimepointImport, TimepointExport, ChainExternal, Join, TimepointBarrier, Await,
        OpaqueOperation, ResourceSize,
    )
}  # fmt: skip
OPERATIONS.update(COMMAND_OPERATIONS)
OPERATIONS.update(dict.fromkeys(HOST_SCALAR_NAMES, HostScalar))

OpaqueEffect = OpaqueOperation

__all__ = [
    "OPERATIONS",
    "Alloca",
    "Await",
    "Barrier",
    "Binding",
    "Branch",
    "Call",
    "Cast",
    "ChainExternal",
    "Clone",
    "Concurrent",
    "Condition",
    "ConditionalBranch",
    "Constant",
    "Copy",
    "Dispatch",
    "Execute",
    "Export",
    "Fill",
    "For",
    "GlobalLoad",
    "GlobalStore",
    "HostScalar",
    "If",
    "Immediate",
    "Import",
    "Join",
    "Load",
    "OpaqueEffect",
    "OpaqueOperation",
    "OptimizationBarrier",
    "ResourceSize",
    "Return",
    "Select",
    "Slice",
    "Splat",
    "Store",
    "StreamYield",
    "TimepointBarrier",
    "TimepointExport",
    "TimepointImport",
    "Transfer",
    "Transients",
    "Update",
    "While",
    "Yield",
]  # fmt: skip
