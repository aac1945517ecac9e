"""`stream.cmd.flush`: what was written is made available to another device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, sized
from reference.ops.command.parts import Part, part_of
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush(Operation):
    """`part` becomes available to `target_affinity`, to the host where that is None."""

    part: Part
    target_affinity: Affinity | None = None

    mnemonic = "stream.cmd.flush"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.part.inputs

    def problems(self) -> Iterator[str]:
        yield from self.part.problems()

    def assembly(self) -> str:
        other = "" if self.target_affinity is None else f"to({self.target_affinity}) "
        return f"{self.mnemonic} {other}{self.part.assembly()} : {sized(self.part.buffer)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Flush:
        return cls(
            identity=generic.identity,
            part=part_of(generic.operands),
            target_affinity=affinity_of(generic.attributes.get("source_affinity")),
        )
