"""`stream.resource.load`: a scalar read from staging memory by the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, sized
from reference.ops.load import scalar_problem, staging_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLoad(Operation):
    """`result` is the scalar at byte `offset` of `source`."""

    source: Value
    offset: Index
    result: Value

    mnemonic = "stream.resource.load"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size, self.offset)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def problems(self) -> Iterator[str]:
        yield from staging_problem(self.source)
        yield from scalar_problem(self.source, self.offset, self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} %{self.source.name}[{ref(self.offset)}] : "
            f"{sized(self.source)} -> {self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceLoad:
        source, size, offset = generic.operands
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            offset=index(offset),
            result=result,
        )
