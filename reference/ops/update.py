"""`stream.async.update`: a whole resource written over part of another, in place."""

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
    same_size_problem,
    same_type_problem,
    sized,
)
from reference.types import Index, Scalar, Value, known_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Operation):
    """`result` is `target` with the bytes `[start, end)` taken from `source`."""

    source: Value
    target: Value
    start: Index
    end: Index
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.update"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.target, self.target.size, self.start, self.end, self.source, self.source.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.target),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("target", self.target)
        yield from device_lifetime_problem("source", self.source)
        yield from same_type_problem(self.target, self.result)
        yield from same_size_problem(self.target, self.result)
        if self.source == self.target:
            yield f"%{self.source.name} is written over itself"
        length = known_bytes(self.source.size)
        if length is not None:
            span = Range(self.start, self.end, length)
            yield from range_problem("target", span, self.target.size)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name}, "
            f"%{self.target.name}[{ref(self.start)} to {ref(self.end)}] : "
            f"{sized(self.source)} -> %{self.target.name} as {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Update:
        target, size, start, end, source, source_size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            target=resource(target, size),
            start=index(start),
            end=index(end),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
