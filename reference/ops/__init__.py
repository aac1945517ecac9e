"""The ops of the program IR, one a file, and their registry by MLIR name.

To add an op: one file here with its class, one entry below, one strategy in `gen/ops/`, one test.
"""

from __future__ import annotations

from reference.ir import Operation
from reference.ops.alloca import Alloca
from reference.ops.barrier import Barrier
from reference.ops.cast import Cast
from reference.ops.clone import Clone
from reference.ops.constant import Constant
from reference.ops.copy import Copy
from reference.ops.dispatch import Binding, Dispatch
from reference.ops.fill import Fill
from reference.ops.host import HOST_SCALAR_NAMES, HostScalar
from reference.ops.load import Load
from reference.ops.ret import Return
from reference.ops.slice import Slice
from reference.ops.splat import Splat
from reference.ops.store import Store
from reference.ops.tensor_export import Export
from reference.ops.tensor_import import Import
from reference.ops.transfer import Transfer
from reference.ops.update import Update

OPERATIONS: dict[str, type[Operation]] = {
    operation.mnemonic: operation
    for operation in (
        Import, Export, Constant, Alloca, Splat, Clone, Slice, Fill, Update, Copy, Dispatch,
        Transfer, Barrier, Cast, Load, Store, Return,
    )
}  # fmt: skip
OPERATIONS.update(dict.fromkeys(HOST_SCALAR_NAMES, HostScalar))

__all__ = [
    "OPERATIONS", "Alloca", "Barrier", "Binding", "Cast", "Clone", "Constant", "Copy", "Dispatch",
    "Export", "Fill", "HostScalar", "Import", "Load", "Return", "Slice", "Splat", "Store",
    "Transfer", "Update",
]  # fmt: skip
