"""Sizes: constants instead of values, and small ones."""

from __future__ import annotations

from typing import ClassVar, cast

from oracle.reading.raw import RawOperation
from oracle.reduction.tree import Tree, changed, places, substitute

_SMALL = (16, 64)


class StaticSizes:
    """An index argument becomes a constant; all constants of one number become a smaller one."""

    name: ClassVar[str] = "static-sizes"

    def sites(self, tree: Tree) -> int:
        return len(self._arguments(tree)) + len(self._numbers(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        arguments = self._arguments(tree)
        if site >= len(arguments):
            return self._smaller(tree, *self._numbers(tree)[site - len(arguments)])
        number, position, size = arguments[site]

        def change(made: Tree) -> bool:
            entry = _functions(made)[number]["regions"][0][0]
            value, _ = entry["arguments"][position]
            fresh = _fresh(made)
            constant: RawOperation = {
                "name": "arith.constant", "location": None, "line": None, "operands": [],
                "results": [(fresh, "index")], "regions": [], "successors": [],
                "attributes": {"value": {"integer": size, "type": "index"}},
            }  # fmt: skip
            substitute(_functions(made)[number], {value: fresh})
            entry["operations"].insert(0, constant)
            return True

        return changed(tree, change)

    @staticmethod
    def _arguments(tree: Tree) -> list[tuple[int, int, int]]:
        taken = {value for place in places(tree) for value in place.operation["operands"]}
        return [
            (number, position, size)
            for number, function in enumerate(_functions(tree))
            for position, (value, kind) in enumerate(function["regions"][0][0]["arguments"])
            if kind == "index" and value in taken
            for size in _SMALL
        ]

    @staticmethod
    def _numbers(tree: Tree) -> list[tuple[int, int]]:
        numbers = {number for op in _indices(tree) if (number := _number(op)) > _SMALL[0]}
        return [(number, size) for number in sorted(numbers) for size in _SMALL if size < number]

    @staticmethod
    def _smaller(tree: Tree, number: int, size: int) -> Tree | None:
        def change(made: Tree) -> bool:
            for op in _indices(made):
                if _number(op) == number:
                    op["attributes"]["value"] = {"integer": size, "type": "index"}
            return True

        return changed(tree, change)


def _functions(tree: Tree) -> list[RawOperation]:
    return [
        op
        for op in tree["regions"][0][0]["operations"]
        if op["name"] == "util.func" and op["regions"] and op["regions"][0]
    ]


def _indices(tree: Tree) -> list[RawOperation]:
    return [
        place.operation
        for place in places(tree)
        if place.operation["name"] == "arith.constant"
        and place.operation["results"][0][1] == "index"
    ]


def _number(op: RawOperation) -> int:
    return cast("dict[str, int]", op["attributes"]["value"])["integer"]


def _fresh(tree: Tree) -> int:
    """A value number that is not taken."""
    taken = [value for place in places(tree) for value, _ in place.operation["results"]]
    for function in tree["regions"][0][0]["operations"]:
        for region in function["regions"]:
            for block in region:
                taken += [value for value, _ in block["arguments"]]
    return max(taken, default=0) + 1_000_000
