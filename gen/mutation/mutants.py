"""Mutants of programs: well-formed as those are, and the same for the same seed and number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gen.choices import Choices, SeededChoices
from gen.mutation.deciding import has_transfer_to_decide
from gen.mutation.insert_transfer import send_to_caller
from gen.mutation.material import Features, Material
from gen.mutation.registry import CHOSEN, MUTATIONS
from reference.ir import Operation, Program, UnsupportedOperationError, map_operations
from reference.ops import Transfer
from reference.text import print_program
from reference.verifier import verify

_STEPS = (1, 1, 2, 2, 3, 4)
"""How many mutations a mutant is made by."""
_TRIES = 12
"""How often another mutation is tried where one leads to nothing well-formed."""
_LONGEST = 80
"""Ops, beyond which a mutant is not made longer by another program."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant, the program that it is made of by its number, and the kinds of mutation."""

    program: Program
    parent: int
    kinds: tuple[str, ...]


def mutant(
    seeds: Sequence[Program], seed: int, index: int, features: Features | None = None
) -> Mutant:
    """Mutant number `index` of programs that are `prepared` and mutable.

    Where no mutation leads to a well-formed program, which is rare, it is its parent.
    """
    features = features or Features()
    choices = SeededChoices(f"mutant {seed} {index}")
    parent = choices.integer(0, len(seeds) - 1)
    start = program = fitting(seeds[parent], features)
    kinds: list[str] = []
    for _ in range(choices.pick(_STEPS)):
        made = step(program, seeds, choices, features)
        # A step may undo the one before it.
        if made is not None and not (kinds and print_program(made[0]) == print_program(start)):
            program, kind = made
            kinds.append(kind)
    if not has_transfer_to_decide(program):
        for _ in range(2 * _TRIES):
            added = _checked(program, send_to_caller(Material(program, choices), decided=False))
            if added is not None and has_transfer_to_decide(added):
                program = added
                kinds.append("insert-transfer")
                break
    return Mutant(program, parent, tuple(kinds))


def step(
    program: Program, seeds: Sequence[Program], choices: Choices, features: Features
) -> tuple[Program, str] | None:
    """The program with one mutation, and its kind; None where no try was well-formed."""
    for _ in range(_TRIES):
        kind = choices.weighted(CHOSEN)
        made = tried(kind, program, seeds, choices, features)
        if made is not None:
            return made, kind
    return None


def tried(
    kind: str,
    program: Program,
    seeds: Sequence[Program],
    choices: Choices,
    features: Features,
) -> Program | None:
    """One mutation of that kind; None where it leads to nothing else that is well-formed."""
    others = seeds if sum(1 for _ in program.operations()) < _LONGEST else ()
    others = [fitting(one, features) for one in others] if kind == "splice" else ()
    try:
        made = MUTATIONS[kind](Material(program, choices, others, features))
    except UnsupportedOperationError:
        return None
    return _checked(program, made)


def _checked(program: Program, made: Program | None) -> Program | None:
    """What was made of a program, where it is another and well-formed."""
    if made is None or verify(made):
        return None
    # As text: values are equal by name, whatever their types.
    return None if print_program(made) == print_program(program) else made


def fitting(program: Program, features: Features) -> Program:
    """The program without what a release cannot parse: a transfer has no `on`."""
    if features.explicit_on:
        return program

    def without(operation: Operation) -> Operation:
        if isinstance(operation, Transfer) and operation.explicit_affinity is not None:
            return replace(operation, explicit_affinity=None)
        return operation

    return replace(
        program,
        functions=tuple(
            replace(one, body=map_operations(one.body, without)) for one in program.functions
        ),
        initializers=tuple(
            replace(one, body=map_operations(one.body, without)) for one in program.initializers
        ),
    )
