from __future__ import annotations

import math

import pytest

from reference.ir import UnsupportedOperationError
from reference.types import F32, F64, I1, I8, I32, I64, INDEX, Literal, OpaqueType
from reference.values.numbers import (
    as_bytes,
    as_float,
    bit_width,
    bits_of,
    evaluate,
    float_bits,
    signed,
)

FENCE = OpaqueType("!hal.fence")


def half(value):
    return float_bits(value, F32)


@pytest.mark.parametrize(
    ("name", "arguments", "kinds", "gives", "expected"),
    [
        ("arith.addi", (200, 100), (I8, I8), I8, 44),
        ("arith.subi", (1, 2), (I8, I8), I8, 255),
        ("arith.muli", (1 << 31, 2), (I32, I32), I32, 0),
        ("arith.divui", (255, 2), (I8, I8), I8, 127),
        ("arith.divsi", (251, 2), (I8, I8), I8, 254),  # -5 / 2 = -2
        ("arith.divsi", (251, 254), (I8, I8), I8, 2),
        ("arith.remui", (255, 16), (I8, I8), I8, 15),
        ("arith.remsi", (251, 2), (I8, I8), I8, 255),  # -5 rem 2 = -1
        ("arith.ceildivui", (9, 4), (INDEX, INDEX), INDEX, 3),
        ("arith.ceildivsi", (247, 4), (I8, I8), I8, 254),  # -9 / 4 up = -2
        ("arith.floordivsi", (247, 4), (I8, I8), I8, 253),
        ("arith.andi", (12, 10), (I8, I8), I8, 8),
        ("arith.ori", (12, 10), (I8, I8), I8, 14),
        ("arith.xori", (12, 10), (I8, I8), I8, 6),
        ("arith.shli", (129, 1), (I8, I8), I8, 2),
        ("arith.shrui", (128, 7), (I8, I8), I8, 1),
        ("arith.shrsi", (128, 7), (I8, I8), I8, 255),
        ("arith.maxui", (255, 1), (I8, I8), I8, 255),
        ("arith.minui", (255, 1), (I8, I8), I8, 1),
        ("arith.maxsi", (255, 1), (I8, I8), I8, 1),
        ("arith.minsi", (255, 1), (I8, I8), I8, 255),
        ("arith.select", (1, 5, 6), (I1, I8, I8), I8, 5),
        ("arith.select", (0, 5, 6), (I1, I8, I8), I8, 6),
        ("arith.index_cast", (0xFFFFFFFF, ), (I32,), INDEX, (1 << 64) - 1),
        ("arith.index_castui", (0xFFFFFFFF,), (I32,), INDEX, 0xFFFFFFFF),
        ("arith.extsi", (255,), (I8,), I32, 0xFFFFFFFF),
        ("arith.extui", (255,), (I8,), I32, 255),
        ("arith.trunci", (0x1234,), (I32,), I8, 0x34),
        ("arith.bitcast", (half(1.0),), (F32,), I32, 0x3F800000),
        ("arith.addf", (half(1.5), half(2.0)), (F32, F32), F32, half(3.5)),
        ("arith.subf", (half(1.5), half(2.0)), (F32, F32), F32, half(-0.5)),
        ("arith.mulf", (half(1e30), half(1e30)), (F32, F32), F32, half(math.inf)),
        ("arith.divf", (half(1.0), half(4.0)), (F32, F32), F32, half(0.25)),
        ("arith.divf", (half(-1.0), half(0.0)), (F32, F32), F32, half(-math.inf)),
        ("arith.divf", (half(1.0), half(-0.0)), (F32, F32), F32, half(-math.inf)),
        ("arith.divf", (half(0.0), half(0.0)), (F32, F32), F32, half(math.nan)),
        ("arith.maximumf", (half(-0.0), half(0.0)), (F32, F32), F32, half(0.0)),
        ("arith.minimumf", (half(0.0), half(-0.0)), (F32, F32), F32, half(-0.0)),
        ("arith.maximumf", (half(math.nan), half(1.0)), (F32, F32), F32, half(math.nan)),
        ("arith.negf", (half(2.0),), (F32,), F32, half(-2.0)),
        ("arith.extf", (half(0.1),), (F32,), F64, float_bits(as_float(half(0.1), F32), F64)),
        ("arith.truncf", (float_bits(0.1, F64),), (F64,), F32, half(0.1)),
        ("arith.sitofp", (255,), (I8,), F32, half(-1.0)),
        ("arith.uitofp", (255,), (I8,), F32, half(255.0)),
        ("arith.fptosi", (half(-2.7),), (F32,), I8, 254),
        ("arith.fptoui", (half(2.7),), (F32,), I8, 2),
        ("util.align", (17, 16), (INDEX, INDEX), INDEX, 32),
    ],
)  # fmt: skip
def test_arithmetic_is_that_of_bits(name, arguments, kinds, gives, expected):
    assert evaluate(name, arguments, kinds, gives) == expected


# eq ne slt sle sgt sge ult ule ugt uge
@pytest.mark.parametrize(
    ("left", "right", "holding"),
    [(255, 1, {1, 2, 3, 8, 9}), (1, 1, {0, 3, 5, 7, 9}), (1, 255, {1, 4, 5, 6, 7})],
)
def test_integers_compare_by_predicate(left, right, holding):
    found = {
        predicate
        for predicate in range(10)
        if evaluate("arith.cmpi", (left, right), (I8, I8), I1, predicate)
    }
    assert found == holding


# false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true
@pytest.mark.parametrize(
    ("left", "right", "holding"),
    [
        (1.0, 2.0, {4, 5, 6, 7, 11, 12, 13, 15}),
        (2.0, 1.0, {2, 3, 6, 7, 9, 10, 13, 15}),
        (1.0, 1.0, {1, 3, 5, 7, 8, 10, 12, 15}),
        (math.nan, 1.0, {8, 9, 10, 11, 12, 13, 14, 15}),
        (1.0, math.nan, {8, 9, 10, 11, 12, 13, 14, 15}),
    ],
)
def test_floats_compare_by_predicate(left, right, holding):
    found = {
        predicate
        for predicate in range(16)
        if evaluate("arith.cmpf", (half(left), half(right)), (F32, F32), I1, predicate)
    }
    assert found == holding


@pytest.mark.parametrize(
    ("name", "arguments", "kinds", "gives"),
    [
        ("affine.apply", (1,), (INDEX,), INDEX),
        ("arith.divui", (1, 0), (I8, I8), I8),
        ("arith.shli", (1, 8), (I8, I8), I8),
        ("arith.fptosi", (half(math.nan),), (F32,), I8),
        ("arith.fptosi", (half(math.inf),), (F32,), I8),
        ("arith.addi", (1, 1), (I8, I8), FENCE),
    ],
)
def test_what_has_no_value_is_said(name, arguments, kinds, gives):
    with pytest.raises(UnsupportedOperationError):
        evaluate(name, arguments, kinds, gives)


def test_literals_and_memory():
    assert bits_of(Literal(-1, I8)) == 255
    assert bits_of(Literal(1.0, F64)) == 0x3FF0000000000000
    assert as_bytes(0x0102, I32) == b"\x02\x01\0\0"
    assert as_bytes(1, I1) == b"\x01"
    assert (bit_width(I1), bit_width(I64)) == (1, 64)
    assert signed(1, I1) == -1
    with pytest.raises(UnsupportedOperationError):
        as_bytes(0, FENCE)
