"""What a worker tells of a module, in the forms that `oracle/worker.py` describes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NotRequired, TypeAlias, TypedDict

from reference.affinity import parse_affinity
from reference.ir import Attribute, UnsupportedOperationError
from reference.types import parse_type

RawAttribute: TypeAlias = "bool | str | int | float | list[RawAttribute] | dict[str, RawAttribute]"

TRANSFER = "stream.async.transfer"

COPY_MARK = "~"
"""Stands in an identity between an op's location and what sets it apart from others with it."""

_BARE_SYMBOL = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)


class RawOperation(TypedDict):
    """An op as the worker tells it."""

    name: str
    location: str | None
    line: int | None
    locations: NotRequired[list[str]]
    operands: list[int]
    results: list[tuple[int, str]]
    attributes: dict[str, RawAttribute]
    regions: list[list[RawBlock]]
    successors: list[int]


class RawBlock(TypedDict):
    """A block as the worker tells it."""

    arguments: list[tuple[int, str]]
    operations: list[RawOperation]


def location_name(op: RawOperation) -> str | None:
    """An op's location as a name: its own, those that were fused, or its line; None without any."""
    names = op.get("locations", [])
    name = op["location"] or "+".join(names)
    if name:
        # What would end the string of `loc("…")` early.
        return name.replace("\\", "_").replace('"', "_")
    return None if op["line"] is None else f"line{op['line']}"


def place(op: RawOperation) -> str:
    """Where an op stands, for people."""
    if op["location"] is None and op["line"] is not None:
        return f"line {op['line']}"
    return location_name(op) or "an unknown location"


def origin(identity: str) -> str:
    """The location that an identity comes from: without the mark of a copy."""
    return identity.partition(COPY_MARK)[0]


class Identities:
    """Gives every op of a module an identity of its own: its location, or one made from it.

    Passes copy ops with their locations, and make others out of them. Transfers have the first
    claim to a location and are numbered among themselves, so that the answers about a whole module
    and about its transfers alone name them alike.
    """

    def __init__(self, operations: Iterable[RawOperation] = ()) -> None:
        self._transfers = {location_name(op) for op in operations if op["name"] == TRANSFER}
        self._uses: dict[str, int] = {}
        self._taken: set[str] = set()

    def take(self, op: RawOperation) -> str:
        """The identity of the next op."""
        name = location_name(op)
        if name is None:
            name = "unknown"
        elif name in self._transfers and op["name"] != TRANSFER:
            name += COPY_MARK + op["name"].rpartition(".")[2]
        uses = self._uses.get(name, 0) + 1
        identity = name if uses == 1 else f"{name}{COPY_MARK}{uses}"
        while identity in self._taken:
            uses += 1
            identity = f"{name}{COPY_MARK}{uses}"
        self._uses[name] = uses
        self._taken.add(identity)
        return identity


def plain(raw: RawAttribute) -> Attribute:
    """An attribute as the program IR has it: symbols and opaque attributes are their text."""
    if isinstance(raw, list):
        return tuple(plain(item) for item in raw)
    if not isinstance(raw, dict):
        return raw
    if "text" in raw:
        text = str(raw["text"])
        return parse_affinity(text) or text if text.startswith("#hal.device.affinity") else text
    for number in ("integer", "float"):
        if number in raw:
            return plain(raw[number])
    if "symbol" in raw:
        return "::".join(f"@{symbol(part)}" for part in _items(raw["symbol"]))
    if "type" in raw and "integers" not in raw:
        return parse_type(str(raw["type"]))
    if "integers" in raw:
        return tuple(plain(item) for item in _items(raw["integers"]))
    if "unit" in raw:
        return True
    raise UnsupportedOperationError(f"an attribute of the form {raw}")


def symbol(name: RawAttribute) -> str:
    """A symbol's name; UnsupportedOperationError for one that has to be quoted."""
    if not isinstance(name, str) or not _BARE_SYMBOL.fullmatch(name):
        raise UnsupportedOperationError(f"the symbol {name}, which has to be quoted")
    return name


def _items(raw: RawAttribute) -> list[RawAttribute]:
    assert isinstance(raw, list)
    return raw
