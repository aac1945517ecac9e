"""`stream.async.splat`: a new resource filled with a repeated pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    ref,
    resource,
    resource_result,
    scalar,
    sized,
    timepoint_problem,
    waiting,
)
from reference.types import PATTERN_TYPES, Index, Scalar, Value, known_bytes, scalar_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Splat(Operation):
    """Every byte of `result` is the pattern's, repeated from byte 0, once `awaits` is reached."""

    pattern: Scalar
    result: Value
    affinity: Affinity | None
    awaits: Value | None = None

    mnemonic = "stream.async.splat"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (*self.await_timepoints, self.pattern, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def prefers_clone_to_consumers(self) -> bool:
        return True

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.await_timepoints)
        yield from device_lifetime_problem("result", self.result)
        yield from pattern_problem(self.pattern)
        yield from multiple_problem("size", self.result.size, self.pattern)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}{waiting(self.awaits)}"
            f"{ref(self.pattern)} : {self.pattern.type} -> {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Splat:
        *awaits, pattern, size = generic.operands
        return cls(
            identity=generic.identity,
            pattern=scalar(pattern),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
            awaits=resource(awaits[0]) if awaits else None,
        )


def pattern_problem(pattern: Scalar) -> Iterator[str]:
    """IREE checks: i8, i16, i32 or i64 (StreamOps.cpp, verify of splat and fill)."""
    if pattern.type not in PATTERN_TYPES:
        yield f"pattern is {pattern.type}, not an i8, i16, i32 or i64"


def multiple_problem(role: str, index: Index | None, pattern: Scalar) -> Iterator[str]:
    """Nobody checks: a splat's size, a fill's offset and length hold whole patterns."""
    count, width = known_bytes(index), scalar_bytes(pattern)
    if count is not None and width and count % width:
        yield f"{role} of {count} bytes is no multiple of the pattern's {width}"
