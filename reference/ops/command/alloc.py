"""`stream.resource.alloc`: memory that the host has at once."""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import resource_result, sized
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceAlloc(Operation):
    """`result` is memory on `affinity` whose contents nobody wrote."""

    result: Value
    affinity: AnyAffinity | None
    uninitialized: bool = True

    mnemonic = "stream.resource.alloc"
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.result.size,)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def assembly(self) -> str:
        raw = "uninitialized " if self.uninitialized else ""
        return (
            f"%{self.result.name} = {self.mnemonic} {raw}{placed(self.affinity)}: "
            f"{sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceAlloc:
        (size,) = generic.operands
        return cls(
            identity=generic.identity,
            result=resource_result(generic, size),
            affinity=any_affinity(generic.attributes.get("affinity")),
            uninitialized="uninitialized" in generic.attributes,
        )
