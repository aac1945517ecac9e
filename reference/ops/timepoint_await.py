"""`stream.timepoint.await`: resources, once a timepoint is reached. It has no affinity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    result_names,
    same_size_problem,
    same_type_problem,
    segments,
    sized,
    sized_values,
    timepoint_problem,
    values_in,
)
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Await(Operation):
    """`outputs[i]` is `sources[i]`, once `awaits` is reached. The host waits.

    `sync` says so for good: a wait that is not can become the device's.
    """

    awaits: Value
    sources: tuple[Value, ...]
    outputs: tuple[Value, ...]
    sync: bool = False

    mnemonic = "stream.timepoint.await"

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (*self.sources, *(value.size for value in self.sources), self.awaits)

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return tuple(zip(self.outputs, self.sources, strict=True))

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(self.awaits)
        if not self.sources:
            yield "hands no resource on, which IREE prints but does not read"
        for source, output in zip(self.sources, self.outputs, strict=True):
            yield from same_type_problem(source, output)
            yield from same_size_problem(source, output)

    def assembly(self) -> str:
        sync = "sync " if self.sync else ""
        names = ", ".join(f"%{value.name}" for value in self.sources)
        return (
            f"{result_names(self.outputs)}{self.mnemonic} {sync}%{self.awaits.name} => {names} : "
            f"{', '.join(map(sized, self.sources))}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Await:
        sources, sizes, awaits = segments(generic)
        return cls(
            identity=generic.identity,
            awaits=values_in(awaits)[0],
            sources=sized_values(sources, sizes),
            outputs=sized_values(generic.results, sizes),
            sync="sync" in generic.attributes,
        )
