"""`stream.cmd.discard`: part of a buffer is no longer needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import sized
from reference.ops.command.parts import Part, part_of
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard(Operation):
    """The contents of `part` are undefined from here on."""

    part: Part

    mnemonic = "stream.cmd.discard"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.part.inputs

    def problems(self) -> Iterator[str]:
        yield from self.part.problems()

    def assembly(self) -> str:
        return f"{self.mnemonic} {self.part.assembly()} : {sized(self.part.buffer)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Discard:
        return cls(identity=generic.identity, part=part_of(generic.operands))
