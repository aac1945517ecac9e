"""`stream.cmd.execute`: commands that are submitted to a device as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, Region
from reference.ops.assembly import (
    affinity_of,
    captured,
    on,
    resource,
    segments,
    sized_values,
    timepoint_problem,
    waiting,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandExecute(Operation):
    """`body` runs on `affinity` once `awaits` is reached; `timepoint` is reached when it is done.

    The arguments of its block are `captures`, one after the other unless a wave says otherwise.
    `once` says that the commands are not kept to be submitted again.
    """

    captures: tuple[Value, ...]
    awaits: Value | None
    timepoint: Value
    body: Region
    affinity: Affinity | None
    once: bool = False

    mnemonic = "stream.cmd.execute"
    takes_affinity = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        sizes = (value.size for value in self.captures)
        return (*self.captures, *sizes, *self.await_timepoints)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.timepoint,)

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
        once = "once " if self.once else ""
        awaited = f"{waiting(self.awaits)}=> " if self.awaits is not None else ""
        taken = captured(self.captures, self.body.blocks[0].arguments)
        head = (
            f"%{self.timepoint.name} = {self.mnemonic} {once}{on(self.affinity)}{awaited}"
            f"with({taken}) {{"
        )
        return (head, f"}} => {self.timepoint.type}")

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> CommandExecute:
        captures, sizes, awaits = segments(generic)
        (timepoint,) = generic.results
        (body,) = generic.regions
        return cls(
            identity=generic.identity,
            captures=sized_values(captures, sizes),
            awaits=resource(awaits[0]) if awaits else None,
            timepoint=timepoint,
            body=body,
            affinity=affinity_of(generic.attributes.get("affinity")),
            once="once" in generic.attributes,
        )
