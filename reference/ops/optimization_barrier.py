"""`util.optimization_barrier`: the same values, which nothing optimizes across."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import listed, result_names, scalar, typed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationBarrier(Operation):
    """`outputs[i]` is `sources[i]`."""

    sources: tuple[Scalar, ...]
    outputs: tuple[Value, ...]

    mnemonic = "util.optimization_barrier"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.sources

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    def problems(self) -> Iterator[str]:
        taken = tuple(source.type for source in self.sources)
        given = tuple(output.type for output in self.outputs)
        if taken != given:
            yield f"takes {listed(taken)} but gives {listed(given)}"

    def assembly(self) -> str:
        return f"{result_names(self.outputs)}{self.mnemonic} {typed(self.sources)}".rstrip()

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> OptimizationBarrier:
        return cls(
            identity=generic.identity,
            sources=tuple(map(scalar, generic.operands)),
            outputs=generic.results,
        )
