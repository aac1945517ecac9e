"""The two ways in which IREE runs the greedy rewriter on the programs of the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reference.folding.barrier import remove_barrier
from reference.folding.catalogue import RULES
from reference.folding.driver import CANONICALIZE, DEFAULT, GreedyConfig, rewrite
from reference.folding.rules import Pattern, Rules
from reference.folding.working import Body, Names
from reference.ir import Operation, Program, Region
from reference.ops import Barrier
from reference.releases import Release

PatternsByKind = Mapping[type[Operation], tuple[Pattern, ...]]
"""Patterns registered after the canonicalization patterns, by the kind of op that they match."""

REMOVE_BARRIERS: PatternsByKind = {Barrier: (Pattern(remove_barrier),)}
"""What `iree-stream-schedule-execution` adds."""


def canonicalize(program: Program, release: Release) -> Program:
    """The program after one `canonicalize` of each of its functions and initializers.

    An op that takes the place of another has its identity; copies have `identity~2` and so on.
    Raises UnsupportedOperationError where a rule would apply that is not modelled.
    """
    names = Names()
    initializers = tuple(
        replace(initializer, body=_rewritten(initializer.body, RULES, release, CANONICALIZE, names))
        for initializer in program.initializers
    )
    functions = tuple(
        replace(function, body=_rewritten(function.body, RULES, release, CANONICALIZE, names))
        for function in program.functions
    )
    return replace(program, initializers=initializers, functions=functions)


def apply_patterns(
    region: Region,
    release: Release,
    patterns: PatternsByKind | None = None,
    names: Names | None = None,
) -> Region:
    """A function's body after all canonicalization patterns and `patterns`, applied greedily.

    `names` keeps identities apart across the bodies of one program. Raises
    UnsupportedOperationError where a rule would apply that is not modelled.
    """
    rules = dict(RULES)
    for kind, further in (patterns or {}).items():
        rules[kind] = rules.get(kind, Rules()).with_patterns(*further)
    return _rewritten(region, rules, release, DEFAULT, names or Names())


def _rewritten(
    region: Region,
    rules: Mapping[type[Operation], Rules],
    release: Release,
    config: GreedyConfig,
    names: Names,
) -> Region:
    if not region.blocks:
        return region
    body = Body(region)
    rewrite(body, rules, release, config)
    rewritten = body.to_region(names)
    body.release()
    return rewritten
