"""`cf.cond_br`: on to one of two blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reference.ir import GenericOperation, Operation, Successor
from reference.ops.assembly import condition_problem, ref, scalar, segments
from reference.ops.branch import block_reference
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalBranch(Operation):
    """Goes on to `then` where `condition` (i1) holds, else to `otherwise`."""

    condition: Scalar
    then: Successor
    otherwise: Successor

    mnemonic = "cf.cond_br"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (self.condition, *self.then.arguments, *self.otherwise.arguments)

    @property
    def successors(self) -> tuple[Successor, ...]:
        return (self.then, self.otherwise)

    def problems(self) -> Iterator[str]:
        yield from condition_problem(self.condition)

    def assembly(self) -> str:
        return (
            f"{self.mnemonic} {ref(self.condition)}, {block_reference(self.then)}, "
            f"{block_reference(self.otherwise)}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> ConditionalBranch:
        then, otherwise = generic.successors
        (condition,), then_arguments, other_arguments = segments(generic)
        return cls(
            identity=generic.identity,
            condition=scalar(condition),
            then=Successor(then, tuple(map(scalar, then_arguments))),
            otherwise=Successor(otherwise, tuple(map(scalar, other_arguments))),
        )
