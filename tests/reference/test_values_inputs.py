"""What programs are run with, and what their runs come to."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import pytest
from valued import (
    as_storage,
    constant,
    data,
    evaluated,
    function,
    load,
    program,
    resource,
    slice_of,
    splat,
    staged,
    values,
)

from reference.ir import Global, UnsupportedOperationError
from reference.ops import GlobalLoad, HostScalar, Transients
from reference.types import (
    BUFFER_VIEW,
    F32,
    F64,
    FENCE,
    I1,
    I32,
    I64,
    INDEX,
    TIMEPOINT,
    Lifetime,
    Literal,
    Value,
)
from reference.values.content import ENDLESS, Content, literal
from reference.values.inputs import inputs_of
from reference.values.numbers import float_bits
from reference.values.outcome import Outcome, Result, difference

COUNT = Value("count", INDEX, known=3)
START = splat("start", 1)
OUT = resource("out")

# Inputs


def test_inputs_are_told_by_type_and_position():
    sized = Value("sized", INDEX)
    arguments = (
        Value("a", I32), Value("b", F32), Value("c", I1), COUNT, Value("turns", INDEX), sized,
        resource("r", sized), resource("s", 12), Value("f", FENCE), Value("d", I1, known=1),
        resource("t", None),
    )  # fmt: skip
    used = slice_of("u", resource("r", sized), 200, 208)
    whole = program(function(used, arguments=arguments))
    one, other = inputs_of(whole)
    assert one.numbers["main"] == (
        37, float_bits(2.5, F32), 0, 3, 2, 256, 256, 12, None, 1, None,
    )  # fmt: skip
    assert other.numbers["main"] == (
        38, float_bits(3.5, F32), 1, 3, 3, 256, 256, 12, None, 0, None,
    )  # fmt: skip


def test_a_size_is_the_length_of_a_constant_that_has_it():
    sized = Value("sized", INDEX)
    made = replace(constant("c", "dense<1> : tensor<24xi8>", 24), result=resource("c", sized))
    unknown = replace(made, identity="d", result=resource("d", sized), length=None)
    whole = program(function(made, unknown, gives=(made,), arguments=(sized,)))
    assert inputs_of(whole)[0].numbers["main"] == (24,)
    assert values(evaluated(whole)) == [literal(b"\1" * 24)]


def test_there_is_room_for_transient_memory():
    sized, done = Value("sized", INDEX), Value("done", TIMEPOINT)
    given = Transients(
        identity="t", source=OUT, storage=resource("storage", sized), awaits=None,
        result=resource("made"), timepoint=done, affinity=None,
    )  # fmt: skip
    arguments = (OUT, resource("storage", sized), sized)
    whole = program(function(given, gives=(given,), arguments=arguments))
    assert inputs_of(whole)[0].numbers["main"] == (8, 1 << 16, 1 << 16)


def test_a_program_whose_interface_changed_is_said():
    one, other = program(function(START)), program(function(START, arguments=(OUT,)))
    with pytest.raises(UnsupportedOperationError):
        evaluated(other, inputs_of(one)[0])


def test_programs_without_a_choice_are_run_once():
    assert len(inputs_of(program(function(START)))) == 1
    private = function(START, name="p", public=False)
    assert inputs_of(program(private))[0].numbers == {}


def test_one_number_in_four_is_one_that_the_program_compares_with():
    asked = HostScalar(
        identity="m", name="arith.cmpi", arguments=(Value("x", I32), Literal(7, I32)),
        outputs=(Value("more", I1),), attributes=(("predicate", "1"),),
    )  # fmt: skip
    (inputs,) = inputs_of(program(function(asked, arguments=(Value("x", I32),))))
    drawn = [inputs.drawn(b"%d" % place, I32) for place in range(400)]
    assert 60 < drawn.count(7) < 140
    assert len(set(drawn)) > 200


def test_the_same_bytes_are_the_same_number_of_whichever_kind():
    (inputs,) = inputs_of(program(function(START)))
    for place in range(50):
        name = b"%d" % place
        for whole, real, letters in ((I32, F32, "If"), (I64, F64, "Qd")):
            bits = inputs.drawn(name, whole)
            assert inputs.drawn(name, real) == bits
            assert whole is not I64 or inputs.drawn(name, INDEX) == bits < 1 << 10
            packed = struct.pack(f"<{letters[0]}", bits)
            assert math.isfinite(*struct.unpack(f"<{letters[1]}", packed))


def test_reading_what_nobody_wrote_leaves_everything_open():
    unwritten = resource("unwritten", lifetime=Lifetime.STAGING)
    held = Global("g", unwritten.type)
    loaded = GlobalLoad(identity="l", symbol="g", result=unwritten)
    word = load("word", unwritten, 0)
    assert evaluated(program(function(loaded, word, gives=(word,)), globals=(held,))).undefined
    here = staged("here", START)
    assert not evaluated(program(function(START, here, load("w", here, 0)))).undefined


# Outcomes


def outcome(*pairs):
    return Outcome(tuple(Result(what, value) for what, value in pairs))


ONES, TWOS = literal(b"\1" * 8), literal(b"\2" * 8)


@pytest.mark.parametrize(
    ("actual", "what", "place"),
    [
        (outcome(("a", 1), ("b", ONES)), None, None),
        (outcome(("a", 2), ("b", ONES)), "a", None),
        (outcome(("a", 1), ("b", TWOS)), "b", 0),
        (outcome(("a", 1), ("b", ONES.with_part(2, literal(b"\2")))), "b", 2),
        (outcome(("a", 1), ("b", 4)), "b", None),
        (outcome(("a", 1), ("c", ONES)), "the results", None),
        (outcome(("a", 1)), "the results", None),
        (outcome(("a", 1), ("b", ONES.part(0, 4))), "b", 4),
    ],
)
def test_outcomes_differ_in_their_first_result(actual, what, place):
    found = difference(outcome(("a", 1), ("b", ONES)), actual)
    assert (found and found.what, found and found.place) == (what, place)


def test_what_is_passed_through_has_no_length_of_its_own():
    argument, view = resource("argument"), Value("view", BUFFER_VIEW)
    through = evaluated(program(function(gives=(view,), arguments=(view,))))
    ((content,),) = (values(through),)
    assert isinstance(content, Content)
    assert content.length == ENDLESS
    cut = outcome(("result 0 of @main", content.part(0, 16)))
    assert difference(through, cut) is None
    assert difference(cut, through) is None
    assert difference(through, outcome(("result 0 of @main", ONES))) is not None
    assert data(gives=argument, arguments=(argument,)) is None
    assert len(values(as_storage(program(function(gives=(argument,), arguments=(argument,)))))) == 1
