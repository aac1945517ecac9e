"""`stream.file.constant`: host memory as a file that devices read."""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class FileConstant(Operation):
    """`result` is `length` of the `size` bytes of `source`, from `offset` on."""

    source: Value
    size: Index
    offset: Index
    length: Index
    result: Value
    affinity: AnyAffinity | None

    mnemonic = "stream.file.constant"
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, self.size, self.offset, self.length)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {placed(self.affinity)}%{self.source.name}"
            f"[{ref(self.offset)} for {ref(self.length)}] : {self.source.type}{{{ref(self.size)}}} "
            f"-> {self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> FileConstant:
        source, size, offset, length = generic.operands
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source),
            size=index(size),
            offset=index(offset),
            length=index(length),
            result=result,
            affinity=any_affinity(generic.attributes.get("affinity")),
        )
