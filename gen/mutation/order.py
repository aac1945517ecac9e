"""Another order of ops that have nothing to do with each other."""

from __future__ import annotations

from gen.mutation.material import Material
from reference.contracts.reordering import reorder
from reference.ir import Program

_STEPS = 1 << 16


def order(material: Material) -> Program | None:
    """The ops of every block anew, each somewhere between what it takes and who takes it."""
    priorities = {
        one.identity: material.choices.integer(0, _STEPS) for one in material.program.operations()
    }
    made = reorder(material.program, lambda one: priorities[one.identity])
    return None if made == material.program else made
