"""The affinity analysis across functions, globals, regions and branches, and its end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from answers import NEWEST, OLDEST, Answers, S, private
from flow import (
    blocks,
    call,
    choose,
    count_loop,
    declared,
    ended,
    execute,
    fork,
    func,
    go,
    initializer,
    kept,
    load_global,
    module,
    store_global,
    when,
    while_loop,
)
from straight import (
    A0,
    A,
    B,
    C,
    dispatch,
    exported,
    fill,
    imported,
    resource,
    splat,
)

from reference.affinity import OptimalAffinity
from reference.ir import Global, UnsupportedOperationError
from reference.types import I64, Literal, Value

# Across functions.


def test_arguments_come_from_all_calls_and_results_from_the_callee():
    made, other = splat("made", A), splat("other", B)
    inner = dispatch("inner", S, on=C)
    whole = module(
        func("main", [], made, other, call("one", "helper", made), call("two", "helper", other),
             dispatch("used", resource("one"), on=A0), ended()),
        func("helper", [S], inner, ended(inner), public=False),
    )  # fmt: skip
    main, helper = Answers(whole), Answers(whole, 1)
    assert helper.resource("s") == (A, B)
    assert helper.usage("inner") == (A0, C)
    assert main.resource("one") == (C,)
    assert main.usage("made") == (A, C)


def test_a_call_into_another_module_is_unknown_but_for_its_ties():
    made = splat("made", A)
    free, tied = call("free", "outside", made), call("tied", "outside", made, ties=(0,))
    whole = module(func("main", [], made, free, tied, ended(), public=False), declared("outside"))
    answers = Answers(whole)
    assert answers.resource("free") is None
    assert answers.usage("made") == (A,)
    whole = module(func("main", [made.result], tied, ended(), public=False), declared("outside"))
    assert Answers(whole).resource("tied") is None


def test_a_result_passed_through_comes_from_the_caller():
    made = splat("made", A)
    whole = module(
        func("main", [], made, call("back", "same", made), ended(), public=False),
        func("same", [S], ended(S), public=False),
    )
    assert Answers(whole).resource("back") == (A,)


# Globals.


def test_a_global_lives_where_it_says_or_where_it_is_used_or_where_it_was_made():
    made = splat("made", A)
    stores = [made, *(store_global(f"to_{name}", made, name) for name in ("said", "used", "kept"))]
    loads = [load_global("one", "said"), two := load_global("two", "used")]
    whole = module(
        func("f", [], *stores, *loads, dispatch("d", two, on=B), ended(), public=False),
        globals=[kept("said", C), kept("used"), kept("kept"), kept("idle")],
    )
    answers = Answers(whole)
    said = [answers.analysis.global_affinity(name) for name in ("said", "used", "kept", "idle")]
    assert said == [(C,), (B,), (A,), None]
    assert answers.resource("one") == (C,)
    assert answers.usage("made") == (A, B, C)


def test_a_global_takes_the_default_of_the_module():
    whole = module(
        func("f", [], load_global("one", "g"), ended(), default=B), globals=[kept("g")], default=A
    )
    assert Answers(whole).analysis.global_affinity("g") == (A,)
    assert Answers(whole).resource("one") == (B,)


def test_what_nobody_knows_of_one_load_leaves_the_others():
    known, unknown = load_global("known", "g"), load_global("unknown", "g")
    whole = module(
        func("f", [], known, unknown, dispatch("d", known, on=A), ended(unknown)),
        globals=[kept("g")],
    )
    answers = Answers(whole)
    assert answers.analysis.global_affinity("g") == answers.resource("unknown") == (A,)


def test_a_search_that_meets_a_load_later_asks_the_stores_too():
    made = splat("made", A)
    loaded = load_global("loaded", "g")
    chosen = choose("chosen", [loaded], loaded, [], S)
    whole = module(
        func("f", [S], made, store_global("to", made, "g"), chosen, dispatch("d", chosen, on=B),
             ended(), public=False),
        globals=[kept("g")],
    )  # fmt: skip
    assert Answers(whole).resource("chosen") == (A, B)
    assert Answers(whole).resource("loaded") == (B,)


def test_initializers_count_like_functions():
    made = splat("made", A)
    whole = module(
        func("f", [], load_global("one", "g"), ended()),
        initializers=[initializer(made, store_global("to", made, "g"))],
        globals=[kept("g")],
    )
    assert Answers(whole).usage("made") == (A,)
    assert Answers(whole).pinned("made") is None
    whole = module(
        initializers=[initializer(made, store_global("to", made, "g"))], globals=[kept("g")]
    )
    assert Answers(whole).analysis.global_affinity("g") == (A,)


# Regions and branches.


def test_an_if_is_what_both_sides_yield():
    one, other = splat("one", A), splat("other", B)
    chosen = choose("chosen", [one], one, [other], other)
    answers = private(chosen, dispatch("used", chosen, on=C))
    assert answers.resource("chosen") == (A, B)
    assert answers.usage("one") == (A, C)


def test_an_if_without_another_side_makes_nothing():
    assert private(when("if", splat("made", A))).resource("made") == (A,)


def counted(*carried, initial=None):
    """A loop whose carried value is made on A, and remade on B at each turn."""
    made, turn = splat("made", A), resource("turn")
    remade = dispatch("remade", turn, on=B)
    looped = count_loop("looped", [made], [turn], [remade], [remade])
    return private(made, looped, dispatch("used", looped, on=C))


def test_a_counted_loop_carries_what_it_is_given_and_what_it_yields():
    answers = counted()
    assert answers.resource("turn") == (A, B)
    assert answers.resource("looped") == (B,)
    assert answers.usage("remade") == (B, C)
    assert answers.usage("made") == (A, B)


def test_a_while_hands_on_what_its_condition_says():
    made, asked, turned = splat("made", A), resource("asked"), resource("turned")
    remade = dispatch("remade", turned, on=B)
    looped = while_loop("looped", [made], ([asked], [], [asked]), ([turned], [remade], [remade]))
    answers = private(made, looped, dispatch("used", looped, on=C))
    for name in ("asked", "turned", "looped"):
        assert answers.resource(name) == (A, B)
    assert answers.usage("made") == (A, B, C)
    assert answers.usage("remade") == (B, C)


def widened(release):
    """What goes round on A comes out; what goes round on B does not (issue 24787)."""
    on_a, on_b = splat("on_a", A), splat("on_b", B)
    asked = [resource("asked_b"), resource("asked_a")]
    turned = [resource("turned_a"), resource("turned_b")]
    looped = while_loop(
        "looped", [on_b, on_a], (asked, [], [asked[1], asked[0]]), (turned, [], turned[::-1])
    )
    used = dispatch("used", looped.outputs[0], on=C)
    return private(on_a, on_b, looped, used, release=release)


def test_before_3_12_what_the_body_of_a_while_yields_widened_the_result():
    assert widened(NEWEST).resource("looped#0") == (A,)
    assert widened(OLDEST).resource("looped#0") == (A, B)
    assert widened(NEWEST).usage("on_b") == (B,)
    assert widened(OLDEST).usage("on_b") == (B, C)


def test_before_3_12_a_while_with_fewer_results_than_carried_values_is_undefined():
    asked, turned = [resource("one"), resource("two")], resource("turned")
    made = splat("made", A)
    looped = while_loop(
        "looped", [S, S], (asked, [], asked[:1]), ([turned], [made], [turned, made])
    )
    assert private(looped, arguments=[S]).analysis.converged
    with pytest.raises(UnsupportedOperationError, match="fewer results"):
        private(looped, arguments=[S], release=OLDEST)


def test_branches_pass_values_to_arguments():
    one, other, argument, end = splat("one", A), splat("other", B), resource("x"), resource("y")
    whole = module(
        func("f", [], public=False, body=blocks(
            ([], [one, other, fork((1, [one]), (2, [other]))]),
            ([argument], [go(2, argument)]),
            ([end], [dispatch("used", end, on=C), ended()]),
        )),
    )  # fmt: skip
    answers = Answers(whole)
    assert answers.resource("x") == (A,)
    assert answers.resource("y") == (A, B)
    assert answers.usage("one") == (A, C)


def test_an_execution_region_takes_its_captures_and_gives_what_it_yields():
    made, captured = splat("made", A), resource("captured")
    inner = dispatch("inner", captured, on=None)
    run = execute("run", [made], [captured], [inner], [inner], B)
    answers = private(made, run, dispatch("used", run.outputs[0], on=C))
    assert answers.resource("captured") == (A,)
    assert answers.resource("run") == (B,)
    assert answers.usage("inner") == (B, C)
    assert answers.usage("made") == (A, B)


def test_a_region_that_writes_in_place_is_a_tie_like_another():
    made, captured = splat("made", A), resource("captured")
    inner = fill("inner", captured, None)
    run = execute("run", [made], [captured], [inner], [inner], B, ties=(0,))
    answers = private(made, run, dispatch("used", run.outputs[0], on=C))
    assert answers.resource("run") == (A,)
    assert answers.usage("made") == (A, B, C)


# Ops that do not run anywhere by themselves.


def test_a_global_may_live_on_any_of_a_set():
    best = OptimalAffinity((A, B))
    whole = module(func("f", [], load_global("one", "g"), ended()), globals=[kept("g", best)])
    assert Answers(whole).resource("one") == (best,)


# When the solver gives up.


def chain(length):
    """A value that says nothing of its place, filled in place again and again, used on B at last.
    The analysis must bring B back to the start, and from there to the end."""
    operations = [splat("made", None)]
    for place in range(length):
        operations.append(fill(f"filled{place}", operations[-1], None))
    return private(*operations, dispatch("used", operations[-1], on=B))


def test_a_chain_that_is_too_long_leaves_the_analysis_without_an_answer():
    longest = next(length for length in range(40, 80) if not chain(length + 1).analysis.converged)
    assert longest == 65
    assert chain(longest).resource("made") == (B,)
    assert chain(longest + 1).resource("made") is None


def test_a_chain_that_says_where_it_runs_may_be_of_any_length():
    operations = [splat("made", A)]
    for place in range(1000):
        operations.append(fill(f"filled{place}", operations[-1], A))
    answers = private(*operations)
    assert answers.analysis.converged
    assert answers.resource("filled999") == (A,)


# Corners.


def test_a_handle_that_is_a_number_is_followed_like_a_buffer_view():
    handle = Value("handle", I64)
    given = replace(imported("given", None), source=handle)
    whole = module(func("f", [handle], given, ended()))
    assert Answers(whole).resource("given") is None
    constant = replace(imported("given", None), source=Literal(3, I64))
    assert private(constant, dispatch("d", constant, on=A)).resource("given") is None
    assert private(replace(constant, affinity=B)).resource("given") == (B,)
    assert private(constant, exported("out", constant, B)).pinned("given") == (B,)


def test_a_block_that_does_not_return_returns_nothing():
    inner, argument = splat("inner", A), resource("argument")
    whole = module(
        func("main", [], call("got", "helper"), ended(), public=False),
        func("helper", [], public=False, body=blocks(
            ([], [inner, go(1, inner)]), ([argument], [ended(argument)]),
        )),
    )  # fmt: skip
    assert Answers(whole).resource("got") == (A,)


def test_globals_that_hold_no_resource_live_nowhere():
    number = Global("n", I64)
    whole = module(func("f", [], ended()), globals=[number], default=A)
    assert Answers(whole).analysis.global_affinity("n") == (A,)
