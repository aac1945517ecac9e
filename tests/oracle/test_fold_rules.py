"""Each rule of `reference/folding` on small functions, with the real compiler as witness."""

from __future__ import annotations

from dataclasses import replace

import pytest
from folding_cases import Case, read_cases
from samples import Ask, installed_rules, patterns_applied

from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference, locations
from reference.folding import canonicalize
from reference.folding.catalogue import RULES as FOLDS
from reference.folding.working import Names
from reference.ir import Operation, Program, UnsupportedOperationError, walk
from reference.ops import HostScalar, Immediate, OpaqueOperation

RULES = installed_rules()
ALL_CASES = [case for case in read_cases() if case.holds_for(RULES.version)]
MODELLED = [case for case in ALL_CASES if case.refused is None]
REFUSED = [case for case in ALL_CASES if case.refused is not None]
CANONICALIZE = "builtin.module(util.func(canonicalize))"
GREEDY = "builtin.module(util.func(canonicalize{top-down=false region-simplify=aggressive}))"


def named(cases: list[Case]) -> pytest.MarkDecorator:
    """The test for each of these cases."""
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


def run(ask: Ask, case: Case, passes: str) -> tuple[Program, Program]:
    """The case's program before and after these passes of the compiler."""
    raw = ask(case.text, ["read"], ["run", passes], ["read"])
    before, after = read_program(raw[0]), read_program(raw[-1])
    assert before.complete
    assert after.complete
    return before.program, after.program


def kind(operation: Operation) -> str:
    """The last part of an op's name."""
    named_itself = isinstance(operation, HostScalar | OpaqueOperation)
    name = operation.name if named_itself else operation.mnemonic
    return name.rpartition(".")[2]


def greedy(program: Program) -> Program:
    """The program after all patterns with the default configuration."""
    names = Names()
    return replace(
        program,
        functions=tuple(
            replace(function, body=patterns_applied(function.body, FOLDS, RULES, names))
            for function in program.functions
        ),
    )


@named(MODELLED)
def test_rule(ask: Ask, case: Case) -> None:
    before, after = run(ask, case, CANONICALIZE)
    ours = canonicalize(before, RULES)
    assert first_difference(ours, after) is None
    function = next(function for function in ours.functions if function.name == "f")
    operations = [
        operation for operation in walk(function.body) if not isinstance(operation, Immediate)
    ]
    assert list(map(kind, operations)) == [words.partition("@")[0] for words in case.left]
    for operation, words in zip(operations, case.left, strict=True):
        place = words.partition("@")[2]
        if place:
            assert locations(operation.identity) == locations(place)


@named(MODELLED)
def test_rule_in_the_default_configuration(ask: Ask, case: Case) -> None:
    before, after = run(ask, case, GREEDY)
    assert first_difference(greedy(before), after) is None


@named(REFUSED)
def test_what_is_not_modelled_is_refused_by_name(ask: Ask, case: Case) -> None:
    (raw,) = ask(case.text, ["read"])
    assert case.refused is not None
    with pytest.raises(UnsupportedOperationError, match=case.refused):
        canonicalize(read_program(raw).program, RULES)
