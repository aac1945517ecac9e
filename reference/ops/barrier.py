"""`stream.async.barrier`: the same value, which scheduling may not move work across."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    on,
    resource,
    resource_result,
    same_size_problem,
    same_type_problem,
    sized,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier(Operation):
    """`result` is `source`; staging is accepted."""

    source: Value
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.barrier"
    streamable = True
    takes_affinity = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.source),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from same_type_problem(self.source, self.result)
        yield from same_size_problem(self.source, self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name} : "
            f"{sized(self.source)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Barrier:
        source, size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
