"""`stream.async.load`: a scalar read from staging memory by the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, sized
from reference.types import Index, Lifetime, Scalar, Value, known_bytes, scalar_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Operation):
    """`result` is the scalar at byte `offset` of `source`; runs on the host, has no affinity."""

    source: Value
    offset: Index
    result: Value

    mnemonic = "stream.async.load"

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
    def from_generic(cls, generic: GenericOperation) -> Load:
        source, size, offset = generic.operands
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            offset=index(offset),
            result=result,
        )


def staging_problem(value: Value) -> Iterator[str]:
    """IREE checks: the host reads and writes staging memory only."""
    if value.lifetime is not Lifetime.STAGING:
        yield f"%{value.name} is {value.type}, not staging"


def scalar_problem(memory: Value, offset: Index, scalar: Scalar) -> Iterator[str]:
    """Nobody checks: the scalar lies within the memory."""
    start, size, width = known_bytes(offset), known_bytes(memory.size), scalar_bytes(scalar)
    if start is not None and size is not None and width is not None and start + width > size:
        yield f"{width} bytes at {start} pass the end of %{memory.name} at {size}"
