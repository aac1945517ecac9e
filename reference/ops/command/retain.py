"""`stream.resource.retain`: another owner of a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import resource
from reference.ops.command.parts import sized_buffer
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Retain(Operation):
    """`buffer` has an owner more."""

    buffer: Value

    mnemonic = "stream.resource.retain"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.buffer, self.buffer.size)

    def assembly(self) -> str:
        return f"{self.mnemonic} {sized_buffer(self.buffer)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Retain:
        return cls(identity=generic.identity, buffer=resource(*generic.operands))
