"""Programs as text: stable, constants in order, locations on request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from language import whole_language
from samples import LENGTH, SEVEN, A, every_op, function, program, resource

from reference.ir import Block, Global, Program, Region
from reference.ops import Dispatch, If, Splat, Yield
from reference.ops.assembly import Range, literal_name
from reference.text import literals, print_program
from reference.types import F32, I1, I8, INDEX, RESOURCES, Lifetime, Literal, Value


def test_the_same_program_is_the_same_text() -> None:
    assert print_program(every_op()) == print_program(every_op())


def test_constants_stand_first_by_type_and_value() -> None:
    eight = Splat(
        identity="op1", pattern=Literal(-1, I8), result=resource("b", size=100), affinity=A
    )
    four = Splat(identity="op0", pattern=SEVEN, result=resource("a", size=8), affinity=A)
    lines = print_program(program(eight, four)).splitlines()
    assert [line.strip() for line in lines if "arith.constant" in line] == [
        "%c7_i32 = arith.constant 7 : i32",
        "%cn1_i8 = arith.constant -1 : i8",
        "%c8 = arith.constant 8 : index",
        "%c100 = arith.constant 100 : index",
    ]
    assert "arith.constant" in lines[4]
    assert "stream.async.splat" in lines[8]


def test_each_number_has_a_name_and_a_line_of_its_own() -> None:
    numbers = tuple(Literal(value, F32) for value in (0.0, -0.0, 1.0, 1e-5, 2.5e22))
    dispatch = Dispatch(
        identity="op0",
        kernel="ex::d",
        workload=(),
        arguments=(*numbers, *numbers),
        outputs=(),
        ties=(),
        affinity=None,
    )
    assert len({literal_name(number) for number in numbers}) == len(numbers)
    assert set(map(repr, literals((dispatch,)))) == set(map(repr, numbers))
    text = print_program(program(dispatch))
    assert "%c1en05_f32 = arith.constant 1.0e-05 : f32" in text
    assert "arith.constant -0.0 : f32" in text


def test_locations_can_be_left_out() -> None:
    assert 'loc("op3")' in print_program(every_op())
    assert "loc(" not in print_program(every_op(), locations=False)


def test_a_private_function_says_so() -> None:
    hidden = replace(function(), public=False)
    text = print_program(replace(program(), functions=(function(name="shown"), hidden)))
    assert "util.func public @shown() {" in text
    assert "util.func private @main() {" in text


def test_a_size_is_a_constant_like_any_other() -> None:
    splat = Splat(identity="op0", pattern=SEVEN, result=resource("a", size=4), affinity=A)
    assert literals((splat,)) == (SEVEN, Literal(4, INDEX))


def test_a_dynamic_range_starts_at_zero() -> None:
    assert Range.of(0, 4) == Range(0, 4, 4)


def test_a_range_of_dynamic_length_cannot_start_elsewhere() -> None:
    assert Range.of(0, LENGTH) == Range(0, LENGTH, LENGTH)
    with pytest.raises(ValueError, match="start at 0"):
        Range.of(4, LENGTH)


def test_what_stands_around_functions() -> None:
    lines = print_program(whole_language(), locations=False).splitlines()
    assert lines[0] == (
        "module attributes {stream.affinity.default = #hal.device.affinity<@dev_a, [0, 1]>} {"
    )
    assert "  util.global public @size : index = 16 : index" in lines
    assert (
        "  util.func private @elsewhere(%arg0: index, %arg1: !stream.resource<transient>)"
        " -> (%arg1)" in lines
    )
    assert "  util.initializer {" in lines
    assert "  ^bb1(%waved: !stream.resource<transient>):" in lines
    assert "    ^bb0(%going: !stream.resource<transient>):" in lines


def test_a_tied_result_of_another_type_says_so() -> None:
    argument = Value("argument", RESOURCES[Lifetime.EXTERNAL], 4)
    tied = replace(
        function(arguments=(argument,)), result_types=(RESOURCES[Lifetime.UNKNOWN], INDEX)
    )
    text = print_program(replace(program(), functions=(replace(tied, ties=(0, None)),)))
    assert "-> (%argument as !stream.resource<*>, index) {" in text


def test_constants_of_all_regions_stand_first() -> None:
    inner = Splat(identity="op1", pattern=Literal(9, I8), result=resource("a", size=24), affinity=A)
    nested = If(
        identity="op0", condition=Literal(1, I1), outputs=(), otherwise=Region(()),
        then=Region((Block((inner, Yield(identity="op2", values=()))),)),
    )  # fmt: skip
    lines = print_program(program(nested)).splitlines()
    assert [line.split(" = ")[0].strip() for line in lines if "arith.constant" in line] == [
        "%c1_i1", "%c9_i8", "%c24",
    ]  # fmt: skip
    assert lines[-4].startswith("    } loc")


def test_a_global_with_a_property_is_printed_in_the_form_of_any_op() -> None:
    """Releases differ in how `util.global` writes its properties; attributes stand behind them."""
    kind = RESOURCES[Lifetime.VARIABLE]
    plain = Global("g", kind, attributes=(("stream.note", "unit"),), affinity=A)
    on_a = f"stream.note = unit, stream.affinity = {A}"
    inlined = replace(plain, attributes=(("inlining_policy", "#p"), *plain.attributes))
    number = Global(
        "n", INDEX, mutable=True, public=True, initial="16 : index",
        attributes=(("inlining_policy", "#p"),),
    )  # fmt: skip
    whole = Program((), (), (plain, inlined, number))
    assert print_program(whole).splitlines()[1:-1] == [
        f"  util.global private @g {{{on_a}}} : {kind}",
        f'  "util.global"() <{{sym_name = "g", type = {kind}, sym_visibility = "private", '
        f"inlining_policy = #p}}> {{{on_a}}} : () -> ()",
        '  "util.global"() <{sym_name = "n", type = index, is_mutable, '
        "initial_value = 16 : index, inlining_policy = #p}> : () -> ()",
    ]
