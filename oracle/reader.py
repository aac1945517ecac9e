"""Lifts what a worker's `read` step tells of a module into the program IR.

What the model does not know is never guessed: every such op is named, and its function left out.
The forms of ops and attributes are described in `oracle/worker.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from oracle.raw import (
    TRANSFER,
    Identities,
    RawAttribute,
    RawBlock,
    RawOperation,
    place,
    plain,
    symbol,
)
from reference.affinity import Affinity
from reference.ir import (
    Block,
    Function,
    GenericOperation,
    Operation,
    Program,
    Region,
    UnsupportedOperationError,
)
from reference.ops import OPERATIONS
from reference.ops.assembly import affinity_of
from reference.types import Index, Literal, ScalarType, Type, Value, parse_type

_IGNORED = frozenset({"stream.executable", "hal.executable", "hal.executable.source"})
"""Kernels: the model knows them by name only."""

_DEVICE = "!hal.device"
_EXECUTE = "stream.async.execute"


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


@dataclass(frozen=True, slots=True)
class ReadProgram:
    """The functions that the model knows whole, and all that it does not know."""

    program: Program
    unsupported: tuple[Unsupported, ...]

    @property
    def complete(self) -> bool:
        """Whether the program is all that the module holds.

        A function that was left out may still say where the arguments of another live.
        """
        return not self.unsupported


@dataclass(frozen=True, slots=True)
class TransferSite:
    """One transfer as it stands in a module, inside an execution region or not.

    `explicit`, `source` and `target` are its `on`, `from` and `to`. `region` is the affinity of
    the execution region; None where that has none, and where `in_region` is false.
    """

    source_type: Type
    result_type: Type
    explicit: Affinity | None
    source: Affinity | None
    target: Affinity | None
    in_region: bool
    region: Affinity | None


def read_program(raw: object) -> ReadProgram:
    """The module that a `read` step answered with."""
    module = cast(RawOperation, raw)
    unsupported = [
        Unsupported(None, module["name"], place(module), f"attribute {name}")
        for name in module["attributes"]
        if _has_meaning(name)
    ]
    devices: list[str] = []
    functions: list[Function] = []
    top = module["regions"][0][0]["operations"]
    identities = Identities(_inner(top))
    for op in top:
        name = op["name"]
        if name in _IGNORED:
            continue
        if name == "util.global" and op["attributes"].get("type") == {"type": _DEVICE}:
            try:
                devices.append(symbol(op["attributes"]["sym_name"]))
            except UnsupportedOperationError as error:
                unsupported.append(Unsupported(None, name, place(op), str(error)))
        elif name == "util.global":
            kind = plain(op["attributes"].get("type", ""))
            reason = f"a global of type {kind}"
            unsupported.append(Unsupported(None, name, place(op), reason))
        elif name == "util.func":
            if not op["regions"] or not op["regions"][0]:
                continue
            lift = _FunctionLift(op, identities)
            function = lift.lift()
            if lift.unsupported:
                unsupported += lift.unsupported
            else:
                functions.append(function)
        else:
            unsupported.append(Unsupported(None, name, place(op), "unknown outside of functions"))
    return ReadProgram(Program(tuple(devices), tuple(functions)), tuple(unsupported))


def transfer_sites(found: object) -> dict[str, TransferSite]:
    """Every transfer by identity, from the answer to `["find", ["stream.async.transfer"]]`.

    Copies of a transfer are told apart by their order in the module. Raises
    UnsupportedOperationError for an affinity that is not one device.
    """
    identities = Identities()
    return {
        identities.take(op): _site(op)
        for op in cast("list[_Found]", found)
        if op["name"] == TRANSFER
    }


def _inner(operations: Iterable[RawOperation]) -> Iterator[RawOperation]:
    """The ops of functions, those in nested regions left out."""
    for op in operations:
        if op["name"] == "util.func":
            for block in op["regions"][0]:
                yield from block["operations"]


class _Found(RawOperation):
    operand_types: list[str]
    result_types: list[str]
    within: list[RawOperation]


def _site(op: _Found) -> TransferSite:
    region = next((outer for outer in op["within"] if outer["name"] == _EXECUTE), None)
    return TransferSite(
        source_type=parse_type(op["operand_types"][0]),
        result_type=parse_type(op["result_types"][0]),
        explicit=_affinity(op, "execution_affinity"),
        source=_affinity(op, "source_affinity"),
        target=_affinity(op, "target_affinity"),
        in_region=region is not None,
        region=None if region is None else _affinity(region, "affinity"),
    )


def _affinity(op: RawOperation, name: str) -> Affinity | None:
    return affinity_of(plain(op["attributes"][name]), name) if name in op["attributes"] else None


def _has_meaning(attribute: str) -> bool:
    """Whether an attribute that no op of the model has may say where things live or run."""
    return attribute.startswith("stream.")


class _FunctionLift:
    """One `util.func` on its way into the program IR."""

    def __init__(self, op: RawOperation, identities: Identities) -> None:
        self._op = op
        self._name = str(op["attributes"]["sym_name"])
        self._identities = identities
        self._values: dict[int, Index | Literal] = {}
        self._sizes: dict[str, Index] = {}
        self.unsupported: list[Unsupported] = []

    def lift(self) -> Function:
        """The function, to be kept only if nothing was unsupported."""
        self._check_signature()
        blocks = self._op["regions"][0]
        if len(blocks) > 1:
            self._reject(self._op, f"control flow over {len(blocks)} blocks")
        for block in blocks:
            self._define(block["arguments"])
        lifted = [self._lift_block(block) for block in blocks]
        arguments = tuple(self._with_size(value) for value in lifted[0].arguments)
        entry = Block(lifted[0].operations, arguments)
        returned = entry.operations[-1].operands if entry.operations else ()
        return Function(
            name=self._name,
            body=Region((entry,)),
            result_types=tuple(value.type for value in returned),
            public=self._op["attributes"].get("sym_visibility") != "private",
        )

    def _check_signature(self) -> None:
        attributes = self._op["attributes"]
        try:
            symbol(self._name)
        except UnsupportedOperationError as error:
            self._reject(self._op, str(error))
        for name in filter(_has_meaning, _all_names(attributes)):
            self._reject(self._op, f"attribute {name}")
        tied = plain(attributes.get("tied_operands", []))
        if isinstance(tied, tuple) and any(position != -1 for position in tied):
            self._reject(self._op, "a result tied to an argument")

    def _lift_block(self, block: RawBlock) -> Block:
        operations = []
        for op in block["operations"]:
            try:
                operation = self._lift_operation(op)
            except UnsupportedOperationError as error:
                self._reject(op, str(error))
            except (ValueError, KeyError, AssertionError):
                # Another release may give an op other operands or attributes than the model's.
                self._reject(op, "a form of the op that the model does not know")
            else:
                if operation is not None:
                    operations.append(operation)
            if any(item not in self._values for item, _ in op["results"]):
                self._define(op["results"])
        return Block(tuple(operations), self._define(block["arguments"]))

    def _lift_operation(self, op: RawOperation) -> Operation | None:
        """The op; None for a constant, which becomes part of its users."""
        name = op["name"]
        if name == "arith.constant":
            self._values[op["results"][0][0]] = _constant(op)
            return None
        kind = OPERATIONS.get(name)
        if kind is None:
            raise UnsupportedOperationError("an op that the model does not know")
        if op["regions"]:
            raise UnsupportedOperationError("an op with regions")
        for attribute in filter(_has_meaning, op["attributes"]):
            raise UnsupportedOperationError(f"attribute {attribute}")
        operation = kind.from_generic(
            GenericOperation(
                name=name,
                identity=self._identities.take(op),
                operands=tuple(self._values[item] for item in op["operands"]),
                results=tuple(_value(item, kind) for item, kind in op["results"]),
                attributes={key: plain(item) for key, item in op["attributes"].items()},
            )
        )
        self._learn(operation.operands)
        for (item, _), result in zip(op["results"], operation.results, strict=True):
            self._values[item] = self._with_size(result)
        return operation

    def _learn(self, operands: Iterable[Value]) -> None:
        """Remembers the size that an op gives to a value: types alone do not tell it."""
        for value in operands:
            if value.size is not None and value.name not in self._sizes:
                self._sizes[value.name] = value.size
                item = int(value.name.removeprefix("v"))
                if item in self._values:
                    self._values[item] = value

    def _with_size(self, value: Value) -> Value:
        size = self._sizes.get(value.name)
        return value if size is None or value.size is not None else replace(value, size=size)

    def _define(self, values: Iterable[tuple[int, str]]) -> tuple[Value, ...]:
        defined = tuple(_value(item, kind) for item, kind in values)
        for (item, _), value in zip(values, defined, strict=True):
            self._values.setdefault(item, value)
        return defined

    def _reject(self, op: RawOperation, reason: str) -> None:
        self.unsupported.append(Unsupported(self._name, op["name"], place(op), reason))


def _value(item: int, kind: str) -> Value:
    return Value(f"v{item}", parse_type(kind))


def _constant(op: RawOperation) -> Index | Literal:
    kind = parse_type(op["results"][0][1])
    number = plain(op["attributes"]["value"])
    if not isinstance(kind, ScalarType) or not isinstance(number, (int, float)):
        raise UnsupportedOperationError(f"a constant of type {kind} that holds {number}")
    if kind.name == "index":
        return int(number)
    return Literal(int(number) if isinstance(number, bool) else number, kind)


def _all_names(raw: RawAttribute) -> Iterator[str]:
    """The names in a dictionary and in all it contains."""
    if isinstance(raw, dict):
        for name, item in raw.items():
            yield name
            yield from _all_names(item)
    elif isinstance(raw, list):
        for item in raw:
            yield from _all_names(item)
