"""`stream.async.copy`: part of a resource written over part of another, in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import (
    Range,
    affinity_of,
    device_lifetime_problem,
    index,
    on,
    range_problem,
    ref,
    resource,
    resource_result,
    same_size_problem,
    same_type_problem,
    sized,
)
from reference.types import Index, Scalar, Value, known_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy(Operation):
    """`result` is `target` with `target_span` taken from `source_span` of `source`.

    Both spans have the same length.
    """

    source: Value
    source_span: Range
    target: Value
    target_span: Range
    result: Value
    affinity: Affinity | None

    mnemonic = "stream.async.copy"
    streamable = True
    erasable = False
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        source, target = self.source_span, self.target_span
        return (
            self.target,
            self.target.size,
            target.start,
            target.end,
            self.source,
            self.source.size,
            source.start,
            source.end,
            target.length,
        )

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return ((self.result, self.target),)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    def problems(self) -> Iterator[str]:
        yield from device_lifetime_problem("target", self.target)
        yield from device_lifetime_problem("source", self.source)
        yield from same_type_problem(self.target, self.result)
        yield from same_size_problem(self.target, self.result)
        yield from range_problem("source", self.source_span, self.source.size)
        yield from range_problem("target", self.target_span, self.target.size)
        if self.source == self.target and _overlap(self.source_span, self.target_span):
            yield f"%{self.source.name} is copied over itself where the ranges overlap"

    def assembly(self) -> str:
        source, target = self.source_span, self.target_span
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}"
            f"%{self.source.name}[{ref(source.start)} to {ref(source.end)}], "
            f"%{self.target.name}[{ref(target.start)} to {ref(target.end)}], "
            f"{ref(target.length)} : {sized(self.source)} -> "
            f"%{self.target.name} as {sized(self.result)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Copy:
        target, size, t_start, t_end, source, source_size, s_start, s_end, length = generic.operands
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            source_span=Range(index(s_start), index(s_end), index(length)),
            target=resource(target, size),
            target_span=Range(index(t_start), index(t_end), index(length)),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
        )


def _overlap(left: Range, right: Range) -> bool:
    """Whether two ranges share bytes; what only the caller knows is taken to overlap."""
    left_start, left_end = known_bytes(left.start), known_bytes(left.end)
    right_start, right_end = known_bytes(right.start), known_bytes(right.end)
    if left_start is None or left_end is None or right_start is None or right_end is None:
        return True
    return left_start < right_end and right_start < left_end
