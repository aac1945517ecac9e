"""`stream.timepoint.join`: when all of several timepoints are reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import timepoint_problem, values_in
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Operation):
    """`result` is reached when all of `sources` are."""

    sources: tuple[Value, ...]
    result: Value

    mnemonic = "stream.timepoint.join"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.sources

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return self.sources

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.sources, self.result)

    def assembly(self) -> str:
        names = ", ".join(f"%{value.name}" for value in self.sources)
        return f"%{self.result.name} = {self.mnemonic} max({names}) => {self.result.type}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Join:
        (result,) = generic.results
        return cls(identity=generic.identity, sources=values_in(generic.operands), result=result)
