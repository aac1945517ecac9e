"""The ops of the command level, one a file: what `iree-stream-schedule-allocation` makes of a
program, and what later passes make of that. `stream.cmd.call`, `stream.cmd.collective` and the ops
on parameters are not among them.
"""

from __future__ import annotations

from reference.ir import Operation
from reference.ops.command.alloc import ResourceAlloc
from reference.ops.command.alloca import ResourceAlloca
from reference.ops.command.concurrent import CommandConcurrent
from reference.ops.command.constants import ResourceConstants
from reference.ops.command.copy import CommandCopy
from reference.ops.command.dealloca import ResourceDealloca
from reference.ops.command.discard import Discard
from reference.ops.command.dispatch import CommandBinding, CommandDispatch
from reference.ops.command.execute import CommandExecute
from reference.ops.command.file_constant import FileConstant
from reference.ops.command.file_read import FileRead
from reference.ops.command.fill import CommandFill
from reference.ops.command.flush import Flush
from reference.ops.command.invalidate import Invalidate
from reference.ops.command.is_terminal import IsTerminal
from reference.ops.command.load import ResourceLoad
from reference.ops.command.pack import Pack, PackedSlice
from reference.ops.command.parts import Part, Use
from reference.ops.command.release import Release
from reference.ops.command.retain import Retain
from reference.ops.command.serial import CommandSerial
from reference.ops.command.store import ResourceStore
from reference.ops.command.subview import Subview
from reference.ops.command.try_map import TryMap

COMMAND_OPERATIONS: dict[str, type[Operation]] = {
    operation.mnemonic: operation
    for operation in (
        CommandExecute, CommandConcurrent, CommandSerial, CommandDispatch, CommandCopy, CommandFill,
        Flush, Invalidate, Discard, ResourceAlloc, ResourceAlloca, ResourceDealloca, Subview, Pack,
        ResourceConstants, ResourceLoad, ResourceStore, Retain, Release, IsTerminal, TryMap,
        FileConstant, FileRead,
    )
}  # fmt: skip
"""By MLIR name."""

__all__ = [
    "COMMAND_OPERATIONS",
    "CommandBinding",
    "CommandConcurrent",
    "CommandCopy",
    "CommandDispatch",
    "CommandExecute",
    "CommandFill",
    "CommandSerial",
    "Discard",
    "FileConstant",
    "FileRead",
    "Flush",
    "Invalidate",
    "IsTerminal",
    "Pack",
    "PackedSlice",
    "Part",
    "Release",
    "ResourceAlloc",
    "ResourceAlloca",
    "ResourceConstants",
    "ResourceDealloca",
    "ResourceLoad",
    "ResourceStore",
    "Retain",
    "Subview",
    "TryMap",
    "Use",
]  # fmt: skip
