"""`stream.timepoint.export`: a timepoint becomes a foreign fence.

No timeline op (StreamOps.td): nothing of Stream's own is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, on, result_names, timepoint_problem, values_in
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class TimepointExport(Operation):
    """`outputs`, such as a fence, are reached when `source` is."""

    source: Value
    outputs: tuple[Value, ...]
    affinity: Affinity | None

    mnemonic = "stream.timepoint.export"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source,)

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(self.source)

    def assembly(self) -> str:
        types = ", ".join(str(output.type) for output in self.outputs)
        return (
            f"{result_names(self.outputs)}{self.mnemonic} {on(self.affinity)}%{self.source.name} "
            f"=> ({types})"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> TimepointExport:
        (source,) = values_in(generic.operands)
        return cls(
            identity=generic.identity,
            source=source,
            outputs=generic.results,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
