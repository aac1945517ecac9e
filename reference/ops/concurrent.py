"""`stream.async.concurrent`: a wave, work of a region that may run at the same time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, Region, nested_side_effects
from reference.ops.assembly import (
    affinity_of,
    captured,
    on,
    result_names,
    segments,
    sized_results,
    sized_values,
    tied_targets,
    ties_of,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrent(Operation):
    """The arguments of `body`'s block are `captures`, what it yields are `outputs`.

    `ties[i]` is the position in `captures` of the operand that output i is written into; empty
    when none is.
    """

    captures: tuple[Value, ...]
    outputs: tuple[Value, ...]
    body: Region
    ties: tuple[int | None, ...] = ()
    affinity: Affinity | None = None

    mnemonic = "stream.async.concurrent"
    streamable = True
    takes_affinity = True

    @property
    def side_effects(self) -> bool:
        return nested_side_effects(self)

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (
            *self.captures,
            *(value.size for value in self.captures),
            *(value.size for value in self.outputs),
        )

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        pairs = zip(self.outputs, self.ties, strict=True) if self.ties else ()
        return tuple((output, self.captures[tie]) for output, tie in pairs if tie is not None)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        (body,) = regions
        return replace(self, body=body)

    def assembly_pieces(self) -> tuple[str, ...]:
        targets = tied_targets(self.outputs, self.ties, self.captures)
        results = f" -> {sized_results(self.outputs, targets)}" if self.outputs else ""
        head = (
            f"{result_names(self.outputs)}{self.mnemonic} {on(self.affinity)}"
            f"with({captured(self.captures, self.body.blocks[0].arguments)}){results} {{"
        )
        return (head, "}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Concurrent:
        captures, sizes, result_sizes = segments(generic)
        (body,) = generic.regions
        return cls(
            identity=generic.identity,
            captures=sized_values(captures, sizes),
            outputs=sized_values(generic.results, result_sizes),
            body=body,
            ties=ties_of(generic.attributes.get("tied_operands")),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )
