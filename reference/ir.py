"""The program IR: what crosscurrent generates, reads back from the compiler, and reasons about.

A `Program` is one MLIR module: device globals and functions. A function has a region of blocks, a
block has operations in order, and an operation may have regions of its own, so that control flow,
calls and globals are further operations, not another IR. Operations are defined one a file in
`reference/ops/`; this file knows none of them.

Everything is frozen. An operation's `identity` is printed as its location (`loc("op17")`) and is
what is compared across passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from reference.affinity import Affinity
from reference.types import Index, Literal, Scalar, Type, Value

Attribute = Affinity | int | float | bool | str | Type | tuple["Attribute", ...] | None
"""An attribute as plain data: symbols and opaque attributes are their printed text."""


@dataclass(frozen=True, slots=True)
class GenericOperation:
    """An op as the compiler's bindings describe it, before it becomes an `Operation`.

    `operands` are in MLIR's order, sizes and offsets among them; constants are already `int`
    (for index) or `Literal`. `results` have their sizes still unset.
    """

    name: str
    identity: str
    operands: tuple[Index | Literal, ...]
    results: tuple[Value, ...]
    attributes: dict[str, Attribute]


class UnsupportedOperationError(Exception):
    """The model does not know this op, or this form of it; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One op. Subclasses add fields and say what the compiler's interfaces say of them."""

    identity: str

    mnemonic: ClassVar[str]
    streamable: ClassVar[bool] = False
    """`StreamableOpInterface`: may be placed into an execution region."""
    takes_affinity: ClassVar[bool] = False
    """`AffinityOpInterface`: `affinity` is where the op executes."""
    side_effects: ClassVar[bool] = False
    """Would not be trivially dead without users: nothing may move across it."""
    terminator: ClassVar[bool] = False

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        """All that the op takes in MLIR's operand order, constants and sizes included.

        A size that is not known yet (an argument's, before its first use) is None.
        """
        return ()

    @property
    def operands(self) -> tuple[Value, ...]:
        """The SSA values among `inputs`, in order."""
        return tuple(item for item in self.inputs if isinstance(item, Value))

    @property
    def results(self) -> tuple[Value, ...]:
        """The SSA values made, in order."""
        return ()

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        """(result, operand) pairs where the result is the operand's storage."""
        return ()

    @property
    def execution_affinity(self) -> Affinity | None:
        """Where the op executes, as it says itself (`AffinityOpInterface::getAffinityAttr`)."""
        return None

    @property
    def pins(self) -> bool:
        """`pinsValueAffinity`: its operands and results must live on its affinity."""
        return False

    @property
    def prefers_clone_to_consumers(self) -> bool:
        """`preferCloneToConsumers`: cheap enough to be repeated in each region that needs it."""
        return False

    @property
    def regions(self) -> tuple[Region, ...]:
        """Nested regions."""
        return ()

    def problems(self) -> Iterator[str]:
        """Why this op is not valid on its own; nothing when it is."""
        return iter(())

    def assembly(self) -> str:
        """The op in IREE's custom assembly, results included, without its location."""
        raise NotImplementedError(f"{type(self).__name__} has no assembly")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Operation:
        """The op that `generic` describes; UnsupportedOperationError for a form not modelled."""
        raise UnsupportedOperationError(generic.name)


@dataclass(frozen=True, slots=True)
class Block:
    """Arguments and operations; the last operation is the terminator."""

    operations: tuple[Operation, ...]
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Blocks; the first is the entry."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`util.func`. Its arguments are those of the entry block, its results what it returns."""

    name: str
    body: Region
    result_types: tuple[Type, ...]
    public: bool = True

    @property
    def entry(self) -> Block:
        """The first block."""
        return self.body.blocks[0]

    @property
    def arguments(self) -> tuple[Value, ...]:
        """What the caller passes in."""
        return self.entry.arguments


@dataclass(frozen=True, slots=True)
class Program:
    """One module: device globals by name, in order, and functions."""

    devices: tuple[str, ...]
    functions: tuple[Function, ...]

    def operations(self) -> Iterator[Operation]:
        """Every op of every function, outer before inner, in order."""
        for function in self.functions:
            yield from _walk(function.body)


def _walk(region: Region) -> Iterator[Operation]:
    for block in region.blocks:
        for operation in block.operations:
            yield operation
            for nested in operation.regions:
                yield from _walk(nested)
