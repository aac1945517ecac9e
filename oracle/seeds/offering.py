"""Seeds and their mutants as programs of a pre-merge run."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gen.mutation.material import Features
from gen.mutation.mutants import mutant
from oracle.premerge.programs import Offered
from oracle.seeds.seeds import Seeds
from reference.text import print_program


def as_they_are(seeds: Seeds) -> Iterator[Offered]:
    """Each seed once, its text as it was given."""
    for one in seeds.programs:
        yield Offered(f"seed {one.name}", one.text, given=True)


def mutants(seeds: Seeds, seed: int, features: Features) -> Iterator[Offered]:
    """Mutants without end, the same for the same seeds and seed; none where nothing is mutable."""
    parents = [one.program for one in seeds.parents]
    for number in itertools.count() if parents else ():
        made = mutant(parents, seed, number, features)
        kinds = ", ".join(made.kinds) or "unchanged"
        name = f"mutant #{number} of {seeds.parents[made.parent].name}: {kinds}"
        yield Offered(name, print_program(made.program), made.program)
