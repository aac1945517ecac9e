"""`stream.resource.store`: a scalar written to staging memory by the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, scalar, sized
from reference.ops.load import scalar_problem, staging_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceStore(Operation):
    """`scalar` goes to byte `offset` of `target`."""

    scalar: Scalar
    target: Value
    offset: Index

    mnemonic = "stream.resource.store"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.target, self.target.size, self.offset, self.scalar)

    def problems(self) -> Iterator[str]:
        yield from staging_problem(self.target)
        yield from scalar_problem(self.target, self.offset, self.scalar)

    def assembly(self) -> str:
        return (
            f"{self.mnemonic} {ref(self.scalar)}, %{self.target.name}[{ref(self.offset)}] : "
            f"{self.scalar.type} -> {sized(self.target)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceStore:
        target, size, offset, item = generic.operands
        return cls(
            identity=generic.identity,
            scalar=scalar(item),
            target=resource(target, size),
            offset=index(offset),
        )
