"""`cf.br`: on to another block."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import GenericOperation, Operation, Successor
from reference.ops.assembly import scalar, typed
from reference.types import Index, Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch(Operation):
    """Goes on to `target`."""

    target: Successor

    mnemonic = "cf.br"
    side_effects = True
    terminator = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return self.target.arguments

    @property
    def successors(self) -> tuple[Successor, ...]:
        return (self.target,)

    def assembly(self) -> str:
        return f"{self.mnemonic} {block_reference(self.target)}"

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Branch:
        (block,) = generic.successors
        return cls(
            identity=generic.identity,
            target=Successor(block, tuple(map(scalar, generic.operands))),
        )


def block_reference(successor: Successor) -> str:
    """`^bb1(%a : type)`, as terminators name blocks."""
    arguments = typed(map(scalar, successor.arguments))
    return f"^bb{successor.block}({arguments})" if arguments else f"^bb{successor.block}"
