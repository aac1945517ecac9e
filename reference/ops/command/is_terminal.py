"""`stream.resource.is_terminal`: whether a buffer has one owner only."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import resource
from reference.ops.command.parts import sized_buffer
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class IsTerminal(Operation):
    """`result` says whether the last owner of `buffer` asks."""

    buffer: Value
    result: Value

    mnemonic = "stream.resource.is_terminal"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.buffer, self.buffer.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def assembly(self) -> str:
        return f"%{self.result.name} = {self.mnemonic} {sized_buffer(self.buffer)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> IsTerminal:
        (result,) = generic.results
        return cls(identity=generic.identity, buffer=resource(*generic.operands), result=result)
