"""`stream.resource.constants`: constants that are uploaded together."""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import GenericOperation, Operation
from reference.ops.assembly import result_names, sized, sized_values
from reference.ops.command.parts import any_affinity, placed
from reference.types import Index, Scalar, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceConstants(Operation):
    """`outputs[i]` holds `elements[i]` from `timepoint` on.

    An element is a typed attribute as MLIR prints it.
    """

    elements: tuple[str, ...]
    outputs: tuple[Value, ...]
    timepoint: Value
    affinity: AnyAffinity | None

    mnemonic = "stream.resource.constants"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return tuple(output.size for output in self.outputs)

    @property
    def results(self) -> tuple[Value, ...]:
        return (*self.outputs, self.timepoint)

    def assembly(self) -> str:
        pairs = zip(self.outputs, self.elements, strict=True)
        constants = ", ".join(f"{sized(output)} = {elements}" for output, elements in pairs)
        return (
            f"{result_names(self.results)}{self.mnemonic} {placed(self.affinity)}: {constants} => "
            f"{self.timepoint.type}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ResourceConstants:
        elements = generic.attributes["values"]
        *outputs, timepoint = generic.results
        assert isinstance(elements, tuple)
        return cls(
            identity=generic.identity,
            elements=tuple(map(str, elements)),
            outputs=sized_values(outputs, generic.operands),
            timepoint=timepoint,
            affinity=any_affinity(generic.attributes.get("affinity")),
        )
