"""What ops of the command level share: parts of buffers, and affinities that may be sets."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity, AnyAffinity, OptimalAffinity
from reference.ir import Attribute, UnsupportedOperationError
from reference.ops.assembly import index, ref, resource, sized
from reference.types import Index, Literal, Value, known_bytes


class Use(enum.Flag):
    """How a dispatch uses a buffer, as it says itself (`ResourceAccessBitfield`, StreamBase.td)."""

    READ = 1
    WRITE = 2


USE_WORDS = {Use.READ: "ro", Use.WRITE: "wo", Use.READ | Use.WRITE: "rw"}


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes `[offset, offset + length)` of a buffer."""

    buffer: Value
    offset: Index
    length: Index

    @property
    def inputs(self) -> tuple[Index | None, ...]:
        """What MLIR has as operands: the buffer, its size, the offset, the length."""
        return (self.buffer, self.buffer.size, self.offset, self.length)

    def assembly(self) -> str:
        """`%buffer[%offset for %length]`."""
        return f"%{self.buffer.name}[{ref(self.offset)} for {ref(self.length)}]"

    def problems(self) -> Iterator[str]:
        """Nobody checks: the part lies within the buffer."""
        yield from part_problem(self.buffer, self.offset, self.length)


def part_of(operands: tuple[Index | Literal, ...]) -> Part:
    """From a buffer, its size, an offset and a length."""
    buffer, size, offset, length = operands
    return Part(resource(buffer, size), index(offset), index(length))


def part_problem(buffer: Value, offset: Index, length: Index) -> Iterator[str]:
    """Nobody checks: `length` bytes at `offset` lie within a buffer."""
    start, count, size = known_bytes(offset), known_bytes(length), known_bytes(buffer.size)
    if start is not None and count is not None and size is not None and start + count > size:
        yield f"{count} bytes at {start} pass the end of %{buffer.name} at {size}"


def any_affinity(attribute: Attribute) -> AnyAffinity | None:
    """An affinity attribute, a set of devices included. Raises UnsupportedOperationError."""
    if attribute is None or isinstance(attribute, Affinity | OptimalAffinity):
        return attribute
    raise UnsupportedOperationError(f"affinity {attribute}")


def placed(affinity: AnyAffinity | None) -> str:
    """`on(…) ` with its blank, nothing when absent."""
    return "" if affinity is None else f"on({affinity}) "


def sized_buffer(buffer: Value) -> str:
    """`%buffer : type{%size}`."""
    return f"%{buffer.name} : {sized(buffer)}"
