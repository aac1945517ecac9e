"""`stream.tensor.import`: a buffer view of the caller's becomes a resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    affinity_of,
    index,
    on,
    ref,
    resource,
    resource_result,
    sized,
)
from reference.types import BUFFER, BUFFER_VIEW, Index, Lifetime, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Operation):
    """`result` is the memory of `source`, a buffer view of tensor type `encoding`.

    `dimensions` are those of the encoding's that are dynamic. Only an explicit affinity pins.
    `consume` says that the caller gives the buffer away.
    """

    source: Value
    encoding: str
    dimensions: tuple[Index, ...]
    result: Value
    affinity: Affinity | None
    consume: bool = False

    mnemonic = "stream.tensor.import"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, *self.dimensions, self.result.size)

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
        """`TensorImportOp::pinsValueAffinity`, StreamOps.cpp."""
        return self.affinity is not None

    def problems(self) -> Iterator[str]:
        if self.result.lifetime is not Lifetime.TRANSIENT:
            # The storage that `stream.resource.transients` takes is the caller's, too.
            yield from external_problem(self.result)
        yield from buffer_problem(self.source)

    def assembly(self) -> str:
        consume = "consume " if self.consume else ""
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}{consume}"
            f"%{self.source.name} : {self.source.type} -> "
            f"{self.encoding}{dynamic_dimensions(self.dimensions)} in {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Import:
        source, *dimensions, size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source),
            encoding=str(generic.attributes["result_encoding"]),
            dimensions=tuple(index(dimension) for dimension in dimensions),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
            consume="consume" in generic.attributes,
        )


def dynamic_dimensions(dimensions: tuple[Index, ...]) -> str:
    """`{%d0, %d1}` after an encoding, nothing when all are static."""
    return f"{{{', '.join(map(ref, dimensions))}}}" if dimensions else ""


def external_problem(value: Value) -> Iterator[str]:
    """Nobody checks: memory shared with the caller is external."""
    if value.lifetime is not Lifetime.EXTERNAL:
        yield f"%{value.name} is {value.type}, not external"


def buffer_problem(value: Value) -> Iterator[str]:
    """What the caller holds is a buffer or a view of one."""
    if value.type not in (BUFFER, BUFFER_VIEW):
        yield f"%{value.name} is {value.type}, not {BUFFER} or {BUFFER_VIEW}"
