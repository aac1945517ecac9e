"""What a function returns."""

from __future__ import annotations

from typing import ClassVar

from oracle.reading.raw import RawOperation
from oracle.reduction.step import halves
from oracle.reduction.symbols import set_signature
from oracle.reduction.tree import Place, Tree, changed, places


class DropResults:
    """Deletes results of functions that nobody in the module calls."""

    name: ClassVar[str] = "drop-results"

    def sites(self, tree: Tree) -> int:
        return len(_cuts(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, start, length = _cuts(tree)[site]

        def change(made: Tree) -> bool:
            place = sole_returns(made)[number]
            del place.operation["operands"][start : start + length]
            function = place.function
            assert function is not None
            set_signature(function)
            for name in ("res_attrs", "tied_operands"):
                function["attributes"].pop(name, None)
            return True

        return changed(tree, change)


def _cuts(tree: Tree) -> list[tuple[int, int, int]]:
    return [
        (number, start, length)
        for number, place in enumerate(sole_returns(tree))
        for start, length in halves(len(place.operation["operands"]))
    ]


def sole_returns(tree: Tree) -> list[Place]:
    """The returns of functions that have one return and that nobody calls."""
    every = places(tree)
    called = [op.operation["attributes"].get("callee") for op in every]
    found = [place for place in every if place.operation["name"] == "util.return"]
    return [
        place
        for place in found
        if (function := place.function) is not None
        and sum(other.function is function for other in found) == 1
        and {"symbol": [_name(function)]} not in called
    ]


def _name(function: RawOperation) -> str:
    return str(function["attributes"].get("sym_name", ""))
