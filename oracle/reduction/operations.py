"""Ops: deleted, or their results replaced by something simpler."""

from __future__ import annotations

from typing import ClassVar

from oracle.reading.raw import RawOperation
from oracle.reduction.step import halves
from oracle.reduction.symbols import set_signature
from oracle.reduction.tree import (
    Place,
    Tree,
    changed,
    is_terminator,
    places,
    substitute,
    types,
    uses,
)
from reference.types import ResourceType, parse_type

_STANDS_IN = "stream.async.alloca"


class DeleteRuns:
    """Deletes ops whose results nothing takes, runs of neighbours first."""

    name: ClassVar[str] = "delete"

    def sites(self, tree: Tree) -> int:
        return len(halves(len(_movable(tree))))

    def take(self, tree: Tree, site: int) -> Tree | None:
        start, length = halves(len(_movable(tree)))[site]

        def change(made: Tree) -> bool:
            # From the end, so that what only deleted ops took goes too.
            deleted = False
            for place in reversed(_movable(made)[start : start + length]):
                counts = uses(made)
                if not any(counts.get(value) for value, _ in place.operation["results"]):
                    operation = place.operation
                    place.operations[:] = [op for op in place.operations if op is not operation]
                    deleted = True
            return deleted

        return changed(tree, change)


class ForwardOperand:
    """Deletes an op, its result's users taking an operand of the same type instead."""

    name: ClassVar[str] = "forward-operand"

    def sites(self, tree: Tree) -> int:
        return len(self._choices(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, results = self._choices(tree)[site]

        def change(made: Tree) -> bool:
            place = _movable(made)[number]
            function = place.function
            assert function is not None
            del place.operations[place.position]
            substitute(function, results)
            return True

        return changed(tree, change)

    @staticmethod
    def _choices(tree: Tree) -> list[tuple[int, dict[int, int]]]:
        known, counts = types(tree), uses(tree)
        found = []
        for number, place in enumerate(_movable(tree)):
            op = place.operation
            used = [(value, kind) for value, kind in op["results"] if counts.get(value)]
            if place.function is None or not used:
                continue
            tried: set[tuple[int, ...]] = set()
            for operand in op["operands"]:
                chosen = {
                    value: next(
                        (one for one in [operand, *op["operands"]] if known[one] == kind), value
                    )
                    for value, kind in used
                }
                key = tuple(chosen.values())
                if key not in tried and all(value != one for value, one in chosen.items()):
                    tried.add(key)
                    found.append((number, chosen))
        return found


class MakeArgument:
    """Deletes an op, its results becoming arguments of the function."""

    name: ClassVar[str] = "make-argument"

    def sites(self, tree: Tree) -> int:
        return len(_movable(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        def change(made: Tree) -> bool:
            place = _movable(made)[site]
            function, op = place.function, place.operation
            if function is None or function["name"] != "util.func" or not op["results"]:
                return False
            del place.operations[place.position]
            function["regions"][0][0]["arguments"] += op["results"]
            function["attributes"].pop("arg_attrs", None)
            set_signature(function)
            return True

        return changed(tree, change)


class StandIn:
    """Puts an allocation in an op's place where its only result is a resource."""

    name: ClassVar[str] = "stand-in"

    def sites(self, tree: Tree) -> int:
        return len(_movable(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        known = types(tree)

        def change(made: Tree) -> bool:
            op = _movable(made)[site].operation
            sizes = [value for value in op["operands"] if known[value] == "index"]
            if op["name"] == _STANDS_IN or len(op["results"]) != 1 or not sizes:
                return False
            if not isinstance(parse_type(op["results"][0][1]), ResourceType):
                return False
            # Of most ops the size of the result is the last index that they take.
            op["name"], op["operands"], op["regions"] = _STANDS_IN, [sizes[-1]], []
            affinity = op["attributes"].get("affinity")
            op["attributes"] = {} if affinity is None else {"affinity": affinity}
            return True

        return changed(tree, change)


def _movable(tree: Tree) -> list[Place]:
    """The ops that may go: those within functions that do not end a block."""
    return [
        place
        for place in places(tree)
        if place.around[1:] and not is_terminator(place) and not _is_constant(place.operation)
    ]


def _is_constant(op: RawOperation) -> bool:
    return op["name"] == "arith.constant"
