"""Arithmetic that MLIR may simplify otherwise than the model; and that what that does is right.

Rules from mlir/lib/Dialect/Arith/IR/ArithOps.cpp and ArithCanonicalization.td.
"""

from __future__ import annotations

import pytest
from folds import (
    FALSE,
    PREDICATES,
    RELEASE,
    TRUE,
    C,
    M,
    N,
    O,
    X,
    compare,
    folded,
    host,
    number,
    returns,
)
from hypothesis import given
from hypothesis import strategies as st

from reference.folding.canonicalize import canonicalize
from reference.ir import Block, Function, Program, Region, UnsupportedOperationError
from reference.ops import HostScalar
from reference.types import F32, I1, I8, I32, I64, INDEX, Scalar, Value
from reference.values.evaluation import evaluate
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.terms import Terms

BYTE, REAL = Value("byte", I8), Value("real", F32)


def negative(name: str) -> HostScalar:
    return host(name, "negf", REAL)


MADE, REAL_MADE, FLAG_MADE = Value("b", I32), Value("b", F32), Value("b", I1)


@pytest.mark.parametrize(
    ("before", "operation", "why"),
    [
        ((), host("a", "maxsi", M, number(7)), "arith.maxsi of constants"),
        ((), host("a", "divsi", number(7), M), "arith.divsi of constants"),
        ((), host("a", "remsi", number(3), number(0)), "arith.remsi by zero"),
        ((), host("a", "affine.apply", X), "affine.apply"),
        ((), host("a", "divui", M, M), "arith.divui of the same value twice"),
        ((), host("a", "maxsi", M, M), "arith.maxsi of the same value twice"),
        (
            (host("b", "addi", M, number(7)),),
            host("a", "addi", MADE, number(5)),
            "arith.addi of arith.addi",
        ),
        ((host("b", "subi", M, N),), host("a", "addi", MADE, N), "arith.addi of arith.subi"),
        ((host("b", "addi", M, N),), host("a", "subi", MADE, M), "arith.subi of arith.addi"),
        ((host("b", "muli", M, N),), host("a", "divsi", MADE, N), "arith.divsi of arith.muli"),
        ((host("b", "ori", M, number(7)),), host("a", "ori", MADE, N), "arith.ori of arith.ori"),
        (
            (host("b", "extsi", BYTE, gives=I32),),
            host("a", "extsi", MADE, gives=I64),
            "arith.extsi of arith.extsi",
        ),
        (
            (host("b", "muli", M, N),),
            host("a", "trunci", MADE, gives=I8),
            "arith.trunci of arith.muli",
        ),
        (
            (host("b", "extui", BYTE, gives=I32), host("d", "extui", BYTE, gives=I32)),
            host("a", "andi", MADE, Value("d", I32)),
            "arith.andi of extended values",
        ),
        (
            (compare("b", "slt", M, N),),
            host("a", "select", FLAG_MADE, N, M),
            "arith.select of arith.cmpi",
        ),
        (
            (compare("b", "slt", M, N),),
            host("a", "xori", FLAG_MADE, C),
            "arith.xori of arith.cmpi",
        ),
        ((negative("b"),), host("a", "negf", REAL_MADE), "arith.negf of arith.negf"),
        (
            (negative("b"),),
            host("a", "mulf", REAL_MADE, Value("other", F32)),
            "arith.mulf of arith.negf",
        ),
    ],
)
def test_what_mlir_may_make_something_else_of_is_refused_by_name(
    before: tuple[HostScalar, ...], operation: HostScalar, why: str
) -> None:
    with pytest.raises(UnsupportedOperationError) as told:
        folded(*before, operation, gives=operation.outputs)
    assert str(told.value) == f"folding {why}"


@pytest.mark.parametrize(
    "operations",
    [
        # Related, but with no operand in common and no constant.
        (host("b", "addi", M, N), host("a", "addi", MADE, O)),
        (host("b", "muli", M, N), host("a", "divui", MADE, O)),
        # A comparison with a constant is no reason by itself.
        (compare("b", "slt", M, number(7)), host("a", "select", FLAG_MADE, N, O)),
        # Of what is not related.
        (host("b", "muli", M, N), host("a", "andi", MADE, M)),
        (host("b", "addi", M, N), host("a", "trunci", MADE, gives=I8)),
        (host("b", "extui", BYTE, gives=I32), host("a", "andi", MADE, M)),
        (negative("b"), host("a", "addf", REAL_MADE, REAL)),
    ],
)
def test_what_mlir_makes_nothing_of_is_not_refused(operations: tuple[HostScalar, ...]) -> None:
    found = folded(*operations, gives=operations[-1].outputs)
    assert found.blocks[0].operations[:-1] == operations


KINDS = (I1, I8, I32, INDEX)
ALIKE = ("addi", "subi", "muli", "andi", "ori", "xori")
DIVISIONS = ("divsi", "divui", "remsi", "remui")


@st.composite
def computations(draw: st.DrawFn) -> Program:
    """A function that computes with two numbers and two conditions of the caller's, and constants
    that rules know."""
    kind = draw(st.sampled_from(KINDS))
    numbers = [Value(name, kind, known=draw(st.integers(0, 255))) for name in "mn"]
    flags = [Value(name, I1, known=draw(st.integers(0, 1))) for name in "cd"]
    scalars: list[Scalar] = [*numbers, *(number(one, kind) for one in (0, 1, -1, 6))]
    conditions: list[Scalar] = [*flags, TRUE, FALSE]
    operations: list[HostScalar] = []
    for place in range(draw(st.integers(1, 6))):
        one, other = draw(st.sampled_from(scalars)), draw(st.sampled_from(scalars))
        condition, further = draw(st.sampled_from(conditions)), draw(st.sampled_from(conditions))
        made = draw(
            st.sampled_from(
                (
                    host(f"v{place}", draw(st.sampled_from(ALIKE)), one, other),
                    host(f"v{place}", draw(st.sampled_from(DIVISIONS)), one, number(1, kind)),
                    host(f"v{place}", "select", condition, one, other),
                    host(f"v{place}", draw(st.sampled_from(ALIKE[3:])), condition, further),
                    compare(f"v{place}", draw(st.sampled_from(tuple(PREDICATES))), one, other),
                )
            )
        )
        operations.append(made)
        (conditions if made.outputs[0].type == I1 else scalars).append(made.outputs[0])
        if kind == I1:
            scalars.append(made.outputs[0])
    given_back = tuple(one.outputs[0] for one in operations)
    body = Block((*operations, returns(*given_back)), (*numbers, *flags))
    return Program((), (Function("main", Region((body,)), tuple(v.type for v in given_back)),))


@given(computations())
def test_what_is_folded_is_what_is_computed(written: Program) -> None:
    """Against `reference/values/numbers.py`, which computes with bits."""
    try:
        found = canonicalize(written, RELEASE)
    except UnsupportedOperationError:
        return
    (inputs,) = inputs_of(written)[:1]
    results = [evaluate(one, inputs, Terms(), Interfaces(one)).results for one in (written, found)]
    assert results[0] == results[1]
