"""`stream.async.store`: a scalar written to staging memory by the host, in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    index,
    ref,
    resource,
    resource_result,
    same_size_problem,
    same_type_problem,
    scalar,
    sized,
)
from reference.ops.load import scalar_problem, staging_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Store(Operation):
    """`result` is `target` with `scalar` at byte `offset`; runs on the host, has no affinity.

    IREE's copy-on-write pass forgets stores, so a valid program stores only to a value that
    nothing else reads (the program verifier looks at that).
    """

    target: Value
    offset: Index
    scalar: Scalar
    result: Value

    mnemonic = "stream.async.store"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.target, self.target.size, self.offset, self.scalar)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.target),)

    def problems(self) -> Iterator[str]:
        yield from staging_problem(self.target)
        yield from same_type_problem(self.target, self.result)
        yield from same_size_problem(self.target, self.result)
        yield from scalar_problem(self.target, self.offset, self.scalar)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {ref(self.scalar)}, "
            f"%{self.target.name}[{ref(self.offset)}] : {self.scalar.type} -> "
            f"%{self.target.name} as {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Store:
        target, size, offset, value = generic.operands
        return cls(
            identity=generic.identity,
            target=resource(target, size),
            offset=index(offset),
            scalar=scalar(value),
            result=resource_result(generic, size),
        )
