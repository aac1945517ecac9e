"""`scf.if`: one of two regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.ir import GenericOperation, Operation, Region, nested_side_effects
from reference.ops.assembly import condition_problem, ref, result_names, result_types, scalar
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Operation):
    """`outputs` are what the region yields that `condition` (i1) chooses.

    `otherwise` has no blocks where there is no else region; there are no outputs then.
    """

    condition: Scalar
    outputs: tuple[Value, ...]
    then: Region
    otherwise: Region

    mnemonic = "scf.if"

    @property
    def side_effects(self) -> bool:
        return nested_side_effects(self)

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.condition,)

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.then, self.otherwise)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        then, otherwise = regions
        return replace(self, then=then, otherwise=otherwise)

    def problems(self) -> Iterator[str]:
        yield from condition_problem(self.condition)
        if self.outputs and not self.otherwise.blocks:
            yield "has results but no else region"

    def assembly_pieces(self) -> tuple[str, ...]:
        head = (
            f"{result_names(self.outputs)}{self.mnemonic} {ref(self.condition)}"
            f"{result_types(self.outputs)} {{"
        )
        return (head, "} else {", "}") if self.otherwise.blocks else (head, "}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> If:
        (condition,) = generic.operands
        then, otherwise = generic.regions
        return cls(
            identity=generic.identity,
            condition=scalar(condition),
            outputs=generic.results,
            then=then,
            otherwise=otherwise,
        )
