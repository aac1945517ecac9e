"""`stream.file.read`: bytes of a file into a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, scalar, sized, waiting
from reference.ops.command.parts import Part, any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead(Operation):
    """Bytes of `source` from `source_offset` on go to `part`, once `awaits` is reached."""

    source: Value
    source_offset: Scalar
    part: Part
    awaits: Value | None
    timepoint: Value
    affinity: AnyAffinity | None

    mnemonic = "stream.file.read"
    takes_affinity = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source_offset, *self.part.inputs, *self.await_timepoints)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.timepoint,)

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from self.part.problems()

    def assembly(self) -> str:
        before = ": " if self.awaits is None else f"{waiting(self.awaits)}=> "
        part = self.part
        return (
            f"%{self.timepoint.name} = {self.mnemonic} {placed(self.affinity)}{before}"
            f"%{self.source.name}[{ref(self.source_offset)}], "
            f"%{part.buffer.name}[{ref(part.offset)}], {ref(part.length)} : {self.source.type} -> "
            f"{sized(part.buffer)} => {self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> FileRead:
        source, source_offset, target, size, offset, length, *awaits = generic.operands
        (timepoint,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source),
            source_offset=scalar(source_offset),
            part=Part(resource(target, size), index(offset), index(length)),
            awaits=resource(awaits[0]) if awaits else None,
            timepoint=timepoint,
            affinity=any_affinity(generic.attributes.get("affinity")),
        )
