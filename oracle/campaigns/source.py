"""Where a run's programs come from: the one place to change for another source."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

from gen.profiles import Profile
from gen.programs import program
from reference.ir import Program
from reference.text import print_program

_LOOKED_AT = 8
"""Programs that tell one generator from another."""


class ProgramSource(Protocol):
    """Programs by number: the same number, the same program, in any process and on any machine."""

    def program(self, index: int) -> Program:
        """Program number `index`, from 0."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The programs of a seed and a profile."""

    seed: int
    profile: Profile

    def program(self, index: int) -> Program:
        """Program number `index`."""
        return program(self.seed, index, self.profile)


def fingerprint(source: ProgramSource) -> str:
    """Tells sources apart, and one version of a generator from the next."""
    texts = (print_program(source.program(index)) for index in range(_LOOKED_AT))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
