"""Operands and results of dispatches, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

from oracle.reading.raw import RawAttribute, RawOperation
from oracle.reduction.tree import Tree, changed, places, types, uses
from reference.types import ResourceType, parse_type

_DISPATCH = "stream.async.dispatch"
_SEGMENTS = "operandSegmentSizes"
_TIES = "tied_operands"


@dataclass(slots=True)
class _Interface:
    """A dispatch's operands in their groups (StreamOps.td), and its ties."""

    workload: list[int]
    mixed: list[int]
    sizes: list[int]
    starts: list[int]
    ends: list[int]
    lengths: list[int]
    result_sizes: list[int]
    ties: list[int]

    @staticmethod
    def of(op: RawOperation) -> _Interface:
        segments = cast("dict[str, list[int]]", op["attributes"][_SEGMENTS])["integers"]
        groups, start = [], 0
        for length in segments:
            groups.append(op["operands"][start : start + length])
            start += length
        told = op["attributes"].get(_TIES, [])
        ties = [cast("dict[str, int]", one)["integer"] for one in cast("list[RawAttribute]", told)]
        workload, mixed, sizes, starts, ends, lengths, result_sizes = groups
        return _Interface(
            workload,
            mixed,
            sizes,
            starts,
            ends,
            lengths,
            result_sizes,
            ties or [-1] * len(op["results"]),
        )

    def into(self, op: RawOperation) -> None:
        """Gives the dispatch these operands and ties."""
        groups = (
            self.workload, self.mixed, self.sizes, self.starts, self.ends, self.lengths,
            self.result_sizes,
        )  # fmt: skip
        op["operands"] = [value for group in groups for value in group]
        attributes = op["attributes"]
        attributes[_SEGMENTS] = {"integers": [len(group) for group in groups], "type": "i32"}
        attributes.pop(_TIES, None)
        if any(tie != -1 for tie in self.ties):
            attributes[_TIES] = [{"integer": tie, "type": "index"} for tie in self.ties]


class DropOperands:
    """Drops a workload, an operand, a result that nothing takes, or a tie of a dispatch."""

    name: ClassVar[str] = "drop-operands"

    def sites(self, tree: Tree) -> int:
        return len(_cuts(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, cut = _cuts(tree)[site]

        def change(made: Tree) -> bool:
            op = _dispatches(made)[number]
            interface = _Interface.of(op)
            cut(op, interface)
            interface.into(op)
            return True

        return changed(tree, change)


_Cut = Callable[[RawOperation, _Interface], None]


def _cuts(tree: Tree) -> list[tuple[int, _Cut]]:
    known, counts = types(tree), uses(tree)
    found: list[tuple[int, _Cut]] = []
    for number, op in enumerate(_dispatches(tree)):
        interface = _Interface.of(op)
        if interface.workload:
            found.append((number, _drop_workload))
        resources = [
            isinstance(parse_type(known[value]), ResourceType) for value in interface.mixed
        ]
        for place, resource in enumerate(resources):
            if place not in interface.ties:
                ordinal = sum(resources[:place]) if resource else None
                found.append((number, _drop_operand(place, ordinal)))
        for place, (value, _) in enumerate(op["results"]):
            if not counts.get(value) and len(op["results"]) > 1:
                found.append((number, _drop_result(place)))
            if interface.ties[place] != -1:
                found.append((number, _untie(place)))
    return found


def _dispatches(tree: Tree) -> list[RawOperation]:
    return [one.operation for one in places(tree) if one.operation["name"] == _DISPATCH]


def _drop_workload(op: RawOperation, interface: _Interface) -> None:
    interface.workload = []


def _drop_operand(place: int, ordinal: int | None) -> _Cut:
    def cut(op: RawOperation, interface: _Interface) -> None:
        del interface.mixed[place]
        if ordinal is not None:
            for group in (interface.sizes, interface.starts, interface.ends, interface.lengths):
                del group[ordinal]
        interface.ties = [tie - 1 if tie > place else tie for tie in interface.ties]

    return cut


def _drop_result(place: int) -> _Cut:
    def cut(op: RawOperation, interface: _Interface) -> None:
        del op["results"][place]
        del interface.result_sizes[place]
        del interface.ties[place]

    return cut


def _untie(place: int) -> _Cut:
    def cut(op: RawOperation, interface: _Interface) -> None:
        interface.ties[place] = -1

    return cut
