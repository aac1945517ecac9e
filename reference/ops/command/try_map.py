"""`stream.resource.try_map`: host memory as a buffer, where the device can."""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, sized
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class TryMap(Operation):
    """`result` is the memory of `source` from `offset` on where `mapped`; nothing otherwise."""

    source: Value
    offset: Index
    mapped: Value
    result: Value
    affinity: AnyAffinity | None

    mnemonic = "stream.resource.try_map"
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.offset, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.mapped, self.result)

    def assembly(self) -> str:
        return (
            f"%{self.mapped.name}, %{self.result.name} = {self.mnemonic} {placed(self.affinity)}"
            f"%{self.source.name}[{ref(self.offset)}] : {self.source.type} -> {self.mapped.type}, "
            f"{sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> TryMap:
        source, offset, size = generic.operands
        mapped, result = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source),
            offset=index(offset),
            mapped=mapped,
            result=Value(result.name, result.type, index(size)),
            affinity=any_affinity(generic.attributes.get("affinity")),
        )
