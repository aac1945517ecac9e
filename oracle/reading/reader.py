"""Lifts what a worker's `read` step tells of a module into the program IR.

What the model does not know is never guessed: every such op is named, and its function left out.
The forms of ops and attributes are described in `oracle/compiling/worker.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from oracle.reading.lift import BodyLift, Unsupported, has_meaning
from oracle.reading.raw import (
    TRANSFER,
    Identities,
    RawAttribute,
    RawOperation,
    function_type,
    names_in,
    pairs,
    place,
    plain,
    printed,
    symbol,
)
from reference.affinity import Affinity, Topology, parse_topology
from reference.ir import Function, Global, Initializer, Program, UnsupportedOperationError
from reference.ops.assembly import affinity_of, ties_of
from reference.tensor import lowered
from reference.types import OpaqueType, ResourceType, ScalarType, TensorType, Type, parse_type

__all__ = ["ReadProgram", "TransferSite", "Unsupported", "read_program", "transfer_sites"]

_IGNORED = frozenset(
    {"flow.executable", "stream.executable", "hal.executable", "hal.executable.source"}
)
"""Kernels: the model knows them by name only."""

_DEVICE = "!hal.device"
_EXECUTE = "stream.async.execute"
_AFFINITY = "stream.affinity"
_DEFAULT_AFFINITY = "stream.affinity.default"
_TOPOLOGY = "stream.topology"


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


def read_program(raw: object, tensors: bool = False) -> ReadProgram:
    """The module that a `read` step answered with.

    A program on tensors, of the phases before Stream's own, is read as what it means
    (`reference/tensor/`). With `tensors` it is read as it stands, for the affinity analysis, which
    asks no more of an op than where it runs and what is tied.
    """
    found = _ModuleLift(cast(RawOperation, raw), tensors).lift()
    if tensors or found.complete:
        return found
    return _meaning(cast(RawOperation, raw)) or found


def _meaning(raw: RawOperation) -> ReadProgram | None:
    """A module on tensors as a program of the Stream phase, None where that is not all known."""
    found = _ModuleLift(raw, tensors=True).lift()
    if not found.complete:
        return None
    try:
        return ReadProgram(lowered(found.program), ())
    except UnsupportedOperationError:
        return None


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


class _ModuleLift:
    """One module on its way into the program IR, op by op in order."""

    def __init__(self, module: RawOperation, tensors: bool) -> None:
        self._module = module
        self._tensors = tensors
        self._top = module["regions"][0][0]["operations"]
        self._identities = Identities(_transfers(self._top))
        self._devices: list[str] = []
        self._globals: list[Global] = []
        self._initializers: list[Initializer] = []
        self._functions: list[Function] = []
        self._unsupported: list[Unsupported] = []
        self._encoded = False

    def lift(self) -> ReadProgram:
        """What the model knows of the module."""
        default_affinity, topology = self._scope()
        for op in self._top:
            try:
                self._place(op)
            except UnsupportedOperationError as error:
                self._reject(op, str(error))
        program = Program(
            devices=tuple(self._devices),
            functions=tuple(self._functions),
            globals=tuple(self._globals),
            initializers=tuple(self._initializers),
            default_affinity=default_affinity,
            topology=topology,
            encoded=self._encoded,
        )
        return ReadProgram(program, tuple(self._unsupported))

    def _scope(self) -> tuple[Affinity | None, Topology | None]:
        """What the module's own attributes say of places."""
        default_affinity, topology = None, None
        for name, raw in self._module["attributes"].items():
            try:
                if name == _DEFAULT_AFFINITY:
                    default_affinity = affinity_of(plain(raw), name)
                elif name == _TOPOLOGY and (topology := parse_topology(str(plain(raw)))):
                    continue
                elif has_meaning(name):
                    self._reject(self._module, f"attribute {name}")
            except UnsupportedOperationError as error:
                self._reject(self._module, str(error))
        return default_affinity, topology

    def _place(self, op: RawOperation) -> None:
        name, attributes = op["name"], op["attributes"]
        if name in _IGNORED:
            return
        if name == "util.global" and attributes.get("type") == {"type": _DEVICE}:
            self._devices.append(symbol(attributes["sym_name"]))
        elif name == "util.global":
            self._globals.append(_global(attributes, self._tensors))
        elif name == "util.func":
            self._function(op)
        elif name == "util.initializer":
            lift = BodyLift(None, self._identities, self._tensors)
            for attribute in filter(has_meaning, names_in(attributes)):
                lift.reject(op, f"attribute {attribute}")
            body = lift.lift(op["regions"][0])
            self._unsupported += lift.unsupported
            self._encoded |= lift.encoded
            if not lift.unsupported:
                self._initializers.append(Initializer(body))
        else:
            raise UnsupportedOperationError("unknown outside of functions")

    def _function(self, op: RawOperation) -> None:
        attributes = dict(op["attributes"])
        name = str(attributes.pop("sym_name"))
        lift = BodyLift(name, self._identities, self._tensors)
        default_affinity = None
        try:
            symbol(name)
            if _DEFAULT_AFFINITY in attributes:
                raw = attributes.pop(_DEFAULT_AFFINITY)
                default_affinity = affinity_of(plain(raw), _DEFAULT_AFFINITY)
        except UnsupportedOperationError as error:
            lift.reject(op, str(error))
        for attribute in filter(has_meaning, names_in(attributes)):
            lift.reject(op, f"attribute {attribute}")
        takes, gives = function_type(str(plain(attributes.pop("function_type"))))
        public = attributes.pop("sym_visibility", "public") == "public"
        ties = ties_of(plain(attributes.pop("tied_operands", [])))
        body = lift.lift(op["regions"][0])
        self._unsupported += lift.unsupported
        self._encoded |= lift.encoded
        if not lift.unsupported:
            self._functions.append(
                Function(
                    name=name,
                    body=body,
                    result_types=gives,
                    public=public,
                    default_affinity=default_affinity,
                    ties=ties,
                    attributes=pairs(attributes),
                    declared=() if body.blocks else takes,
                )
            )

    def _reject(self, op: RawOperation, reason: str) -> None:
        self._unsupported.append(Unsupported(None, op["name"], place(op), reason))


def _global(attributes: dict[str, RawAttribute], tensors: bool) -> Global:
    attributes = dict(attributes)
    kind = plain(attributes.pop("type"))
    name = symbol(attributes.pop("sym_name"))
    affinity = affinity_of(plain(attributes.pop(_AFFINITY))) if _AFFINITY in attributes else None
    initial = attributes.pop("initial_value", None)
    public = attributes.pop("sym_visibility", "public") == "public"
    mutable = attributes.pop("is_mutable", None) is not None
    known = ResourceType | ScalarType | OpaqueType
    if not isinstance(kind, known | TensorType if tensors else known):
        raise UnsupportedOperationError(f"a global of type {kind}")
    for attribute in filter(has_meaning, names_in(attributes)):
        raise UnsupportedOperationError(f"attribute {attribute}")
    return Global(
        name=name,
        type=kind,
        mutable=mutable,
        public=public,
        affinity=affinity,
        initial=None if initial is None else printed(initial),
        attributes=pairs(attributes),
    )


def _transfers(operations: Iterable[RawOperation]) -> list[RawOperation]:
    """The transfers in bodies, those in nested regions too."""
    found: list[RawOperation] = []
    for op in operations:
        if op["name"] == TRANSFER:
            found.append(op)
        elif op["regions"] and op["name"] not in _IGNORED:
            for region in op["regions"]:
                for block in region:
                    found += _transfers(block["operations"])
    return found


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
