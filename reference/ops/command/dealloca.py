"""`stream.resource.dealloca`: memory is given back once a timepoint is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import resource, timepoint_problem, waiting
from reference.ops.command.parts import any_affinity, placed, sized_buffer
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDealloca(Operation):
    """`buffer` lives until `awaits` is reached; from `timepoint` on others may have its memory.

    `origin` says that the device that allocated it does so.
    """

    buffer: Value
    timepoint: Value
    awaits: Value | None
    affinity: AnyAffinity | None
    origin: bool = False

    mnemonic = "stream.resource.dealloca"
    takes_affinity = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.buffer, self.buffer.size, *self.await_timepoints)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.timepoint,)

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.await_timepoints, self.timepoint)

    def assembly(self) -> str:
        origin = "origin " if self.origin else ""
        awaited = f"{waiting(self.awaits)}=> " if self.awaits is not None else ""
        return (
            f"%{self.timepoint.name} = {self.mnemonic} {origin}{placed(self.affinity)}{awaited}"
            f"{sized_buffer(self.buffer)} => {self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceDealloca:
        buffer, size, *awaits = generic.operands
        (timepoint,) = generic.results
        return cls(
            identity=generic.identity,
            buffer=resource(buffer, size),
            timepoint=timepoint,
            awaits=resource(awaits[0]) if awaits else None,
            affinity=any_affinity(generic.attributes.get("affinity")),
            origin="prefer_origin" in generic.attributes,
        )
