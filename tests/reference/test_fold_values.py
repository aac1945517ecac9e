"""What MLIR's own rules leave of a program returns what was written.

IREE's rules for resources are left out: where these are wrong, so is the model (`corpus/known`).
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from folds import RELEASE

from gen.profiles import profile_named
from gen.programs import program
from reference.folding.catalogue import RULES as FOLDS
from reference.folding.driver import CANONICALIZE, DEFAULT, GreedyConfig, rewrite
from reference.folding.rules import Rules
from reference.folding.working import Body, Names
from reference.ir import Initializer, Program, Region
from reference.ops import Branch, ConditionalBranch, For, HostScalar, If, Select, While
from reference.values.evaluation import evaluate
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.outcome import difference
from reference.values.terms import Terms

_MLIR = (Branch, ConditionalBranch, For, HostScalar, If, Select, While)
OF_MLIR = {kind: rules if kind in _MLIR else Rules() for kind, rules in FOLDS.items()}


def folded(written: Program, config: GreedyConfig) -> Program:
    names = Names()

    def rewritten(region: Region) -> Region:
        body = Body(region)
        rewrite(body, OF_MLIR, RELEASE, config)
        return body.to_region(names)

    return replace(
        written,
        initializers=tuple(Initializer(rewritten(one.body)) for one in written.initializers),
        functions=tuple(
            one if one.is_declaration else replace(one, body=rewritten(one.body))
            for one in written.functions
        ),
    )


@pytest.mark.parametrize("config", [CANONICALIZE, DEFAULT])
@pytest.mark.parametrize(("profile", "count"), [("nightly", 150), ("control-flow", 80)])
def test_folds_change_no_result(profile: str, count: int, config: GreedyConfig) -> None:
    changed = 0
    for number in range(count):
        written = program(7, number, profile_named(profile))
        found = folded(written, config)
        changed += found != written
        terms, interfaces = Terms(), Interfaces(written)
        for inputs in inputs_of(written):
            ours = evaluate(written, inputs, terms, interfaces)
            assert difference(ours, evaluate(found, inputs, terms, interfaces)) is None, number
    assert changed > count // 5
