"""`stream.async.execute`: an execution region, work that is submitted to a device as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, Region, nested_side_effects
from reference.ops.assembly import (
    affinity_of,
    captured,
    on,
    resource,
    result_names,
    segments,
    sized_results,
    sized_values,
    tied_targets,
    ties_of,
    timepoint_problem,
    waiting,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute(Operation):
    """`body` runs on `affinity` once `awaits` is reached; `timepoint` is reached when it is done.

    The arguments of its block are `captures`, what it yields are `outputs`. `ties[i]` is the
    position in `captures` of the operand that output i is written into; empty when none is.
    """

    captures: tuple[Value, ...]
    awaits: Value | None
    outputs: tuple[Value, ...]
    timepoint: Value
    body: Region
    affinity: Affinity | None
    ties: tuple[int | None, ...] = ()

    mnemonic = "stream.async.execute"
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
            *self.await_timepoints,
        )

    @property
    def results(self) -> tuple[Value, ...]:
        return (*self.outputs, self.timepoint)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        pairs = zip(self.outputs, self.ties, strict=True) if self.ties else ()
        return tuple((output, self.captures[tie]) for output, tie in pairs if tie is not None)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    @property
    def regions(self) -> tuple[Region, ...]:
        return (self.body,)

    def with_regions(self, regions: tuple[Region, ...]) -> Operation:
        (body,) = regions
        return replace(self, body=body)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.await_timepoints, self.timepoint)

    def assembly_pieces(self) -> tuple[str, ...]:
        awaited = f"{waiting(self.awaits)}=> " if self.awaits is not None else ""
        targets = tied_targets(self.outputs, self.ties, self.captures)
        results = f" -> {sized_results(self.outputs, targets)}" if self.outputs else ""
        head = (
            f"{result_names(self.results)}{self.mnemonic} {on(self.affinity)}{awaited}"
            f"with({captured(self.captures, self.body.blocks[0].arguments)}){results} {{"
        )
        return (head, f"}} => {self.timepoint.type}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Execute:
        captures, sizes, result_sizes, awaits = segments(generic)
        *outputs, timepoint = generic.results
        (body,) = generic.regions
        return cls(
            identity=generic.identity,
            captures=sized_values(captures, sizes),
            awaits=resource(awaits[0]) if awaits else None,
            outputs=sized_values(outputs, result_sizes),
            timepoint=timepoint,
            body=body,
            affinity=affinity_of(generic.attributes.get("affinity")),
            ties=ties_of(generic.attributes.get("tied_operands")),
        )
