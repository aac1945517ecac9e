"""What a resource value is while a program is interpreted.

Under `ValueMemory` it is its content, which never changes. Under `StorageMemory`
(`reference/values/storage.py`) it is a piece of storage, which is written in place.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from reference.affinity import Affinity
from reference.ir import Operation
from reference.values.content import Content

Reference = TypeVar("Reference")


class Memory(Protocol[Reference]):
    """Reads, writes and their order. A timepoint is a number that only the memory understands."""

    def new(self, content: Content, operation: Operation | None) -> Reference:
        """Storage of its own with that content, written by `operation`, None for the caller."""

    def read(
        self, held: Reference, start: int, length: int, operation: Operation | None
    ) -> Content:
        """Bytes of a value. Raises OutOfBoundsError."""

    def write(
        self, held: Reference, start: int, content: Content, operation: Operation
    ) -> Reference:
        """The value with other bytes from `start` on, in the same storage."""

    def look(self, held: Reference) -> Content:
        """All of a value, as it is now, by nobody in particular."""

    def fit(self, held: Reference, length: int) -> Reference:
        """The same value, of which it is known now how long it is. Raises OutOfBoundsError."""

    def begin(self, awaited: int, affinity: Affinity | None) -> None:
        """Work on a device starts once `awaited` is reached; what follows is its, until `end`."""

    def end(self) -> int:
        """The timepoint at which the work that began last is done."""

    def branch(self) -> None:
        """What follows is not ordered with other branches since the last `join`."""

    def join(self) -> None:
        """What follows comes after all branches."""

    def wait(self, awaited: int) -> None:
        """The host waits for a timepoint."""

    def tell(self, awaited: int) -> None:
        """The caller is told of a timepoint, and waits for it before it looks at results."""

    def ready(self, held: Reference) -> int:
        """The timepoint at which all that was done to a value so far is done."""


class ValueMemory:
    """SSA: a value is its content. Order has no meaning."""

    def __init__(self, reads: list[tuple[Operation | None, Content]] | None = None) -> None:
        self._reads = reads

    def new(self, content: Content, operation: Operation | None) -> Content:
        """The content."""
        return content

    def read(self, held: Content, start: int, length: int, operation: Operation | None) -> Content:
        """A part of it."""
        found = held.part(start, length)
        if self._reads is not None:
            self._reads.append((operation, found))
        return found

    def write(self, held: Content, start: int, content: Content, operation: Operation) -> Content:
        """Another content."""
        return held.with_part(start, content)

    def look(self, held: Content) -> Content:
        """All of it."""
        return held

    def fit(self, held: Content, length: int) -> Content:
        """So much of it."""
        return held.part(0, length)

    def begin(self, awaited: int, affinity: Affinity | None) -> None:
        """Nothing."""

    def end(self) -> int:
        """No time passes."""
        return 0

    def branch(self) -> None:
        """Nothing."""

    def join(self) -> None:
        """Nothing."""

    def wait(self, awaited: int) -> None:
        """Nothing."""

    def tell(self, awaited: int) -> None:
        """Nothing."""

    def ready(self, held: Content) -> int:
        """At once."""
        return 0
