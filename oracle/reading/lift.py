"""Lifts the body of a function or an initializer, as a worker tells it, into the program IR."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from oracle.reading.raw import Identities, RawAttribute, RawBlock, RawOperation, pairs, place, plain
from reference.ir import (
    Block,
    GenericOperation,
    Operation,
    Region,
    UnsupportedOperationError,
)
from reference.ops import (
    OPERATIONS,
    Call,
    For,
    GlobalLoad,
    If,
    OpaqueOperation,
    OptimizationBarrier,
    Select,
    While,
)
from reference.ops.encoded import ENCODED, SIZEOF, known_size
from reference.ops.tensor_phase import TENSOR_OPERATIONS
from reference.types import (
    INDEX,
    Index,
    Literal,
    Scalar,
    ScalarType,
    TensorType,
    Type,
    Value,
    parse_type,
)

_CONSTANT = "arith.constant"
_UNKNOWN = "an op that the model does not know"
_SIZED_LATE = (Call, For, GlobalLoad, If, OptimizationBarrier, Select, While)
"""Ops whose results have sizes that only their users tell."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that the model does not know.

    `function` is None outside of functions; `place` is the op's location or `line N`.
    """

    function: str | None
    operation: str
    place: str
    reason: str

    def __str__(self) -> str:
        where = f" in @{self.function}" if self.function else ""
        return f"{self.operation} at {self.place}{where}: {self.reason}"


def has_meaning(attribute: str) -> bool:
    """Whether an attribute that no op of the model has may say where things live or run."""
    return attribute.startswith("stream.") and attribute != "stream.resources"


@lru_cache(maxsize=1024)
def _first_with_meaning(attributes: tuple[str, ...]) -> str | None:
    return next(filter(has_meaning, attributes), None)


class BodyLift:
    """One body on its way into the program IR; `name` is its function's, None for an initializer.

    Values are named by their number, so that a name means one value in the whole module. `tensors`
    is whether ops of the phases before Stream's own are read.
    """

    def __init__(self, name: str | None, identities: Identities, tensors: bool) -> None:
        self._name = name
        self._identities = identities
        self._tensors = tensors
        self._values: dict[int, Index | Literal] = {}
        self._unsized: set[int] = set()
        self._learned: dict[str, Index] = {}
        self._sized_late = False
        self.encoded = False
        """Whether an op, or a size, was read as what it becomes when encodings are materialized."""
        self.unsupported: list[Unsupported] = []

    def lift(self, blocks: list[RawBlock]) -> Region:
        """The body, to be kept only if nothing was unsupported."""
        body = self._region(blocks)
        return self._with_sizes(body) if self._learned and not self.unsupported else body

    def reject(self, op: RawOperation, reason: str) -> None:
        """Notes that the body cannot be kept, and why."""
        self.unsupported.append(Unsupported(self._name, op["name"], place(op), reason))

    def _region(self, blocks: list[RawBlock]) -> Region:
        arguments = [self._define(block["arguments"]) for block in blocks]
        if len(blocks) > 1:
            # A block may stand before one that dominates it.
            for block in blocks:
                for op in block["operations"]:
                    self._define(op["results"])
        return Region(
            tuple(
                Block(self._operations(block["operations"]), taken)
                for block, taken in zip(blocks, arguments, strict=True)
            )
        )

    def _operations(self, operations: Iterable[RawOperation]) -> tuple[Operation, ...]:
        lifted = []
        for op in operations:
            try:
                if op["name"] == _CONSTANT:
                    item, told = op["results"][0]
                    kind = parse_type(told)
                    if not isinstance(kind, TensorType):
                        # It becomes part of its users.
                        self._values[item] = _constant(kind, op["attributes"]["value"])
                        continue
                if op["name"] == SIZEOF and not self._tensors:
                    self.encoded = True
                    size = known_size(
                        plain(op["attributes"]["encoding"]),
                        [self._values[one] for one in op["operands"]],
                    )
                    if size is not None:
                        self._values[op["results"][0][0]] = size
                        continue
                lifted.append(self._operation(op, self._identities.take(op)))
            except UnsupportedOperationError as error:
                self.reject(op, str(error))
                self._define(op["results"])
            except (ValueError, KeyError, AssertionError):
                # Another release may give an op other operands or attributes than the model's.
                self.reject(op, "a form of the op that the model does not know")
                self._define(op["results"])
        return tuple(lifted)

    def _operation(self, op: RawOperation, identity: str) -> Operation:
        name, attributes, values = op["name"], op["attributes"], self._values
        # Inner ops first, so that what they lack is named too.
        regions = tuple([self._region(region) for region in op["regions"]]) if op["regions"] else ()
        kind: type[Operation] | None = OPERATIONS.get(name)
        on_tensors = self._tensors and name in TENSOR_OPERATIONS
        encoded: Callable[[GenericOperation], Operation] | None = None
        if on_tensors:
            kind = TENSOR_OPERATIONS[name]
        else:
            encoded = ENCODED.get(name)
            if encoded is None and kind is None and name.startswith("stream."):
                raise UnsupportedOperationError(_UNKNOWN)
            unknown = _first_with_meaning(tuple(attributes))
            if unknown is not None:
                raise UnsupportedOperationError(f"attribute {unknown}")
        read = encoded or (kind or OpaqueOperation).from_generic
        unread = kind is None and encoded is None
        self.encoded |= encoded is not None
        operation = read(
            GenericOperation(
                name,
                identity,
                tuple([values[item] for item in op["operands"]]),
                tuple([_value(item, told) for item, told in op["results"]]),
                {} if unread else {key: plain(item) for key, item in attributes.items()},
                regions,
                tuple(op["successors"]),
                pairs(attributes) if unread or on_tensors else (),
            )
        )
        if regions:
            if not operation.regions:
                raise UnsupportedOperationError("an op with regions")
            self._sized_late = True
        elif isinstance(operation, _SIZED_LATE):
            self._sized_late = True
        unsized = self._unsized
        if unsized and not unsized.isdisjoint(op["operands"]):
            self._learn(operation.inputs)
        for (item, _), result in zip(op["results"], operation.results, strict=True):
            values[item] = result
            if result.size is not None:
                unsized.discard(item)
            elif result.is_resource:
                unsized.add(item)
        return operation

    def _learn(self, inputs: Iterable[Index | Scalar | None]) -> None:
        """Remembers the size that an op gives to a value: types alone do not tell it."""
        for value in inputs:
            if not isinstance(value, Value) or value.size is None:
                continue
            item = int(value.name[1:])
            if item in self._unsized:
                self._unsized.remove(item)
                self._learned[value.name] = value.size
                self._values[item] = value

    def _sized(self, value: Value) -> Value:
        size = self._learned.get(value.name)
        return value if size is None or value.size is not None else replace(value, size=size)

    def _with_sizes(self, region: Region) -> Region:
        """The region with the sizes that were learned after a value had been made."""
        return Region(
            tuple(
                [
                    Block(
                        tuple(map(self._with_sized_results, block.operations))
                        if self._sized_late
                        else block.operations,
                        tuple(map(self._sized, block.arguments)),
                    )
                    for block in region.blocks
                ]
            )
        )

    def _with_sized_results(self, operation: Operation) -> Operation:
        if operation.regions:
            operation = operation.with_regions(tuple(map(self._with_sizes, operation.regions)))
        if isinstance(operation, _SIZED_LATE):
            if isinstance(operation, GlobalLoad | Select):
                return replace(operation, result=self._sized(operation.result))
            return replace(operation, outputs=tuple(map(self._sized, operation.outputs)))
        return operation

    def _define(self, told: Iterable[tuple[int, str]]) -> tuple[Value, ...]:
        """Values as they are told, known from now on unless they are already."""
        defined = []
        for item, kind in told:
            value = _value(item, kind)
            defined.append(value)
            if item not in self._values:
                self._values[item] = value
                if value.is_resource:
                    self._unsized.add(item)
        return tuple(defined)


@lru_cache(maxsize=4096)
def _value(item: int, kind: str) -> Value:
    return Value(f"v{item}", parse_type(kind))


def _constant(kind: Type, told: RawAttribute) -> Index | Literal:
    number = plain(told)
    if not isinstance(kind, ScalarType) or not isinstance(number, (int, float)):
        raise UnsupportedOperationError(f"a constant of type {kind} that holds {number}")
    if kind is INDEX:
        return int(number)
    return Literal(int(number) if isinstance(number, bool) else number, kind)
