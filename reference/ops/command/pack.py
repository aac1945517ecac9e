"""`stream.resource.pack`: where slices go in the memory that they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, result_names, segments
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True)
class PackedSlice:
    """`size` bytes that are alive from `start` to `end`, both inclusive, and the `offset` they get.

    Times only compare with those of the same op.
    """

    start: int
    end: int
    size: Index
    offset: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack(Operation):
    """`total` bytes hold all `slices`; those alive at the same time do not overlap.

    Offsets are counted from `base` on, from 0 where that is None.
    """

    slices: tuple[PackedSlice, ...]
    total: Value
    affinity: AnyAffinity | None
    base: Index | None = None

    mnemonic = "stream.resource.pack"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        base = () if self.base is None else (self.base,)
        return (*base, *(one.size for one in self.slices))

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.total, *(one.offset for one in self.slices))

    def problems(self) -> Iterator[str]:
        for one in self.slices:
            if one.end < one.start:
                yield f"%{one.offset.name} lives from {one.start} to {one.end}"

    def assembly(self) -> str:
        base = "" if self.base is None else f"offset({ref(self.base)}) "
        slices = ", ".join(f"[{one.start}, {one.end}] = {ref(one.size)}" for one in self.slices)
        return (
            f"{result_names(self.results)}{self.mnemonic} {placed(self.affinity)}{base}"
            f"slices({{{slices}}}) : {self.total.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Pack:
        base, sizes = segments(generic)
        total, *offsets = generic.results
        times = generic.attributes["lifetime_intervals"]
        assert isinstance(times, tuple)
        slices = []
        for place, (size, offset) in enumerate(zip(sizes, offsets, strict=True)):
            start, end = times[2 * place : 2 * place + 2]
            assert isinstance(start, int)
            assert isinstance(end, int)
            slices.append(PackedSlice(start, end, index(size), offset))
        return cls(
            identity=generic.identity,
            slices=tuple(slices),
            total=total,
            affinity=any_affinity(generic.attributes.get("affinity")),
            base=index(base[0]) if base else None,
        )
