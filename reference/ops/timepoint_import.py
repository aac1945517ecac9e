"""`stream.timepoint.import`: a foreign fence becomes a timepoint.

No timeline op (StreamOps.td): nothing of Stream's own is waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, on, timepoint_problem, values_in
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class TimepointImport(Operation):
    """`result` is reached when `sources`, a fence or other foreign values, are."""

    sources: tuple[Value, ...]
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.timepoint.import"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.sources

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(self.result)

    def assembly(self) -> str:
        names = ", ".join(f"%{value.name}" for value in self.sources)
        types = ", ".join(str(value.type) for value in self.sources)
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}{names} : ({types}) => "
            f"{self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> TimepointImport:
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            sources=values_in(generic.operands),
            result=result,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
