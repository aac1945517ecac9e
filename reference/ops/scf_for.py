"""`scf.for`: a counted loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.ir import (
    GenericOperation,
    Operation,
    Region,
    UnsupportedOperationError,
    nested_side_effects,
)
from reference.ops.assembly import assigned, index, ref, result_names, result_types, scalar
from reference.types import INDEX, Index, Scalar, Value, known_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Operation):
    """`body` runs for each index from `lower` up to below `upper`, `step` apart.

    The arguments of its block are the index, then the carried values; `initial` are the first of
    these, what the body yields the next, `outputs` the last.
    """

    lower: Index
    upper: Index
    step: Index
    initial: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    body: Region

    mnemonic = "scf.for"

    @property
    def side_effects(self) -> bool:
        return nested_side_effects(self)

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.lower, self.upper, self.step, *self.initial)

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        (body,) = regions
        return replace(self, body=body)

    def problems(self) -> Iterator[str]:
        step = known_bytes(self.step)
        if step is not None and step <= 0:
            yield f"the step {step} leads nowhere"

    def assembly_pieces(self) -> tuple[str, ...]:
        turn, *carried = self.body.blocks[0].arguments
        iterated = f" iter_args({assigned(carried, self.initial)})" if self.initial else ""
        head = (
            f"{result_names(self.outputs)}{self.mnemonic} %{turn.name} = {ref(self.lower)} to "
            f"{ref(self.upper)} step {ref(self.step)}{iterated}{result_types(self.outputs)} {{"
        )
        return (head, "}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> For:
        lower, upper, step, *initial = generic.operands
        (body,) = generic.regions
        if body.blocks[0].arguments[0].type != INDEX or "unsignedCmp" in generic.attributes:
            raise UnsupportedOperationError(f"{cls.mnemonic} that does not count in signed indices")
        return cls(
            identity=generic.identity,
            lower=index(lower),
            upper=index(upper),
            step=index(step),
            initial=tuple(map(scalar, initial)),
            outputs=generic.results,
            body=body,
        )
