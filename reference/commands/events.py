"""What a run saw that must not happen, and whom it saw touch memory."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from reference.commands.buffers import Access, Actor, Allocation, Buffer
from reference.ops import Export
from reference.values.outcome import Outcome


class Kind(enum.Enum):
    """What must not happen."""

    UNORDERED = "unordered"
    """Two accesses of the same bytes, one a write, that nothing orders."""
    OVERLAPPING = "overlapping"
    """One op that writes bytes which it uses otherwise too."""
    EARLY = "before-allocation"
    """Memory is touched by somebody who did not wait for it."""
    FREED_IN_USE = "freed-in-use"
    """Memory is given back by somebody who did not wait for those who use it."""
    LATE = "after-deallocation"
    """Memory is touched that was given back."""
    FREED_TWICE = "freed-twice"
    """Memory is given back that was given back."""
    BEYOND = "out-of-bounds"
    """More is touched than there is."""
    UNWRITTEN = "unwritten"
    """Bytes are read that nobody wrote."""
    READ_ONLY = "read-only"
    """Memory of constants is written: it may be the program's own file, mapped, which a device may
    only read."""
    UNSEEN = "not-flushed"
    """A device or the host reads what another wrote and neither flushed nor invalidated."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that must not happen: who did it last, and who before, where somebody did."""

    kind: Kind
    allocation: Allocation
    later: Access
    earlier: Actor | None = None
    earlier_access: Access | None = None


@dataclass(frozen=True, slots=True)
class Touch:
    """A device touches an allocation."""

    allocation: Allocation
    access: Access


@dataclass(frozen=True, slots=True)
class Trace:
    """One run: events, who touched what (each op and allocation once), what was exported and what
    it returned."""

    events: tuple[Event, ...]
    touches: tuple[Touch, ...]
    exports: tuple[tuple[Export, Buffer], ...]
    outcome: Outcome
