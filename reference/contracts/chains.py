"""Chains of transfers, from the last link up: where what a transfer takes may come from.

Once passes have left out the copies between, folded branches and inlined functions, the links of a
chain stand behind one another and may become one. So a chain goes through copies, blocks, regions,
calls and globals, along every way that a value may take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from reference.contracts.bodies import Bodies, Body
from reference.contracts.rewrites import copied
from reference.ir import Operation, Program, Region
from reference.ops import (
    Call,
    Condition,
    For,
    GlobalLoad,
    If,
    Select,
    StreamYield,
    Transfer,
    While,
    Yield,
)
from reference.types import Value


class Chains:
    """The chains of one program."""

    def __init__(self, program: Program) -> None:
        self._bodies = Bodies(program)

    def links(self, body: int, operation: Transfer) -> Iterator[Transfer]:
        """The links of all chains that end in a transfer of body number `body`, itself first."""
        yield operation
        due = [(body, operation.source.name)]
        seen = set(due)
        while due:
            ordinal, name = due.pop()
            one = self._bodies.all[ordinal]
            maker, _ = one.makers.get(name, (None, 0))
            if isinstance(maker, Transfer):
                yield maker
            for key in self._before(one, name):
                if key not in seen:
                    seen.add(key)
                    due.append(key)

    def _before(self, body: Body, name: str) -> Iterator[tuple[int, str]]:
        """The values that one of a body may be a copy of, each with the number of its body."""
        made = body.makers.get(name)
        if made is None:
            argument = body.arguments.get(name)
            if argument is not None:
                yield from self._passed(body, *argument)
            return
        operation, number = made
        match operation:
            case Call():
                callee = self._bodies.by_name.get(operation.callee)
                for one in () if callee is None else callee.returns:
                    assert callee is not None
                    yield from _named(callee.ordinal, [one.values[number]])
            case GlobalLoad():
                for ordinal, store in self._bodies.stores[operation.symbol]:
                    yield from _named(ordinal, [store.source])
            case _:
                yield from _named(body.ordinal, _handed(operation, number))

    def _passed(
        self, body: Body, owner: Operation | None, place: int, position: int, number: int
    ) -> Iterator[tuple[int, str]]:
        """What an argument of a block may be."""
        region = body.region if owner is None else owner.regions[place]
        if position > 0:
            for block in region.blocks:
                for successor in block.operations[-1].successors:
                    if successor.block == position:
                        yield from _named(body.ordinal, [successor.arguments[number]])
            return
        match owner:
            case None if body.function is not None:
                for caller, call in self._bodies.calls[body.function.name]:
                    yield from _named(caller, [call.arguments[number]])
            case For() if number > 0:
                carried = number - 1
                yield from _named(
                    body.ordinal, [owner.initial[carried], *_last(owner.body, carried)]
                )
            case While() if place == 0:
                yield from _named(
                    body.ordinal, [owner.initial[number], *_last(owner.after, number)]
                )
            case While():
                yield from _named(body.ordinal, _last(owner.before, number))


def _handed(operation: Operation, number: int) -> Iterator[object]:
    """What an op may hand on, in its own body, as its result at position `number`."""
    chosen = tuple(handed_on(operation, number))
    yield from chosen or (copied(operation),)


def handed_on(operation: Operation, number: int) -> Iterator[Value]:
    """What a choice or control flow may hand on as the result at a position; nothing for any other
    op."""
    found: Iterator[object] = iter(())
    match operation:
        case Select():
            found = iter((operation.then, operation.otherwise))
        case If():
            found = chain.from_iterable(_last(region, number) for region in operation.regions)
        case For():
            found = chain((operation.initial[number],), _last(operation.body, number))
        case While():
            found = _last(operation.before, number)
    return (item for item in found if isinstance(item, Value))


def _last(region: Region, number: int) -> Iterator[object]:
    """What a region hands on at a position, if anything."""
    for block in region.blocks[-1:]:
        last = block.operations[-1]
        if isinstance(last, Condition | StreamYield | Yield):
            yield last.values[number]


def _named(ordinal: int, items: Iterable[object]) -> Iterator[tuple[int, str]]:
    return ((ordinal, item.name) for item in items if isinstance(item, Value))
