"""Where two programs first differ, op by op and in order, names of values apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter

from oracle.reading.raw import is_line, origin
from reference.folding.constants import same_value
from reference.folding.layouts import Input, with_inputs
from reference.ir import Block, Operation, Program, Region, Successor
from reference.ops import Binding, HostScalar, Immediate, OpaqueOperation
from reference.ops.assembly import Range
from reference.types import Value

_LEFT_OUT = frozenset({"identity", "result", "outputs", "timepoint"})
"""Fields that are compared otherwise: what an op is called, and what it makes."""


Label = tuple[str, frozenset[str]]
"""What makes two ops the same one: the kind and the locations, in no order where several fused."""


def locations(identity: str) -> frozenset[str]:
    """The locations that an identity is made of; lines of a file count where there is no name."""
    found = frozenset(map(origin, identity.split("+")))
    if len(found) == 1:
        return found
    return frozenset(one for one in found if not is_line(one)) or found


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: its shape in words without names, and both sides for people."""

    shape: tuple[str, ...]
    expected: str
    actual: str


def first_difference(expected: Program, actual: Program) -> Difference | None:
    """Where the bodies of two programs first differ; None where they are the same.

    Compared are blocks and their arguments, and of each op the kind, the location that its identity
    comes from, what it takes and makes, attributes and nested regions. Constants, among them
    `stream.timepoint.immediate`, have no place: MLIR moves them.
    """
    ours = {function.name: function.body for function in expected.functions}
    theirs = {function.name: function.body for function in actual.functions}
    if ours.keys() != theirs.keys():
        names = ours.keys() ^ theirs.keys()
        return Difference(("functions",), str(sorted(ours)), f"other by {sorted(names)}")
    started = [[one.body for one in program.initializers] for program in (expected, actual)]
    if len(started[0]) != len(started[1]):
        counts = [f"{len(found)} initializers" for found in started]
        return Difference(("initializers",), *counts)
    pairs = [(ours[name], theirs[name]) for name in ours]
    for one, other in (*pairs, *zip(*started, strict=True)):
        found = _Comparison().regions(one, other)
        if found is not None:
            return found
    return None


_COMPOUND: dict[type, Callable[[object], tuple[object, ...]]] = {
    Binding: attrgetter("value", "span"),
    Range: attrgetter("start", "end", "length"),
    Successor: attrgetter("block", "arguments"),
}
"""What ops have for fields that are made of operands and other things."""


def _getter(kind: type) -> Callable[[Operation], tuple[object, ...]]:
    """What an op of a kind says, what it is called and what it makes apart."""
    names = [field.name for field in fields(kind) if field.name not in _LEFT_OUT]
    # Two that every op has come first: an attrgetter of a single name would give no tuple.
    return attrgetter("mnemonic", "streamable", *names)


_parts_of: Callable[[type], Callable[[Operation], tuple[object, ...]]] = cache(_getter)


class _Comparison:
    """Two bodies, walked side by side; values that stand for each other are learnt on the way."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._constants: tuple[set[str], set[str]] = (set(), set())

    def regions(self, expected: Region, actual: Region) -> Difference | None:
        if len(expected.blocks) != len(actual.blocks):
            counts = [f"{len(region.blocks)} blocks" for region in (expected, actual)]
            return Difference(("blocks",), *counts)
        for one, other in zip(expected.blocks, actual.blocks, strict=True):
            found = self._arguments(one, other)
            if found is not None:
                return found
        for one, other in zip(expected.blocks, actual.blocks, strict=True):
            found = self._blocks(one, other)
            if found is not None:
                return found
        return None

    def _arguments(self, expected: Block, actual: Block) -> Difference | None:
        types = [[str(value.type) for value in block.arguments] for block in (expected, actual)]
        if types[0] != types[1]:
            return Difference(("block-arguments",), *map(", ".join, types))
        self._bind(expected.arguments, actual.arguments)
        return None

    def _blocks(self, expected: Block, actual: Block) -> Difference | None:
        ours, theirs = map(_without_constants, (expected, actual), self._constants)
        for one, other in zip(ours, theirs, strict=False):
            if not _same_label(one, other):
                return _other_ops(ours, theirs)
            found = None if self._alike(one, other) else self._difference(one, other)
            if found is None:
                found = self._nested(one, other)
            if found is not None:
                return found
        return None if len(ours) == len(theirs) else _other_ops(ours, theirs)

    def _alike(self, expected: Operation, actual: Operation) -> bool:
        """Whether two ops of one label are the same at first glance, and their results are learnt.

        False says nothing yet: this is only the quick way to what `_difference` says of most ops.
        """
        kind = type(actual)
        if type(expected) is not kind or len(expected.regions) != len(actual.regions):
            return False
        parts = _parts_of(kind)
        if not all(map(self._part, parts(expected), parts(actual))):
            return False
        results = expected.results, actual.results
        if len(results[0]) != len(results[1]):
            return False
        for one, other in zip(*results, strict=True):
            if one.type != other.type or not self._part(one.size, other.size):
                return False
        self._bind(*results)
        return True

    def _part(self, expected: object, actual: object) -> bool:
        """Whether two parts of ops are the same, and all that is in them."""
        kind = type(expected)
        if kind is Value:
            assert isinstance(expected, Value)
            return (
                isinstance(actual, Value)
                and self._names.get(expected.name) == actual.name
                and self._part(expected.size, actual.size)
            )
        if kind is not type(actual):
            return False
        if kind is tuple:
            assert isinstance(expected, tuple)
            assert isinstance(actual, tuple)
            return len(expected) == len(actual) and all(map(self._part, expected, actual))
        parts = _COMPOUND.get(kind)
        if parts is not None:
            return all(map(self._part, parts(expected), parts(actual)))
        # Regions are looked at in their turn.
        return kind is Region or expected == actual

    def _nested(self, expected: Operation, actual: Operation) -> Difference | None:
        for one, other in zip(expected.regions, actual.regions, strict=True):
            found = self.regions(one, other)
            if found is not None:
                return found
        return None

    def _difference(self, expected: Operation, actual: Operation) -> Difference | None:
        """What differs of two ops of one label, nested regions apart."""
        kind = _word(actual)
        if len(expected.inputs) != len(actual.inputs):
            return _differ(("operand-count", kind), expected, actual)
        for one, other in zip(expected.inputs, actual.inputs, strict=True):
            if not self._same(one, other):
                return _differ(("operand", kind), expected, actual)
        types = [[str(result.type) for result in op.results] for op in (expected, actual)]
        if types[0] != types[1]:
            return _differ(("result-type", kind), expected, actual)
        self._bind(expected.results, actual.results)
        field = _other_attribute(expected, actual)
        if field is not None:
            return _differ(("attribute", kind, field.replace("_", "-")), expected, actual)
        return None

    def _same(self, expected: Input, actual: Input) -> bool:
        if expected is None or actual is None:
            return True
        if not isinstance(expected, Value) or not isinstance(actual, Value):
            return same_value(expected, actual)
        ours, theirs = self._constants
        if expected.name in ours or actual.name in theirs:
            return expected.name in ours and actual.name in theirs
        return self._names.setdefault(expected.name, actual.name) == actual.name

    def _bind(self, expected: Sequence[Value], actual: Sequence[Value]) -> None:
        for one, other in zip(expected, actual, strict=True):
            self._names[one.name] = other.name


def _without_constants(block: Block, names: set[str]) -> list[Operation]:
    """The ops of a block that have a place; adds the names of the others' results to `names`."""
    kept = []
    for operation in block.operations:
        if isinstance(operation, Immediate):
            names.add(operation.result.name)
        else:
            kept.append(operation)
    return kept


def _other_attribute(expected: Operation, actual: Operation) -> str | None:
    """The first field that differs when both ops take and make the same values."""
    alike = with_inputs(expected, actual.inputs).with_regions(actual.regions)
    for field in fields(actual):
        if field.name in _LEFT_OUT:
            continue
        if getattr(alike, field.name) != getattr(actual, field.name):
            return field.name
    return None


def _other_ops(expected: list[Operation], actual: list[Operation]) -> Difference:
    """Blocks that do not have the same ops in the same order."""
    ours, theirs = Counter(map(label, expected)), Counter(map(label, actual))
    sides = ["\n".join(map(_shown, side)) for side in (expected, actual)]
    missing, extra = ours - theirs, theirs - ours
    if not missing and not extra:
        place = next(
            place for place, pair in enumerate(zip(expected, actual, strict=True))
            if label(pair[0]) != label(pair[1])
        )  # fmt: skip
        return Difference(("order", _word(expected[place]), _word(actual[place])), *sides)
    wanted = _first_words(expected, missing)
    return Difference(("kind", wanted, _first_words(actual, extra)), *sides)


def _first_words(operations: list[Operation], unmatched: Counter[Label]) -> str:
    return next((_word(op) for op in operations if unmatched[label(op)]), "nothing")


def _same_label(expected: Operation, actual: Operation) -> bool:
    """Whether two ops have one label, mostly because they have one identity."""
    same_place = expected.identity == actual.identity
    return (same_place and _name(expected) == _name(actual)) or label(expected) == label(actual)


def label(operation: Operation) -> Label:
    """What makes an op the same one on both sides."""
    return _name(operation), locations(operation.identity)


def _name(operation: Operation) -> str:
    """The op's name in MLIR."""
    if isinstance(operation, HostScalar | OpaqueOperation):
        return operation.name
    return operation.mnemonic


def _word(operation: Operation) -> str:
    return _name(operation).rpartition(".")[2]


def _differ(shape: tuple[str, ...], expected: Operation, actual: Operation) -> Difference:
    return Difference(shape, _shown(expected), _shown(actual))


def _shown(operation: Operation) -> str:
    return f"{operation.assembly()}   // {origin(operation.identity)}"
