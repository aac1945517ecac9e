"""Programs as a Hypothesis strategy, for property tests and for shrinking."""

from __future__ import annotations

from hypothesis import strategies
from hypothesis.strategies import DrawFn, SearchStrategy

from gen.choices import DrawnChoices
from gen.profiles import Profile
from gen.programs import generate
from reference.ir import Program


def programs(profile: Profile) -> SearchStrategy[Program]:
    """Programs of that profile. They shrink to fewer ops, devices and features, smaller sizes."""
    return _programs(profile)


@strategies.composite
def _programs(draw: DrawFn, profile: Profile) -> Program:
    return generate(DrawnChoices(draw), profile)
