"""The answers of the affinity analysis about hand-made programs, by the names of values and ops."""

from __future__ import annotations

from flow import ended, func, module
from straight import resource

from reference.analysis import AffinityAnalysis, analyze
from reference.analysis.pins import program_pins
from reference.ir import Program
from reference.releases import release_rules

NEWEST, OLDEST = release_rules("3.13")[0], release_rules("3.11")[0]
S = resource("s")


class Answers:
    """The answers about one program by the names of its values and ops."""

    def __init__(self, program: Program, body: int = 0, release=NEWEST) -> None:
        self.analysis: AffinityAnalysis = analyze(program, release)
        self.body = body

    def resource(self, name):
        return self.analysis.resource(self.body, resource(name))

    def usage(self, name):
        return self.analysis.usage(self.body, resource(name))

    def pinned(self, name):
        return self.analysis.pinned(self.body, resource(name))

    def execution(self, name):
        return self.analysis.execution(self.body, name)


def private(*operations, arguments=(), release=NEWEST, default=None, **more):
    """The answers about a private function that nobody calls, so that nothing is unknown."""
    whole = module(func("f", arguments, *operations, ended(), public=False), **more)
    return Answers(whole, body=len(whole.initializers), release=release)


def pinned(whole, release=NEWEST):
    """The pins of all bodies by the names of the values."""
    found = program_pins(whole, release)
    return {value.name: affinities for by in found for value, affinities in by.items()}
