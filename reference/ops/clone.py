"""`stream.async.clone`: a copy of a resource at one moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    resource,
    resource_result,
    same_size_problem,
    sized,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone(Operation):
    """`result` has `source`'s bytes and storage of its own; the lifetimes may differ."""

    source: Value
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.clone"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.source.size, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def prefers_clone_to_consumers(self) -> bool:
        return True

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("source", self.source)
        yield from device_lifetime_problem("result", self.result)
        yield from same_size_problem(self.source, self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name} : "
            f"{sized(self.source)} -> {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Clone:
        source, source_size, result_size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            result=resource_result(generic, result_size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
