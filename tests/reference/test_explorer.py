"""The order of uses, bodies, calls and accesses: what MLIR and IREE make of the text."""

from __future__ import annotations

import pytest
from flow import (
    blocks,
    call,
    declared,
    ended,
    fork,
    func,
    go,
    initializer,
    kept,
    load_global,
    module,
    store_global,
    when,
)
from straight import A, B, dispatch, fill, resource, splat

from reference.analysis.explorer import Explorer

S = resource("s")


def uses(program, name, body=0):
    """The ops that take a value, newest first, with the operand's position."""
    explorer = Explorer(program)
    number = explorer.number(body, resource(name))
    return [
        (node.operation.identity, position) for node, position in reversed(explorer.uses[number])
    ]


def test_uses_are_listed_newest_first_and_of_one_op_the_last_operand():
    first, second = fill("first", S, A), dispatch("second", S, S, on=A)
    assert uses(module(func("f", [S], first, second, ended())), "s") == [
        ("second", 1),
        ("second", 0),
        ("first", 0),
    ]


def test_what_is_inside_is_older_than_the_op_around():
    inner = dispatch("inner", S, on=A)
    outer = fill("outer", S, A)
    program = module(func("f", [S], when("if", inner), outer, ended()))
    assert uses(program, "s") == [("outer", 0), ("inner", 0)]


def test_uses_before_the_value_in_the_text_are_listed_the_other_way_round():
    made = splat("made", A)
    early, earlier = fill("early", made, A), fill("earlier", made, A)
    late = fill("late", made, A)
    body = blocks(
        ([], [go(2)]),
        ([], [earlier, early, ended()]),
        ([], [made, late, go(1)]),
    )
    assert uses(module(func("f", [], body=body)), "made") == [
        ("late", 0),
        ("earlier", 0),
        ("early", 0),
    ]


def test_a_constant_or_scalar_operand_is_no_value_to_follow():
    made = splat("made", A)
    explorer = Explorer(module(func("f", [], made, ended())))
    assert explorer.node(made).inputs == [-1, -1]


def test_ops_are_found_by_identity_or_by_themselves():
    made = splat("made", A)
    explorer = Explorer(module(func("f", [], made, ended())))
    assert explorer.find(0, "made") is explorer.node(made)
    with pytest.raises(KeyError):
        explorer.find(0, "other")


def test_branches_are_known_to_the_blocks_that_they_name():
    once = fork((1, ()), (1, ()))
    explorer = Explorer(module(func("f", [], body=blocks(([], [once]), ([], [ended()])))))
    assert [node.operation for node in explorer.blocks[0][1].branches] == [once, once]


def order(program):
    """The names of the functions in the order in which IREE meets them."""
    explorer = Explorer(program)
    functions = map(explorer.function, explorer.body_order())
    return ["initializer" if one is None else one.name for one in functions]


def test_initializers_come_first_and_callees_before_their_callers():
    program = module(
        func("main", [S], call("one", "helper", S), ended()),
        func("helper", [S], call("two", "last", S), ended(S), public=False),
        func("last", [S], ended(S), public=False),
        func("alone", [S], ended()),
        initializers=[initializer()],
    )
    assert order(program) == ["initializer", "last", "helper", "main", "alone"]


def test_functions_that_call_one_another_end_with_the_one_met_first():
    program = module(
        func("ping", [S], call("one", "pong", S), ended(S), public=False),
        func("pong", [S], call("two", "ping", S), ended(S), public=False),
        func("self", [S], call("three", "self", S), call("four", "pong", S), ended(S)),
    )
    assert order(program) == ["pong", "ping", "self"]


def test_a_declaration_is_never_met_and_has_no_callers():
    program = module(func("main", [S], call("one", "outside", S), ended()), declared("outside"))
    explorer = Explorer(program)
    assert order(program) == ["main"]
    assert explorer.callee(program.functions[0].entry.operations[0]) is None
    assert not explorer.callers(1)


def test_callers_come_in_the_order_of_bodies():
    one, two = call("one", "leaf", S), call("two", "leaf", S)
    program = module(
        func("main", [S], call("via", "middle", S), one, ended()),
        func("middle", [S], two, ended(S), public=False),
        func("leaf", [S], ended(S), public=False),
    )
    explorer = Explorer(program)
    assert [node.operation for node in explorer.callers(2)] == [two, one]


def test_the_accesses_of_a_global_come_last_body_first_and_outer_before_inner():
    deep = load_global("deep", "g")
    outer = load_global("outer", "g")
    other = load_global("other", "g")
    program = module(
        func("first", [], when("if", deep), outer, ended()),
        func("second", [S], other, store_global("store", S, "g"), ended()),
        globals=[kept("g")],
    )
    explorer = Explorer(program)
    named = [explorer.values[number].name for number in explorer.loads("g")]
    assert named == ["other", "outer", "deep"]
    assert [explorer.values[number].name for number in explorer.stores("g")] == ["s"]
    assert not explorer.loads("h")
    assert not explorer.stores("h")


def test_what_a_function_says_of_all_its_ops():
    said = (("stream.affinity", str(B)),)
    program = module(
        func("f", [], ended(), attributes=said),
        func("g", [], ended(), attributes=(("noinline", "unit"),)),
        initializers=[initializer()],
        default=A,
    )
    explorer = Explorer(program)
    assert [explorer.body_affinity(body) for body in range(3)] == [None, B, None]
    assert [explorer.default_affinity(body) for body in range(3)] == [A, A, A]
    assert [explorer.body_of(number) for number, _ in enumerate(explorer.values)] == [
        1,
        1,
        1,
        2,
        2,
        2,
    ]
