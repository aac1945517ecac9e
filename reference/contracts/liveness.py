"""Which values of a program anybody needs: what is left out of the rest may vanish.

A value is needed when a side effect, a result of the program, or a decision about either is made of
it, through regions, branches, calls and globals. This is as precise as dead-code elimination,
inlining and the folding of constant conditions together may be (MLIR's `isOpTriviallyDead`, the
canonicalization of `scf` and `cf` ops, IREE's `iree-util-ipo` and `iree-util-fold-globals`): what
any of these can remove is not needed. It is not as precise as they may be with a loop that turns
once, or with what is known of one call only: `reference/contracts/witness.py` has the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference.contracts.bodies import Bodies, Body, Key
from reference.contracts.decisions import Decisions
from reference.contracts.rewrites import copied, written
from reference.ir import Block, Operation, Program, Region, Successor
from reference.ops import (
    Barrier,
    Call,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Return,
    Select,
    StreamYield,
    While,
    Yield,
)
from reference.types import Index, Value


class Liveness:
    """What is needed in a program."""

    def __init__(self, program: Program) -> None:
        self._bodies = Bodies(program)
        self._decisions = Decisions(self._bodies)
        self._public_globals = {item.name for item in program.globals if item.public}
        self._read_globals: set[str] = set()
        self._reached: set[int] = set()
        self._live: set[Key] = set()
        self._partly: set[Key] = set()
        """Values of which some bytes are needed, and others are not."""
        self._due: list[Key] = []
        self._inside: dict[int, set[str]] = {}
        """From the `id` of a loop to the values that are made in it."""
        for body in self._bodies.all:
            if body.is_called_from_outside:
                self._reach(body)
        self._settle()

    def needs(self, body: int, operation: Operation) -> bool:
        """Whether something would be missing without an op of body `body`."""
        if body not in self._reached:
            return False
        if _acts(operation) and not isinstance(operation, Call):
            return True
        keys = [(body, result.name) for result in operation.results]
        return any(key in self._live or key in self._partly for key in keys)

    def _reach(self, body: Body) -> None:
        """The body is run: what it does for its own sake is needed."""
        if body.ordinal not in self._reached:
            self._reached.add(body.ordinal)
            self._roots(body, body.region)

    def _roots(self, body: Body, region: Region) -> bool:
        """Marks what a region does for its own sake; whether there is anything."""
        found = False
        for block in self._entered(body, region):
            for operation in block.operations:
                found = self._root(body, operation) or found
        return found

    def _entered(self, body: Body, region: Region) -> list[Block]:
        """The blocks that control surely reaches under some circumstances."""
        due, seen = [0] if region.blocks else [], {0}
        while due:
            last = region.blocks[due.pop()].operations[-1]
            following = {successor.block for successor in self._successors(body, last)} - seen
            seen |= following
            due += following
        return [block for position, block in enumerate(region.blocks) if position in seen]

    def _successors(self, body: Body, last: Operation) -> tuple[Successor, ...]:
        if isinstance(last, ConditionalBranch):
            return tuple(last.successors[side] for side in self._decisions.sides(body, last))
        return last.successors

    def _root(self, body: Body, operation: Operation) -> bool:
        ordinal = body.ordinal
        match operation:
            case Return():
                if body.is_called_from_outside:
                    self._need(ordinal, operation.operands)
                return False
            case ConditionalBranch():
                if len(self._decisions.sides(body, operation)) > 1:
                    self._need(ordinal, (operation.condition,))
                return False
            case GlobalStore():
                if operation.symbol in self._public_globals:
                    self._need(ordinal, operation.operands)
                return True
            case Call():
                callee = self._bodies.by_name.get(operation.callee)
                if callee is None:
                    self._need(ordinal, operation.operands)
                else:
                    self._reach(callee)
                return True
            case For(lower=int(lower), upper=int(upper)) if lower >= upper:
                return False
        regions = operation.regions
        if isinstance(operation, If):
            regions = tuple(regions[side] for side in self._decisions.sides(body, operation))
        effects = [self._roots(body, region) for region in regions]
        if any(effects):
            self._need_decision(ordinal, operation)
            return True
        if not operation.regions and _acts(operation):
            self._need(ordinal, operation.operands)
            return True
        return False

    def _need(self, ordinal: int, values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, Value) and (ordinal, value.name) not in self._live:
                self._live.add((ordinal, value.name))
                self._due.append((ordinal, value.name))

    def _need_decision(self, ordinal: int, operation: Operation) -> None:
        """What decides how often the regions of an op are run."""
        match operation:
            case If():
                self._need(ordinal, (operation.condition,))
            case For():
                self._need(ordinal, (operation.lower, operation.upper, operation.step))
            case While():
                self._need(ordinal, (_condition(operation).condition,))

    def _settle(self) -> None:
        while self._due:
            ordinal, name = self._due.pop()
            body = self._bodies.all[ordinal]
            made = body.makers.get(name)
            if made is not None:
                self._need_result(body, *made)
            elif name in body.arguments:
                self._need_argument(body, *body.arguments[name])

    def _need_result(self, body: Body, operation: Operation, number: int) -> None:
        ordinal = body.ordinal
        match operation:
            case If():
                self._need_decision(ordinal, operation)
                sides = self._decisions.sides(body, operation)
                self._need(ordinal, (_yielded(operation.regions[side], number) for side in sides))
            case For():
                yielded = _yielded(operation.body, number)
                self._need(ordinal, (operation.initial[number], yielded))
                if not self._is_from_outside(body, operation, yielded):
                    self._need_decision(ordinal, operation)
            case While():
                handed = _condition(operation).values[number]
                self._need(ordinal, (handed,))
                if not self._is_from_outside(body, operation, handed):
                    self._need_decision(ordinal, operation)
            case Select():
                sides = self._decisions.sides(body, operation)
                if len(sides) > 1:
                    self._need(ordinal, (operation.condition,))
                chosen = (operation.then, operation.otherwise)
                self._need(ordinal, (chosen[side] for side in sides))
            case Call():
                callee = self._bodies.by_name.get(operation.callee)
                for one in () if callee is None else callee.returns:
                    assert callee is not None
                    self._need(callee.ordinal, (one.values[number],))
            case GlobalLoad():
                self._read(operation.symbol)
            case Execute():
                self._need(ordinal, operation.operands)
                values = _last(operation.body).operands
                self._need(ordinal, values[number : number + 1] if operation.outputs else ())
            case _:
                target = written(operation)
                kept = None if target is None else target[0]
                self._need(ordinal, (one for one in operation.operands if one != kept))
                self._need(
                    ordinal, (one for region in operation.regions for one in _last(region).operands)
                )
                if target is not None:
                    self._need_unwritten(body, *target)

    def _is_from_outside(self, body: Body, loop: Operation, value: object) -> bool:
        """Whether what a loop hands on is a copy of what was there before: it is the same then
        however often the loop turns, and patterns leave the loop out."""
        if id(loop) not in self._inside:
            self._inside[id(loop)] = {
                made.name
                for region in loop.regions
                for block in _blocks(region)
                for made in (*block.arguments, *(r for op in block.operations for r in op.results))
            }
        while isinstance(value, Value) and value.name in self._inside[id(loop)]:
            maker, _ = body.makers.get(value.name, (None, 0))
            value = None if maker is None else copied(maker)
        return value is not None

    def _need_unwritten(self, body: Body, target: Value, start: Index, end: Index) -> None:
        """What is written over but for the bytes [start, end) is needed, unless the ops that made
        it, all in place, write the rest of it: then what they are written into is not."""
        spans: list[tuple[Index, Index]] = [(start, end)]
        while not _covers(spans, target.size):
            maker, _ = body.makers.get(target.name, (None, 0))
            wrote = None if maker is None else written(maker)
            if maker is None or wrote is None:
                self._need(body.ordinal, (target,))
                return
            self._partly.add((body.ordinal, target.name))
            before, *span = wrote
            self._need(body.ordinal, (one for one in maker.operands if one != before))
            spans.append((span[0], span[1]))
            target = before

    def _need_argument(
        self, body: Body, owner: Operation | None, place: int, position: int, number: int
    ) -> None:
        ordinal = body.ordinal
        region = body.region if owner is None else owner.regions[place]
        if position > 0:
            self._need(ordinal, self._incoming(body, region, position, number))
            return
        match owner:
            case None:
                function = body.function
                assert function is not None, "an initializer takes nothing"
                for caller, call in self._bodies.calls[function.name]:
                    self._need(caller, (call.arguments[number],))
            case For():
                if number > 0:
                    carried = number - 1
                    self._need(ordinal, (owner.initial[carried], _yielded(owner.body, carried)))
                self._need_decision(ordinal, owner)
            case While():
                if place == 0:
                    self._need(ordinal, (owner.initial[number], _yielded(owner.after, number)))
                else:
                    self._need(ordinal, (_condition(owner).values[number],))
            case _:
                self._need(ordinal, owner.operands)

    def _incoming(self, body: Body, region: Region, position: int, number: int) -> Iterator[object]:
        """What branches hand to a block argument."""
        for block in region.blocks:
            for successor in self._successors(body, block.operations[-1]):
                if successor.block == position:
                    yield successor.arguments[number]

    def _read(self, symbol: str) -> None:
        if symbol not in self._read_globals:
            self._read_globals.add(symbol)
            for ordinal, store in self._bodies.stores[symbol]:
                self._need(ordinal, (store.source,))


def _acts(operation: Operation) -> bool:
    """Whether an op does something by itself. A barrier only keeps others in order; the pass that
    schedules removes it (ScheduleExecution.cpp, `RemoveBarriers`)."""
    passive = operation.terminator or isinstance(operation, Barrier)
    return operation.side_effects and not passive


def _covers(spans: list[tuple[Index, Index]], size: Index | None) -> bool:
    """Whether byte ranges together surely are all of a value."""
    if any(start == 0 and end == size for start, end in spans):
        return True
    reached = 0
    known = [
        (start, end) for start, end in spans if isinstance(start, int) and isinstance(end, int)
    ]
    for start, end in sorted(known):
        if start > reached:
            return False
        reached = max(reached, end)
    return reached == size


def _blocks(region: Region) -> Iterator[Block]:
    """Every block of a region, outer before inner."""
    for block in region.blocks:
        yield block
        for operation in block.operations:
            for nested in operation.regions:
                yield from _blocks(nested)


def _last(region: Region) -> Operation:
    return region.blocks[-1].operations[-1]


def _yielded(region: Region, number: int) -> object:
    """What a region yields at a position; None where it yields nothing."""
    if not region.blocks:
        return None
    last = _last(region)
    assert isinstance(last, Yield | StreamYield)
    return last.values[number]


def _condition(operation: While) -> Condition:
    last = _last(operation.before)
    assert isinstance(last, Condition)
    return last
