"""A module's functions as programs of their own.

Functions, initializers and globals that name each other, however indirectly, belong together: what
holds of one may depend on the others, and on nothing else. Device globals, executables and whatever
else many functions share do not tie them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from oracle.reading.raw import RawAttribute, RawOperation

_FUNCTIONS = frozenset({"util.func", "func.func"})
_TIED = _FUNCTIONS | {"util.initializer", "util.global"}
_DEVICE = {"type": "!hal.device"}


@dataclass(frozen=True, slots=True)
class Component:
    """Functions that belong together: their names, and the positions in the module of all that
    is needed to make a module of them."""

    functions: tuple[str, ...]
    positions: tuple[int, ...]


def components(raw: object) -> list[Component]:
    """The components of a module that a `read` step answered with, in the order of functions.

    A declaration is no component. A module without functions has none.
    """
    module = cast(RawOperation, raw)
    operations = module["regions"][0][0]["operations"]
    groups = _Groups(len(operations))
    places = {
        str(op["attributes"]["sym_name"]): place
        for place, op in enumerate(operations)
        if "sym_name" in op["attributes"]
    }
    references = [{places[name] for name in _symbols(op) if name in places} for op in operations]
    for place, op in enumerate(operations):
        if _ties(op):
            for other in references[place]:
                if _ties(operations[other]):
                    groups.join(place, other)
    found: dict[int, list[int]] = {}
    for place, op in enumerate(operations):
        if _ties(op):
            found.setdefault(groups.of(place), []).append(place)
    shared = [place for place, op in enumerate(operations) if not _ties(op)]
    return [
        Component(names, tuple(sorted([*members, *shared])))
        for members in found.values()
        if (names := tuple(_bodies(operations, members)))
    ]


class _Groups:
    """Disjoint sets of positions."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def of(self, place: int) -> int:
        while (parent := self._parents[place]) != place:
            self._parents[place] = self._parents[parent]
            place = parent
        return place

    def join(self, one: int, other: int) -> None:
        self._parents[self.of(other)] = self.of(one)


def _ties(op: RawOperation) -> bool:
    return op["name"] in _TIED and op["attributes"].get("type") != _DEVICE


def _bodies(operations: Sequence[RawOperation], members: Sequence[int]) -> Iterator[str]:
    for place in members:
        op = operations[place]
        if op["name"] in _FUNCTIONS and op["regions"] and op["regions"][0]:
            yield str(op["attributes"]["sym_name"])


def _symbols(op: RawOperation) -> Iterator[str]:
    """The root of every symbol that the op, or one within, refers to."""
    for attribute in op["attributes"].values():
        yield from _named(attribute)
    for region in op["regions"]:
        for block in region:
            for inner in block["operations"]:
                yield from _symbols(inner)


def _named(attribute: RawAttribute) -> Iterator[str]:
    if isinstance(attribute, list):
        for item in attribute:
            yield from _named(item)
    elif isinstance(attribute, dict):
        symbol = attribute.get("symbol")
        if isinstance(symbol, list):
            yield str(symbol[0])
            return
        for item in attribute.values():
            yield from _named(item)
