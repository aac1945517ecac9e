"""`stream.async.slice`: part of a resource as a resource of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    Range,
    affinity_of,
    device_lifetime_problem,
    index,
    on,
    range_problem,
    ref,
    resource,
    resource_result,
    same_type_problem,
    sized,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice(Operation):
    """`result` has the bytes `[start, end)` of `source`."""

    source: Value
    start: Index
    end: Index
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.slice"
    streamable = True
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size, self.start, self.end, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("source", self.source)
        yield from same_type_problem(self.source, self.result)
        if self.result.size is not None:
            span = Range(self.start, self.end, self.result.size)
            yield from range_problem("source", span, self.source.size)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name}"
            f"[{ref(self.start)} to {ref(self.end)}] : {sized(self.source)} -> {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Slice:
        source, source_size, start, end, result_size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            start=index(start),
            end=index(end),
            result=resource_result(generic, result_size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
