"""`stream.resource.alloca`: memory that is there once a timepoint is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, resource, sized, timepoint_problem, waiting
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceAlloca(Operation):
    """`result` is memory on `affinity` from `timepoint` on, whose contents nobody wrote.

    It is asked for once `awaits` is reached. Nobody knows when an `indeterminate` one may be freed.
    """

    result: Value
    timepoint: Value
    awaits: Value | None
    affinity: AnyAffinity | None
    indeterminate: bool = False

    mnemonic = "stream.resource.alloca"
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.result.size, *self.await_timepoints)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result, self.timepoint)

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.await_timepoints, self.timepoint)

    def assembly(self) -> str:
        indeterminate = "indeterminate " if self.indeterminate else ""
        before = ": " if self.awaits is None else f"{waiting(self.awaits)}=> "
        return (
            f"%{self.result.name}, %{self.timepoint.name} = {self.mnemonic} uninitialized "
            f"{indeterminate}{placed(self.affinity)}{before}{sized(self.result)} => "
            f"{self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceAlloca:
        size, *awaits = generic.operands
        result, timepoint = generic.results
        return cls(
            identity=generic.identity,
            result=Value(result.name, result.type, index(size)),
            timepoint=timepoint,
            awaits=resource(awaits[0]) if awaits else None,
            affinity=any_affinity(generic.attributes.get("affinity")),
            indeterminate="indeterminate_lifetime" in generic.attributes,
        )
