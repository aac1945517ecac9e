"""`stream.cmd.copy`: bytes of one buffer into another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, resource, sized
from reference.ops.command.parts import Part, part_problem
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCopy(Operation):
    """`length` bytes of `source` from `source_offset` on, to `target_offset` of `target`."""

    source: Value
    source_offset: Index
    target: Value
    target_offset: Index
    length: Index

    mnemonic = "stream.cmd.copy"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (
            self.source, self.source.size, self.source_offset,
            self.target, self.target.size, self.target_offset, self.length,
        )  # fmt: skip

    @property
    def read(self) -> Part:
        """The bytes that are read."""
        return Part(self.source, self.source_offset, self.length)

    @property
    def written(self) -> Part:
        """The bytes that are written."""
        return Part(self.target, self.target_offset, self.length)

    def problems(self) -> Iterator[str]:
        yield from part_problem(self.source, self.source_offset, self.length)
        yield from part_problem(self.target, self.target_offset, self.length)

    def assembly(self) -> str:
        return (
            f"{self.mnemonic} %{self.source.name}[{ref(self.source_offset)}], "
            f"%{self.target.name}[{ref(self.target_offset)}], {ref(self.length)} : "
            f"{sized(self.source)} -> {sized(self.target)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> CommandCopy:
        source, source_size, source_offset, target, target_size, target_offset, length = (
            generic.operands
        )
        return cls(
            identity=generic.identity,
            source=resource(source, source_size),
            source_offset=index(source_offset),
            target=resource(target, target_size),
            target_offset=index(target_offset),
            length=index(length),
        )
