"""A run that was led astray by comparisons of unsigned numbers is told from all others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oracle.running.comparisons import compared_as_unsigned, misled
from oracle.running.trial import Trial, trials, tried_again
from reference.affinity import Affinity
from reference.ir import Block, Function, Program, Region
from reference.ops import HostScalar, Return
from reference.types import I1, I8, I32, I64, Literal, ScalarType, Value

LESS, UNSIGNED_LESS, EQUAL = "2", "6", "0"


def program(kind: ScalarType, predicate: str) -> Program:
    """Whether the argument is less than 7, as the result."""
    given, told, wide = Value("given", kind), Value("told", I1), Value("wide", I64)
    compared = HostScalar(
        identity="compared", name="arith.cmpi", arguments=(given, Literal(7, kind)),
        outputs=(told,), attributes=(("predicate", predicate),),
    )  # fmt: skip
    widened = HostScalar(identity="widened", name="arith.extui", arguments=(told,), outputs=(wide,))
    last = Return(identity="last", values=(wide,))
    body = Region((Block((compared, widened, last), (given,)),))
    return Program((Affinity("a").device,), (Function("main", body, (I64,), True),))


def predicate_of(one: Program) -> str:
    return dict(next(op for op in one.operations() if isinstance(op, HostScalar)).attributes)[
        "predicate"
    ]


def test_signed_comparisons_of_narrow_numbers_become_unsigned() -> None:
    changed = compared_as_unsigned(program(I8, LESS))
    assert changed is not None
    assert predicate_of(changed) == UNSIGNED_LESS


@pytest.mark.parametrize(("kind", "predicate"), [(I8, EQUAL), (I8, UNSIGNED_LESS), (I32, LESS)])
def test_others_stay(kind: ScalarType, predicate: str) -> None:
    assert compared_as_unsigned(program(kind, predicate)) is None


def with_argument(whole: Program, number: int) -> Trial:
    trial = trials(whole)[0]
    return tried_again(
        whole, replace(trial, inputs=replace(trial.inputs, numbers={"main": (number,)}))
    )


@pytest.mark.parametrize(
    ("number", "returned", "expected"),
    [
        # -1 as a byte is less than 7, and 255 is not.
        (255, 0, True),
        (255, 1, False),
        (255, 5, False),
    ],
)
def test_what_a_misled_run_returns(number: int, returned: int, expected: bool) -> None:
    whole = program(I8, LESS)
    assert misled(whole, with_argument(whole, number), [[{"i64": returned}]]) is expected


def test_a_program_without_such_comparisons_is_not_misled() -> None:
    whole = program(I32, LESS)
    assert not misled(whole, with_argument(whole, 3), [[{"i64": 0}]])


def test_nothing_in_place_of_a_number_is_no_explanation() -> None:
    whole = program(I8, LESS)
    assert not misled(whole, with_argument(whole, 255), [[{}]])
