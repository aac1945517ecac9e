"""What a run of a command-level program breaks, in words that hold for any program.

One lost wait shows in many accesses: of what follows from one another, the first is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.commands.buffers import Access, Actor, Who
from reference.commands.dependence import depends
from reference.commands.events import Event, Kind, Trace
from reference.commands.kernels import uses_of
from reference.ir import Operation, Program
from reference.ops import Transfer
from reference.ops.command import CommandDispatch, ResourceDealloca
from reference.values.kernels import builtin

CALLER = str(None)
"""The place of the caller, which is no op's."""

Origin = Callable[[str], str]
"""From an op's identity to what is the same for all copies of it."""

_WAITS = frozenset({Kind.UNORDERED, Kind.EARLY, Kind.FREED_IN_USE})
"""What a wait that is missing leads to."""

MISSING = ("without-wait", "written-in-place")
"""What would have put two regions in order: a value that the later takes from the earlier, or that
one of them writes in place what the other uses."""

_GIVEN_BACK = frozenset({Kind.LATE, Kind.FREED_IN_USE, Kind.FREED_TWICE})
"""What memory that is given back too early leads to: which of them, who comes next decides."""

_TOO_EARLY = frozenset(kind.value for kind in _GIVEN_BACK)


@dataclass(frozen=True, slots=True)
class Breach:
    """`shape` holds for any program with the same cause; `what` is the same for this breach in the
    programs of several stages; `told` says for people who did what."""

    shape: tuple[str, ...]
    what: tuple[str, ...]
    told: tuple[str, ...]
    memory: str = ""
    """The place that the op comes from which allocates the memory."""

    def led_to(self, later: Breach) -> bool:
        """Whether a breach of a later stage is what has become of this one. Once allocations are
        reused (ReuseAllocations.cpp), memory that was given back too early is another value's, and
        who takes over memory takes over that nobody waited for it."""
        if later.what[0] == Kind.EARLY.value == self.what[0]:
            return bool(self.memory) and self.memory == later.memory
        return (
            later.what[0] == Kind.UNORDERED.value
            and self.what[0] in _TOO_EARLY
            and not set(self.what[1:]).isdisjoint(later.what[1:])
        )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the program as it was written says of its ops, by the places that they come from.

    `program` is that program, None where nothing is known of it. `excused` read bytes that nobody
    wrote there too; None is the caller. `sent` are the transfers, with the devices that they say to
    send bytes from and to: a transfer that does not say is not held to anything.
    """

    origin: Origin
    excused: frozenset[str | None] = frozenset()
    sent: frozenset[tuple[str, str | None, str | None]] = frozenset()
    program: Program | None = None

    @staticmethod
    def of(program: Program, origin: Origin, excused: frozenset[str | None]) -> Grounds:
        """What a program says of its transfers: on tensors not where they take bytes from."""
        sent = (
            (
                origin(operation.identity),
                None if program.tensors else _device(operation.source_affinity),
                _device(operation.target_affinity),
            )
            for operation in program.operations()
            if isinstance(operation, Transfer)
        )
        return Grounds(origin, excused, frozenset(sent), program)


def breaches(trace: Trace, grounds: Grounds, every: bool = False) -> tuple[Breach, ...]:
    """What must not happen in a run; with `every` also what follows from another breach."""
    found: dict[tuple[str, ...], Breach] = {}
    origin = grounds.origin
    for event in trace.events if every else _causes(trace.events, grounds):
        maker = event.allocation.maker
        memory = "" if maker is None else origin(maker.identity)
        breach = Breach(_shape(event, grounds), _what(event, origin), tuple(_told(event)), memory)
        found.setdefault(breach.what, breach)
    return tuple(found.values())


def _causes(events: tuple[Event, ...], grounds: Grounds) -> Iterator[Event]:
    """The events that do not follow from others."""
    waits = [event for event in events if event.kind in _WAITS and event.later.actor.region]
    first = next((n for n, event in enumerate(events) if event.kind in _WAITS), len(events))
    memory = {id(event.allocation) for event in waits}
    waiting = {event.later.actor.region for event in waits}
    early = {event.later.actor.region for event in waits if event.kind is Kind.EARLY}
    seen: set[object] = set()
    for place, event in enumerate(events):
        key = _cause(event, memory)
        if (
            event.kind is Kind.UNORDERED
            and _between(event)
            # Memory that a region does not wait for is the plainest of what it does not wait for.
            and (event.later.actor.region in early or _meaningless(event, grounds))
        ):
            continue
        if event.kind is Kind.UNWRITTEN:
            # What nobody waits for, such as the upload of a constant, a pass may leave out.
            follows = place > first or event.later.actor.region in waiting
            if follows or not _unwritten(event, grounds):
                continue
        elif event.kind is Kind.UNSEEN and not _carried(event, grounds):
            continue
        if key is None or key in seen:
            continue
        seen.add(key)
        yield event


def _cause(event: Event, memory: set[int]) -> object:
    """What is equal for events of one cause; None for one that has its cause in others.

    A region that does not wait does so for all that it touches. Whoever waits for it in turn, such
    as the host, does not wait for what it did not wait for. Bytes that nobody wrote are copied.
    `memory` is what regions touch that did not wait.
    """
    actor, allocation = event.later.actor, id(event.allocation)
    if event.kind in _WAITS:
        if not actor.region:
            return None if allocation in memory else (actor.who, allocation)
        return (Kind.UNORDERED, actor.region) if _between(event) else event
    if event.kind is Kind.READ_ONLY:
        return event.kind, allocation
    return event.kind if event.kind is Kind.UNWRITTEN else event


def _between(event: Event) -> bool:
    """Whether the two actors of an event are not in one region."""
    region = event.later.actor.region
    return not region or event.earlier is None or event.earlier.region != region


def _meaningless(event: Event, grounds: Grounds) -> bool:
    """Whether it does not matter which of two accesses comes first: one reads what it read before
    anybody had written it in the program as it was written."""
    assert event.earlier_access is not None
    return any(
        not access.writes
        and access.actor.operation is not None
        and not grounds.excused.isdisjoint(_places(access.actor.operation, grounds.origin))
        for access in (event.earlier_access, event.later)
    )


def _unwritten(event: Event, grounds: Grounds) -> bool:
    """Whether an op that reads bytes nobody wrote may be blamed for it."""
    operation = event.later.actor.operation
    if isinstance(operation, CommandDispatch):
        known = builtin(operation.kernel) is not None or uses_of(operation)[1]
        if not known:
            return False
    return grounds.excused.isdisjoint(_places(operation, grounds.origin))


def _carried(event: Event, grounds: Grounds) -> bool:
    """Whether bytes go from a device to another, or to the host, by a transfer of the program."""
    reader, writer = event.later.actor, event.earlier
    if writer is None or reader.who is Who.HOST:
        return True
    taken, given = (_places(side.operation, grounds.origin) for side in (reader, writer))
    return any(
        (place in taken and source == _device(writer.affinity) is not None)
        or (place in given and target == _device(reader.affinity) is not None)
        for place, source, target in grounds.sent
    )


def _device(affinity: Affinity | None) -> str | None:
    return None if affinity is None else affinity.device


def _places(operation: Operation | None, origin: Origin) -> tuple[str | None, ...]:
    """Where an op comes from: of fused locations, all."""
    return (None,) if operation is None else (*origin(operation.identity).split("+"),)


def _shape(event: Event, grounds: Grounds) -> tuple[str, ...]:
    """One cause has one shape, whatever the ops are that it happens to."""
    later, earlier = event.later, event.earlier
    kind = event.kind.value
    if event.kind is Kind.UNORDERED:
        assert event.earlier_access is not None
        assert earlier is not None
        if not _between(event):
            return (kind, "within-a-region")
        if earlier.region and later.actor.region:
            before, after = (
                frozenset(_places(one.operation, grounds.origin)) for one in (earlier, later.actor)
            )
            return (kind, missing_wait(before, after, grounds))
        if earlier.region and later.actor.who is Who.CALLER:
            return (kind, MISSING[0])
        return (kind, _sequence(event.earlier_access, later), _side(later.actor))
    if event.kind in _GIVEN_BACK:
        return ("given-back-too-early",)
    if event.kind is Kind.EARLY:
        if later.actor.who is Who.CALLER:
            # Who does not wait for memory does not wait for those who wrote it either.
            return (Kind.UNORDERED.value, MISSING[0])
        return (kind, _side(later.actor))
    if event.kind is Kind.UNSEEN:
        # Who wrote does not matter: nothing says where bytes come from.
        return (kind, word(later.actor), relation(event))
    if event.kind is Kind.BEYOND:
        return (kind, word(later.actor))
    return (kind,)


def missing_wait(
    earlier: frozenset[str | None], later: frozenset[str | None], grounds: Grounds
) -> str:
    """What should have put ops of two regions in order, given where they come from: a word of
    `MISSING`. The caller takes all that it looks at."""

    def comes_from(places: frozenset[str | None]) -> Callable[[Operation], bool]:
        return lambda one: not places.isdisjoint(_places(one, grounds.origin))

    taken = grounds.program is not None and depends(
        grounds.program, comes_from(later), comes_from(earlier)
    )
    return MISSING[not taken and CALLER not in later]


def _sequence(earlier: Access, later: Access) -> str:
    if not earlier.writes:
        return "write-after-read"
    return "write-after-write" if later.writes else "read-after-write"


def _side(actor: Actor) -> str:
    if isinstance(actor.operation, ResourceDealloca):
        return "deallocation"
    return "region" if actor.who is Who.DEVICE else actor.who.value


def relation(event: Event) -> str:
    """Where the two actors of an event are, to each other."""
    earlier, later = event.earlier, event.later.actor
    if earlier is None or Who.DEVICE not in (earlier.who, later.who):
        return "host"
    if earlier.who is not later.who:
        return "device-and-host"
    if earlier.affinity is None or later.affinity is None:
        return "unplaced"
    return "same-device" if earlier.affinity.device == later.affinity.device else "cross-device"


def word(actor: Actor) -> str:
    """What an actor does, in a word."""
    if actor.operation is None:
        return "caller"
    return actor.operation.mnemonic.rpartition(".")[2]


def _what(event: Event, origin: Origin) -> tuple[str, ...]:
    places = [*_places(event.later.actor.operation, origin)]
    if event.earlier is not None and event.kind is not Kind.LATE:
        places += _places(event.earlier.operation, origin)
    return (event.kind.value, *(str(place) for place in places))


def _told(event: Event) -> Iterator[str]:
    maker = event.allocation.maker
    memory = "the caller's memory" if maker is None else f"memory of {_shown(maker)}"
    yield f"{memory}: {event.kind.value}"
    if event.earlier_access is not None:
        yield _access(event.earlier_access)
    elif event.earlier is not None and event.earlier.operation is not None:
        yield _shown(event.earlier.operation)
    yield _access(event.later)


def _access(access: Access) -> str:
    verb = "writes" if access.writes else "reads"
    who = access.actor
    shown = "the caller" if who.operation is None else _shown(who.operation)
    place = "" if who.affinity is None else f" on {who.affinity}"
    region = f" in region {who.region}" if who.region else ""
    return f"{shown} {verb} bytes {access.start} to {access.end}{place}{region}"


def _shown(operation: Operation) -> str:
    head = operation.assembly_pieces()[0] if operation.regions else operation.assembly()
    return f"{operation.identity}: {head}"
