"""`stream.tensor.export`: a resource becomes a buffer view for the caller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, index, on, resource, sized
from reference.ops.tensor_import import buffer_problem, dynamic_dimensions, external_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Operation):
    """`result` is a buffer view of tensor type `encoding` over the memory of `source`.

    `dimensions` are those of the encoding's that are dynamic. Only an explicit affinity pins.
    """

    source: Value
    encoding: str
    dimensions: tuple[Index, ...]
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.tensor.export"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, *self.dimensions, self.source.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.source),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def pins(self) -> bool:
        """`TensorExportOp::pinsValueAffinity`, StreamOps.cpp."""
        return self.affinity is not None

    def problems(self) -> Iterator[str]:
        yield from external_problem(self.source)
        yield from buffer_problem(self.result)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name} : "
            f"{self.encoding}{dynamic_dimensions(self.dimensions)} in {sized(self.source)} -> "
            f"{self.result.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Export:
        source, *dimensions, size = generic.operands
        (result,) = generic.results
        return cls(
            identity=generic.identity,
            source=resource(source, size),
            encoding=str(generic.attributes["source_encoding"]),
            dimensions=tuple(index(dimension) for dimension in dimensions),
            result=result,
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
