"""Arithmetic of the host: what folds, what is put in another form, what is left or refused.

Rules from mlir/lib/Dialect/Arith/IR/ArithOps.cpp and ArithCanonicalization.td.
"""

from __future__ import annotations

import pytest
from folds import (
    FALSE,
    TRUE,
    C,
    D,
    M,
    N,
    O,
    X,
    Y,
    compare,
    folded,
    given,
    host,
    left,
    negation,
    number,
)

from reference.folding.constants import same_value
from reference.ops import HostScalar, Splat
from reference.types import (
    F32,
    I1,
    I8,
    I32,
    I64,
    INDEX,
    Lifetime,
    ResourceType,
    Scalar,
    Value,
)


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        (host("a", "addi", number(2, INDEX), number(3, INDEX)), number(5, INDEX)),
        (host("a", "addi", number(127, I8), number(1, I8)), number(-128, I8)),
        (host("a", "addi", M, number(0)), M),
        (host("a", "subi", M, number(0)), M),
        (host("a", "subi", M, M), number(0)),
        (host("a", "muli", M, number(1)), M),
        (host("a", "muli", M, number(0)), number(0)),
        (host("a", "muli", number(-3), number(5)), number(-15)),
        (host("a", "andi", M, number(-1)), M),
        (host("a", "andi", M, number(0)), number(0)),
        (host("a", "andi", M, M), M),
        (host("a", "andi", C, TRUE), C),
        (host("a", "andi", C, FALSE), FALSE),
        (host("a", "ori", M, number(0)), M),
        (host("a", "ori", M, number(-1)), number(-1)),
        (host("a", "ori", M, M), M),
        (host("a", "ori", C, TRUE), TRUE),
        (host("a", "ori", number(12), number(10)), number(14)),
        (host("a", "xori", M, number(0)), M),
        (host("a", "xori", C, C), FALSE),
        (host("a", "divsi", M, number(1)), M),
        (host("a", "divui", M, number(1)), M),
        (host("a", "remsi", M, number(1)), number(0)),
        (host("a", "remui", TRUE, TRUE), FALSE),
        (host("a", "divsi", C, TRUE), C),
        # Towards zero; the rest has the sign of what is divided.
        (host("a", "divsi", number(-7), number(2)), number(-3)),
        (host("a", "remsi", number(-7), number(2)), number(-1)),
        (host("a", "divsi", number(7), number(-2)), number(-3)),
        (host("a", "remsi", number(7), number(-2)), number(1)),
        # 2**32 - 7 halves to 2147483644.
        (host("a", "divui", number(-7), number(2)), number(2147483644)),
        (host("a", "remui", number(-7), number(4)), number(1)),
        (host("a", "extsi", number(-3), gives=I64), number(-3, I64)),
        (host("a", "extui", number(-3), gives=I64), number(2**32 - 3, I64)),
        (host("a", "extsi", TRUE, gives=I8), number(-1, I8)),
        (host("a", "extui", TRUE, gives=I8), number(1, I8)),
        (host("a", "trunci", number(515), gives=I8), number(3, I8)),
        (host("a", "index_cast", number(-3), gives=INDEX), number(-3, INDEX)),
        (host("a", "index_castui", number(-1, I64), gives=INDEX), number(-1, INDEX)),
    ],
)
def test_what_an_op_gives(operation: HostScalar, result: Scalar) -> None:
    found = folded(operation, gives=operation.outputs)
    assert left(found) == ["return"]
    assert same_value(given(found)[0], result)


@pytest.mark.parametrize(
    ("predicate", "arguments", "holds"),
    [
        ("eq", (number(3), number(3)), True), ("ne", (number(3), number(3)), False),
        ("slt", (number(-1), number(3)), True), ("ult", (number(-1), number(3)), False),
        ("sle", (number(3), number(2)), False), ("ule", (number(2), number(3)), True),
        ("sgt", (number(3), number(-1)), True), ("ugt", (number(3), number(-1)), False),
        ("sge", (number(2), number(2)), True), ("uge", (number(-1), number(1)), True),
        # As bits: -128 is 128.
        ("ugt", (number(-128, I8), number(127, I8)), True),
        # A value and itself.
        ("eq", (M, M), True), ("sle", (M, M), True), ("sge", (M, M), True), ("ule", (M, M), True),
        ("uge", (M, M), True), ("ne", (M, M), False), ("slt", (M, M), False),
        ("sgt", (M, M), False), ("ult", (M, M), False), ("ugt", (M, M), False),
    ],
)  # fmt: skip
def test_what_a_comparison_gives(
    predicate: str, arguments: tuple[Scalar, Scalar], holds: bool
) -> None:
    found = folded(compare("a", predicate, *arguments), gives=(Value("a", I1),))
    assert left(found) == ["return"]
    assert same_value(given(found)[0], TRUE if holds else FALSE)


BYTE, REAL = Value("byte", I8), Value("real", F32)
EXTENDED = host("e", "extui", C, gives=I32)


@pytest.mark.parametrize(
    ("before", "operation", "result"),
    [
        # A flag compared with what it is to be.
        ((), compare("a", "ne", C, FALSE), C),
        ((), compare("a", "eq", C, TRUE), C),
        ((EXTENDED,), compare("a", "ne", EXTENDED.outputs[0], number(0)), C),
        # Of two negations nothing is left.
        ((negation("b", C),), negation("a", Value("b", I1)), C),
        ((host("b", "xori", C, D),), host("a", "xori", C, Value("b", I1)), D),
        ((host("b", "xori", C, D),), host("a", "xori", Value("b", I1), D), C),
        # Something and its contrary.
        ((negation("b", C),), host("a", "andi", C, Value("b", I1)), FALSE),
        ((negation("b", C),), host("a", "ori", Value("b", I1), C), TRUE),
        ((host("b", "xori", M, number(-1)),), host("a", "andi", M, Value("b", I32)), number(0)),
        # Selects.
        ((), host("a", "select", C, M, M), M),
        ((), host("a", "select", TRUE, M, N), M),
        ((), host("a", "select", FALSE, M, N), N),
        ((), host("a", "select", C, TRUE, FALSE), C),
        ((compare("p", "eq", M, N),), host("a", "select", Value("p", I1), M, N), N),
        ((compare("p", "eq", N, M),), host("a", "select", Value("p", I1), M, N), N),
        ((compare("p", "ne", M, N),), host("a", "select", Value("p", I1), M, N), M),
    ],
)
def test_what_two_ops_give(
    before: tuple[HostScalar, ...], operation: HostScalar, result: Scalar
) -> None:
    found = folded(*before, operation, gives=operation.outputs)
    assert left(found) == ["return"]
    assert same_value(given(found)[0], result)


def test_an_and_with_what_it_holds_is_that() -> None:
    both, again = host("a", "andi", C, D), host("b", "andi", Value("a", I1), D)
    found = folded(both, again, gives=again.outputs)
    assert left(found) == ["andi@a", "return"]
    assert given(found) == both.outputs
    other_way = host("b", "andi", C, Value("a", I1))
    assert given(folded(both, other_way, gives=other_way.outputs)) == both.outputs


@pytest.mark.parametrize(
    "operations",
    [
        (host("a", "addi", M, M),),
        (host("a", "muli", M, M),),
        (host("a", "andi", M, N), host("b", "andi", Value("a", I32), O)),
        (host("a", "xori", C, D), host("b", "xori", Value("a", I1), Value("outer", I1))),
        (host("a", "xori", M, number(7)), host("b", "andi", M, Value("a", I32))),
        (negation("a", C), host("b", "andi", D, Value("a", I1))),
        (host("a", "ori", M, N), host("b", "andi", M, Value("a", I32))),
        (compare("a", "slt", M, N),),
        (compare("a", "slt", C, TRUE),),
        (compare("a", "ne", C, TRUE),),
        (EXTENDED, compare("b", "eq", EXTENDED.outputs[0], number(0))),
        (host("e", "extui", BYTE, gives=I32), compare("b", "ne", Value("e", I32), number(0))),
        (host("a", "divui", M, N),),
        (host("a", "remui", M, number(4)),),
        (host("a", "extsi", M, gives=I64),),
        (host("a", "maxsi", M, N),),
        (compare("p", "eq", M, N), host("b", "select", Value("p", I1), X, Y)),
    ],
)  # fmt: skip
def test_what_nothing_is_known_of_stays(operations: tuple[HostScalar, ...]) -> None:
    found = folded(*operations, gives=operations[-1].outputs)
    assert found.blocks[0].operations[:-1] == operations


def test_constants_stand_on_the_right() -> None:
    for operation, mirrored in (
        (host("a", "addi", number(3), M), host("a", "addi", M, number(3))),
        (host("a", "muli", number(3), M), host("a", "muli", M, number(3))),
        (compare("a", "slt", number(3), M), compare("a", "sgt", M, number(3))),
        (compare("a", "uge", number(3), M), compare("a", "ule", M, number(3))),
        (compare("a", "ne", number(3), M), compare("a", "ne", M, number(3))),
    ):
        assert folded(operation, gives=operation.outputs).blocks[0].operations[:-1] == (mirrored,)
    # The order matters to a difference.
    difference = host("a", "subi", number(3), M)
    assert folded(difference, gives=difference.outputs).blocks[0].operations[0] == difference


@pytest.mark.parametrize(
    ("predicate", "contrary"),
    [("eq", "ne"), ("slt", "sge"), ("sle", "sgt"), ("ult", "uge"), ("ule", "ugt")],
)
def test_the_contrary_of_a_comparison_is_the_contrary_comparison(
    predicate: str, contrary: str
) -> None:
    for one, other in ((predicate, contrary), (contrary, predicate)):
        asked = compare("a", one, M, number(3))
        found = folded(asked, negation("b", asked.outputs[0]), gives=(Value("b", I1),))
        (made,) = found.blocks[0].operations[:-1]
        assert isinstance(made, HostScalar)
        assert made.attributes == compare("", other, M, N).attributes
        assert (made.arguments, made.identity) == ((M, number(3)), "b+a")


def test_a_condition_as_a_number() -> None:
    """`SelectToExtUI` and `SelectI1ToNot`: for numbers of one and zero, but for no index."""
    holds = host("a", "select", C, number(1), number(0))
    (made,) = folded(holds, gives=holds.outputs).blocks[0].operations[:-1]
    assert isinstance(made, HostScalar)
    assert (made.name, made.arguments) == ("arith.extui", (C,))
    fails = host("a", "select", C, number(0, I8), number(1, I8))
    contrary, made = folded(fails, gives=fails.outputs).blocks[0].operations[:-1]
    assert isinstance(contrary, HostScalar)
    assert isinstance(made, HostScalar)
    assert (contrary.name, contrary.arguments[0]) == ("arith.xori", C)
    assert same_value(contrary.arguments[1], TRUE)
    assert (made.name, made.arguments) == ("arith.extui", contrary.outputs)
    negated = host("a", "select", C, FALSE, TRUE)
    (made,) = folded(negated, gives=negated.outputs).blocks[0].operations[:-1]
    assert isinstance(made, HostScalar)
    assert (made.name, made.arguments[0]) == ("arith.xori", C)
    for then, otherwise in (
        (number(0), number(-1)), (number(1, INDEX), number(0, INDEX)), (number(1), M),
    ):  # fmt: skip
        stays = host("a", "select", C, then, otherwise)
        assert folded(stays, gives=stays.outputs).blocks[0].operations[0] == stays


def test_selects_of_one_condition() -> None:
    """Of the inner one only the way that the outer one leaves open is asked."""
    inner = host("a", "select", C, M, N)
    for outer, arguments in (
        (host("b", "select", C, inner.outputs[0], O), (C, M, O)),
        (host("b", "select", C, O, inner.outputs[0]), (C, O, N)),
    ):
        (made,) = folded(inner, outer, gives=outer.outputs).blocks[0].operations[:-1]
        assert isinstance(made, HostScalar)
        assert (made.arguments, made.identity) == (arguments, "b+a")
    other = host("b", "select", D, inner.outputs[0], O)
    assert left(folded(inner, other, gives=other.outputs)) == ["select@a", "select@b", "return"]
    flipped = host("b", "select", Value("not", I1), M, N)
    (made,) = folded(negation("not", C), flipped, gives=flipped.outputs).blocks[0].operations[:-1]
    assert isinstance(made, HostScalar)
    assert (made.arguments, made.identity) == ((C, N, M), "b")


def align(name: str, value: Scalar, to: int) -> HostScalar:
    return host(name, "util.align", value, number(to, INDEX), gives=INDEX)


def test_what_is_aligned_already() -> None:
    """`util.align`: of a constant, of what was aligned to a multiple, of a product with such."""
    for value, result in ((60, 64), (64, 64), (0, 0)):
        found = folded(align("a", number(value, INDEX), 16), gives=(Value("a", INDEX),))
        assert same_value(given(found)[0], number(result, INDEX))
    first = align("a", X, 64)
    times = host("t", "muli", first.outputs[0], Y)
    assert given(folded(first, align("b", first.outputs[0], 16), gives=(Value("b", INDEX),))) == (
        first.outputs
    )
    again = align("b", times.outputs[0], 64)
    assert left(folded(first, times, again, gives=again.outputs)) == ["align@a", "muli@t", "return"]
    both = host("t", "addi", first.outputs[0], number(128, INDEX))
    again = align("b", both.outputs[0], 64)
    assert given(folded(first, both, again, gives=again.outputs)) == both.outputs
    one_only = host("t", "addi", first.outputs[0], Y)
    again = align("b", one_only.outputs[0], 64)
    assert given(folded(first, one_only, again, gives=again.outputs)) == again.outputs
    coarser = align("b", first.outputs[0], 128)
    found = folded(first, coarser, gives=coarser.outputs)
    assert left(found) == ["align@a", "align@b", "return"]


def test_a_size_that_became_a_constant_is_one_wherever_it_is_told() -> None:
    bytes_of = Value("a", INDEX)
    made = Splat(
        identity="s", pattern=number(1), affinity=None,
        result=Value("s", ResourceType(Lifetime.TRANSIENT), bytes_of),
    )  # fmt: skip
    found = folded(align("a", number(48, INDEX), 16), made, gives=(made.result,))
    (value,) = given(found)
    assert isinstance(value, Value)
    assert value.size == 48
