"""`util.return`: the end of a function."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import resource
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Operation):
    """Hands `values` to the caller."""

    values: tuple[Value, ...]

    mnemonic = "util.return"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.values

    def assembly(self) -> str:
        if not self.values:
            return self.mnemonic
        names = ", ".join(f"%{value.name}" for value in self.values)
        return f"{self.mnemonic} {names} : {', '.join(str(value.type) for value in self.values)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Return:
        return cls(
            identity=generic.identity, values=tuple(resource(item) for item in generic.operands)
        )
