"""Functions, globals and executables that nothing needs, and arguments that nothing takes."""

from __future__ import annotations

from typing import ClassVar

from oracle.reading.raw import RawOperation
from oracle.reduction.step import halves
from oracle.reduction.tree import Tree, UndefinedValueError, changed, uses


class DropSymbols:
    """Deletes what stands in the module."""

    name: ClassVar[str] = "drop-symbols"

    def sites(self, tree: Tree) -> int:
        return len(halves(len(_top(tree))))

    def take(self, tree: Tree, site: int) -> Tree | None:
        start, length = halves(len(_top(tree)))[site]

        def change(made: Tree) -> bool:
            del _top(made)[start : start + length]
            return True

        return changed(tree, change)


class DropArguments:
    """Deletes arguments of public functions that nothing takes."""

    name: ClassVar[str] = "drop-arguments"

    def sites(self, tree: Tree) -> int:
        return len(self._unused(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        place, position = self._unused(tree)[site]

        def change(made: Tree) -> bool:
            function = _top(made)[place]
            del function["regions"][0][0]["arguments"][position]
            set_signature(function)
            for name in ("arg_attrs", "tied_operands"):
                function["attributes"].pop(name, None)
            return True

        return changed(tree, change)

    @staticmethod
    def _unused(tree: Tree) -> list[tuple[int, int]]:
        counts = uses(tree)
        return [
            (place, position)
            for place, op in enumerate(_top(tree))
            if op["name"] == "util.func" and op["regions"] and op["regions"][0]
            for position, (value, _) in enumerate(op["regions"][0][0]["arguments"])
            if not counts.get(value)
        ]


def set_signature(function: RawOperation) -> None:
    """Makes a function's type what its entry block and its return say.

    Raises UndefinedValueError where there is no return, or it takes what no longer exists.
    """
    body = function["regions"][0]
    takes = ", ".join(kind for _, kind in body[0]["arguments"])
    kinds = {value: kind for block in body for value, kind in block["arguments"]}
    for block in body:
        for op in block["operations"]:
            kinds.update(op["results"])
    every = [op for block in body for op in block["operations"]]
    returns = [op["operands"] for op in every if op["name"] == "util.return"]
    if not returns or any(value not in kinds for value in returns[0]):
        raise UndefinedValueError
    gives = ", ".join(kinds[value] for value in returns[0])
    function["attributes"]["function_type"] = {"type": f"({takes}) -> ({gives})"}


def _top(tree: Tree) -> list[RawOperation]:
    return tree["regions"][0][0]["operations"]
