"""Functions that end earlier."""

from __future__ import annotations

from typing import ClassVar

from oracle.reading.raw import RawOperation
from oracle.reduction.results import sole_returns
from oracle.reduction.symbols import set_signature
from oracle.reduction.tree import Tree, changed, types, uses
from reference.types import ResourceType, parse_type


class ReturnEarlier:
    """A function ends behind one of its ops and returns what that made: alone, or beside what it
    returned of what was there by then."""

    name: ClassVar[str] = "return-earlier"

    def sites(self, tree: Tree) -> int:
        return len(_ends(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, behind, alone = _ends(tree)[site]

        def change(made: Tree) -> bool:
            place = sole_returns(made)[number]
            function, operations = place.function, place.operations
            assert function is not None
            kept = operations[: behind + 1]
            there = {value for op in kept for value, _ in op["results"]}
            there |= {value for value, _ in function["regions"][0][0]["arguments"]}
            values = [value for value, _ in kept[-1]["results"]]
            if not alone:
                before = place.operation["operands"]
                values += [value for value in before if value in there and value not in values]
            place.operation["operands"] = values
            operations[:] = [*kept, place.operation]
            set_signature(function)
            for name in ("res_attrs", "tied_operands"):
                function["attributes"].pop(name, None)
            return True

        return changed(tree, change)


def _ends(tree: Tree) -> list[tuple[int, int, bool]]:
    """Which return, behind which op of its block, and whether it returns that op's results alone;
    those first that leave least. Nothing where not at least one op would go."""
    return [
        (number, behind, alone)
        for number, place in enumerate(sole_returns(tree))
        if place.function is not None and len(place.function["regions"][0]) == 1
        for behind, op in enumerate(place.operations[:-2])
        if place.around[0] is place.function and _makes_something(op)
        for alone in (True, False)
    ]


def _makes_something(op: RawOperation) -> bool:
    return bool(op["results"]) and op["name"] != "arith.constant"


class ReturnOperand:
    """A function returns what an op takes instead of what it makes, if nobody else takes that."""

    name: ClassVar[str] = "return-operand"

    def sites(self, tree: Tree) -> int:
        return len(_instead(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, made_by, values, operand = _instead(tree)[site]

        def change(made: Tree) -> bool:
            place = sole_returns(made)[number]
            function = place.function
            assert function is not None
            returned = place.operation["operands"]
            first = min(returned.index(value) for value in returned if value in values)
            kept = [value for value in returned if value not in values]
            kept.insert(first, operand)
            place.operation["operands"] = kept
            del place.operations[made_by]
            set_signature(function)
            for name in ("res_attrs", "tied_operands"):
                function["attributes"].pop(name, None)
            return True

        return changed(tree, change)


def _instead(tree: Tree) -> list[tuple[int, int, frozenset[int], int]]:
    """Which return, which op of its block, what that makes, and which of its operands is returned
    instead."""
    found = []
    counts = uses(tree)
    known = types(tree)
    for number, place in enumerate(sole_returns(tree)):
        returned = place.operation["operands"]
        for position, op in enumerate(place.operations[:-1]):
            values = frozenset(value for value, _ in op["results"])
            if values.isdisjoint(returned) or op["name"] == "arith.constant":
                continue
            if any(counts.get(value, 0) > returned.count(value) for value in values):
                continue
            for operand in dict.fromkeys(op["operands"]):
                if isinstance(parse_type(known[operand]), ResourceType):
                    found.append((number, position, values, operand))
    return found
