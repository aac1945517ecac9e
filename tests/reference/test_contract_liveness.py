"""What is needed in a program, one rule a test, with a case on each side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flow import (
    CHOICE,
    COUNT,
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
    opaque,
    select,
    store_global,
    when,
    while_loop,
)
from straight import (
    A,
    B,
    barrier,
    clone,
    dispatch,
    fill,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
)

from reference.contracts.liveness import Liveness
from reference.ir import Global, Operation, Program, walk
from reference.ops import Clone, Copy, HostScalar
from reference.ops.assembly import Range
from reference.types import I1, INDEX, RESOURCES, Lifetime, Literal, Value

GIVEN = resource("given")
MADE = splat("made", A)
TRUE, FALSE = Literal(1, I1), Literal(0, I1)


def needed(whole: Program, name: str) -> bool:
    """Whether the op with that identity is needed."""
    liveness = Liveness(whole)
    for ordinal, body in enumerate(whole.bodies()):
        for operation in walk(body):
            if operation.identity == name:
                return liveness.needs(ordinal, operation)
    raise AssertionError(f"no op {name}")


def test_what_is_returned_is_needed_and_all_that_it_is_made_of() -> None:
    copy = clone("copy", MADE, A)
    whole = program([MADE, copy, splat("unused", A)], copy)
    assert needed(whole, "made")
    assert needed(whole, "copy")
    assert not needed(whole, "unused")


def test_a_barrier_needs_nothing_by_itself() -> None:
    other = splat("other", A)
    whole = program([MADE, other, barrier("kept", MADE, A), barrier("lost", other, A)], GIVEN)
    assert not needed(whole, "made")
    assert not needed(whole, "other")


def test_what_has_effects_is_needed_with_its_operands() -> None:
    whole = program([MADE, opaque("shown", MADE)], GIVEN)
    assert needed(whole, "made")
    assert needed(whole, "shown")


@pytest.mark.parametrize("start", [0, 4])
def test_what_is_written_over_is_needed_for_the_bytes_that_are_not(start: int) -> None:
    target = splat("target", A)
    whole = fill("fill", target, A)
    whole = replace(whole, span=Range.of(start, 16 - start))
    assert needed(program([target, whole], whole), "target") == (start > 0)


def test_writes_that_are_all_of_a_value_together_leave_nothing_of_what_was_there() -> None:
    target = dispatch("target", GIVEN, on=A)
    first = replace(fill("first", target, A), span=Range.of(0, 8))
    second = replace(fill("second", first, A), span=Range.of(8, 8))
    whole = program([target, first, second], second)
    assert not needed(whole, "target")
    assert needed(whole, "first")
    apart = replace(second, span=Range.of(12, 4))
    assert needed(program([target, first, apart], apart), "target")


def test_writes_apart_leave_what_is_between() -> None:
    target = dispatch("target", GIVEN, on=A)
    first = replace(fill("first", target, A), span=Range.of(4, 4))
    second = replace(fill("second", first, A), span=Range.of(8, 8))
    assert needed(program([target, first, second], second), "target")


def test_writes_of_unknown_ranges_leave_what_was_there() -> None:
    target = dispatch("target", GIVEN, on=A)
    first = replace(fill("first", target, A), span=Range.of(0, COUNT))
    assert needed(program([target, first], first), "target")


def test_an_update_needs_its_source() -> None:
    target = splat("target", A)
    source = splat("source", A)
    whole = program([target, source, written := update("written", source, target, A)], written)
    assert needed(whole, "source")
    assert not needed(whole, "target")


def test_a_copy_of_parts_needs_both() -> None:
    target, source = splat("target", A), splat("source", A)
    part = Copy(
        identity="part", source=source.result, source_span=Range.of(0, 4), target=target.result,
        target_span=Range.of(4, 4), result=resource("part"), affinity=A,
    )  # fmt: skip
    whole = program([target, source, part], part)
    assert needed(whole, "target")
    assert needed(whole, "source")


def test_a_branch_that_is_never_taken_needs_nothing() -> None:
    there, here = splat("there", A), splat("here", A)
    chosen = choose("chosen", [there], there, [here], here)
    whole = program([chosen], chosen)
    assert needed(whole, "there")
    assert needed(whole, "here")
    for literal, lost in ((TRUE, "here"), (FALSE, "there")):
        known = program([replace(chosen, condition=literal)], chosen)
        assert not needed(known, lost)


def test_a_branch_under_its_own_opposite_is_never_taken() -> None:
    there, here = splat("there", A), splat("here", A)
    inner = choose("inner", [there], there, [here], here)
    outer = choose("outer", [inner], inner, [], GIVEN)
    assert not needed(program([outer], outer), "here")
    assert needed(program([outer], outer), "there")
    other = choose("outer", [], GIVEN, [inner], inner)
    assert not needed(program([other], other), "there")
    free = replace(outer, condition=Value("another", I1))
    assert needed(program([free], free), "here")


def compared(name: str, left: Value | Literal, right: Value | Literal) -> HostScalar:
    return HostScalar(
        identity=name, name="arith.cmpi", arguments=(left, right), outputs=(Value(name, I1),),
        attributes=(("predicate", "2"),),
    )  # fmt: skip


def test_a_branch_that_constants_decide_about_may_be_either() -> None:
    there, here = splat("there", A), splat("here", A)
    for left, sure in ((Literal(3, INDEX), False), (COUNT, True)):
        asked = compared("asked", left, Literal(2, INDEX))
        chosen = replace(choose("chosen", [there], there, [here], here), condition=asked.results[0])
        whole = program([asked, chosen], chosen)
        assert needed(whole, "there") == needed(whole, "here") == sure


def test_a_branch_that_a_caller_decides_about_may_be_either() -> None:
    there = splat("there", A)
    given = Value("number", INDEX)
    asked = compared("asked", given, given)
    chosen = replace(choose("chosen", [there], there, [], GIVEN), condition=asked.results[0])
    callee = func("callee", [given, GIVEN], asked, chosen, ended(chosen), public=False)
    for number, sure in ((Literal(3, INDEX), False), (COUNT, True)):
        passes = replace(call("passes", "callee"), arguments=(number, GIVEN))
        whole = module(func("f", [GIVEN], passes, ended(passes)), callee)
        assert needed(whole, "there") == sure
    public = replace(callee, public=True)
    assert needed(module(public), "there")


def test_what_a_loop_carries_is_no_constant() -> None:
    there = splat("there", A)
    carried = Value("carried", INDEX)
    asked = compared("asked", carried, carried)
    chosen = replace(choose("chosen", [there], there, [], GIVEN), condition=asked.results[0])
    loop = count_loop("loop", [GIVEN], [carried], [asked, chosen, opaque("shown", chosen)], [GIVEN])
    assert needed(program([loop], GIVEN), "there")


def test_effects_in_a_branch_that_is_never_taken_are_none() -> None:
    inner = when("inner", MADE, opaque("shown", MADE))
    assert needed(program([inner], GIVEN), "made")
    assert not needed(program([replace(inner, condition=FALSE)], GIVEN), "made")
    assert needed(program([replace(inner, condition=TRUE)], GIVEN), "made")


def test_what_decides_about_an_effect_is_needed() -> None:
    asked = load("asked", Value("staged", RESOURCES[Lifetime.STAGING], 16))
    decided = replace(when("decided", opaque("shown", GIVEN)), condition=asked.result)
    assert needed(program([asked, decided], GIVEN), "asked")
    idle = replace(when("idle"), condition=asked.result)
    assert not needed(program([asked, idle], GIVEN), "asked")


def test_a_branch_that_yields_nothing_needs_nothing() -> None:
    side = choose("side", [MADE], MADE, [], GIVEN)
    whole = program([side], GIVEN)
    assert not needed(whole, "made")


def test_a_loop_needs_what_it_carries_to_a_result_that_is_needed() -> None:
    one, other = resource("one"), resource("other")
    step, skip = clone("step", one, A), clone("skip", other, A)
    first, second = splat("first", A), splat("second", A)
    loop = count_loop("loop", [first, second], [one, other], [step, skip], [step, skip])
    whole = program([first, second, loop], loop.outputs[0])
    assert needed(whole, "first")
    assert needed(whole, "step")
    assert not needed(whole, "second")
    assert not needed(whole, "skip")


def test_a_loop_without_turns_needs_nothing_inside() -> None:
    carried = resource("carried")
    loop = count_loop("loop", [GIVEN], [carried], [MADE, opaque("shown", MADE)], [carried])
    assert needed(program([loop], GIVEN), "made")
    assert not needed(program([replace(loop, upper=0)], GIVEN), "made")


def test_the_bounds_of_a_loop_are_needed_with_what_it_carries() -> None:
    question = replace(load("question", Value("staged", RESOURCES[Lifetime.STAGING], 16)))
    carried = resource("carried")
    loop = count_loop(
        "loop", [GIVEN], [carried], [step := clone("step", carried, A)], [step],
        upper=question.result,
    )  # fmt: skip
    assert needed(program([question, loop], loop), "question")
    assert not needed(program([question, loop], GIVEN), "question")


def test_the_turn_of_a_loop_needs_its_bounds() -> None:
    question = load("question", Value("staged", RESOURCES[Lifetime.STAGING], 16))
    loop = count_loop("loop", [GIVEN], [resource("carried")], [], [resource("carried")])
    index = loop.body.blocks[0].arguments[0]
    turned = count_loop(
        "loop", [], [], [opaque("shown", MADE), opaque("turn", index)], [], upper=question.result
    )
    assert needed(program([MADE, question, turned], GIVEN), "question")


def test_a_while_loop_hands_values_through_both_regions() -> None:
    asked, turned = resource("asked"), resource("turned")
    step = clone("step", turned, A)
    first = splat("first", A)
    loop = while_loop("loop", [first], ([asked], [], [asked]), ([turned], [step], [step]))
    whole = program([first, loop], loop)
    assert needed(whole, "first")
    assert needed(whole, "step")
    assert not needed(program([first, loop], GIVEN), "first")


def test_a_loop_that_hands_on_what_was_there_before_is_left_out() -> None:
    question = load("question", Value("staged", RESOURCES[Lifetime.STAGING], 16))
    asked, turned = resource("asked"), resource("turned")
    away = transfer("away", MADE, A, B)
    back = transfer("back", away, B, A)
    for handed, sure in (
        (back, False),
        (MADE, False),
        (asked, True),
        (clone("same", asked, A), True),
    ):
        inside = [away, back, *([handed] if isinstance(handed, Clone) else [])]
        loop = while_loop("loop", [GIVEN], ([asked], inside, [handed]), ([turned], [], [turned]))
        last = replace(loop.before.blocks[0].operations[-1], condition=question.result)
        block = replace(loop.before.blocks[0], operations=(*inside, last))
        loop = replace(loop, before=replace(loop.before, blocks=(block,)))
        assert needed(program([question, MADE, loop], loop), "question") == sure
    carried = resource("carried")
    for yielded, sure in ((MADE, False), (clone("step", carried, A), True)):
        inside = [yielded] if sure else []
        loops = count_loop("loop", [MADE], [carried], inside, [yielded], upper=question.result)
        assert needed(program([question, MADE, loops], loops), "question") == sure


def test_a_while_loop_with_effects_needs_its_condition() -> None:
    staged = Value("staged", RESOURCES[Lifetime.STAGING], 16)
    question = load("question", staged)
    turned = resource("turned")
    loop = while_loop(
        "loop", [GIVEN], ([resource("asked")], [question], [resource("asked")]),
        ([turned], [opaque("shown", turned)], [turned]),
    )  # fmt: skip
    last = loop.before.blocks[0].operations[-1]
    decided = replace(last, condition=question.result)
    block = replace(loop.before.blocks[0], operations=(question, decided))
    loop = replace(loop, before=replace(loop.before, blocks=(block,)))
    assert needed(program([loop], GIVEN), "question")


def test_a_block_needs_what_every_branch_hands_it() -> None:
    one, other = splat("one", A), splat("other", A)
    merged = resource("merged")
    body = blocks(
        ([CHOICE], [fork((1, []), (2, []))]),
        ([], [one, go(3, one)]),
        ([], [other, go(3, other)]),
        ([merged], [ended(merged)]),
    )
    whole = module(func("f", [], body=body))
    assert needed(whole, "one")
    assert needed(whole, "other")
    unused = blocks(
        ([CHOICE], [one, other, fork((1, [one]), (1, [other]))]), ([merged], [ended(CHOICE)])
    )
    assert not needed(module(func("f", [], body=unused)), "one")


def test_what_chooses_a_block_is_needed() -> None:
    question = load("question", Value("staged", RESOURCES[Lifetime.STAGING], 16))
    decided = replace(fork((1, []), (1, [])), condition=question.result)
    body = blocks(([CHOICE], [question, decided]), ([], [ended(CHOICE)]))
    assert needed(module(func("f", [], body=body)), "question")


def test_a_block_that_is_entered_under_a_condition_knows_it() -> None:
    one, other = splat("one", A), splat("other", A)
    chosen = select("chosen", one, other)
    for side, lost in ((1, "other"), (2, "one")):
        targets = {1: 3, 2: 3, side: side}
        body = blocks(
            ([CHOICE], [one, other, fork((targets[1], []), (targets[2], []))]),
            ([], [chosen, ended(chosen)] if side == 1 else [go(3)]),
            ([], [chosen, ended(chosen)] if side == 2 else [go(3)]),
            ([], [ended(CHOICE)]),
        )
        assert not needed(module(func("f", [], body=body)), lost)
    merged = blocks(
        ([CHOICE], [one, other, fork((1, []), (2, []))]),
        ([], [go(2)]),
        ([], [chosen, ended(chosen)]),
    )
    assert needed(module(func("f", [], body=merged)), "one")
    assert needed(module(func("f", [], body=merged)), "other")


def test_a_block_that_is_never_entered_needs_nothing() -> None:
    one, other = splat("one", A), splat("other", A)
    merged = resource("merged")
    for literal, lost in ((TRUE, "other"), (FALSE, "one")):
        decided = replace(fork((1, [one]), (1, [other])), condition=literal)
        body = blocks(([CHOICE], [one, other, decided]), ([merged], [ended(merged)]))
        assert not needed(module(func("f", [], body=body)), lost)
        apart = blocks(
            ([CHOICE], [replace(fork((1, []), (2, [])), condition=literal)]),
            ([], [one, opaque("shown", one), ended(CHOICE)]),
            ([], [other, opaque("more", other), ended(CHOICE)]),
        )
        assert not needed(module(func("f", [], body=apart)), lost)


def test_what_chooses_a_value_is_needed_with_it() -> None:
    question = load("question", Value("staged", RESOURCES[Lifetime.STAGING], 16))
    chosen = replace(select("chosen", GIVEN, MADE), condition=question.result)
    assert needed(program([question, MADE, chosen], chosen), "question")
    folded = replace(
        chosen, condition=compared("asked", Literal(1, INDEX), Literal(2, INDEX)).outputs[0]
    )
    asked = compared("asked", Literal(1, INDEX), Literal(2, INDEX))
    assert not needed(program([asked, MADE, folded], folded), "made")


def test_a_call_needs_what_the_callee_needs() -> None:
    argument, ignored = resource("argument"), resource("ignored")
    used, unused = clone("used", argument, A), clone("unused", ignored, A)
    callee = func("callee", [argument, ignored], used, unused, ended(used, unused), public=False)
    here, there = splat("here", A), splat("there", A)
    passes = replace(call("passes", "callee", here, there, GIVEN, results=2), arguments=(
        here.result, there.result, CHOICE, COUNT, Value("time", I1)))  # fmt: skip
    caller = func("caller", [GIVEN], here, there, passes, ended(passes.outputs[0]))
    whole = module(caller, callee)
    assert needed(whole, "here")
    assert needed(whole, "used")
    assert not needed(whole, "there")
    assert not needed(whole, "unused")


def test_a_function_may_be_called_twice() -> None:
    callee = func("callee", [GIVEN], opaque("shown", MADE), MADE, ended(GIVEN), public=False)
    calls = [replace(call(name, "callee"), outputs=(), arguments=()) for name in ("one", "other")]
    whole = module(func("f", [GIVEN], *calls, ended(GIVEN)), callee)
    assert needed(whole, "made")


def test_a_function_that_nobody_calls_needs_nothing() -> None:
    alone = func("alone", [], MADE, opaque("shown", MADE), ended(MADE), public=False)
    whole = module(alone, func("f", [GIVEN], ended(GIVEN)))
    assert not needed(whole, "made")
    assert not needed(whole, "shown")


def test_what_is_handed_to_a_function_from_elsewhere_is_needed() -> None:
    outside = call("outside", "foreign", MADE)
    whole = module(func("f", [GIVEN], MADE, outside, ended(GIVEN)), declared("foreign"))
    assert needed(whole, "made")
    result = call("outside", "foreign", GIVEN)
    taken = module(func("f", [GIVEN], result, ended(result)), declared("foreign"))
    assert needed(taken, "outside")


def test_what_is_stored_is_needed_when_anybody_may_load_it() -> None:
    store = store_global("store", MADE, "state")
    taken = load_global("taken", "state")
    function = func("f", [GIVEN], MADE, store, ended(GIVEN))
    assert not needed(module(function, globals=[kept("state")]), "made")
    public = Global("state", RESOURCES[Lifetime.TRANSIENT], mutable=True, public=True)
    assert needed(module(function, globals=[public]), "made")
    reader = func("reader", [], taken, load_global("again", "state"), ended(taken))
    assert needed(module(function, reader, globals=[kept("state")]), "made")
    again = load_global("again", "state")
    twice = func("reader", [], taken, again, ended(taken, again))
    assert needed(module(function, twice, globals=[kept("state")]), "made")
    unread = func("reader", [GIVEN], taken, ended(GIVEN))
    assert not needed(module(function, unread, globals=[kept("state")]), "made")


def test_initializers_are_run() -> None:
    start = initializer(MADE, store_global("store", MADE, "state"))
    taken = load_global("taken", "state")
    reader = func("reader", [], taken, ended(taken))
    whole = module(reader, globals=[kept("state")], initializers=[start])
    assert needed(whole, "made")


def test_a_select_between_known_sides_needs_one() -> None:
    one, other = splat("one", A), splat("other", A)
    chosen = select("chosen", one, other)
    assert needed(program([one, other, chosen], chosen), "other")
    for literal, lost in ((TRUE, "other"), (FALSE, "one")):
        known = replace(chosen, condition=literal)
        assert not needed(program([one, other, known], known), lost)


def test_a_region_needs_what_it_yields_to_somebody() -> None:
    inner = resource("inner")
    used, unused = clone("used", inner, A), clone("unused", inner, A)
    run = execute("run", [MADE], [inner], [used, unused], [used, unused], A)
    whole = program([MADE, run], run.outputs[0])
    assert needed(whole, "made")
    assert needed(whole, "used")
    assert not needed(whole, "unused")


def test_time_is_reached_when_all_of_a_region_is_done() -> None:
    inner = resource("inner")
    used = clone("used", inner, A)
    run = execute("run", [MADE], [inner], [used], [used], A)
    assert needed(program([MADE, run], run.timepoint), "made")


def test_a_chain_of_transfers_is_needed_to_its_first_link() -> None:
    first = transfer("first", MADE, A, A)
    last = transfer("last", first, A, A)
    whole: list[Operation] = [MADE, first, last]
    assert needed(program(whole, last), "first")
    assert not needed(program(whole, MADE), "first")
