"""Lifetimes: the plainest that will do."""

from __future__ import annotations

from typing import ClassVar

from oracle.reduction.symbols import set_signature
from oracle.reduction.tree import Tree, blocks, changed, places, types
from reference.types import RESOURCES, Lifetime, ResourceType, parse_type

_PLAINEST_FIRST = (Lifetime.TRANSIENT, Lifetime.EXTERNAL)


class PlainLifetimes:
    """A value, or all of one lifetime, become transient, else external."""

    name: ClassVar[str] = "plain-lifetimes"

    def sites(self, tree: Tree) -> int:
        return len(self._choices(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        values, kind = self._choices(tree)[site]

        def change(made: Tree) -> bool:
            for block in blocks(made):
                block["arguments"] = [
                    (value, kind if value in values else old) for value, old in block["arguments"]
                ]
            for place in places(made):
                op = place.operation
                op["results"] = [
                    (value, kind if value in values else old) for value, old in op["results"]
                ]
            for place in places(made):
                op = place.operation
                if op["name"] == "util.func" and op["regions"] and op["regions"][0]:
                    set_signature(op)
            return True

        return changed(tree, change)

    @staticmethod
    def _choices(tree: Tree) -> list[tuple[frozenset[int], str]]:
        by_kind: dict[str, list[int]] = {}
        for value, kind in types(tree).items():
            by_kind.setdefault(kind, []).append(value)
        found: list[tuple[frozenset[int], str]] = []
        for kind, values in by_kind.items():
            parsed = parse_type(kind)
            if not isinstance(parsed, ResourceType):
                continue
            rank = _rank(parsed.lifetime)
            for plainer in _PLAINEST_FIRST[:rank]:
                text = str(RESOURCES[plainer])
                found.append((frozenset(values), text))
                found += [(frozenset({value}), text) for value in values]
        return found


def _rank(lifetime: Lifetime) -> int:
    """How many lifetimes are plainer."""
    return _PLAINEST_FIRST.index(lifetime) if lifetime in _PLAINEST_FIRST else len(_PLAINEST_FIRST)
