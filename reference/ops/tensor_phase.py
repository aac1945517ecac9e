"""Ops on tensors, of the phases before Stream's own: the affinity analysis looks at them too.

The model knows no more of them than that analysis asks: where they run, what is tied, what is
pinned. Facts from the external models of `AffinityOpInterface`
(compiler/src/iree/compiler/ExternalInterfaces/StreamExternalModels.cpp) and the ties in
Dialect/Flow/IR/FlowOps.cpp and Dialect/HAL/IR/HALOps.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import affinity_of, generic_assembly, scalar, segments, ties_of
from reference.ops.tensor_assembly import custom_assembly
from reference.types import Index, Scalar, Value

_DISPATCH = "flow.dispatch"
_BARRIER = "flow.tensor.barrier"
_SIGNAL = "hal.tensor.barrier"

_TIED_TO_FIRST = frozenset(
    {
        _BARRIER, "flow.tensor.reshape", "flow.tensor.bitcast", "flow.tensor.update",
        "hal.tensor.alias", "hal.tensor.transients",
    }
)  # fmt: skip

_TARGETS = frozenset({_BARRIER, "flow.tensor.transfer"})
"""Ops whose affinity is their `target`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorOperation(Operation):
    """`outputs` are made from `arguments` by the op `name`, on `affinity`.

    `ties[i]` is the position in `arguments` of what output i is tied to, None for storage of its
    own. `attributes` are (name, printed attribute) pairs. Printed in IREE's own assembly, or in
    MLIR's generic form where `reference/ops/tensor_assembly.py` does not know the op.
    """

    name: str
    arguments: tuple[Scalar, ...]
    outputs: tuple[Value, ...]
    ties: tuple[int | None, ...]
    affinity: Affinity | None
    attributes: tuple[tuple[str, str], ...] = ()

    mnemonic = "tensor.operation"
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.arguments

    @property
    def results(self) -> tuple[Value, ...]:
        return self.outputs

    @property
    def tied(self) -> tuple[tuple[Value, Value], ...]:
        return tuple(
            (output, argument)
            for output, tie in zip(self.outputs, self.ties, strict=True)
            if tie is not None and isinstance(argument := self.arguments[tie], Value)
        )

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def pins(self) -> bool:
        """`FlowBarrierTargetAffinityAttrExternalModel::pinsValueAffinity`."""
        return self.name == _BARRIER and self.affinity is not None

    def assembly(self) -> str:
        custom = custom_assembly(
            self.name, self.arguments, self.outputs, self.ties, self.attributes
        )
        if custom is not None:
            return custom
        return generic_assembly(self.name, self.arguments, self.outputs, self.attributes)

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> TensorOperation:
        if generic.regions:
            raise UnsupportedOperationError("an op with regions")
        name = generic.name
        attribute = "target" if name in _TARGETS else cls._affinity_attribute(name)
        return cls(
            identity=generic.identity,
            name=name,
            arguments=tuple(map(scalar, generic.operands)),
            outputs=generic.results,
            ties=_ties(generic),
            affinity=affinity_of(generic.attributes.get(attribute)),
            attributes=generic.printed,
        )

    @classmethod
    def _affinity_attribute(cls, name: str) -> str:
        return "affinity" if name.startswith("stream.") else "stream.affinity"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacelessTensorOperation(TensorOperation):
    """An op on tensors that is not asked where it runs."""

    mnemonic = "tensor.placeless"
    takes_affinity = False

    @property
    def side_effects(self) -> bool:
        return self.name == _SIGNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryTensorOperation(TensorOperation):
    """An op between tensors and what the caller holds: it pins, but needs no place."""

    mnemonic = "tensor.boundary"

    @property
    def requires_affinity(self) -> bool:
        return False

    @property
    def pins(self) -> bool:
        """`HALTensorAffinityAttrExternalModel::pinsValueAffinity`."""
        return self.affinity is not None

    @classmethod
    def _affinity_attribute(cls, name: str) -> str:
        return "affinity"


TENSOR_OPERATIONS: dict[str, type[TensorOperation]] = {
    **dict.fromkeys(
        (
            _DISPATCH, _BARRIER, "flow.tensor.transfer", "flow.tensor.constant",
            "flow.tensor.dynamic_constant", "flow.tensor.alloca", "flow.tensor.empty",
            "flow.tensor.splat", "flow.tensor.clone", "flow.tensor.encode", "flow.tensor.slice",
            "flow.tensor.update", "stream.tensor.sizeof", "stream.tensor.constant",
            "arith.constant",
        ),
        TensorOperation,
    ),
    **dict.fromkeys(
        (
            _SIGNAL, "flow.tensor.load", "flow.tensor.store", "flow.tensor.reshape",
            "flow.tensor.bitcast", "flow.tensor.tie_shape",
        ),
        PlacelessTensorOperation,
    ),
    **dict.fromkeys(
        ("hal.tensor.import", "hal.tensor.export", "hal.tensor.alias", "hal.tensor.transients"),
        BoundaryTensorOperation,
    ),
}  # fmt: skip
"""By MLIR name. They are read only where tensors are asked for."""


def _ties(generic: GenericOperation) -> tuple[int | None, ...]:
    none = (None,) * len(generic.results)
    if generic.name == _SIGNAL:
        return tuple(range(len(generic.results)))
    if generic.name in _TIED_TO_FIRST:
        return (0,)
    if generic.name != _DISPATCH:
        return none
    workload = len(segments(generic)[0])
    ties = ties_of(generic.attributes.get("tied_operands")) or none
    return tuple(None if tie is None else workload + tie for tie in ties)
