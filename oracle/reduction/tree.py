"""A module as a tree that can be cut, and its text in MLIR's generic form.

A tree is what a worker's `read` step tells (`oracle/reading/raw.py`). Steps copy it, change the
copy, and the compiler decides whether what came out is still a program.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from oracle.compiling.answers import Json
from oracle.reading.raw import RawAttribute, RawBlock, RawOperation

Tree = RawOperation

_ISOLATED = frozenset({"util.func", "util.initializer", "func.func"})
_FOLDED = frozenset({"arith.constant"})
"""Ops that are no op of their own to people: they go when nothing uses them."""


class UndefinedValueError(Exception):
    """An op takes a value that no longer exists: a step cut too much."""


def tree_of(read: Json) -> Tree:
    """The tree that a `read` step answered with; changing it leaves the answer as it is."""
    return copy.deepcopy(cast(RawOperation, read))


def text_of(tree: Tree) -> str:
    """The module as MLIR text, in generic form, with the locations that have names.

    Raises UndefinedValueError.
    """
    lines: list[str] = []
    _Printer(lines.append).operation(tree, 0)
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Place:
    """An op in a tree: the list that holds it and where in it, and the ops around, inner first."""

    operations: list[RawOperation]
    position: int
    around: tuple[RawOperation, ...]

    @property
    def operation(self) -> RawOperation:
        """The op itself."""
        return self.operations[self.position]

    @property
    def function(self) -> RawOperation | None:
        """The function or initializer around the op; None for what stands in the module."""
        return next((op for op in self.around if op["name"] in _ISOLATED), None)


def places(tree: Tree) -> list[Place]:
    """Every op of a module, in order, outer before inner; the module itself is none."""
    return list(_places(tree, (tree,)))


def blocks(tree: Tree) -> Iterator[RawBlock]:
    """Every block of an op, outer before inner."""
    for region in tree["regions"]:
        for block in region:
            yield block
            for op in block["operations"]:
                yield from blocks(op)


def is_terminator(place: Place) -> bool:
    """Whether the op ends a block, which has to keep its end."""
    return bool(place.around[1:]) and place.position == len(place.operations) - 1


def size_of(tree: Tree) -> int:
    """How many ops functions hold, without constants and ends that hand nothing on."""
    return sum(
        1
        for place in places(tree)
        if place.function is not None
        and place.operation["name"] not in _FOLDED
        and not (is_terminator(place) and not place.operation["operands"])
    )


def uses(tree: Tree) -> dict[int, int]:
    """How often each value is taken."""
    counts: dict[int, int] = {}
    for place in places(tree):
        for value in place.operation["operands"]:
            counts[value] = counts.get(value, 0) + 1
    return counts


def types(tree: Tree) -> dict[int, str]:
    """The type of every value."""
    found: dict[int, str] = {}
    for block in blocks(tree):
        found.update(block["arguments"])
        for op in block["operations"]:
            found.update(op["results"])
    return found


def substitute(operation: RawOperation, replacements: dict[int, int]) -> None:
    """Takes other values instead, in the op and in all that is within."""
    operation["operands"] = [replacements.get(value, value) for value in operation["operands"]]
    for block in blocks(operation):
        for op in block["operations"]:
            op["operands"] = [replacements.get(value, value) for value in op["operands"]]


def sweep(tree: Tree) -> None:
    """Removes blocks that nothing leads to, and constants that nothing takes."""
    for place in places(tree):
        for region in place.operation["regions"]:
            if len(region) > 1:
                _keep_reachable(region)
    counts = uses(tree)
    for block in blocks(tree):
        block["operations"] = [
            op
            for op in block["operations"]
            if op["name"] not in _FOLDED or any(counts.get(value) for value, _ in op["results"])
        ]


def delete_block(region: list[RawBlock], number: int) -> None:
    """Deletes a block that no other leads to."""
    del region[number]
    for block in region:
        end = block["operations"][-1]
        end["successors"] = [target - (target > number) for target in end["successors"]]


def changed(tree: Tree, change: Callable[[Tree], bool]) -> Tree | None:
    """A copy of the tree that `change` has changed and swept; None where it says it did not."""
    made = copy.deepcopy(tree)
    if not change(made):
        return None
    sweep(made)
    return made


def _keep_reachable(region: list[RawBlock]) -> None:
    reached, pending = {0}, [0]
    while pending:
        for target in region[pending.pop()]["operations"][-1]["successors"]:
            if target not in reached:
                reached.add(target)
                pending.append(target)
    for number in reversed(range(len(region))):
        if number not in reached:
            delete_block(region, number)


def _places(op: RawOperation, around: tuple[RawOperation, ...]) -> Iterator[Place]:
    for region in op["regions"]:
        for block in region:
            for position, inner in enumerate(block["operations"]):
                yield Place(block["operations"], position, around)
                yield from _places(inner, (inner, *around))


class _Printer:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._types: dict[int, str] = {}
        self._labels = 0

    def operation(self, op: RawOperation, depth: int, labels: tuple[int, ...] = ()) -> None:
        for value, kind in op["results"]:
            self._types[value] = kind
        results = ", ".join(f"%{value}" for value, _ in op["results"])
        head = f"{results} = " if results else ""
        operands = ", ".join(f"%{value}" for value in op["operands"])
        successors = ", ".join(f"^bb{labels[target]}" for target in op["successors"])
        opened = f'{head}"{op["name"]}"({operands})' + (f"[{successors}]" if successors else "")
        attributes = ", ".join(
            f"{json.dumps(name)} = {attribute_text(item)}"
            for name, item in op["attributes"].items()
        )
        # All in the dictionary of discardable attributes: the parser sorts inherent ones out.
        tail = f" {{{attributes}}}" if attributes else ""
        takes = ", ".join(self._type(value) for value in op["operands"])
        gives = ", ".join(kind for _, kind in op["results"])
        location = f" loc({json.dumps(op['location'])})" if op["location"] else ""
        tail = f"{tail} : ({takes}) -> ({gives}){location}"
        indent = "  " * depth
        if not op["regions"]:
            self._say(f"{indent}{opened}{tail}")
            return
        self._say(f"{indent}{opened} ({{")
        for number, region in enumerate(op["regions"]):
            if number:
                self._say(f"{indent}}}, {{")
            self._region(region, depth + 1)
        self._say(f"{indent}}}){tail}")

    def _type(self, value: int) -> str:
        kind = self._types.get(value)
        if kind is None:
            raise UndefinedValueError
        return kind

    def _region(self, region: list[RawBlock], depth: int) -> None:
        labels = tuple(range(self._labels, self._labels + len(region)))
        self._labels += len(region)
        for block in region:
            self._types.update(block["arguments"])
        for label, block in zip(labels, region, strict=True):
            arguments = ", ".join(f"%{value}: {kind}" for value, kind in block["arguments"])
            if arguments or len(region) > 1 or not block["operations"]:
                self._say("  " * (depth - 1) + f"^bb{label}({arguments}):")
            for op in block["operations"]:
                self.operation(op, depth, labels)


def attribute_text(attribute: RawAttribute) -> str:
    """An attribute as MLIR reads it. Raises KeyError for a form that is not known."""
    if isinstance(attribute, bool):
        return str(attribute).lower()
    if isinstance(attribute, str):
        return json.dumps(attribute, ensure_ascii=False)
    if isinstance(attribute, list):
        return f"[{', '.join(map(attribute_text, attribute))}]"
    assert isinstance(attribute, dict)
    if "unit" in attribute:
        return "unit"
    if "dictionary" in attribute:
        entries = cast("dict[str, RawAttribute]", attribute["dictionary"])
        inner = ", ".join(f"{json.dumps(n)} = {attribute_text(a)}" for n, a in entries.items())
        return f"{{{inner}}}"
    if "symbol" in attribute:
        return "::".join(f"@{json.dumps(part)}" for part in cast("list[str]", attribute["symbol"]))
    if "integer" in attribute:
        return f"{attribute['integer']} : {attribute['type']}"
    if "float" in attribute:
        return f"{float(cast(float, attribute['float'])):.17e} : {attribute['type']}"
    if "integers" in attribute:
        items = ", ".join(map(str, cast("list[int]", attribute["integers"])))
        return f"array<{attribute['type']}: {items}>" if items else f"array<{attribute['type']}>"
    return str(attribute["text"] if "text" in attribute else attribute["type"])
