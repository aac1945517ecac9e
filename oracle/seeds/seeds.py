"""Seeds: programs that a user gave, as they are and as what mutants are made of."""

from __future__ import annotations

from dataclasses import dataclass

from gen.mutation.material import Features
from reference.ir import Program
from reference.releases import Release
from reference.verifier.problems import Level


@dataclass(frozen=True, slots=True)
class GivenText:
    """A module as it was given: where it is from, its text, the line of its file at which it
    starts, and the functions to take; None for all of them."""

    name: str
    text: str
    line: int = 1
    functions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Seed:
    """A program as it was given. `functions` are those it has of their own, `program` is the same
    in the model's terms where the model knows it whole. `level` is how far it can be trusted to
    accuse a compiler; None where no compiler owes it anything, as far as the model knows."""

    name: str
    text: str
    functions: tuple[str, ...]
    program: Program | None
    level: Level | None


@dataclass(frozen=True, slots=True)
class Parent:
    """A program to make mutants of."""

    name: str
    program: Program


@dataclass(frozen=True, slots=True)
class Seeds:
    """Programs to run as they are, those of them to mutate, and what a person should be told: what
    was not read, or is not mutated, and why."""

    programs: tuple[Seed, ...]
    parents: tuple[Parent, ...]
    notes: tuple[str, ...] = ()

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions in all of them."""
        return tuple(name for seed in self.programs for name in seed.functions)


def features_of(*releases: Release) -> Features:
    """What mutants may be made of: what all of these releases parse."""
    return Features(
        explicit_on=all(one.explicit_transfer_execution for one in releases),
        casts=all(one.async_cast for one in releases),
    )
