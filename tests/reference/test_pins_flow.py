"""Pins across calls, globals, branches, regions and loops."""

from __future__ import annotations

import pytest
from answers import NEWEST, OLDEST, pinned
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
    kept,
    load_global,
    module,
    store_global,
    transients,
    while_loop,
)
from straight import (
    EXTERNAL,
    A,
    B,
    exported,
    fill,
    imported,
    resource,
    splat,
)

from reference.ir import UnsupportedOperationError

S = resource("s", EXTERNAL)


def test_claims_go_into_callees_and_out_to_all_callers():
    given, inner = imported("given", A), fill("inner", S, A)
    one, other = call("one", "helper", given), call("other", "helper", S)
    whole = module(
        func("main", [S], given, other, one, ended(one, other)),
        func("helper", [S], inner, ended(inner), public=False),
    )
    assert pinned(whole) == {
        "given": (A,), "s": (A,), "inner": (A,), "one": (A,), "other": (A,),
    }  # fmt: skip


def test_claims_go_up_through_callers_and_returns():
    made, inner = splat("made", A, EXTERNAL), splat("inner", A, EXTERNAL)
    given = call("given", "maker")
    whole = module(
        func("main", [], made, given, call("used", "user", made), exported("x", given, B), ended()),
        func("maker", [], inner, ended(inner), public=False),
        func("user", [S], exported("y", S, A), ended(S), public=False),
    )
    assert pinned(whole) == {"given": (B,), "inner": (B,), "made": (A,)}


def test_what_another_module_does_is_not_seen():
    given = imported("given", A)
    outside = call("back", "outside", given)
    whole = module(
        func("main", [], given, outside, exported("x", outside, B), ended()), declared("outside")
    )
    assert pinned(whole) == {"given": (A,), "back": (B,)}


def test_a_tied_result_of_a_call_is_the_operand():
    given = imported("given", A)
    back = call("back", "outside", given, ties=(0,))
    whole = module(func("main", [], given, back, ended(back)), declared("outside"))
    assert pinned(whole) == {"given": (A,), "back": (A,)}


def test_claims_go_through_globals_from_stores_to_loads_and_back():
    given, loaded = imported("given", A), load_global("loaded", "g")
    down = module(
        func("main", [], given, store_global("store", given, "g"), loaded, ended(loaded)),
        globals=[kept("g")],
    )
    assert pinned(down) == {"given": (A,), "loaded": (A,)}
    made = splat("made", A, EXTERNAL)
    up = module(
        func("main", [], made, store_global("store", made, "g"), loaded,
             exported("x", loaded, B), ended()),
        globals=[kept("g")],
    )  # fmt: skip
    assert pinned(up) == {"loaded": (B,), "made": (B,)}


def test_claims_follow_branches_to_their_arguments_and_back():
    given, argument = imported("given", A), resource("argument", EXTERNAL)
    filled = fill("filled", argument, A)
    down = blocks(
        ([S], [given, fork((1, [given]), (1, [S]))]), ([argument], [filled, ended(filled)])
    )
    assert pinned(module(func("f", [], body=down))) == {
        "given": (A,), "argument": (A,), "filled": (A,),
    }  # fmt: skip
    made, other = splat("made", A, EXTERNAL), splat("other", A, EXTERNAL)
    up = blocks(
        ([], [made, other, fork((1, [made]), (2, [other]))]),
        ([argument], [go(2, argument)]),
        ([end := resource("end", EXTERNAL)], [exported("x", end, B), ended()]),
    )
    assert pinned(module(func("f", [], body=up))) == {"made": (B,), "other": (B,)}


def test_claims_come_out_of_both_sides_of_an_if():
    one, other = splat("one", A, EXTERNAL), splat("other", A, EXTERNAL)
    chosen = choose("chosen", [one], one, [other], other)
    found = pinned(module(func("f", [], chosen, exported("x", chosen, B), ended())))
    assert found == {"chosen": (B,), "one": (B,), "other": (B,)}
    given = imported("given", A)
    chosen = choose("chosen", [given], given, [other], other)
    found = pinned(module(func("f", [], chosen, ended(chosen))))
    assert found == {"given": (A,), "chosen": (A,)}


def loop(upper, *operations):
    """A loop over an import that fills it in place."""
    given, turn = imported("given", A), resource("turn", EXTERNAL)
    filled = fill("filled", turn, A)
    looped = count_loop("looped", [given], [turn], [filled], [filled], upper)
    return module(func("f", [], given, looped, *operations, ended(looped)))


def test_claims_go_round_a_counted_loop():
    claimed = {"given": (A,), "turn": (A,), "filled": (A,), "looped": (A,)}
    assert pinned(loop(4)) == pinned(loop(1)) == claimed


def test_claims_do_not_enter_a_loop_that_never_runs():
    assert pinned(loop(0)) == {"given": (A,)}


def test_the_bounds_of_a_loop_are_not_carried():
    turn = resource("turn", EXTERNAL)
    made = splat("made", A, EXTERNAL)
    looped = count_loop("looped", [made], [turn], [], [turn])
    found = pinned(module(func("f", [], made, looped, exported("x", looped, B), ended())))
    assert found == {"looped": (B,), "made": (B,)}


def test_a_loop_of_one_turn_is_not_claimed_by_what_it_would_hand_on():
    given, turn = imported("given", A), resource("turn", EXTERNAL)
    used = fill("used", turn, B)
    for upper, claimed in ((1, {}), (2, {"turn": (A,), "used": (A,)})):
        looped = count_loop("looped", [S], [turn], [used, given], [given], upper)
        unused = exported("x", used, None)
        whole = module(func("f", [S], looped, unused, ended(looped)))
        assert pinned(whole) == {"given": (A,), "looped": (A,), **claimed}


def whiled(release):
    """A loop that hands its import from the condition on; its body hands on something else."""
    asked, turned = resource("asked", EXTERNAL), resource("turned", EXTERNAL)
    other = splat("other", A, EXTERNAL)
    looped = while_loop("looped", [S], ([asked], [], [asked]), ([turned], [other], [other]))
    whole = module(func("f", [S], looped, exported("x", looped, B), ended()))
    return pinned(whole, release)


def test_the_result_of_a_while_comes_from_its_condition():
    # The condition hands on its argument, which is what the body yields.
    assert whiled(NEWEST) == whiled(OLDEST) == {"looped": (B,), "other": (B,)}


def test_before_3_12_what_the_body_of_a_while_yields_was_a_result_of_it():
    given, turned = imported("given", A), resource("turned", EXTERNAL)
    asked, other = resource("asked", EXTERNAL), splat("other", A, EXTERNAL)
    looped = while_loop("looped", [S], ([asked], [other], [other]), ([turned], [given], [given]))
    whole = module(func("f", [S], looped, ended(looped)))
    used = {"given": (A,)}
    assert pinned(whole, NEWEST) == used
    assert pinned(whole, OLDEST) == {**used, "looped": (A,)}


def test_before_3_12_a_while_with_fewer_results_than_carried_values_is_undefined():
    given, other = imported("given", A), splat("other", A, EXTERNAL)
    asked = [resource("one", EXTERNAL), resource("two", EXTERNAL)]
    turned = resource("turned", EXTERNAL)
    looped = while_loop(
        "looped", [S, S], (asked, [], asked[:1]), ([turned], [given, other], [other, given])
    )
    whole = module(func("f", [S], looped, ended(looped)))
    assert pinned(whole, NEWEST) == {"given": (A,)}
    with pytest.raises(UnsupportedOperationError, match="fewer results"):
        pinned(whole, OLDEST)


def test_the_condition_itself_is_not_handed_on():
    asked, turned = resource("asked", EXTERNAL), resource("turned", EXTERNAL)
    given = imported("given", A)
    filled = fill("filled", asked, A)
    looped = while_loop("looped", [given], ([asked], [filled], [filled]), ([turned], [], [turned]))
    found = pinned(module(func("f", [], given, looped, ended(looped))))
    assert found == dict.fromkeys(("given", "asked", "filled", "turned", "looped"), (A,))


def test_claims_go_into_execution_regions_and_out():
    given, captured = imported("given", A), resource("captured", EXTERNAL)
    filled = fill("filled", captured, A)
    run = execute("run", [given], [captured], [filled], [filled], A)
    found = pinned(module(func("f", [], given, run, ended(run.outputs[0]))))
    assert found == {"given": (A,), "captured": (A,), "filled": (A,), "run": (A,)}
    made = splat("made", A, EXTERNAL)
    run = execute("run", [S], [captured], [made], [made], A)
    found = pinned(module(func("f", [S], run, exported("x", run.outputs[0], B), ended())))
    assert found == {"run": (B,), "made": (B,)}


def test_an_op_that_is_fed_by_its_own_result_is_passed_over():
    turn, storage = resource("turn"), splat("storage", A)
    inside = transients("inside", turn, storage, B)
    looped = count_loop("looped", [made := splat("made", A)], [turn], [inside], [inside])
    found = pinned(module(func("f", [], storage, made, looped, ended())))
    assert found == {"made": (B,), "storage": (B,), "inside": (B,)}


def test_before_3_12_results_beyond_what_the_body_of_a_while_yields_are_the_condition_s():
    asked = resource("asked", EXTERNAL)
    turned = [resource("one", EXTERNAL), resource("two", EXTERNAL)]
    made, other = splat("made", A, EXTERNAL), splat("other", A, EXTERNAL)
    looped = while_loop("looped", [S], ([asked], [made], [asked, made]), (turned, [other], [other]))
    shown = [exported("x", value, B) for value in looped.outputs]
    whole = module(func("f", [S], looped, *shown, ended()))
    expected = {"looped#0": (B,), "looped#1": (B,), "made": (B,), "other": (B,)}
    assert pinned(whole, OLDEST) == pinned(whole, NEWEST) == expected
