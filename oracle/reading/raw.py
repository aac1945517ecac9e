"""What a worker tells of a module, in the forms that `oracle/compiling/worker.py` describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NotRequired, TypeAlias, TypedDict, cast

from reference.affinity import parse_affinity
from reference.ir import UNKNOWN_PLACE, Attribute, UnsupportedOperationError
from reference.text import decimal
from reference.types import Type, parse_type

RawAttribute: TypeAlias = "bool | str | int | float | list[RawAttribute] | dict[str, RawAttribute]"

TRANSFER = "stream.async.transfer"

COPY_MARK = "~"
"""Stands in an identity between an op's location and what sets it apart from others with it."""

_LINE = "line"
"""What the worker, too, puts before the line of a file to make it a name."""

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
    name = op["location"] or "+".join(op.get("locations", ()))
    if not name:
        return None if op["line"] is None else f"{_LINE}{op['line']}"
    if '"' in name or "\\" in name:
        # What would end the string of `loc("…")` early.
        return name.replace("\\", "_").replace('"', "_")
    return name


def is_line(location: str) -> bool:
    """Whether a location is no name but a line of a file."""
    return location.startswith(_LINE) and location[len(_LINE) :].isdecimal()


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
            name = UNKNOWN_PLACE
        elif name in self._transfers and op["name"] != TRANSFER:
            name += COPY_MARK + op["name"].rpartition(".")[2]
        if name not in self._taken:
            self._uses[name] = 1
            self._taken.add(name)
            return name
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
    if isinstance(raw, dict):
        for form, told in raw.items():
            read = _FORMS.get(form)
            if read is not None:
                return read(told)
        if "type" in raw:
            return parse_type(str(raw["type"]))
        raise UnsupportedOperationError(f"an attribute of the form {raw}")
    return tuple([plain(item) for item in raw]) if isinstance(raw, list) else raw


@lru_cache(maxsize=1024)
def _opaque(text: str) -> Attribute:
    if "#hal.device." not in text:
        return text
    # The promise of a device is read as the affinity that it becomes (ResolveDevicePromises).
    text = text.replace("#hal.device.promise<", "#hal.device.affinity<")
    return parse_affinity(text) or text


def _symbols(parts: RawAttribute) -> Attribute:
    return "::".join([f"@{symbol(part)}" for part in _items(parts)])


def _as_told(number: RawAttribute) -> Attribute:
    return cast(Attribute, number)


_FORMS: dict[str, Callable[[Any], Attribute]] = {
    "text": _opaque,
    "integer": _as_told,
    "integers": tuple,
    "symbol": _symbols,
    "float": _as_told,
    "unit": _as_told,
}
"""How an attribute is told, and how that is read. Beside another form a `type` says no more."""


def printed(raw: RawAttribute) -> str:
    """An attribute as MLIR reads it."""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, str):
        return _quoted(raw)
    if isinstance(raw, list):
        return f"[{', '.join(map(printed, raw))}]"
    if not isinstance(raw, dict):
        return str(raw)
    if "text" in raw:
        return str(raw["text"])
    if "integer" in raw:
        return f"{raw['integer']} : {raw['type']}"
    if "float" in raw:
        return f"{decimal(cast(float, raw['float']))} : {raw['type']}"
    if "symbol" in raw:
        return "::".join(f"@{_bare_or_quoted(str(part))}" for part in _items(raw["symbol"]))
    if "integers" in raw:
        items = ", ".join(map(str, _items(raw["integers"])))
        return f"array<{raw['type']}: {items}>" if items else f"array<{raw['type']}>"
    if "dictionary" in raw:
        return f"{{{', '.join(f'{name} = {text}' for name, text in pairs(raw['dictionary']))}}}"
    return "unit" if "unit" in raw else str(raw["type"])


def pairs(raw: RawAttribute) -> tuple[tuple[str, str], ...]:
    """A dictionary's names and values as MLIR reads them."""
    assert isinstance(raw, dict)
    return tuple((_bare_or_quoted(name), printed(item)) for name, item in raw.items())


def names_in(raw: RawAttribute) -> list[str]:
    """The names in a dictionary and in all it contains."""
    found: list[str] = []
    _collect_names(raw, found)
    return found


def _collect_names(raw: RawAttribute, found: list[str]) -> None:
    if isinstance(raw, dict):
        for name, item in raw.items():
            found.append(name)
            _collect_names(item, found)
    elif isinstance(raw, list):
        for item in raw:
            _collect_names(item, found)


@lru_cache(maxsize=1024)
def function_type(text: str) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
    """The types that a function takes and gives, from MLIR's `(type, type) -> type`."""
    takes, _, gives = _split_arrow(text)
    return _types(takes), _types(gives)


def symbol(name: RawAttribute) -> str:
    """A symbol's name; UnsupportedOperationError for one that has to be quoted."""
    if not isinstance(name, str) or not _BARE_SYMBOL.fullmatch(name):
        raise UnsupportedOperationError(f"the symbol {name}, which has to be quoted")
    return name


def _items(raw: RawAttribute) -> list[RawAttribute]:
    assert isinstance(raw, list)
    return raw


def _quoted(text: str) -> str:
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:02X}"
        for byte in text.encode()
    )
    return f'"{escaped}"'


def _bare_or_quoted(name: str) -> str:
    return name if _BARE_SYMBOL.fullmatch(name) else _quoted(name)


def _split_arrow(text: str) -> tuple[str, str, str]:
    """A function type at its own arrow, which is the first outside of brackets."""
    depth = 0
    for place, item in enumerate(text):
        if item == "-" and depth == 0:
            return text[:place].strip(), "->", text[place + 2 :].strip()
        depth += _depth(text, place)
    return text, "", ""


def _types(text: str) -> tuple[Type, ...]:
    """The types in a list with or without parentheses."""
    if text.startswith("("):
        text = text[1:-1]
    found, start, depth = [], 0, 0
    for place, item in enumerate(text):
        if item == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
        depth += _depth(text, place)
    last = text[start:].strip()
    return tuple(map(parse_type, [*found, last] if last else found))


def _depth(text: str, place: int) -> int:
    """By how much a character opens or closes a bracket; the `>` of an arrow does not."""
    item = text[place]
    if item == ">" and text[place - 1] == "-":
        return 0
    return (item in "(<[{") - (item in ")>]}")
