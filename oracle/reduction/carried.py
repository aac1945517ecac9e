"""Values that control flow and calls hand on: dropped on both sides at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from oracle.reading.raw import RawBlock, RawOperation
from oracle.reduction.symbols import set_signature
from oracle.reduction.tree import Tree, changed, places, substitute, uses

_CARRIERS = ("scf.if", "scf.for", "scf.while")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A value handed on: by op number `operation`, `side` says which list of it, at `position`.

    For a block argument `operation` is the function's op and `block` the block's number.
    """

    operation: int
    side: str
    position: int
    block: int = 0


class DropCarried:
    """Drops a result of a branch or loop, a carried value, a block argument, or what a call of a
    private function takes or gives."""

    name: ClassVar[str] = "drop-carried"

    def sites(self, tree: Tree) -> int:
        return len(_cuts(tree))

    def take(self, tree: Tree, site: int) -> Tree | None:
        cut = _cuts(tree)[site]

        def change(made: Tree) -> bool:
            op = places(made)[cut.operation].operation
            if cut.side == "block":
                return _drop_block_argument(op, cut.block, cut.position)
            if op["name"] == "util.func":
                return _drop_from_calls(made, op, cut.side, cut.position)
            if cut.side == "results":
                return _drop_result(op, cut.position, uses(made))
            return _drop_initial(op, cut.position)

        return changed(tree, change)


def _cuts(tree: Tree) -> list[_Cut]:
    found: list[_Cut] = []
    for number, place in enumerate(places(tree)):
        op = place.operation
        if op["name"] in _CARRIERS:
            found += [_Cut(number, "results", at) for at in range(len(op["results"]))]
            if op["name"] != "scf.if":
                initial = len(op["operands"]) - (3 if op["name"] == "scf.for" else 0)
                found += [_Cut(number, "initial", at) for at in range(initial)]
        elif op["name"] == "util.func" and op["regions"] and op["regions"][0]:
            body = op["regions"][0]
            for block, held in enumerate(body[1:], start=1):
                found += [_Cut(number, "block", at, block) for at in range(len(held["arguments"]))]
            if _calls(tree, op):
                found += [_Cut(number, "arguments", at) for at in range(len(body[0]["arguments"]))]
                found += [_Cut(number, "returned", at) for at in range(len(_ends(op)[0]))]
    return found


def _drop_result(op: RawOperation, at: int, counts: dict[int, int]) -> bool:
    if counts.get(op["results"][at][0]):
        return False
    if op["name"] == "scf.for":
        return _drop_initial(op, at)
    if op["name"] == "scf.while":
        arguments = op["regions"][1][0]["arguments"]
        if counts.get(arguments[at][0]):
            return False
        del arguments[at]
        del op["regions"][0][0]["operations"][-1]["operands"][1 + at]
    else:
        for region in op["regions"]:
            for block in region:
                del block["operations"][-1]["operands"][at]
    del op["results"][at]
    return True


def _drop_initial(op: RawOperation, at: int) -> bool:
    """A carried value stays what it is at first."""
    first = 3 if op["name"] == "scf.for" else 0
    value = op["operands"].pop(first + at)
    body, end = (op["regions"][0][0], op["regions"][-1][0]["operations"][-1])
    argument, _ = body["arguments"].pop(at + (1 if first else 0))
    substitute(op, {argument: value})
    del end["operands"][at]
    if first:
        del op["results"][at]
    return True


def _drop_block_argument(function: RawOperation, number: int, at: int) -> bool:
    """The argument becomes what one of the branches hands to it."""
    region = function["regions"][0]
    handed: list[int] = []
    for block in region:
        end = block["operations"][-1]
        for start, target in _successor_operands(end):
            if target == number:
                handed.append(end["operands"][start + at])
    for block in region:
        end = block["operations"][-1]
        # The last one first: positions before it stay what they are.
        for order, (start, target) in reversed([*enumerate(_successor_operands(end))]):
            if target == number:
                del end["operands"][start + at]
                _shrink_segment(end, order)
    argument, _ = region[number]["arguments"].pop(at)
    if handed:
        substitute(function, {argument: handed[0]})
    return True


def _successor_operands(end: RawOperation) -> Iterator[tuple[int, int]]:
    """For each successor, where its operands start among the op's, and the block."""
    if end["name"] == "cf.br":
        yield 0, end["successors"][0]
    elif end["name"] == "cf.cond_br":
        then = _segments(end)[1]
        yield 1, end["successors"][0]
        yield 1 + then, end["successors"][1]


def _shrink_segment(end: RawOperation, order: int) -> None:
    if end["name"] == "cf.cond_br":
        segments = _segments(end)
        segments[1 + order] -= 1
        end["attributes"]["operandSegmentSizes"] = {"integers": [*segments], "type": "i32"}


def _segments(end: RawOperation) -> list[int]:
    sizes = end["attributes"]["operandSegmentSizes"]
    assert isinstance(sizes, dict)
    numbers = sizes["integers"]
    assert isinstance(numbers, list)
    return [int(str(number)) for number in numbers]


def _drop_from_calls(tree: Tree, function: RawOperation, side: str, at: int) -> bool:
    calls = _calls(tree, function)
    counts = uses(tree)
    if side == "arguments":
        entry: RawBlock = function["regions"][0][0]
        if counts.get(entry["arguments"][at][0]):
            return False
        del entry["arguments"][at]
        for call in calls:
            del call["operands"][at]
    else:
        if any(counts.get(call["results"][at][0]) for call in calls):
            return False
        for values in _ends(function):
            del values[at]
        for call in calls:
            del call["results"][at]
    for holder in (function, *calls):
        for name in ("tied_operands", "arg_attrs", "res_attrs"):
            holder["attributes"].pop(name, None)
    set_signature(function)
    return True


def _calls(tree: Tree, function: RawOperation) -> list[RawOperation]:
    callee = {"symbol": [str(function["attributes"]["sym_name"])]}
    return [
        place.operation
        for place in places(tree)
        if place.operation["name"] == "util.call"
        and place.operation["attributes"]["callee"] == callee
    ]


def _ends(function: RawOperation) -> list[list[int]]:
    """The operands of every return, to be changed in place."""
    ends = [block["operations"][-1] for block in function["regions"][0]]
    return [end["operands"] for end in ends if end["name"] == "util.return"]
