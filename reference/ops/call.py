"""`util.call`: a function of the module is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import ref, result_names, scalar, tied_targets, ties_of
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Operation):
    """`outputs` are what function `callee` returns for `arguments`.

    `ties[i]` is the position of the argument that result i is tied to, None for a result with
    storage of its own; empty when no result is tied.
    """

    callee: str
    arguments: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    ties: tuple[int | None, ...] = ()

    mnemonic = "util.call"
    side_effects = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.arguments

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return tuple(
            (output, target)
            for output, target in zip(self.outputs, self._targets, strict=True)
            if target is not None
        )

    def problems(self) -> Iterator[str]:
        if self.ties and len(self.ties) != len(self.outputs):
            yield f"{len(self.outputs)} results have {len(self.ties)} ties"
        for tie in self.ties:
            if tie is not None and not 0 <= tie < len(self.arguments):
                yield f"a result is tied to argument {tie} of {len(self.arguments)}"

    def assembly(self) -> str:
        arguments = ", ".join(map(ref, self.arguments))
        types = ", ".join(str(argument.type) for argument in self.arguments)
        results = ", ".join(
            str(output.type)
            if target is None
            else f"%{target.name}"
            if target.type == output.type
            else f"%{target.name} as {output.type}"
            for output, target in zip(self.outputs, self._targets, strict=True)
        )
        if len(self.outputs) != 1:
            results = f"({results})"
        return (
            f"{result_names(self.outputs)}{self.mnemonic} @{self.callee}({arguments}) : "
            f"({types}) -> {results}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Call:
        if "hal.abi.convention" in generic.attributes:
            # Such a call waits for and signals fences: it takes part in the timeline.
            raise UnsupportedOperationError(f"{cls.mnemonic} with an ABI convention")
        return cls(
            identity=generic.identity,
            callee=str(generic.attributes["callee"]).removeprefix("@"),
            arguments=tuple(map(scalar, generic.operands)),
            outputs=generic.results,
            ties=ties_of(generic.attributes.get("tied_operands")),
        )

    @property
    def _targets(self) -> tuple[Value | None, ...]:
        return tied_targets(self.outputs, self.ties, self.arguments)
