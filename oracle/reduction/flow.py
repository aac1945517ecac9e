"""Control flow: one of several ways."""

from __future__ import annotations

from typing import ClassVar

from oracle.reading.raw import RawBlock, RawOperation
from oracle.reduction.tree import Place, Tree, changed, delete_block, places, substitute

_ONE_WAY = {"scf.if": (0, 1), "scf.for": (0,), "scf.while": (0, 1)}
"""The regions of an op that may take its place."""


class Flatten:
    """A region of a branch or a loop takes its place; a conditional branch always goes one way."""

    name: ClassVar[str] = "flatten"

    def sites(self, tree: Tree) -> int:
        return len(self._choices(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, way = self._choices(tree)[site]

        def change(made: Tree) -> bool:
            place = places(made)[number]
            if place.operation["name"] == "cf.cond_br":
                return _one_way(place.operation, way)
            if place.operation["name"] == "cf.br":
                return _merge(place)
            return _inline(place, way)

        return changed(tree, change)

    @staticmethod
    def _choices(tree: Tree) -> list[tuple[int, int]]:
        found = []
        for number, place in enumerate(places(tree)):
            name = place.operation["name"]
            ways = _ONE_WAY.get(name, (0, 1) if name == "cf.cond_br" else ())
            found += [(number, way) for way in ways]
            if name == "cf.br":
                found.append((number, 0))
        return found


def _inline(place: Place, way: int) -> bool:
    op = place.operation
    region = op["regions"][way]
    if len(region) != 1 or place.function is None:
        return False
    (block,) = region
    end = block["operations"][-1]
    initial = op["operands"][3:] if op["name"] == "scf.for" else list(op["operands"])
    if op["name"] == "scf.for":
        initial = [op["operands"][0], *initial]
    handed = end["operands"][1:] if end["name"] == "scf.condition" else end["operands"]
    arguments = [value for value, _ in block["arguments"]]
    if len(arguments) > len(initial) or len(handed) < len(op["results"]):
        return False
    given = dict(zip(arguments, initial, strict=False))
    body = block["operations"][:-1]
    for inner in body:
        substitute(inner, given)
    handed = [given.get(value, value) for value in handed]
    place.operations[place.position : place.position + 1] = body
    results = (value for value, _ in op["results"])
    substitute(place.function, dict(zip(results, handed, strict=False)))
    return True


def _one_way(op: RawOperation, way: int) -> bool:
    sizes = op["attributes"]["operandSegmentSizes"]
    if not isinstance(sizes, dict) or not isinstance(sizes["integers"], list):
        return False
    _, then, _ = (int(str(size)) for size in sizes["integers"])
    groups = op["operands"][1 : 1 + then], op["operands"][1 + then :]
    op["name"], op["operands"] = "cf.br", list(groups[way])
    op["successors"], op["attributes"] = [op["successors"][way]], {}
    return True


def _merge(place: Place) -> bool:
    """Appends the only successor's ops, where nothing else branches to it."""
    function = place.function
    if function is None or place.around[0] is not function:
        return False
    region: list[RawBlock] = function["regions"][0]
    here = next(n for n, block in enumerate(region) if block["operations"] is place.operations)
    (there,) = place.operation["successors"]
    comers = [target for block in region for target in block["operations"][-1]["successors"]]
    if there == here or comers.count(there) > 1:
        return False
    block = region[there]
    given = dict(
        zip((value for value, _ in block["arguments"]), place.operation["operands"], strict=True)
    )
    place.operations[-1:] = block["operations"]
    substitute(function, given)
    delete_block(region, there)
    return True
