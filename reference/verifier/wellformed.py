"""The rules of a well-formed program: where its values live, and under which lifetimes.

A value's home is the device whose memory holds it. An op's affinity is the home of its resource
operands and results; a transfer takes from one home and gives to another. What is handed over, by
control flow, calls or globals, stays where it is. Where nothing says, as for the arguments of a
function or for ops without affinity, the home is that of the values it is used with, whichever op
says it first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reference.affinity import Affinity
from reference.ir import Function, Operation, Program, walk
from reference.ops import (
    Barrier,
    Cast,
    Clone,
    Concurrent,
    Constant,
    Execute,
    Export,
    Import,
    Slice,
    Transfer,
)
from reference.ops.constant import tensor_bytes
from reference.types import Lifetime, Value, known_bytes
from reference.verifier.handovers import handovers, passages
from reference.verifier.problems import Level, Problem, Rule, where

_FLOWS = (Barrier, Cast, Clone, Slice, Transfer)
"""Ops whose result has the bytes of their first operand."""

_GIVEN = (Lifetime.VARIABLE, Lifetime.CONSTANT)

Key = tuple[int | None, str]
"""A value of a program: the position of its body and its name; None and its name for a global."""


class Groups:
    """Values that have something in common, each group known by one of them."""

    def __init__(self) -> None:
        self._parents: dict[Key, Key] = {}

    def find(self, key: Key) -> Key:
        """The group of a value."""
        root = key
        while (parent := self._parents.get(root)) is not None:
            root = parent
        while key != root:
            # Each value on the way is told the group, so that no way grows long.
            self._parents[key], key = root, self._parents[key]
        return root

    def join(self, one: Key, other: Key) -> tuple[Key, Key] | None:
        """Makes one group of two: the one that stays and the one that is gone; None if they were
        the same."""
        kept, gone = self.find(one), self.find(other)
        if kept == gone:
            return None
        self._parents[gone] = kept
        return kept, gone


class Homes:
    """What is known so far of where values live; values that live together share an entry.

    Homes are compared by device alone: queues of one device share its memory.
    """

    def __init__(self) -> None:
        self._groups = Groups()
        self._known: dict[Key, tuple[Affinity, str]] = {}

    def of(self, key: Key) -> tuple[Affinity, str] | None:
        """The home of a value and the op that said so; None as long as nothing did."""
        return self._known.get(self._groups.find(key))

    def settle(self, key: Key, home: Affinity, reason: str) -> bool:
        """Says that a value lives at `home`; False if it is known to live elsewhere."""
        known, _ = self._known.setdefault(self._groups.find(key), (home, reason))
        return known.device == home.device

    def join(self, left: Key, right: Key) -> bool:
        """Says that two values live together; False if they are known not to."""
        known, second = self.of(left), self.of(right)
        if known and second and known[0].device != second[0].device:
            return False
        joined = self._groups.join(left, right)
        if joined is not None:
            kept, gone = joined
            entry = self._known.pop(gone, None)
            if entry is not None:
                self._known.setdefault(kept, entry)
        return True


def homes_of(program: Program) -> Homes:
    """Where the values of a well-formed program live, as far as its ops say."""
    homes = Homes()
    for _ in _settled(program, homes):
        pass  # Where an op contradicts another, the first that said so counts.
    return homes


def values_at_home(program: Program) -> Iterator[Problem]:
    """A transfer's `from` is where its source lives; any other op runs where its operands live."""
    yield from _settled(program, Homes())


def _settled(program: Program, homes: Homes) -> Iterator[Problem]:
    """Settles what a program says of its values' homes; yields where it contradicts itself."""
    _hand_over(program, homes.join)
    for item in program.globals:
        if item.affinity is not None and not homes.settle(
            (None, item.name), item.affinity, f"@{item.name}"
        ):
            message = (
                f"@{item.name} has the affinity {item.affinity}, but what it holds lives elsewhere"
            )
            yield Problem(None, None, "values-at-home", message, Level.WELL_FORMED)
    names = [None] * len(program.initializers) + [one.name for one in program.functions]
    for place, (name, body) in enumerate(zip(names, program.bodies(), strict=True)):
        for op in walk(body):
            for message in _visit(op, place, homes):
                yield Problem(op.identity, name, "values-at-home", message, Level.WELL_FORMED)


def given_lifetimes(program: Program) -> Iterator[Problem]:
    """Variable and constant belong to arguments, constants, globals and what flows from or to them.

    IREE's own conversion gives them to nothing else.
    """
    groups = Groups()
    _hand_over(program, groups.join)
    names = [None] * len(program.initializers) + [one.name for one in program.functions]
    bodies = list(zip(names, program.bodies(), strict=True))
    for place, (_, body) in enumerate(bodies):
        for op in walk(body):
            for value in op.results:
                if value.lifetime in _GIVEN:
                    for source in _sources(op, value):
                        groups.join((place, source.name), (place, value.name))
    given: dict[Key, set[Lifetime]] = {}
    for key, lifetime in _givers(program):
        given.setdefault(groups.find(key), set()).add(lifetime)
    for place, (name, body) in enumerate(bodies):
        for op in walk(body):
            for value in op.results:
                group = groups.find((place, value.name))
                if value.lifetime in _GIVEN and value.lifetime not in given.get(group, ()):
                    message = (
                        f"{where(op)} makes %{value.name} as {value.type}, which only arguments, "
                        "constants, globals and what flows from them are; make it transient"
                    )
                    yield Problem(op.identity, name, "given-lifetimes", message, Level.WELL_FORMED)


def encoded_sizes(function: Function) -> Iterator[tuple[str | None, str]]:
    """A buffer view has the bytes of its tensor type: the runtime refuses any other."""
    for op in walk(function.body):
        if not isinstance(op, Import | Export):
            continue
        value = op.result if isinstance(op, Import) else op.source
        size, needed = known_bytes(value.size), tensor_bytes(op.encoding)
        if size is not None and needed is not None and size != needed:
            yield op.identity, f"{where(op)}: {op.encoding} is not {size} bytes but {needed}"


WELL_FORMED_RULES: tuple[Rule, ...] = (encoded_sizes,)
"""Rules of a function that is well-formed; they expect a valid one."""

PROGRAM_WELL_FORMED_RULES: tuple[Callable[[Program], Iterator[Problem]], ...] = (
    values_at_home,
    given_lifetimes,
)
"""Rules of a program that is well-formed; they expect a valid one."""


def _hand_over(program: Program, join: Callable[[Key, Key], object]) -> None:
    """Joins all that is one value under several names."""
    for place, body in enumerate(program.bodies()):
        for handover in handovers(body):
            for given, taken in zip(handover.given, handover.taken, strict=True):
                if isinstance(given, Value) and given.is_resource:
                    join((place, given.name), (place, taken.name))
    for passage in passages(program):
        (source_place, source), (target_place, target) = passage.source, passage.target
        if isinstance(source, Value) and source.is_resource:
            join((source_place, source.name), (target_place, target.name))


def _givers(program: Program) -> Iterator[tuple[Key, Lifetime]]:
    """The values that may be variable or constant by themselves, with that lifetime."""
    for item in program.globals:
        for lifetime in _GIVEN:
            yield (None, item.name), lifetime
    first = len(program.initializers)
    for place, function in enumerate(program.functions, first):
        for value in function.arguments:
            if value.lifetime is not None:
                yield (place, value.name), value.lifetime
    for place, body in enumerate(program.bodies()):
        for op in walk(body):
            if isinstance(op, Constant):
                yield (place, op.result.name), Lifetime.CONSTANT


def _sources(op: Operation, result: Value) -> Iterator[Value]:
    """The values that a result has its lifetime from."""
    if isinstance(op, _FLOWS):
        if op.source.lifetime is result.lifetime:
            yield op.source
        return
    for tied, operand in op.tied:
        if tied == result and operand.lifetime is result.lifetime:
            yield operand


def _visit(op: Operation, place: int, homes: Homes) -> Iterator[str]:
    """Settles what an op says of its values' homes; yields where it contradicts another."""
    if isinstance(op, Execute | Concurrent):
        return  # The ops within say where what was handed to them lives.
    if isinstance(op, Transfer):
        source, claimed = op.source, op.source_affinity
        if claimed is not None and not homes.settle((place, source.name), claimed, op.identity):
            home = _home(homes, place, source)
            yield f"{where(op)} is from({claimed}), but {home}; correct its from"
        if op.target_affinity is not None:
            target = (place, op.result.name)
            if not homes.settle(target, op.target_affinity, op.identity):
                home = _home(homes, place, op.result)
                yield f"{where(op)} is to({op.target_affinity}), but {home}; correct its to"
        return
    operands = tuple(dict.fromkeys(value for value in op.operands if value.is_resource))
    results = tuple(value for value in op.results if value.is_resource)
    affinity = op.execution_affinity
    if affinity is not None:
        for value in (*operands, *results):
            if not homes.settle((place, value.name), affinity, op.identity):
                home = _home(homes, place, value)
                yield f"{where(op)} runs on {affinity}, but {home}; transfer it first"
    elif op.takes_affinity:
        yield from _join_all(op, place, (*operands, *results), homes)
    else:
        for result, operand in op.tied:
            homes.join((place, operand.name), (place, result.name))


def _join_all(op: Operation, place: int, values: Iterable[Value], homes: Homes) -> Iterator[str]:
    first: Value | None = None
    for value in values:
        if first is None:
            first = value
        elif not homes.join((place, first.name), (place, value.name)):
            yield (
                f"{where(op)} says nowhere to run, but {_home(homes, place, first)} and "
                f"{_home(homes, place, value)}; transfer one first"
            )


def _home(homes: Homes, place: int, value: Value) -> str:
    known = homes.of((place, value.name))
    assert known is not None
    return f"%{value.name} lives on {known[0]} ({known[1]} says so)"
