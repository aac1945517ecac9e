"""`stream.resource.size`: how long a resource is, asked on the host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, generic_assembly, resource
from reference.types import INDEX, Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSize(Operation):
    """`result` is the size of `source` in bytes.

    Its `affinity` is an attribute like any other: the op has no affinity interface (StreamOps.td).
    """

    source: Value
    result: Value
    affinity: Affinity | None = None

    mnemonic = "stream.resource.size"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source,)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    def problems(self) -> Iterator[str]:
        if not self.source.is_resource:
            yield f"%{self.source.name} is {self.source.type}, not a resource"
        if self.result.type != INDEX:
            yield f"%{self.result.name} is {self.result.type}, not {INDEX}"

    def assembly(self) -> str:
        if self.affinity is not None:
            # IREE's custom form has no place for the affinity that the op may have.
            attributes = (("affinity", str(self.affinity)),)
            return generic_assembly(self.mnemonic, (self.source,), (self.result,), attributes)
        return f"%{self.result.name} = {self.mnemonic} %{self.source.name} : {self.source.type}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceSize:
        (source,) = generic.operands
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source),
            result=result,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
