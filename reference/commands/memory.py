"""Memory as a run of a command-level program finds it.

It holds contents, so that values are known, and watches each access for what must not happen. A
timepoint is a set of agents (`reference/commands/order.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from reference.affinity import Affinity, AnyAffinity
from reference.commands.buffers import Access, Actor, Allocation, Buffer, Segment, Who
from reference.commands.events import Event, Kind, Touch
from reference.commands.order import START, Order, Work
from reference.ir import Operation
from reference.ops import Export
from reference.ops.command import Use
from reference.types import Lifetime
from reference.values.content import ENDLESS, Content, made_of
from reference.values.terms import UNWRITTEN


class CommandMemory:
    """Allocations and the order of what is done to them.

    A `Memory` of `reference/values/memory.py`, as far as the host's ops need one.
    """

    def __init__(self) -> None:
        self.order = Order()
        self._told = START
        """What the caller waits for: timepoints that were chained, exported or returned."""
        self.events: list[Event] = []
        self.exports: list[tuple[Export, Buffer]] = []
        self._work: Work | None = None
        self._waves: list[tuple[Work, list[Work]]] = []
        self._touches: dict[tuple[int, int, Use], Touch] = {}
        self._ends: dict[int, int] = {}
        """For the agents of ended work, the timepoint of its end."""

    @property
    def touches(self) -> tuple[Touch, ...]:
        """Who touched what on a device, each op and allocation once."""
        return tuple(self._touches.values())

    def new(self, content: Content, operation: Operation | None) -> Buffer:
        """Memory of the caller's, or what a global begins with."""
        allocation = Allocation(content, operation, None, None, imported=True)
        return Buffer(allocation, 0, content.length)

    def allocate(
        self,
        content: Content,
        operation: Operation,
        lifetime: Lifetime | None,
        affinity: AnyAffinity | None,
        awaited: int | None = None,
    ) -> tuple[Buffer, int]:
        """Memory, and the timepoint at which it is there; with `awaited` None it is there now."""
        allocation = Allocation(content, operation, lifetime, affinity)
        buffer = Buffer(allocation, 0, content.length)
        if awaited is None:
            return buffer, START
        allocation.born, before = self.order.moment(awaited)
        return buffer, before | 1 << allocation.born

    def free(self, buffer: Buffer, operation: Operation, awaited: int) -> int:
        """Gives memory back once `awaited` is reached; the timepoint from which others have it."""
        agent, before = self.order.moment(awaited)
        actor = Actor(Who.HOST, agent, before, 0, operation, None)
        allocation = buffer.allocation
        whole = Access(actor, 0, allocation.content.length, Use.WRITE)
        if allocation.freed is not None:
            self._note(Kind.FREED_TWICE, allocation, whole, allocation.freed)
        users = [one for one in allocation.accesses() if not actor.follows(one.actor)]
        for access in users:
            self._note(Kind.FREED_IN_USE, allocation, whole, access.actor, access)
        if not users:
            self._expect_there(allocation, whole)
        allocation.freed = actor
        return before | 1 << agent

    def actor(self, operation: Operation | None) -> Actor:
        """Who does what an op says: the device whose commands are under way, or the host.

        None is the caller, once it has waited for all that it was told of.
        """
        work, host = self._work, self.order.host
        if operation is None:
            return Actor(Who.CALLER, 0, host | self._told, 0, None, None)
        if work is None:
            return Actor(Who.HOST, 0, host, 0, operation, None)
        return Actor(Who.DEVICE, work.agent, work.before, work.region, operation, work.affinity)

    def read(self, held: Buffer, start: int, length: int, operation: Operation | None) -> Content:
        """What the op finds there."""
        return self.take(self.actor(operation), held, start, length)

    def write(self, held: Buffer, start: int, content: Content, operation: Operation) -> Buffer:
        """The same buffer, written over."""
        self.put(self.actor(operation), held, start, content)
        return held

    def take(self, actor: Actor, buffer: Buffer, start: int, length: int) -> Content:
        """Reads bytes of a buffer; unwritten ones where there are none."""
        access = self.access(actor, buffer, start, length, Use.READ)
        if access is None:
            return made_of(UNWRITTEN, length)
        found = buffer.allocation.content.part(access.start, length)
        if any(source is UNWRITTEN for source, _, _ in found.pieces):
            self._note(Kind.UNWRITTEN, buffer.allocation, access)
        return found

    def put(self, actor: Actor, buffer: Buffer, start: int, content: Content) -> None:
        """Writes bytes of a buffer."""
        access = self.access(actor, buffer, start, content.length, Use.WRITE)
        if access is not None:
            self._store(buffer.allocation, access.start, content)

    def access(
        self, actor: Actor, buffer: Buffer, start: int, length: int, use: Use
    ) -> Access | None:
        """Notes an access to bytes of a buffer; None where that does not have them."""
        allocation = buffer.allocation
        access = Access(actor, buffer.offset + start, buffer.offset + start + length, use)
        if start < 0 or start + length > buffer.length:
            self._note(Kind.BEYOND, allocation, access)
            return None
        if not length:
            return access
        if allocation.freed is not None:
            self._note(Kind.LATE, allocation, access, allocation.freed)
        if allocation.read_only and access.writes and actor.who is Who.DEVICE:
            self._note(Kind.READ_ONLY, allocation, access)
        if actor.who is Who.DEVICE:
            key = (id(actor.operation), id(allocation), use)
            self._touches.setdefault(key, Touch(allocation, access))
        known = len(self.events)
        for position in allocation.within(access.start, access.end):
            segment = allocation.segments[position]
            self._watch(allocation, segment, access)
            allocation.segments[position] = _touched(segment, access)
        if known == len(self.events):
            # Who does not wait for those who use it does not wait for the memory either.
            self._expect_there(allocation, access)
        return access

    def overlap(self, actor: Actor, spans: list[tuple[Buffer, int, int, Use]]) -> None:
        """Notes where one op writes bytes which it uses otherwise too."""
        for place, (buffer, start, length, use) in enumerate(spans):
            first = buffer.offset + start
            for other, other_start, other_length, other_use in spans[:place]:
                begin = other.offset + other_start
                if (
                    other.allocation is buffer.allocation
                    and Use.WRITE in use | other_use
                    and first < begin + other_length
                    and begin < first + length
                ):
                    access = Access(actor, first, first + length, use)
                    self._note(Kind.OVERLAPPING, buffer.allocation, access)

    def flush(self, buffer: Buffer, start: int, length: int) -> None:
        """Makes bytes available to others."""
        self._mark(buffer, start, length, lambda segment: replace(segment, flushed=True))

    def invalidate(self, actor: Actor, buffer: Buffer, start: int, length: int) -> None:
        """Makes bytes of others visible to the device of an actor."""
        seen = frozenset() if actor.affinity is None else frozenset({actor.affinity.device})
        self._mark(
            buffer, start, length, lambda segment: replace(segment, seen=segment.seen | seen)
        )

    def begin(self, awaited: int, affinity: Affinity | None) -> None:
        """What follows, until `end`, are commands of a region."""
        self._work = self.order.region(awaited, affinity)

    def end(self) -> int:
        """The timepoint at which the commands of the region are done."""
        work, self._work = self._work, None
        assert work is not None
        done = self.order.end(work)
        agents = work.done
        while agents:
            lowest = agents & -agents
            self._ends[lowest.bit_length() - 1] = done
            agents ^= lowest
        return done

    def fork(self) -> None:
        """What follows, until `join`, are the branches of a wave."""
        assert self._work is not None
        self._waves.append((self._work, []))

    def branch(self) -> None:
        """What follows is not ordered with the other branches of the wave."""
        work, branches = self._waves[-1]
        self._work = self.order.branch(work)
        branches.append(self._work)

    def join(self) -> None:
        """What follows comes after all branches of the wave."""
        self._work, branches = self._waves.pop()
        for branch in branches:
            self.order.join(self._work, branch)

    def wait(self, awaited: int) -> None:
        """All that the host does from here on comes after."""
        self.order.host |= awaited

    def tell(self, awaited: int) -> None:
        """The caller waits for it."""
        self._told |= awaited

    def ready(self, held: Buffer) -> int:
        """The timepoint at which all that was done to a buffer so far is done."""
        allocation, done = held.allocation, START
        for position in allocation.within(held.offset, held.offset + held.length):
            segment = allocation.segments[position]
            for access in (segment.write, *segment.reads):
                if access is not None:
                    done |= self._ends.get(access.actor.agent, access.actor.before)
        return done

    def look(self, held: Buffer) -> Content:
        """All of a buffer, by nobody in particular."""
        content = held.allocation.content
        return content.part(held.offset, min(held.length, content.length - held.offset))

    def fit(self, held: Buffer, length: int) -> Buffer:
        """The same buffer, of which it is known now how long it is."""
        allocation = held.allocation
        if allocation.content.length == ENDLESS:
            allocation.content = allocation.content.part(0, length)
        return Buffer(allocation, held.offset, length)

    def _store(self, allocation: Allocation, start: int, content: Content) -> None:
        allocation.content = allocation.content.with_part(start, content)

    def _watch(self, allocation: Allocation, segment: Segment, access: Access) -> None:
        actor, write = access.actor, segment.write
        if write is not None:
            if not actor.follows(write.actor):
                self._note(Kind.UNORDERED, allocation, access, write.actor, write)
            elif access.reads and not _visible(segment, write.actor, actor):
                self._note(Kind.UNSEEN, allocation, access, write.actor, write)
        if access.writes:
            for read in segment.reads:
                if not actor.follows(read.actor):
                    self._note(Kind.UNORDERED, allocation, access, read.actor, read)

    def _expect_there(self, allocation: Allocation, access: Access) -> None:
        if allocation.born is not None and not access.actor.before >> allocation.born & 1:
            self._note(Kind.EARLY, allocation, access)

    def _mark(
        self, buffer: Buffer, start: int, length: int, change: Callable[[Segment], Segment]
    ) -> None:
        if not length or start < 0 or start + length > buffer.length:
            return
        allocation, first = buffer.allocation, buffer.offset + start
        for position in allocation.within(first, first + length):
            allocation.segments[position] = change(allocation.segments[position])

    def _note(
        self,
        kind: Kind,
        allocation: Allocation,
        later: Access,
        earlier: Actor | None = None,
        earlier_access: Access | None = None,
    ) -> None:
        self.events.append(Event(kind, allocation, later, earlier, earlier_access))


def _touched(segment: Segment, access: Access) -> Segment:
    """What is known of bytes after an access."""
    if access.writes:
        return Segment(segment.end, access)
    # Whoever comes after this read comes after those that it came after.
    before = (read for read in segment.reads if not access.actor.follows(read.actor))
    return replace(segment, reads=(*before, access))


def _visible(segment: Segment, writer: Actor, reader: Actor) -> bool:
    """Whether what one actor wrote is visible to another, as far as their places tell."""
    if writer.affinity is None or reader.who is Who.CALLER or segment.flushed:
        return True
    if reader.affinity is None:
        return reader.who is Who.DEVICE
    device = reader.affinity.device
    return device == writer.affinity.device or device in segment.seen
