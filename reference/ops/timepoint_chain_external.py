"""`stream.timepoint.chain_external`: a foreign fence is signalled when a timepoint is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import affinity_of, on, timepoint_problem, typed, values_in
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainExternal(Operation):
    """Signals `externals`, such as a fence, once `source` is reached."""

    source: Value
    externals: tuple[Value, ...]
    affinity: Affinity | None

    mnemonic = "stream.timepoint.chain_external"
    takes_affinity = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.source, *self.externals)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(self.source)

    def assembly(self) -> str:
        return (
            f"{self.mnemonic} {on(self.affinity)}%{self.source.name} => ({typed(self.externals)})"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ChainExternal:
        source, *externals = values_in(generic.operands)
        return cls(
            identity=generic.identity,
            source=source,
            externals=tuple(externals),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
