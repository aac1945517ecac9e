"""The rules of a well-formed program: where its values live, and under which lifetimes.

A value's home is the device whose memory holds it. An op's affinity is the home of its resource
operands and results; a transfer takes from one home and gives to another. Where nothing says, as
for the arguments of a function or for ops without affinity, the home is that of the values it is
used with, whichever op says it first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference.affinity import Affinity
from reference.ir import Function, Operation
from reference.ops import Barrier, Cast, Clone, Constant, Export, Import, Slice, Transfer
from reference.ops.constant import tensor_bytes
from reference.problems import Rule, where
from reference.types import Lifetime, Value, known_bytes

_FLOWS = (Barrier, Cast, Clone, Slice, Transfer)
"""Ops whose result has the bytes of their first operand."""

_GIVEN = (Lifetime.VARIABLE, Lifetime.CONSTANT)


class Homes:
    """What is known so far of where values live; values that live together share an entry.

    Homes are compared by device alone: queues of one device share its memory.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._known: dict[str, tuple[Affinity, str]] = {}

    def of(self, value: Value) -> tuple[Affinity, str] | None:
        """The home of a value and the op that said so; None as long as nothing did."""
        return self._known.get(self._group(value.name))

    def settle(self, value: Value, home: Affinity, reason: str) -> bool:
        """Says that a value lives at `home`; False if it is known to live elsewhere."""
        known, _ = self._known.setdefault(self._group(value.name), (home, reason))
        return known.device == home.device

    def join(self, left: Value, right: Value) -> bool:
        """Says that two values live together; False if they are known not to."""
        one, other = self._group(left.name), self._group(right.name)
        if one == other:
            return True
        known, second = self._known.get(one), self._known.get(other)
        if known and second and known[0].device != second[0].device:
            return False
        self._parents[other] = one
        if second is not None:
            self._known.setdefault(one, second)
        return True

    def _group(self, name: str) -> str:
        while (parent := self._parents.get(name)) is not None:
            name = parent
        return name


def values_at_home(function: Function) -> Iterator[tuple[str | None, str]]:
    """A transfer's `from` is where its source lives; any other op runs where its operands live."""
    homes = Homes()
    for block in function.body.blocks:
        for op in block.operations:
            for message in _visit(op, homes):
                yield op.identity, message


def given_lifetimes(function: Function) -> Iterator[tuple[str | None, str]]:
    """Variable and constant belong to arguments, constants and what flows from them.

    IREE's own conversion gives them to nothing else (globals aside).
    """
    for block in function.body.blocks:
        for op in block.operations:
            for value in op.results:
                if value.lifetime in _GIVEN and not _flows(op, value):
                    message = (
                        f"{where(op)} makes %{value.name} as {value.type}, which only arguments, "
                        "constants and what flows from them are; make it transient"
                    )
                    yield op.identity, message


def encoded_sizes(function: Function) -> Iterator[tuple[str | None, str]]:
    """A buffer view has the bytes of its tensor type: the runtime refuses any other."""
    for block in function.body.blocks:
        for op in block.operations:
            if not isinstance(op, Import | Export):
                continue
            value = op.result if isinstance(op, Import) else op.source
            size, needed = known_bytes(value.size), tensor_bytes(op.encoding)
            if size is not None and needed is not None and size != needed:
                yield op.identity, f"{where(op)}: {op.encoding} is not {size} bytes but {needed}"


WELL_FORMED_RULES: tuple[Rule, ...] = (values_at_home, given_lifetimes, encoded_sizes)
"""Rules of a function that is well-formed; they expect a valid one."""


def _visit(op: Operation, homes: Homes) -> Iterator[str]:
    """Settles what an op says of its values' homes; yields where it contradicts another."""
    if isinstance(op, Transfer):
        source, claimed = op.source, op.source_affinity
        if claimed is not None and not homes.settle(source, claimed, op.identity):
            home = _home(homes, source)
            yield f"{where(op)} is from({claimed}), but {home}; correct its from"
        if op.target_affinity is not None:
            homes.settle(op.result, op.target_affinity, op.identity)
        return
    operands = tuple(dict.fromkeys(value for value in op.operands if value.is_resource))
    results = tuple(value for value in op.results if value.is_resource)
    affinity = op.execution_affinity
    if affinity is not None:
        for value in operands:
            if not homes.settle(value, affinity, op.identity):
                home = _home(homes, value)
                yield f"{where(op)} runs on {affinity}, but {home}; transfer it first"
        for value in results:
            homes.settle(value, affinity, op.identity)
    elif op.takes_affinity:
        yield from _join_all(op, (*operands, *results), homes)
    else:
        for result, operand in op.tied:
            homes.join(operand, result)


def _join_all(op: Operation, values: Iterable[Value], homes: Homes) -> Iterator[str]:
    first: Value | None = None
    for value in values:
        if first is None:
            first = value
        elif not homes.join(first, value):
            yield (
                f"{where(op)} says nowhere to run, but {_home(homes, first)} and "
                f"{_home(homes, value)}; transfer one first"
            )


def _home(homes: Homes, value: Value) -> str:
    known = homes.of(value)
    assert known is not None
    return f"%{value.name} lives on {known[0]} ({known[1]} says so)"


def _flows(op: Operation, value: Value) -> bool:
    """Whether a result has its lifetime from what it was made of."""
    if isinstance(op, Constant):
        return value.lifetime is Lifetime.CONSTANT
    if isinstance(op, _FLOWS):
        return op.source.lifetime is value.lifetime
    return any(operand.lifetime is value.lifetime for result, operand in op.tied if result == value)
