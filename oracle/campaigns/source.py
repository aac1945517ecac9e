"""Where a run's programs come from: the one place to change for another source."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

from gen.mutation.material import Features
from gen.mutation.mutants import mutant
from gen.profiles import Profile
from gen.programs import program
from oracle.seeds.seeds import Seeds
from reference.ir import Program
from reference.text import print_program
from reference.verifier.problems import Level

_LOOKED_AT = 8
"""Programs that tell one generator from another."""

_BEYOND = 1 << 40
"""Where generated programs are numbered from that stand in for mutants."""


@dataclass(frozen=True, slots=True)
class Written:
    """A program whose text is kept as it is: one that a user gave, or a mutant of one.

    `program` is the same in the model's terms, None where the model does not know all of it.
    `level` is how far it can be trusted to accuse a compiler, None for not at all.
    """

    text: str
    program: Program | None
    level: Level | None


class ProgramSource(Protocol):
    """Programs by number: the same number, the same program, in any process and on any machine."""

    def program(self, index: int) -> Program | Written:
        """Program number `index`, from 0."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The programs of a seed and a profile."""

    seed: int
    profile: Profile

    def program(self, index: int) -> Program:
        """Program number `index`."""
        return program(self.seed, index, self.profile)


@dataclass(frozen=True, slots=True)
class Seeded:
    """Seeds and their mutants for one half of the program numbers, what `generated` makes for the
    other.

    Of two numbers that follow each other from an even one on, one is either's; which one is left to
    a hash, so that each shard of a run, whatever their number, has about its half too. Seeds come
    first as they are, each once. Without any to mutate, all else is generated.
    """

    generated: Generated
    seeds: Seeds
    features: Features

    def program(self, index: int) -> Program | Written:
        """Program number `index`."""
        number = index // 2
        if index % 2 != _turn(number):
            return self.generated.program(number)
        given = self.seeds.programs
        if number < len(given):
            one = given[number]
            return Written(one.text, one.program, one.level)
        if not self.seeds.parents:
            return self.generated.program(_BEYOND + number)
        return self.mutant(number - len(given))

    def mutant(self, number: int) -> Written:
        """Mutant number `number`, from 0; its text says first what it is made of."""
        parents = self.seeds.parents
        made = mutant([one.program for one in parents], self.generated.seed, number, self.features)
        kinds = ", ".join(made.kinds) or "unchanged"
        origin = " ".join(parents[made.parent].name.split())
        text = f"// mutant of {origin}: {kinds}\n{print_program(made.program)}"
        return Written(text, made.program, Level.WELL_FORMED)


def fingerprint(source: ProgramSource) -> str:
    """Tells sources apart, and one version of a generator from the next."""
    count = _LOOKED_AT
    if isinstance(source, Seeded):
        # Some mutants are to be among them.
        count += 2 * len(source.seeds.programs)
    texts = (_text(source.program(index)) for index in range(count))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _turn(number: int) -> int:
    """Which of two programs is the seeds': 0 for the first, 1 for the second."""
    return hashlib.blake2b(str(number).encode(), digest_size=1).digest()[0] % 2


def _text(made: Program | Written) -> str:
    return made.text if isinstance(made, Written) else print_program(made)
