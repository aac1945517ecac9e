"""`stream.timepoint.immediate`: the start of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import timepoint_problem
from reference.types import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Immediate(Operation):
    """`result` is reached from the start."""

    result: Value

    mnemonic = "stream.timepoint.immediate"

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(self.result)

    def assembly(self) -> str:
        return f"%{self.result.name} = {self.mnemonic} => {self.result.type}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Immediate:
        (result,) = generic.results
        return cls(identity=generic.identity, result=result)
