"""`scf.yield`: the values of a region of `scf.if`, `scf.for` or `scf.while`."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import scalar, typed
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield(Operation):
    """Hands `values` to the op around."""

    values: tuple[Scalar, ...]

    mnemonic = "scf.yield"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.values

    def assembly(self) -> str:
        return f"{self.mnemonic} {typed(self.values)}".rstrip()

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Yield:
        return cls(identity=generic.identity, values=tuple(map(scalar, generic.operands)))
