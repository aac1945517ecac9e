"""Waits in scheduled programs put together by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flow import (
    CHOICE,
    REACHED,
    awaited,
    blocks,
    call,
    choose,
    count_loop,
    ended,
    execute,
    fork,
    func,
    go,
    module,
    opaque,
    select,
    timed,
    transients,
    when,
    while_loop,
)
from straight import A, B, Source, barrier, dispatch, exported, program, resource, splat, value_of

from reference.affinity import Affinity
from reference.contracts.waits import broken_waits, lost_waits
from reference.ir import Operation, Program
from reference.ops import (
    Await,
    Barrier,
    ChainExternal,
    Execute,
    Immediate,
    Join,
    Select,
    TimepointExport,
    TimepointImport,
)
from reference.types import FENCE, TIMEPOINT, Value

GIVEN = resource("given")
FENCED = Value("fence", FENCE)


def origin(identity: str) -> str:
    return identity.partition("~")[0]


def run(
    name: str,
    *takes: Source,
    awaits: Value | None = None,
    on: Affinity | None = A,
    made: str | None = None,
) -> Execute:
    """A region with one dispatch, called `made`, of all that it takes."""
    captures = [value_of(one) for one in takes]
    arguments = [replace(value, name=f"{value.name}.{name}") for value in captures]
    work = dispatch(made or f"{name}.work", *arguments, on=None)
    return replace(execute(name, captures, arguments, [work], [work], on), awaits=awaits)


def ready(name: str, of: Execute | Select, time: Value | None = None) -> Await:
    reached = time or (of.timepoint if isinstance(of, Execute) else None)
    return replace(awaited(name, of.results[0]), awaits=reached)


def join(name: str, *times: Value) -> Join:
    return Join(identity=name, sources=times, result=Value(name, TIMEPOINT))


def broken(*operations: Operation, returns: Iterable[Source] = ()) -> list[tuple[str, ...]]:
    whole = program(operations, *returns)
    return [breach.shape for breach in broken_waits(program([], GIVEN), whole, origin)]


ONE = run("one", GIVEN)
TWO = run("two", ONE)
WAITING = replace(TWO, awaits=ONE.timepoint)
LATE = ("use-without-wait", "by-stream.async.execute")


def test_a_region_waits_for_what_it_takes() -> None:
    assert broken(ONE, WAITING) == []
    assert broken(ONE, TWO) == [LATE]


def test_a_region_waits_for_one_thing_by_waiting_for_another_that_waits() -> None:
    three = run("three", ONE, awaits=WAITING.timepoint)
    assert broken(ONE, WAITING, three) == []
    apart = run("apart", awaits=None)
    assert broken(ONE, apart, replace(three, awaits=apart.timepoint)) == [LATE]


def test_a_join_is_reached_when_all_are() -> None:
    other = run("other", GIVEN, on=B)
    both = join("both", ONE.timepoint, other.timepoint)
    last = run("last", ONE, other, awaits=both.result)
    assert broken(ONE, other, both, last) == []
    half = join("both", ONE.timepoint, REACHED)
    assert broken(ONE, other, half, last) == [LATE]


def test_an_immediate_timepoint_says_nothing() -> None:
    now = Immediate(identity="now", result=Value("now", TIMEPOINT))
    assert broken(ONE, now, replace(TWO, awaits=now.result)) == [LATE]


def test_the_host_takes_what_it_awaited() -> None:
    host = ready("host", ONE)
    assert broken(ONE, host, run("two", host), exported("shown", host, A)) == []
    assert broken(ONE, exported("shown", ONE, A)) == [
        ("use-without-wait", "by-stream.tensor.export")
    ]


def test_an_await_waits_for_the_region_that_makes_what_it_hands_on() -> None:
    host = ready("host", ONE, time=REACHED)
    assert broken(ONE, host) == [("use-without-wait", "by-stream.timepoint.await")]
    later = ready("host", ONE, time=WAITING.timepoint)
    assert broken(ONE, WAITING, later) == []


def test_nested_ops_wait_too() -> None:
    assert broken(ONE, when("inner", opaque("shown", ONE))) == [
        ("use-without-wait", "by-util.optimization_barrier")
    ]
    host = ready("host", ONE)
    assert broken(ONE, when("inner", host, opaque("shown", host))) == []


def test_what_is_carried_is_awaited_first() -> None:
    carried = resource("carried")
    host = ready("host", ONE)
    assert broken(ONE, host, count_loop("loop", [host], [carried], [], [carried])) == []
    assert broken(ONE, count_loop("loop", [ONE], [carried], [], [carried])) == [
        ("use-without-wait", "by-scf.for")
    ]


def test_what_goes_out_with_its_timepoint_is_the_callers_to_await() -> None:
    shown = exported("shown", ONE, A)
    fence = TimepointExport(identity="out", source=ONE.timepoint, outputs=(FENCED,), affinity=A)
    chained = ChainExternal(identity="out", source=ONE.timepoint, externals=(FENCED,), affinity=A)
    assert broken(ONE, shown, fence) == []
    assert broken(ONE, call("passes", "callee", ONE), fence) == []
    assert broken(ONE, opaque("kept", ONE), fence) == [
        ("use-without-wait", "by-util.optimization_barrier")
    ]
    assert broken(ONE, shown, chained) == []
    assert broken(ONE, shown, returns=[ONE.timepoint]) == []
    assert broken(ONE, WAITING, exported("shown", WAITING, A), fence) != []
    # A region is not the caller: it waits itself.
    assert broken(ONE, TWO, fence) == [LATE]


def test_what_is_chosen_is_waited_for_by_what_is_chosen_alike() -> None:
    other = run("other", GIVEN)
    chosen, crossed = select("chosen", ONE, other), select("crossed", other, ONE)

    def time(name: str, first: Execute, second: Execute, on: Value = CHOICE) -> Select:
        return Select(
            identity=name, condition=on, then=first.timepoint, otherwise=second.timepoint,
            result=Value(name, TIMEPOINT),
        )  # fmt: skip

    alike = time("alike", ONE, other)
    late = [("use-without-wait", "by-stream.timepoint.await")]
    assert broken(ONE, other, chosen, alike, ready("then", chosen, alike.result)) == []
    assert broken(ONE, other, crossed, alike, ready("then", crossed, alike.result)) == late * 2
    elsewhere = time("elsewhere", ONE, other, on=Value("another", CHOICE.type))
    assert (
        broken(ONE, other, chosen, elsewhere, ready("then", chosen, elsewhere.result)) == late * 2
    )
    # One timepoint is not enough, both are.
    both = join("both", ONE.timepoint, other.timepoint)
    assert broken(ONE, other, chosen, ready("then", chosen, ONE.timepoint)) == late
    assert broken(ONE, other, chosen, both, ready("then", chosen, both.result)) == []
    assert (
        broken(ONE, other, chosen, opaque("kept", chosen))
        == [("use-without-wait", "by-util.optimization_barrier")] * 2
    )
    assert broken(ONE, chosen) == []


def test_a_timepoint_barrier_hands_on_a_value_and_when_it_is_there() -> None:
    behind = timed("behind", ONE, A)
    assert broken(ONE, behind, run("two", behind, awaits=behind.timepoint)) == []
    assert broken(ONE, behind, run("two", behind)) == [LATE]


def told(before: Iterable[Operation], *after: Operation) -> list[tuple[str, ...]]:
    earlier, later = program(before, GIVEN), program(after, GIVEN)
    return [breach.shape for breach in broken_waits(earlier, later, origin)]


def test_what_was_behind_a_barrier_is_told_apart() -> None:
    made = dispatch("one.work", GIVEN, on=A)
    host = opaque("shown", ONE)
    for behind in (barrier("behind", made, A), timed("behind", made, A)):
        kind = "barrier" if isinstance(behind, Barrier) else "timepoint-barrier"
        expected = [("use-without-wait", f"behind-a-{kind}")]
        assert told([made, behind, dispatch("two.work", behind, on=A)], ONE, TWO) == expected
        assert told([made, behind, opaque("shown", behind)], ONE, host) == expected
        assert told([made, behind, dispatch("other", behind, on=A)], ONE, TWO) == [LATE]
        # A region that takes the value itself too forgets to wait for that.
        both = dispatch("two.work", behind, made, on=A)
        assert told([made, behind, both], ONE, TWO) == [LATE]
        # The host is not told apart by what else it takes.
        assert told([made, behind, opaque("shown", made, behind)], ONE, host) == expected
        awaited_then = replace(awaited("then", behind), awaits=REACHED)
        user = dispatch("two.work", awaited_then, on=A)
        assert told([made, behind, awaited_then, user], ONE, TWO) == [LATE]
    twice = barrier("again", barrier("behind", made, A), A)
    assert told(
        [made, barrier("behind", made, A), twice, dispatch("two.work", twice, on=A)], ONE, TWO
    ) == [("use-without-wait", "behind-a-barrier")]


def test_an_op_that_two_were_folded_into_comes_from_both() -> None:
    made = dispatch("first", GIVEN, on=A)
    moved = dispatch("one.work", made, on=A)
    behind = barrier("behind", moved, A)
    before = [made, moved, behind, dispatch("two.work", behind, on=A)]
    folded = run("one", GIVEN, made="one.work+first")
    assert told(before, folded, run("two", folded)) == [("use-without-wait", "behind-a-barrier")]
    other = run("one", GIVEN, made="else+first")
    assert told(before, other, run("two", other)) == [LATE]


def test_what_was_behind_a_barrier_inside_control_flow_is_told_apart() -> None:
    made = dispatch("one.work", GIVEN, on=A)
    behind = barrier("behind", made, A)
    carried, turned = resource("carried"), resource("turned")
    host = opaque("shown", ONE)
    for flow in (
        choose("flow", [behind], behind, [], GIVEN),
        count_loop("flow", [GIVEN], [carried], [behind], [behind]),
        while_loop("flow", [GIVEN], ([carried], [behind], [behind]), ([turned], [], [turned])),
    ):
        assert told([made, flow, opaque("shown", flow)], ONE, host) == [
            ("use-without-wait", "behind-a-barrier")
        ]
    elsewhere = when("elsewhere", behind)
    assert told([made, elsewhere, opaque("shown", GIVEN)], ONE, host) == [
        ("use-without-wait", "behind-a-barrier")
    ]
    assert told([made, elsewhere, dispatch("two.work", GIVEN, on=A)], ONE, TWO) == [LATE]
    idle = when("idle")
    assert told([made, idle, opaque("shown", GIVEN)], ONE, host) == [
        ("use-without-wait", "by-util.optimization_barrier")
    ]


def test_what_a_branch_folds_into_takes_what_is_behind_a_barrier() -> None:
    made, merged = dispatch("one.work", GIVEN, on=A), resource("merged")
    behind = barrier("behind", made, A)
    body = blocks(
        ([GIVEN, CHOICE], [made, replace(fork((1, []), (2, [made])), identity="fork")]),
        ([], [behind, go(2, behind)]),
        ([merged], [ended(merged)]),
    )
    before = module(func("f", [], body=body))
    chosen = replace(select("chosen", ONE, GIVEN), identity="fork")
    after = program([ONE, chosen], chosen)
    assert [breach.shape for breach in broken_waits(before, after, origin)] == [
        ("use-without-wait", "behind-a-barrier")
    ]


def test_what_blocks_hand_on_is_behind_a_barrier_too() -> None:
    """Also where one of them goes back to itself."""
    made, merged = dispatch("one.work", GIVEN, on=A), resource("merged")
    behind = barrier("behind", made, A)
    shown = opaque("shown", select("chosen", made, merged))

    def ways(*handed: Source) -> list[tuple[str, ...]]:
        body = blocks(
            ([GIVEN, CHOICE], [made, fork((1, []), (2, [made]))]),
            ([], [behind, go(2, *handed)]),
            ([merged], [select("chosen", made, merged), shown, fork((2, [merged]), (3, []))]),
            ([], [ended(GIVEN)]),
        )
        before = module(func("f", [], body=body))
        after = program([ONE, opaque("shown", ONE)], GIVEN)
        return [breach.shape for breach in broken_waits(before, after, origin)]

    assert ways(behind) == [("use-without-wait", "behind-a-barrier")]
    assert ways(made) == [("use-without-wait", "by-util.optimization_barrier")]


def test_what_loops_hand_on_to_themselves_is_behind_a_barrier_too() -> None:
    made = dispatch("one.work", GIVEN, on=A)
    behind = barrier("behind", made, A)
    turned = resource("turned")
    user = opaque("shown", turned)
    host = opaque("shown", ONE)

    def ways(flow: Operation) -> list[tuple[str, ...]]:
        return told([made, behind, flow], ONE, host)

    expected = [("use-without-wait", "behind-a-barrier")]
    assert ways(while_loop("flow", [], ([], [], [behind]), ([turned], [user], []))) == expected
    assert ways(while_loop("flow", [behind], ([turned], [user], []), ([], [], [GIVEN]))) == expected
    assert ways(count_loop("flow", [GIVEN], [turned], [user], [behind])) == expected
    assert ways(count_loop("flow", [made], [turned], [user], [turned])) == [
        ("use-without-wait", "by-util.optimization_barrier")
    ]


def test_a_barrier_that_forgets_a_wait_forgets_that_of_an_await_before_it() -> None:
    made = dispatch("one.work", GIVEN, on=A)
    first = replace(awaited("first", made), awaits=REACHED)
    then = barrier("then", first, A)
    host = opaque("shown", ONE)
    assert told([made, first, then, opaque("shown", then)], ONE, host) == [
        ("use-without-wait", "behind-a-barrier")
    ]
    assert told([made, first, opaque("shown", first)], ONE, host) == [
        ("use-without-wait", "by-util.optimization_barrier")
    ]


def test_what_a_branch_takes_over_from_blocks_that_it_skips() -> None:
    made, merged = dispatch("one.work", GIVEN, on=A), resource("merged")
    behind = barrier("behind", made, A)

    def ways(skipped: Operation) -> list[tuple[str, ...]]:
        before = blocks(
            ([GIVEN, CHOICE], [made, fork((1, []), (2, [made]))]),
            ([], [skipped, go(2, skipped)]),
            ([merged], [ended(merged)]),
        )
        after = blocks(
            ([GIVEN, CHOICE], [ONE, fork((1, [ONE]), (1, [GIVEN]))]), ([merged], [ended(merged)])
        )
        both = (module(func("f", [], body=body)) for body in (before, after))
        return [breach.shape for breach in broken_waits(*both, origin)]

    assert ways(behind) == [("use-without-wait", "behind-a-barrier")]
    assert ways(splat("other", A)) == [("use-without-wait", "by-cf.cond_br")]


def test_what_is_behind_a_barrier_of_another_is_not_told_apart() -> None:
    other = dispatch("other", GIVEN, on=A)
    behind = barrier("behind", other, A)
    assert told([other, behind, dispatch("two.work", behind, GIVEN, on=A)], ONE, TWO) == [LATE]


def test_transients_wait_as_they_say() -> None:
    storage = resource("storage")
    kept = transients("kept", ONE, storage, A)
    assert broken(ONE, replace(kept, awaits=ONE.timepoint)) == []
    assert broken(ONE, kept) == [("use-without-wait", "by-stream.resource.transients")]


def test_a_use_before_its_definition_is_told() -> None:
    assert broken(WAITING, ONE)[0] == (
        "use-before-its-definition", "stream.async.execute", "stream.async.execute",
    )  # fmt: skip
    inner = when("inner", opaque("shown", made := splat("made", A)))
    assert broken(inner, made) == [("use-before-its-definition", "scf.if", "stream.async.splat")]


def test_the_order_of_blocks_is_none_of_ops() -> None:
    made = splat("made", A)
    body = blocks(([], [go(2)]), ([], [ended(made)]), ([], [made, go(1)]))
    assert list(broken_waits(module(), module(func("f", [], body=body)), origin)) == []


def test_a_cycle_inside_a_nested_block_is_told() -> None:
    inner = when("inner", opaque("shown", made := splat("made", A)), made)
    assert broken(inner)[0][0] == "use-before-its-definition"


def imported(name: str) -> TimepointImport:
    return TimepointImport(
        identity=name, sources=(FENCED,), result=Value(name, TIMEPOINT), affinity=None
    )


def lost(before: Program, after: Program) -> list[str]:
    return [breach.message for breach in lost_waits(before, after, origin)]


EARLY = imported("early")
ASKS = replace(splat("asks", A), awaits=EARLY.result)


def holds(awaits: Value | None, takes: Source = GIVEN) -> Execute:
    return run("region", takes, made="asks", awaits=awaits)


def test_a_region_waits_for_what_its_ops_wait_for() -> None:
    before = program([EARLY, ASKS], ASKS)
    assert lost(before, program([EARLY, holds(EARLY.result)], GIVEN)) == []
    told = lost(before, program([EARLY, holds(None)], GIVEN))
    assert told == [
        "asks (stream.async.splat) waits for result 0 of early; the region that holds it does not"
    ]


def test_a_region_waits_for_arguments_by_their_place() -> None:
    ask, inside = replace(ASKS, awaits=REACHED), holds(REACHED)
    asked = module(func("f", [GIVEN], ask, ended(ask)))
    kept = module(func("f", [GIVEN], inside, ended(GIVEN)))
    gone = module(func("f", [GIVEN], holds(None), ended(GIVEN)))
    assert lost(asked, kept) == []
    assert len(lost(asked, gone)) == 1


def test_the_host_may_wait_instead() -> None:
    before = program([EARLY, ASKS], ASKS)
    host = replace(awaited("host", GIVEN), awaits=EARLY.result)
    assert lost(before, program([EARLY, host, holds(None, host)], GIVEN)) == []
    other = replace(awaited("host", GIVEN), awaits=REACHED)
    assert len(lost(before, program([EARLY, other, holds(None, other)], GIVEN))) == 1


def test_a_timepoint_that_is_no_more_is_not_missed() -> None:
    before = program([EARLY, ASKS], ASKS)
    assert lost(before, program([holds(None)], GIVEN)) == []


def test_a_region_of_the_program_waits_for_another() -> None:
    before = program([ONE, WAITING], WAITING.outputs[0])
    assert lost(before, program([ONE, WAITING], GIVEN)) == []
    assert len(lost(before, program([ONE, TWO], GIVEN))) == 1


def test_every_copy_waits() -> None:
    before = program([EARLY, ASKS], ASKS)
    twice = [holds(EARLY.result), replace(holds(None), identity="again")]
    assert len(lost(before, program([EARLY, *twice], GIVEN))) > 0


def test_an_op_that_is_in_no_region_is_not_asked() -> None:
    assert lost(program([EARLY, ASKS], ASKS), program([EARLY], GIVEN)) == []
