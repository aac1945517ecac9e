"""`stream.async.fill`: a pattern written over part of a resource, in place."""

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
    scalar,
    sized,
)
from reference.ops.splat import multiple_problem, pattern_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill(Operation):
    """`result` is `target` with the pattern repeated over `span`."""

    pattern: Scalar
    target: Value
    span: Range
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.fill"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        span = self.span
        return (self.target, self.target.size, span.start, span.end, span.length, self.pattern)

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
        yield from same_type_problem(self.target, self.result)
        yield from same_size_problem(self.target, self.result)
        yield from range_problem("target", self.span, self.target.size)
        yield from pattern_problem(self.pattern)
        yield from multiple_problem("offset", self.span.start, self.pattern)
        yield from multiple_problem("length", self.span.length, self.pattern)

    def assembly(self) -> str:
        span = self.span
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}{ref(self.pattern)}, "
            f"%{self.target.name}[{ref(span.start)} to {ref(span.end)} for {ref(span.length)}] : "
            f"{self.pattern.type} -> %{self.target.name} as {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Fill:
        target, size, start, end, length, pattern = generic.operands
        return cls(
            identity=generic.identity,
            pattern=scalar(pattern),
            target=resource(target, size),
            span=Range(index(start), index(end), index(length)),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
