"""The affinity analysis of ops and values, rule by rule, with a case on each side."""

from __future__ import annotations

import pytest
from answers import NEWEST, OLDEST, Answers, S, private
from flow import (
    awaited,
    choose,
    concurrent,
    count_loop,
    ended,
    execute,
    func,
    module,
    opaque,
    select,
    timed,
    transients,
)
from straight import (
    A0,
    EXTERNAL,
    A,
    B,
    C,
    clone,
    dispatch,
    exported,
    fill,
    imported,
    load,
    resource,
    splat,
    transfer,
)

from reference.analysis import analyze

# Ops.


def test_an_op_runs_where_it_says():
    answers = private(splat("made", A), fill("filled", S, B), arguments=[S])
    assert answers.execution("made") == (A,)
    assert answers.execution("filled") == (B,)


def test_an_op_that_does_not_say_runs_where_all_its_operands_were_made():
    made, other = splat("made", B), splat("other", A)
    used = dispatch("used", made, other, on=None)
    answers = private(made, other, used)
    assert answers.execution("used") == answers.resource("used") == (A, B)


def test_an_op_without_resources_runs_where_its_results_are_used():
    made = splat("made", None)
    answers = private(made, dispatch("used", made, on=A), clone("again", made, B))
    assert answers.execution("made") == (A, B)
    assert answers.resource("made") == (A, B)


def test_an_op_inside_another_runs_where_that_does():
    inner = dispatch("inner", S, on=None)
    own = dispatch("own", S, on=B)
    captured = resource("captured")
    nested = dispatch("nested", captured, on=None)
    wave = concurrent("wave", S, captured, [nested], nested)
    run = execute("run", [S], [resource("taken")], [inner, own, wave], [inner], A)
    answers = private(run, arguments=[S])
    assert answers.execution("inner") == answers.execution("nested") == (A,)
    assert answers.execution("wave") == (A,)
    assert answers.execution("own") == (B,)


def test_an_op_may_run_where_its_function_says():
    whole = module(
        func("f", [], splat("made", None), splat("own", B), ended(),
             attributes=(("stream.affinity", str(A)),)),
    )  # fmt: skip
    answers = Answers(whole)
    assert answers.execution("made") == (A,)
    assert answers.execution("own") == (B,)


def test_an_op_that_nobody_analyses_runs_where_its_surroundings_do():
    made = splat("made", A)
    answers = private(made, load("loaded", made), default=None)
    assert answers.execution("loaded") is None
    whole = module(func("f", [], made, load("loaded", made), ended(), default=B))
    assert Answers(whole).execution("loaded") == (B,)


def test_an_op_whose_operands_are_unknown_runs_where_its_surroundings_do():
    used = dispatch("used", S, on=None)
    whole = module(func("f", [S], used, ended(), default=B))
    answers = Answers(whole)
    assert answers.execution("used") == (B,)
    assert answers.resource("used") is None


def test_the_default_of_a_function_goes_before_the_module_s():
    made = splat("made", None)
    whole = module(func("f", [], made, ended(), default=B), func("g", [], made, ended()), default=A)
    assert Answers(whole).execution("made") == Answers(whole).resource("made") == (B,)
    assert Answers(whole, 1).usage("made") == Answers(whole, 1).execution("made") == (A,)


def test_a_default_counts_only_where_nothing_is_known():
    made = splat("made", A)
    whole = module(func("f", [], made, ended(), default=B))
    assert Answers(whole).resource("made") == (A,)


def test_an_op_is_named_by_itself_too():
    made = splat("made", A)
    whole = module(func("f", [], made, ended()))
    assert analyze(whole, NEWEST).execution(0, made) == (A,)
    with pytest.raises(KeyError):
        analyze(whole, NEWEST).resource(0, S)


# Values made and used.


def test_usage_is_where_a_value_is_made_and_used():
    made = splat("made", C)
    answers = private(made, dispatch("used", made, on=B), dispatch("also", made, on=A))
    assert answers.resource("made") == (C,)
    assert answers.usage("made") == (A, B, C)


def test_a_tied_result_lives_where_its_operand_does():
    made = splat("made", A)
    answers = private(made, fill("filled", made, B))
    assert answers.resource("filled") == (A,)
    assert answers.usage("made") == (A, B)


def test_a_dispatch_that_says_where_it_runs_makes_its_tied_result_there_too():
    made = splat("made", A)
    tied, silent = (
        dispatch("tied", made, on=B, ties=(0,)),
        dispatch("silent", made, on=None, ties=(0,)),
    )
    assert private(made, tied).resource("tied") == (A, B)
    assert private(made, tied, release=OLDEST).resource("tied") == (A,)
    assert private(made, silent).resource("silent") == (A,)


def test_an_untied_result_of_the_same_dispatch_lives_where_it_runs():
    made = splat("made", A)
    both = dispatch("both", made, on=B, ties=(0, None))
    answers = private(made, both)
    assert answers.resource("both#0") == (A, B)
    assert answers.resource("both#1") == (B,)


def test_what_is_done_with_a_tied_result_is_done_with_the_operand():
    made = splat("made", A)
    filled = fill("filled", made, A)
    answers = private(made, filled, dispatch("used", filled, on=B))
    assert answers.usage("made") == (A, B)


def test_the_target_of_a_transfer_is_a_use_of_its_source_only():
    made = splat("made", A)
    moved = transfer("moved", made, A, B, resource("moved").lifetime)
    answers = private(made, moved)
    assert answers.execution("moved") == (A,)
    assert answers.usage("made") == (A, B)
    assert answers.usage("moved") == (A,)
    answers = private(made, transfer("moved", made, A, None, resource("moved").lifetime))
    assert answers.usage("made") == (A,)


def test_a_transfer_makes_its_result_where_it_runs():
    made = splat("made", A)
    answers = private(made, transfer("moved", made, A, B, EXTERNAL, on=B))
    assert answers.resource("moved") == answers.execution("moved") == (B,)


def test_an_await_passes_both_ways_by_position_and_has_no_place_of_its_own():
    one, other = splat("one", A), splat("other", None)
    both = awaited("both", one, other)
    answers = private(one, other, both, dispatch("used", both.outputs[1], on=B))
    assert answers.resource("both#0") == (A,)
    assert answers.resource("both#1") == answers.usage("other") == (B,)
    assert answers.execution("both") is None


def test_a_timepoint_barrier_and_transients_pass_their_resource_on():
    made, storage = splat("made", A), splat("storage", B)
    at, with_storage = timed("at", made, None), transients("kept", made, storage, None)
    answers = private(made, storage, at, with_storage)
    assert answers.resource("at") == answers.execution("at") == (A,)
    assert answers.resource("kept") == (A,)
    assert answers.execution("kept") == (A, B)


def test_a_select_is_either_of_its_values():
    one, other = splat("one", A), splat("other", B)
    chosen = select("chosen", one, other)
    answers = private(one, other, chosen, dispatch("used", chosen, on=C))
    assert answers.resource("chosen") == (A, B)
    assert answers.usage("one") == (A, C)


def test_an_optimization_barrier_passes_each_value_on_its_own():
    one, other = splat("one", A), splat("other", B)
    hidden = opaque("hidden", one, other)
    answers = private(one, other, hidden, dispatch("used", hidden.outputs[1], on=C))
    assert answers.resource("hidden#0") == (A,)
    assert answers.usage("one") == (A,)
    assert answers.usage("other") == (B, C)


def test_a_search_that_meets_a_barrier_later_asks_about_the_value_behind_it():
    one = splat("one", A)
    hidden = opaque("hidden", one)
    chosen = choose("chosen", [one, hidden], hidden, [], S)
    assert private(chosen, arguments=[S]).resource("chosen") == (A,)


# What cannot be seen.


def test_a_public_function_is_given_what_nobody_knows():
    answers = Answers(module(func("f", [S], fill("filled", S, A), ended(), default=B)))
    assert answers.resource("s") is None
    assert answers.resource("filled") is None


def test_where_an_argument_is_used_is_asked_only_on_behalf_of_other_values():
    made, filled = splat("made", C), fill("filled", S, A)
    alone = module(func("f", [S], filled, ended(), public=False, default=B))
    assert Answers(alone).usage("s") == (B,)
    carried = count_loop("looped", [made], [S], [filled], [filled])
    assert private(made, carried).usage("s") == (A, C)


def test_a_private_function_without_callers_is_given_nothing():
    answers = private(fill("filled", S, A), arguments=[S])
    assert answers.resource("s") is None
    assert answers.usage("filled") is None
    answers = Answers(module(func("f", [S], ended(), public=False, default=B)))
    assert answers.resource("s") == answers.usage("s") == (B,)


def test_what_a_public_function_returns_may_be_used_anywhere():
    made, used = splat("made", A), splat("used", None)
    whole = module(func("f", [], made, used, dispatch("d", used, on=B), ended(made, used)))
    answers = Answers(whole)
    assert answers.usage("made") == (A,)
    assert answers.execution("used") is None
    assert answers.usage("used") is None


def test_an_import_that_pins_is_trusted_and_one_that_does_not_is_unknown():
    pinned, unknown = imported("pinned", A), imported("unknown", None)
    whole = module(func("f", [pinned.source], pinned, unknown, ended(pinned)))
    answers = Answers(whole)
    assert answers.resource("pinned") == answers.pinned("pinned") == (A,)
    assert answers.resource("unknown") is None
    assert answers.pinned("unknown") is None


def test_an_import_of_what_a_caller_holds_is_known_either_way():
    whole = module(func("f", [], one := imported("one", None), ended(), public=False))
    assert Answers(whole).execution("one") is None
    view = one.source
    whole = module(func("f", [view], one, dispatch("d", one, on=A), ended(), public=False))
    answers = Answers(whole)
    assert answers.execution("one") == (A,)
    assert answers.resource("one") is None


def test_a_pin_goes_before_where_the_value_was_made():
    made = splat("made", A)
    whole = module(func("f", [], made, out := exported("out", made, B), ended(out)))
    answers = Answers(whole)
    assert answers.resource("made") == answers.pinned("made") == (B,)
    assert answers.usage("made") == (A, B)


def test_pins_of_several_ops_are_all_kept():
    made = splat("made", A)
    outs = [exported("one", made, B), exported("two", made, A0)]
    answers = Answers(module(func("f", [], made, *outs, ended(*outs))))
    assert answers.pinned("made") == answers.resource("made") == (A0, B)
