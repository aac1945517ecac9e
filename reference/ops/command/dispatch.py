"""`stream.cmd.dispatch`: a kernel run over parts of buffers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation
from reference.ops.assembly import index, ref, scalar, segments, sized, typed
from reference.ops.command.parts import USE_WORDS, Part, Use, part_of
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True)
class CommandBinding:
    """A part of a buffer that a kernel sees, and what the op says of its use."""

    part: Part
    use: Use


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandDispatch(Operation):
    """`kernel` (`ex::d` for `@ex::@d`) over `bindings` with `scalars`, `workload` elements.

    `other_kernels` do the same work; which of all is run is decided later.
    """

    kernel: str
    workload: tuple[Index, ...]
    scalars: tuple[Scalar, ...]
    bindings: tuple[CommandBinding, ...]
    other_kernels: tuple[str, ...] = ()

    mnemonic = "stream.cmd.dispatch"
    streamable = True
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        parts = [binding.part for binding in self.bindings]
        return (
            *self.workload,
            *self.scalars,
            *(part.buffer for part in parts),
            *(part.buffer.size for part in parts),
            *(part.offset for part in parts),
            *(part.length for part in parts),
        )

    def problems(self) -> Iterator[str]:
        for binding in self.bindings:
            yield from binding.part.problems()

    def assembly(self) -> str:
        symbols = ", ".join(map(_symbol, (self.kernel, *self.other_kernels)))
        if self.other_kernels:
            symbols = f"{{{symbols}}}"
        workload = f"[{', '.join(map(ref, self.workload))}]" if self.workload else ""
        scalars = f"({typed(self.scalars)})" if self.scalars else ""
        bindings = ", ".join(map(_binding, self.bindings))
        return f"{self.mnemonic} {symbols}{workload}{scalars} {{{bindings}}}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> CommandDispatch:
        entry_points = generic.attributes["entry_points"]
        uses = generic.attributes["resource_accesses"]
        assert isinstance(entry_points, tuple)
        assert isinstance(uses, tuple)
        kernels = tuple(
            "::".join(part.lstrip("@") for part in str(entry_point).split("::"))
            for entry_point in entry_points
        )
        workload, scalars, *parts = segments(generic)
        bindings = []
        for operands, use in zip(zip(*parts, strict=True), uses, strict=True):
            assert isinstance(use, int)
            bindings.append(CommandBinding(part_of(operands), Use(use)))
        return cls(
            identity=generic.identity,
            kernel=kernels[0],
            other_kernels=kernels[1:],
            workload=tuple(map(index, workload)),
            scalars=tuple(map(scalar, scalars)),
            bindings=tuple(bindings),
        )


def _binding(item: CommandBinding) -> str:
    return f"{USE_WORDS[item.use]} {item.part.assembly()} : {sized(item.part.buffer)}"


def _symbol(kernel: str) -> str:
    return "::".join(f"@{part}" for part in kernel.split("::"))
