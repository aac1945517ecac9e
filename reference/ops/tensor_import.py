"""`stream.tensor.import`: a buffer view of the caller's becomes a resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import (
    affinity_of,
    index,
    on,
    ref,
    resource,
    resource_result,
    sized,
)
from reference.types import BUFFER_VIEW, Index, Lifetime, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Operation):
    """`result` is the memory of `source`, a buffer view of tensor type `encoding`.

    `dimensions` are those of the encoding's that are dynamic. Only an explicit affinity pins.
    """

    source: Value
    encoding: str
    dimensions: tuple[Index, ...]
    result: Value
    affinity: Affinity | None

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
        yield from external_problem(self.result)
        yield from buffer_view_problem(self.source)

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}%{self.source.name} : "
            f"{self.source.type} -> {self.encoding}{dynamic_dimensions(self.dimensions)} in "
            f"{sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Import:
        if "consume" in generic.attributes:
            raise UnsupportedOperationError(f"{cls.mnemonic} consume")
        source, *dimensions, size = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source),
            encoding=str(generic.attributes["result_encoding"]),
            dimensions=tuple(index(dimension) for dimension in dimensions),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )


def dynamic_dimensions(dimensions: tuple[Index, ...]) -> str:
    """`{%d0, %d1}` after an encoding, nothing when all are static."""
    return f"{{{', '.join(map(ref, dimensions))}}}" if dimensions else ""


def external_problem(value: Value) -> Iterator[str]:
    """Nobody checks: memory shared with the caller is external."""
    if value.lifetime is not Lifetime.EXTERNAL:
        yield f"%{value.name} is {value.type}, not external"


def buffer_view_problem(value: Value) -> Iterator[str]:
    """What the caller holds is a buffer view."""
    if value.type != BUFFER_VIEW:
        yield f"%{value.name} is {value.type}, not {BUFFER_VIEW}"
