"""`stream.cmd.fill`: a pattern over part of a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import ref, scalar, sized
from reference.ops.command.parts import Part, part_of
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFill(Operation):
    """`pattern` over and over in `part`."""

    part: Part
    pattern: Scalar

    mnemonic = "stream.cmd.fill"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (*self.part.inputs, self.pattern)

    def problems(self) -> Iterator[str]:
        yield from self.part.problems()

    def assembly(self) -> str:
        return (
            f"{self.mnemonic} {ref(self.pattern)}, {self.part.assembly()} : {self.pattern.type} -> "
            f"{sized(self.part.buffer)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> CommandFill:
        *part, pattern = generic.operands
        return cls(identity=generic.identity, part=part_of((*part,)), pattern=scalar(pattern))
