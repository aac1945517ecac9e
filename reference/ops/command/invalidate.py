"""`stream.cmd.invalidate`: what another device made available becomes visible here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, sized
from reference.ops.command.parts import Part, part_of
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidate(Operation):
    """`part` is seen as `origin_affinity` left it, as the host did where that is None."""

    part: Part
    origin_affinity: Affinity | None = None

    mnemonic = "stream.cmd.invalidate"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.part.inputs

    def problems(self) -> Iterator[str]:
        yield from self.part.problems()

    def assembly(self) -> str:
        other = "" if self.origin_affinity is None else f"from({self.origin_affinity}) "
        return f"{self.mnemonic} {other}{self.part.assembly()} : {sized(self.part.buffer)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Invalidate:
        return cls(
            identity=generic.identity,
            part=part_of(generic.operands),
            origin_affinity=affinity_of(generic.attributes.get("source_affinity")),
        )
