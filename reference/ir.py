"""The program IR: what crosscurrent generates, reads back from the compiler, and reasons about.

A `Program` is one MLIR module: device globals and functions. A function has a region of blocks, a
block has operations in order, and an operation may have regions of its own, so that control flow,
calls and globals are further operations, not another IR. Operations are defined one a file in
`reference/ops/`; this file knows none of them.

Everything is frozen. An operation's `identity` is printed as its location (`loc("op17")`) and is
what is compared across passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar

from reference.affinity import Affinity, AnyAffinity, Topology
from reference.types import Index, Literal, Scalar, Type, Value

Attribute = AnyAffinity | int | float | bool | str | Type | tuple["Attribute", ...] | None
"""An attribute as plain data: symbols and opaque attributes are their printed text."""


class GenericOperation(NamedTuple):
    """An op as the compiler's bindings describe it, before it becomes an `Operation`.

    `operands` are in MLIR's order, sizes and offsets among them; constants are already `int`
    (for index) or `Literal`. `results` have their sizes still unset. `regions` are whole already;
    `successors` are positions in the list of blocks that the op's own block is in.
    """

    name: str
    identity: str
    operands: tuple[Index | Literal, ...]
    results: tuple[Value, ...]
    attributes: dict[str, Attribute]
    regions: tuple[Region, ...] = ()
    successors: tuple[int, ...] = ()
    printed: tuple[tuple[str, str], ...] = ()


class UnsupportedOperationError(Exception):
    """The model does not know this op, or this form of it; the message says which."""


@dataclass(frozen=True, slots=True)
class Successor:
    """Where a terminator may go on: a block, by its position in the region, and its arguments."""

    block: int
    arguments: tuple[Index | Scalar, ...] = ()


UNKNOWN_PLACE = "unknown"
"""The identity of an op without a location (`loc(unknown)`)."""


class _Remembered:
    """Room for what an op says of itself when it is first asked. It is part of no comparison."""

    __slots__ = ("_operands", "_taken")

    _taken: tuple[Index | Scalar | None, ...]
    _operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(_Remembered):
    """One op. Subclasses add fields and say what the compiler's interfaces say of them."""

    identity: str

    mnemonic: ClassVar[str]
    streamable: ClassVar[bool] = False
    """`StreamableOpInterface`: may be placed into an execution region."""
    takes_affinity: ClassVar[bool] = False
    """`AffinityOpInterface`: `affinity` is where the op executes."""
    erasable: ClassVar[bool] = True
    """Unless it has side effects, MLIR itself erases the op when nobody uses its results; False for
    ops that only a canonicalization pattern of their own erases."""
    terminator: ClassVar[bool] = False

    @property
    def side_effects(self) -> bool:
        """Would not be trivially dead without users: nothing may move across it."""
        return False

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        """All that the op takes in MLIR's operand order, constants and sizes included.

        A size that is not known yet (an argument's, before its first use) is None.
        """
        return ()

    @property
    def taken(self) -> tuple[Index | Scalar | None, ...]:
        """`inputs`, put together once."""
        taken = getattr(self, "_taken", None)
        if taken is None:
            taken = self.inputs
            object.__setattr__(self, "_taken", taken)
        return taken

    @property
    def operands(self) -> tuple[Value, ...]:
        """The SSA values among `inputs`, in order."""
        operands = getattr(self, "_operands", None)
        if operands is None:
            operands = tuple([item for item in self.taken if isinstance(item, Value)])
            object.__setattr__(self, "_operands", operands)
        return operands

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
    def requires_affinity(self) -> bool:
        """`requiresAffinity`: whether the op must be placed."""
        return self.takes_affinity

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

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        """The same op around other regions, as many as it has."""
        assert not regions, f"{type(self).__name__} has no regions"
        return self

    @property
    def successors(self) -> tuple[Successor, ...]:
        """The blocks that control may go to, for a terminator of a block among several."""
        return ()

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        """`TimelineOpInterface`: the timepoints that the op waits for."""
        return ()

    def labels_region(self, region: Region) -> bool:
        """Whether the arguments of a region's first block are printed as a label."""
        return False

    def problems(self) -> Iterator[str]:
        """Why this op is not valid on its own; nothing when it is."""
        return iter(())

    def assembly(self) -> str:
        """The op in IREE's custom assembly, results included, without location and regions."""
        return " ... ".join(self.assembly_pieces())

    def assembly_pieces(self) -> tuple[str, ...]:
        """The assembly of an op with regions: what stands before, between and after those that have
        blocks. The arguments of a region's first block are among it unless `labels_region`."""
        raise NotImplementedError(f"{type(self).__name__} has no assembly")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Operation:
        """The op that `generic` describes; UnsupportedOperationError for a form not modelled."""
        raise UnsupportedOperationError(generic.name)


OperationT = TypeVar("OperationT", bound=Operation)


def changed(operation: OperationT, changes: Mapping[str, Any]) -> OperationT:
    """The op with other values in some fields: `dataclasses.replace`, in half the time."""
    kind: Any = type(operation)
    made: OperationT = object.__new__(kind)
    for name, read, write in _accessors(kind):
        write(made, changes[name] if name in changes else read(operation))
    return made


@cache
def _accessors(
    kind: Any,
) -> tuple[tuple[str, Callable[[object], Any], Callable[[object, Any], None]], ...]:
    """The fields of a kind of op, with what reads and what sets each, frozen or not."""
    slots = ((item.name, getattr(kind, item.name)) for item in fields(kind))
    return tuple((name, slot.__get__, slot.__set__) for name, slot in slots)


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
    """`util.func`. Its arguments are those of the entry block, its results what it returns.

    `default_affinity` is `stream.affinity.default`. `ties[i]` is the position of the argument whose
    storage result i is, None for a result with storage of its own; empty when no result is tied.
    A declaration has a region without blocks, and `declared` are the types of its arguments.
    `attributes` are others, (name, printed) pairs that the model keeps without looking at them.
    """

    name: str
    body: Region
    result_types: tuple[Type, ...]
    public: bool = True
    default_affinity: Affinity | None = None
    ties: tuple[int | None, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    declared: tuple[Type, ...] = ()

    @property
    def is_declaration(self) -> bool:
        """Whether the function stands in another module."""
        return not self.body.blocks

    @property
    def entry(self) -> Block:
        """The first block."""
        return self.body.blocks[0]

    @property
    def arguments(self) -> tuple[Value, ...]:
        """What the caller passes in; nothing for a declaration."""
        return () if self.is_declaration else self.entry.arguments

    @property
    def argument_types(self) -> tuple[Type, ...]:
        """The types of what the caller passes in."""
        if self.is_declaration:
            return self.declared
        return tuple(value.type for value in self.arguments)


@dataclass(frozen=True, slots=True)
class Global:
    """`util.global` of any type but a device. `affinity` is its `stream.affinity`.

    `initial` is the printed initial value, None without. `attributes` are others, (name, printed)
    pairs that the model keeps without looking at them.
    """

    name: str
    type: Type
    mutable: bool = False
    public: bool = False
    affinity: Affinity | None = None
    initial: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Initializer:
    """`util.initializer`: run once, in module order, before any function."""

    body: Region


@dataclass(frozen=True, slots=True)
class Program:
    """One module. `devices` are its device globals by name, in order; then what stands in it.

    `default_affinity` is the module's `stream.affinity.default`, `topology` its
    `stream.topology`. `tensors` is whether the program is written down on tensors, as a framework
    hands it over (`reference/tensor/`): then an op may run elsewhere than its operands live.
    `encoded` is whether ops or sizes of it were read as what they become when encodings are
    materialized (`reference/ops/encoded.py`): folds of the latter are not theirs.
    """

    devices: tuple[str, ...]
    functions: tuple[Function, ...]
    globals: tuple[Global, ...] = ()
    initializers: tuple[Initializer, ...] = ()
    default_affinity: Affinity | None = None
    topology: Topology | None = None
    tensors: bool = False
    encoded: bool = False

    def bodies(self) -> Iterator[Region]:
        """The regions of initializers, then of functions."""
        yield from (initializer.body for initializer in self.initializers)
        yield from (function.body for function in self.functions)

    def operations(self) -> Iterator[Operation]:
        """Every op, outer before inner, in order; initializers first."""
        for body in self.bodies():
            yield from walk(body)


def walk(region: Region) -> Iterator[Operation]:
    """Every op of a region, outer before inner, in order."""
    for block in region.blocks:
        for operation in block.operations:
            yield operation
            for nested in operation.regions:
                yield from walk(nested)


def nested_side_effects(operation: Operation) -> bool:
    """Whether an op that has the effects of those in its regions would not be trivially dead.

    Rule: `wouldOpBeTriviallyDead` for ops with `RecursiveMemoryEffects`, MLIR's
    mlir/lib/Interfaces/SideEffectInterfaces.cpp. The terminators of these regions are pure.
    """
    return any(
        nested.side_effects or not nested.erasable
        for region in operation.regions
        for nested in walk(region)
        if not nested.regions and not nested.terminator
    )


def map_operations(region: Region, change: Callable[[Operation], Operation | None]) -> Region:
    """The region with `change(op)` for each op, inner ones first; None leaves the op out."""
    return Region(
        tuple(
            Block(
                tuple(
                    changed
                    for operation in block.operations
                    if (changed := change(_map_regions(operation, change))) is not None
                ),
                block.arguments,
            )
            for block in region.blocks
        )
    )


def _map_regions(
    operation: Operation, change: Callable[[Operation], Operation | None]
) -> Operation:
    if not operation.regions:
        return operation
    return operation.with_regions(
        tuple(map_operations(region, change) for region in operation.regions)
    )
