"""Where things live and run: attributes that are not needed, devices that may be one."""

from __future__ import annotations

import json
from typing import ClassVar

from oracle.reading.raw import RawAttribute
from oracle.reduction.tree import Tree, changed, places
from reference.affinity import parse_affinity

_DEVICE = {"type": "!hal.device"}


class DropAttributes:
    """Deletes an attribute of an op or of the module; the parser refuses where it is needed."""

    name: ClassVar[str] = "drop-attributes"

    def sites(self, tree: Tree) -> int:
        return len(self._attributes(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        number, name = self._attributes(tree)[site]

        def change(made: Tree) -> bool:
            holder = made if number is None else places(made)[number].operation
            del holder["attributes"][name]
            return True

        return changed(tree, change)

    @staticmethod
    def _attributes(tree: Tree) -> list[tuple[int | None, str]]:
        kept = ("sym_name", "value", "operandSegmentSizes", "function_type", "type")
        found: list[tuple[int | None, str]] = [(None, name) for name in tree["attributes"]]
        for number, place in enumerate(places(tree)):
            found += [(number, name) for name in place.operation["attributes"] if name not in kept]
        return found


class MergeDevices:
    """One device becomes another that stands before it."""

    name: ClassVar[str] = "merge-devices"

    def sites(self, tree: Tree) -> int:
        return len(self._pairs(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        goes, stays = self._pairs(tree)[site]

        def renamed(attribute: RawAttribute) -> RawAttribute:
            if isinstance(attribute, list):
                return [renamed(item) for item in attribute]
            if isinstance(attribute, dict) and "dictionary" not in attribute:
                # The bindings give no structure for HAL's attributes: only their text.
                affinity = parse_affinity(str(attribute.get("text", "")))
                if affinity is not None:
                    text = str(attribute["text"]).replace(f"@{goes}>", f"@{stays}>")
                    return {"text": text.replace(f"@{goes},", f"@{stays},")}
            return attribute

        def change(made: Tree) -> bool:
            before = json.dumps(made)
            for holder in (made, *(place.operation for place in places(made))):
                holder["attributes"] = {
                    name: renamed(item) for name, item in holder["attributes"].items()
                }
            return json.dumps(made) != before

        return changed(tree, change)

    @staticmethod
    def _pairs(tree: Tree) -> list[tuple[str, str]]:
        names = [
            str(place.operation["attributes"]["sym_name"])
            for place in places(tree)
            if place.operation["attributes"].get("type") == _DEVICE
        ]
        return [
            (goes, stays)
            for place, goes in reversed([*enumerate(names)])
            for stays in names[:place]
        ]
