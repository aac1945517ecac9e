"""A scheduled body in time: what is submitted where, what it waits for, and where the host waits.

What comes before what is told as `reference/commands/order.py` has it: device work comes after what
the host has waited for when it submits the work, and after the timepoint that the work awaits, and
after nothing else. The steps of a timeline number the longest way to each piece of work.

Control flow is drawn once, as it stands: what a loop hands to its next turn is not followed, and
what comes behind a branch of blocks comes after whatever stands before it in the text.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import Block, Operation, Program, Region, walk
from reference.ops import Await, Call, Concurrent, Execute
from reference.ops.command import (
    CommandConcurrent,
    CommandExecute,
    ResourceAlloca,
    ResourceDealloca,
)
from reference.types import TIMEPOINT, Value

_REGIONS = (Execute, CommandExecute)
_WAVES = (Concurrent, CommandConcurrent)
_MEMORY = (ResourceAlloca, ResourceDealloca)


class Kind(enum.Enum):
    """What a piece of a timeline is; the value names it for people."""

    REGION = "region"
    MEMORY = "memory"
    """Memory that is asked for, or given back, in the order of timepoints."""
    WAIT = "host waits"
    CALL = "call"
    OUTSIDE = "outside of any region"
    """An op that could be submitted, and is not."""


@dataclass(frozen=True, slots=True)
class Member:
    """One op in a piece: what it is called in a word, and its identity."""

    word: str
    identity: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of work, or one wait of the host.

    `waves` are the ops of a region in the order they run, those of one wave side by side; of a wait
    of the host, the ops that need it. `awaits` are the numbers of the pieces whose timepoints it
    awaits, `after` is that of the last wait of the host before it, None without. `around` are the
    control flow ops that it stands in, outer ones first. `affinity` is None for the host, and for a
    region that has none: `on_host` tells which.
    """

    number: int
    kind: Kind
    identity: str
    affinity: AnyAffinity | None
    on_host: bool
    waves: tuple[tuple[Member, ...], ...]
    awaits: tuple[int, ...]
    after: int | None
    step: int
    around: tuple[str, ...] = ()

    @property
    def members(self) -> tuple[Member, ...]:
        """The ops of all waves."""
        return tuple(member for wave in self.waves for member in wave)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The pieces of one body in the order of the text; `name` is the function's."""

    name: str
    pieces: tuple[Piece, ...]

    @property
    def lanes(self) -> tuple[str, ...]:
        """The host where it has a part, then devices by name, then work that is nowhere."""
        devices = sorted({lane(one) for one in self.pieces} - {HOST, NOWHERE})
        found = {lane(one) for one in self.pieces}
        first = (HOST,) if HOST in found else ()
        return (*first, *devices, *((NOWHERE,) if NOWHERE in found else ()))

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return max((piece.step for piece in self.pieces), default=0)


HOST = "host"
NOWHERE = "no device"


def lane(piece: Piece) -> str:
    """The name of the device that does a piece, `HOST` or `NOWHERE`."""
    if piece.on_host:
        return HOST
    if piece.affinity is None:
        return NOWHERE
    return str(piece.affinity).removeprefix("#hal.device.affinity<").removesuffix(">")


def timelines(program: Program) -> tuple[Timeline, ...]:
    """The timelines of the initializers and functions that have anything to show, in order."""
    names = [f"initializer {place}" for place, _ in enumerate(program.initializers, 1)]
    names += [f"@{function.name}" for function in program.functions]
    found = (
        Timeline(name, timeline(body))
        for name, body in zip(names, program.bodies(), strict=True)
        if body.blocks
    )
    return tuple(one for one in found if one.pieces)


def timeline(body: Region) -> tuple[Piece, ...]:
    """The pieces of a body that is scheduled, at the async or the command level."""
    drawing = _Drawing(body)
    drawing.enter(body.blocks, ())
    return tuple(drawing.pieces)


def word(operation: Operation) -> str:
    """What an op is called in a word: the last part of its name."""
    return operation.mnemonic.rpartition(".")[2]


class _Drawing:
    def __init__(self, body: Region) -> None:
        self.pieces: list[Piece] = []
        self._done: dict[str, frozenset[int]] = {}
        """The pieces that a timepoint, or a value that comes with one, stands for."""
        self._wait: Piece | None = None
        """The last wait of the host."""
        self._users: dict[str, list[Operation]] = {}
        for operation in walk(body):
            for value in dict.fromkeys(operation.operands):
                self._users.setdefault(value.name, []).append(operation)

    def enter(self, blocks: Iterable[Block], around: tuple[str, ...]) -> None:
        blocks = tuple(blocks)
        for block in blocks:
            for operation in block.operations:
                self._visit(operation, around)
                for successor in operation.successors:
                    taken = blocks[successor.block].arguments
                    for given, argument in zip(successor.arguments, taken, strict=True):
                        self._hand_on(given, argument)

    def _visit(self, operation: Operation, around: tuple[str, ...]) -> None:
        if isinstance(operation, _REGIONS):
            (body,) = operation.regions
            self._add(Kind.REGION, operation, around, _waves(body))
        elif isinstance(operation, _MEMORY):
            self._add(Kind.MEMORY, operation, around, ((_member(operation),),))
        elif isinstance(operation, Await):
            self._wait_for(operation, around)
        elif isinstance(operation, Call):
            called = Member(f"call @{operation.callee}", operation.identity)
            # What the callee is given it may wait for.
            given = tuple(value for value in operation.operands if value.type == TIMEPOINT)
            self._add(Kind.CALL, operation, around, ((called,),), given)
        elif operation.streamable:
            self._add(Kind.OUTSIDE, operation, around, ((_member(operation),),))
        else:
            self._pass_on(operation, around)

    def _add(
        self,
        kind: Kind,
        operation: Operation,
        around: tuple[str, ...],
        waves: tuple[tuple[Member, ...], ...],
        timepoints: tuple[Value, ...] | None = None,
    ) -> Piece:
        awaited = self._pieces_of(timepoints or operation.await_timepoints)
        before = [self.pieces[other - 1].step for other in awaited]
        if self._wait is not None:
            before.append(self._wait.step)
        piece = Piece(
            number=len(self.pieces) + 1,
            kind=kind,
            identity=operation.identity,
            affinity=getattr(operation, "affinity", None),
            on_host=kind not in (Kind.REGION, Kind.MEMORY),
            waves=waves,
            awaits=tuple(sorted(awaited)),
            after=None if self._wait is None else self._wait.number,
            step=max(before, default=0) + 1,
            around=around,
        )
        self.pieces.append(piece)
        for value in operation.results:
            self._done[value.name] = frozenset({piece.number})
        return piece

    def _wait_for(self, operation: Await, around: tuple[str, ...]) -> None:
        """A wait of the host, told with the ops that need what it waits for."""
        users = {
            user.identity: _member(user)
            for value in operation.outputs
            for user in self._users.get(value.name, ())
        }
        needs = (tuple(users.values()),) if users else ()
        self._wait = self._add(Kind.WAIT, operation, around, needs)
        for value in operation.results:
            self._done[value.name] = frozenset()

    def _pass_on(self, operation: Operation, around: tuple[str, ...]) -> None:
        """Host ops: their timepoints are reached when those that they take are."""
        inside = (*around, f"{operation.identity} ({operation.mnemonic})")
        before = self._wait
        waits = [before]
        taken = self._pieces_of(operation.operands)
        for region in operation.regions:
            # Of several regions one is run: none comes after another.
            self._wait = before
            self.enter(region.blocks, inside)
            waits.append(self._wait)
            for block in region.blocks:
                if block.operations:
                    taken |= self._pieces_of(block.operations[-1].operands)
        self._wait = max((one for one in waits if one is not None), key=_step, default=None)
        if taken:
            for value in operation.results:
                self._done[value.name] = taken

    def _hand_on(self, given: object, argument: Value) -> None:
        if isinstance(given, Value):
            done = self._done.get(argument.name, frozenset())
            self._done[argument.name] = done | self._done.get(given.name, frozenset())

    def _pieces_of(self, values: Iterable[Value]) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for value in values:
            found |= self._done.get(value.name, frozenset())
        return found


def _waves(body: Region) -> tuple[tuple[Member, ...], ...]:
    """The ops of a region, those of a wave together."""
    return tuple(
        wave
        for block in body.blocks
        for operation in block.operations
        if (wave := tuple(_leaves(operation)) if operation.regions else _alone(operation))
    )


def _alone(operation: Operation) -> tuple[Member, ...]:
    return () if operation.terminator else (_member(operation),)


def _leaves(operation: Operation) -> Iterator[Member]:
    for region in operation.regions:
        for nested in walk(region):
            if not nested.regions and not nested.terminator:
                yield _member(nested)


def _member(operation: Operation) -> Member:
    return Member(word(operation), operation.identity)


def _step(piece: Piece) -> int:
    return piece.step
