"""The pass `canonicalize`: the greedy rewriter with every rule, top down, on each body."""

from __future__ import annotations

from dataclasses import replace

from reference.folding.catalogue import RULES
from reference.folding.driver import CANONICALIZE, rewrite
from reference.folding.working import Body, Names
from reference.ir import Program, Region
from reference.releases import Release


def canonicalize(program: Program, release: Release) -> Program:
    """The program after one `canonicalize` of each of its functions and initializers.

    An op that takes the place of another has its identity; copies have `identity~2` and so on.
    Raises UnsupportedOperationError where a rule would apply that is not modelled.
    """
    names = Names()
    initializers = tuple(
        replace(initializer, body=_rewritten(initializer.body, release, names))
        for initializer in program.initializers
    )
    functions = tuple(
        replace(function, body=_rewritten(function.body, release, names))
        for function in program.functions
    )
    return replace(program, initializers=initializers, functions=functions)


def _rewritten(region: Region, release: Release, names: Names) -> Region:
    if not region.blocks:
        return region
    body = Body(region)
    rewrite(body, RULES, release, CANONICALIZE)
    rewritten = body.to_region(names)
    body.release()
    return rewritten
