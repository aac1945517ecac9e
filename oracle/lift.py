"""Lifts the body of a function or an initializer, as a worker tells it, into the program IR."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from oracle.raw import Identities, RawBlock, RawOperation, pairs, place, plain
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
from reference.ops.tensor_phase import TENSOR_OPERATIONS
from reference.types import Index, Literal, ScalarType, TensorType, Value, parse_type

_CONSTANT = "arith.constant"
_UNKNOWN = "an op that the model does not know"


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
            host_constant = op["name"] == _CONSTANT and not _is_tensor(op)
            identity = "" if host_constant else self._identities.take(op)
            try:
                operation = self._operation(op, identity)
            except UnsupportedOperationError as error:
                self.reject(op, str(error))
            except (ValueError, KeyError, AssertionError):
                # Another release may give an op other operands or attributes than the model's.
                self.reject(op, "a form of the op that the model does not know")
            else:
                if operation is not None:
                    lifted.append(operation)
            for result in op["results"]:
                if result[0] not in self._values:
                    self._define((result,))
        return tuple(lifted)

    def _operation(self, op: RawOperation, identity: str) -> Operation | None:
        """The op; None for a constant, which becomes part of its users."""
        name = op["name"]
        if not identity:
            self._values[op["results"][0][0]] = _constant(op)
            return None
        # Inner ops first, so that what they lack is named too.
        regions = tuple(map(self._region, op["regions"]))
        kind, on_tensors = OPERATIONS.get(name), False
        if self._tensors and name in TENSOR_OPERATIONS:
            kind, on_tensors = TENSOR_OPERATIONS[name], True
        if kind is None and name.startswith("stream."):
            raise UnsupportedOperationError(_UNKNOWN)
        attributes = op["attributes"]
        if not on_tensors:
            for attribute in attributes:
                if has_meaning(attribute):
                    raise UnsupportedOperationError(f"attribute {attribute}")
        generic = GenericOperation(
            name=name,
            identity=identity,
            operands=tuple([self._values[item] for item in op["operands"]]),
            results=tuple(_value(item, kind) for item, kind in op["results"]),
            attributes={}
            if kind is None
            else {key: plain(item) for key, item in attributes.items()},
            regions=regions,
            successors=tuple(op["successors"]),
            printed=pairs(attributes) if kind is None or on_tensors else (),
        )
        operation = (kind or OpaqueOperation).from_generic(generic)
        if regions and not operation.regions:
            raise UnsupportedOperationError("an op with regions")
        if not self._unsized.isdisjoint(op["operands"]):
            self._learn(operation.operands)
        for (item, _), result in zip(op["results"], operation.results, strict=True):
            self._values[item] = result
            if result.size is not None:
                self._unsized.discard(item)
            elif result.is_resource:
                self._unsized.add(item)
        return operation

    def _learn(self, operands: Iterable[Value]) -> None:
        """Remembers the size that an op gives to a value: types alone do not tell it."""
        for value in operands:
            if value.size is not None and (item := int(value.name[1:])) in self._unsized:
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
                Block(
                    tuple(map(self._with_sized_results, block.operations)),
                    tuple(map(self._sized, block.arguments)),
                )
                for block in region.blocks
            )
        )

    def _with_sized_results(self, operation: Operation) -> Operation:
        if operation.regions:
            operation = operation.with_regions(tuple(map(self._with_sizes, operation.regions)))
        if isinstance(operation, GlobalLoad | Select):
            return replace(operation, result=self._sized(operation.result))
        if isinstance(operation, Call | For | If | OptimizationBarrier | While):
            return replace(operation, outputs=tuple(map(self._sized, operation.outputs)))
        return operation

    def _define(self, values: Iterable[tuple[int, str]]) -> tuple[Value, ...]:
        defined = tuple(_value(item, kind) for item, kind in values)
        for (item, _), value in zip(values, defined, strict=True):
            if item not in self._values:
                self._values[item] = value
                if value.is_resource:
                    self._unsized.add(item)
        return defined


def _value(item: int, kind: str) -> Value:
    return Value(f"v{item}", parse_type(kind))


def _is_tensor(op: RawOperation) -> bool:
    return isinstance(parse_type(op["results"][0][1]), TensorType)


def _constant(op: RawOperation) -> Index | Literal:
    kind = parse_type(op["results"][0][1])
    number = plain(op["attributes"]["value"])
    if not isinstance(kind, ScalarType) or not isinstance(number, (int, float)):
        raise UnsupportedOperationError(f"a constant of type {kind} that holds {number}")
    if kind.name == "index":
        return int(number)
    return Literal(int(number) if isinstance(number, bool) else number, kind)
