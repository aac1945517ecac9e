"""`stream.yield`: the values of an execution region or a wave."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import sized, sized_values
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamYield(Operation):
    """Hands `values` to the op around."""

    values: tuple[Value, ...]

    mnemonic = "stream.yield"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (*self.values, *(value.size for value in self.values))

    def assembly(self) -> str:
        if not self.values:
            return self.mnemonic
        names = ", ".join(f"%{value.name}" for value in self.values)
        return f"{self.mnemonic} {names} : {', '.join(map(sized, self.values))}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> StreamYield:
        half = len(generic.operands) // 2
        return cls(
            identity=generic.identity,
            values=sized_values(generic.operands[:half], generic.operands[half:]),
        )
