"""`stream.resource.subview`: part of a buffer, as a buffer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, resource_result, same_type_problem, sized
from reference.ops.command.parts import part_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Subview(Operation):
    """`result` is as many bytes of `source` as it has, from `offset` on."""

    source: Value
    offset: Index
    result: Value

    mnemonic = "stream.resource.subview"
    streamable = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size, self.offset, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.source),)

    def problems(self) -> Iterator[str]:
        yield from same_type_problem(self.source, self.result)
        if self.result.size is not None:
            yield from part_problem(self.source, self.offset, self.result.size)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} %{self.source.name}[{ref(self.offset)}] : "
            f"{sized(self.source)} -> {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Subview:
        source, source_size, offset, size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            offset=index(offset),
            result=resource_result(generic, size),
        )
