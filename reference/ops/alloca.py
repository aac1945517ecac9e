"""`stream.async.alloca`: a resource whose contents nobody wrote yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    resource_result,
    sized,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Alloca(Operation):
    """`result` has undefined contents until written."""

    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.alloca"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.result.size,)

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
        yield from device_lifetime_problem("result", self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}".rstrip()
            + f" : {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Alloca:
        (size,) = generic.operands
        return cls(
            identity=generic.identity,
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
