"""`stream.timepoint.barrier`: when a resource is ready."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    on,
    resource,
    same_size_problem,
    same_type_problem,
    sized,
    timepoint_problem,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class TimepointBarrier(Operation):
    """`result` is `source`; `timepoint` is reached when it is ready."""

    source: Value
    result: Value
    timepoint: Value
    affinity: Affinity | None

    mnemonic = "stream.timepoint.barrier"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result, self.timepoint)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.source),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from same_type_problem(self.source, self.result)
        yield from same_size_problem(self.source, self.result)
        yield from timepoint_problem(self.timepoint)

    def assembly(self) -> str:
        return (
            f"%{self.result.name}, %{self.timepoint.name} = {self.mnemonic} {on(self.affinity)}"
            f"%{self.source.name} : {sized(self.source)} => {self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> TimepointBarrier:
        source, size = generic.operands
        result, timepoint = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            result=resource(result, size),
            timepoint=timepoint,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
