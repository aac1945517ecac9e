"""`scf.condition`: whether an `scf.while` goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import condition_problem, ref, scalar, typed
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Operation):
    """Hands `values` to the `after` region where `condition` (i1) holds, else to the results."""

    condition: Scalar
    values: tuple[Scalar, ...]

    mnemonic = "scf.condition"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.condition, *self.values)

    def problems(self) -> Iterator[str]:
        yield from condition_problem(self.condition)

    def assembly(self) -> str:
        return f"{self.mnemonic}({ref(self.condition)}) {typed(self.values)}".rstrip()

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Condition:
        condition, *values = map(scalar, generic.operands)
        return cls(identity=generic.identity, condition=condition, values=tuple(values))
