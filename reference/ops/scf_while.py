"""`scf.while`: a loop that asks before each turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.ir import GenericOperation, Operation, Region, nested_side_effects
from reference.ops.assembly import assigned, result_names, scalar
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Operation):
    """`before` ends in `scf.condition`, which goes on to `after` or ends the loop.

    The arguments of `before` are `initial`, then what `after` yields; those of `after`, and
    `outputs`, are what the condition op hands on. Both lists may have different lengths.
    """

    initial: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    before: Region
    after: Region

    mnemonic = "scf.while"

    @property
    def side_effects(self) -> bool:
        return nested_side_effects(self)

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.initial

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.before, self.after)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        before, after = regions
        return replace(self, before=before, after=after)

    def labels_region(self, region: Region) -> bool:
        return region is self.after and bool(region.blocks[0].arguments)

    def assembly_pieces(self) -> tuple[str, ...]:
        arguments = self.before.blocks[0].arguments
        carried = f" ({assigned(arguments, self.initial)})" if self.initial else ""
        takes = ", ".join(str(item.type) for item in self.initial)
        gives = ", ".join(str(output.type) for output in self.outputs)
        head = f"{result_names(self.outputs)}{self.mnemonic}{carried} : ({takes}) -> ({gives}) {{"
        return (head, "} do {", "}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> While:
        before, after = generic.regions
        return cls(
            identity=generic.identity,
            initial=tuple(map(scalar, generic.operands)),
            outputs=generic.results,
            before=before,
            after=after,
        )
