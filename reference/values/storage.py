"""Storage semantics: a tied result is its operand's storage, and ops write in place.

Ops run in the order of their blocks, but what a device does is ordered only with what it waited
for: a timepoint, the host, or an earlier op of the same region outside of a wave. Two accesses of
the same bytes that nothing orders, one of them a write, are a race: the values that a run returns
do not depend on which comes first here, but might where the program runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.affinity import Affinity
from reference.ir import Operation
from reference.values.content import Content


@dataclass(frozen=True, slots=True)
class Access:
    """`operation` touched bytes `[start, end)`; None for the caller.

    `agent` is who did it: 0 is the host, every other number a piece of device work whose ops are in
    order. `work` is the region that it belongs to, by the first of its agents. `affinity` is where.
    """

    agent: int
    work: int
    operation: Operation | None
    start: int
    end: int
    writes: bool
    affinity: Affinity | None


@dataclass(slots=True, eq=False)
class Storage:
    """Memory with its content now, the op that made it (None for the caller's, and for what nobody
    wrote), and who touched it so far, agent by agent; `history` has it in order, where watched."""

    content: Content
    maker: Operation | None = None
    touched: dict[int, list[Access]] = field(default_factory=dict)
    history: list[Access] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Read:
    """`operation` read `content` from byte `start` of `storage` on, after `turn` accesses."""

    operation: Operation | None
    content: Content
    storage: Storage
    start: int
    turn: int


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses of the same bytes that nothing orders, one of them a write."""

    earlier: Access
    later: Access


@dataclass(slots=True)
class _Work:
    """Device work under way: what came before it, and the branches since its last join, as bits."""

    agent: int
    before: int
    affinity: Affinity | None
    branches: int = 0
    sequential: int = 0
    """The agent outside of branches."""


_HOST = 1


class StorageMemory:
    """Storage that ops write in place, and the order of what they do to it.

    A timepoint is the set of the agents that are done when it is reached, as bits. With `watch`,
    storage keeps its history, `made` has all of it, and `reads` tells what was read, in order.
    """

    def __init__(self, watch: bool = False) -> None:
        self._watch = watch
        self._agents = 1
        self._work = _Work(agent=0, before=_HOST, affinity=None)
        self._host = self._work
        self._told = 0
        self._done: dict[int, int] = {}
        """For the agents of ended work, the timepoint of its end."""
        self.races: list[Race] = []
        self.reads: list[Read] = []
        self.made: list[Storage] = []

    def new(self, content: Content, operation: Operation | None) -> Storage:
        """Storage that nothing else names."""
        storage = Storage(content, operation)
        if self._watch:
            self.made.append(storage)
        if operation is not None:
            self._touch(storage, 0, content.length, operation, writes=True)
        return storage

    def read(self, held: Storage, start: int, length: int, operation: Operation | None) -> Content:
        """What the storage has there now."""
        found = held.content.part(start, length)
        if self._watch:
            self.reads.append(Read(operation, found, held, start, len(held.history)))
        if operation is None:
            self._show(held, start, length)
        else:
            self._touch(held, start, length, operation, writes=False)
        return found

    def write(self, held: Storage, start: int, content: Content, operation: Operation) -> Storage:
        """The same storage, written over."""
        held.content = held.content.with_part(start, content)
        self._touch(held, start, content.length, operation, writes=True)
        return held

    def look(self, held: Storage) -> Content:
        """All that the storage has now."""
        return held.content

    def fit(self, held: Storage, length: int) -> Storage:
        """The same storage."""
        held.content = held.content.part(0, length)
        return held

    def begin(self, awaited: int, affinity: Affinity | None) -> None:
        """Work that comes after all that the host has waited for, and after `awaited`."""
        agent = self._agents
        self._agents += 1
        self._work = _Work(agent, self._host.before | awaited, affinity, sequential=agent)

    def end(self) -> int:
        """All of the work, and all that came before it."""
        work = self._work
        done = work.before | work.branches | 1 << work.sequential
        for agent in range(work.sequential, self._agents):
            self._done[agent] = done
        self._work = self._host
        return done

    def branch(self) -> None:
        """An agent of its own."""
        work = self._work
        if work.agent == work.sequential:
            work.before |= 1 << work.agent
        work.agent = self._agents
        work.branches |= 1 << work.agent
        self._agents += 1

    def join(self) -> None:
        """The agent of before, after all of its branches."""
        work = self._work
        work.agent = work.sequential
        work.before |= work.branches
        work.branches = 0

    def wait(self, awaited: int) -> None:
        """All that the host does from here on comes after."""
        self._host.before |= awaited

    def tell(self, awaited: int) -> None:
        """The caller waits for it."""
        self._told |= awaited

    def ready(self, held: Storage) -> int:
        """All who touched it, and all that came before them."""
        done = 0
        for agent in held.touched:
            done |= self._done.get(agent, _HOST)
        return done

    def _touch(
        self, held: Storage, start: int, length: int, operation: Operation, writes: bool
    ) -> None:
        work, end = self._work, start + length
        before, agent = work.before, work.agent
        affinity = operation.execution_affinity or work.affinity
        access = Access(agent, work.sequential, operation, start, end, writes, affinity)
        ordered = self._is_ordered(held, access, before | 1 << agent)
        if writes and ordered and length == held.content.length:
            # Whoever comes after this write comes after all that was before it.
            held.touched.clear()
        held.touched.setdefault(agent, []).append(access)
        if self._watch:
            held.history.append(access)

    def _show(self, held: Storage, start: int, length: int) -> None:
        """The caller looks, once it has waited for all that it was told of."""
        access = Access(0, 0, None, start, start + length, writes=False, affinity=None)
        self._is_ordered(held, access, self._host.before | self._told)

    def _is_ordered(self, held: Storage, access: Access, before: int) -> bool:
        """Whether an access comes after all that was done before; notes the races where not."""
        ordered = True
        for other_agent, others in held.touched.items():
            if before >> other_agent & 1:
                continue
            ordered = False
            for other in others:
                overlap = other.start < access.end and access.start < other.end
                if overlap and (access.writes or other.writes):
                    self.races.append(Race(other, access))
        return ordered
