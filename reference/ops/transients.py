"""`stream.resource.transients`: where the transient memory of a value is to come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    resource,
    same_size_problem,
    same_type_problem,
    sized,
    timepoint_problem,
    waiting,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Transients(Operation):
    """`result` is `source`; what is needed to make it is suballocated from `storage`."""

    source: Value
    storage: Value
    awaits: Value | None
    result: Value
    timepoint: Value
    affinity: Affinity | None

    mnemonic = "stream.resource.transients"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (
            self.source,
            self.source.size,
            self.storage,
            self.storage.size,
            *self.await_timepoints,
        )

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result, self.timepoint)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.source),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def pins(self) -> bool:
        """`ResourceTransientsOp::pinsValueAffinity`, StreamOps.cpp."""
        return self.affinity is not None

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("source", self.source)
        yield from same_type_problem(self.source, self.result)
        yield from same_size_problem(self.source, self.result)
        if not self.storage.is_resource:
            yield f"%{self.storage.name} is {self.storage.type}, not a resource"
        yield from timepoint_problem(*self.await_timepoints, self.timepoint)

    def assembly(self) -> str:
        awaited = f"{waiting(self.awaits)}=> " if self.awaits is not None else ""
        return (
            f"%{self.result.name}, %{self.timepoint.name} = {self.mnemonic} {on(self.affinity)}"
            f"{awaited}%{self.source.name} : {sized(self.source)} from "
            f"%{self.storage.name} : {sized(self.storage)} => {self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Transients:
        source, size, storage, storage_size, *awaits = generic.operands
        result, timepoint = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            storage=resource(storage, storage_size),
            awaits=resource(awaits[0]) if awaits else None,
            result=resource(result, size),
            timepoint=timepoint,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
