"""Memory of the command level: allocations, buffers as parts of them, and who touched what.

For each byte the last write and the reads since are known, which is enough: whoever comes after
those comes after all that they came after.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from reference.affinity import Affinity, AnyAffinity
from reference.ir import Operation
from reference.ops.command import Use
from reference.types import Lifetime
from reference.values.content import Content

EVERYWHERE = 1 << 62
"""Past the end of any allocation."""


class Who(enum.Enum):
    """Who touches memory."""

    DEVICE = "device"
    HOST = "host"
    CALLER = "caller"


@dataclass(frozen=True, slots=True, eq=False)
class Actor:
    """Somebody who does something: the agent, who came before, in which region, by which op.

    `operation` is None for the caller. `affinity` is where it happens, None for the host and where
    nobody said.
    """

    who: Who
    agent: int
    before: int
    region: int
    operation: Operation | None
    affinity: Affinity | None

    def follows(self, other: Actor) -> bool:
        """Whether this happens after all that `other` did so far."""
        return other.agent == self.agent or bool(self.before >> other.agent & 1)


@dataclass(frozen=True, slots=True)
class Access:
    """`actor` reads or writes bytes `[start, end)` of an allocation."""

    actor: Actor
    start: int
    end: int
    use: Use

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return Use.WRITE in self.use

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return Use.READ in self.use


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes up to `end` that were treated alike: the last write, the reads since.

    `flushed` says that the bytes were made available to other devices since they were written;
    `seen` are the devices that had made them visible to themselves since.
    """

    end: int
    write: Access | None = None
    reads: tuple[Access, ...] = ()
    flushed: bool = False
    seen: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Allocation:
    """`length` bytes of memory.

    `maker` is None for the caller's. `affinity` says which devices reach it. It is there once the
    agent `born` is done, None for what is there from the start. `freed` is who gave it back.
    `imported` is memory that the caller made, `read_only` that of constants.
    """

    content: Content
    maker: Operation | None
    lifetime: Lifetime | None
    affinity: AnyAffinity | None
    born: int | None = None
    imported: bool = False
    read_only: bool = False
    freed: Actor | None = None
    owners: int = 1
    starts: list[int] = field(default_factory=lambda: [0])
    segments: list[Segment] = field(default_factory=lambda: [Segment(EVERYWHERE)])

    def within(self, start: int, end: int) -> range:
        """The positions of the segments that make up `[start, end)`, cut so that they do."""
        self._cut(end)
        self._cut(start)
        return range(bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1))

    def accesses(self) -> Iterator[Access]:
        """The last write of every byte and the reads since, each once."""
        seen: dict[Access, None] = {}
        for segment in self.segments:
            for access in (segment.write, *segment.reads):
                if access is not None:
                    seen[access] = None
        yield from seen

    def _cut(self, place: int) -> None:
        position = bisect_right(self.starts, place) - 1
        if self.starts[position] != place and place < EVERYWHERE:
            segment = self.segments[position]
            self.starts.insert(position + 1, place)
            self.segments.insert(position + 1, segment)
            self.segments[position] = Segment(
                place, segment.write, segment.reads, segment.flushed, segment.seen
            )


@dataclass(frozen=True, slots=True)
class Buffer:
    """`length` bytes of an allocation from `offset` on: what a resource value is."""

    allocation: Allocation
    offset: int
    length: int
