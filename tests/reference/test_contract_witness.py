"""What runs of a program show to be needed, a case on each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flow import (
    CHOICE,
    COUNT,
    REACHED,
    blocks,
    call,
    choose,
    count_loop,
    declared,
    ended,
    fork,
    func,
    initializer,
    kept,
    load_global,
    module,
    opaque,
    store_global,
    while_loop,
)
from straight import (
    STAGING,
    A,
    B,
    Source,
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
    value_of,
)

from reference.contracts.witness import Witness
from reference.ir import Block, Operation, Program, Region, walk
from reference.ops import Alloca, Call, Condition, Copy, If, OpaqueOperation, Yield
from reference.ops.assembly import Range
from reference.types import I1, I32, Literal, Value

GIVEN = resource("given")
WORK = dispatch("work", GIVEN, on=A)
FALSE = Literal(0, I1)


def found(whole: Program, name: str) -> tuple[int, Operation]:
    """The op with that identity, and the number of its body."""
    for ordinal, body in enumerate(whole.bodies()):
        for operation in walk(body):
            if operation.identity == name:
                return ordinal, operation
    raise AssertionError(f"no op {name}")


def missed(whole: Program, name: str) -> bool:
    return Witness(whole).misses(*found(whole, name))


def straight(operations: Sequence[Operation], *returned: Source) -> Program:
    return program(operations, *returned)


def test_what_is_returned_is_missed_and_nothing_else() -> None:
    other = dispatch("other", GIVEN, on=B)
    witness = Witness(straight([WORK, other], WORK))
    assert witness.misses(0, WORK)
    assert not witness.misses(0, other)


def test_bytes_are_missed_that_somebody_looks_at() -> None:
    first = replace(fill("first", WORK, A), span=Range.of(0, 8))
    rest = replace(fill("rest", first, A), span=Range.of(8, 8))
    assert missed(straight([WORK, first], first), "work")
    assert not missed(straight([WORK, first, rest], rest), "work")
    part = replace(dispatch("part", first, on=A), workload=())
    bound = replace(part.bindings[0], span=Range.of(0, 8))
    part = replace(part, arguments=(bound,))
    assert not missed(straight([WORK, first, part], part), "work")


def test_ops_in_place_are_missed_for_the_bytes_that_they_write() -> None:
    copied = Copy(
        identity="write", source=GIVEN, source_span=Range.of(0, 4), target=value_of(WORK),
        target_span=Range.of(4, 4), result=resource("write"), affinity=A,
    )  # fmt: skip
    short = replace(splat("short", A), result=replace(resource("short"), size=4))
    updated = replace(update("write", short, WORK, A), start=4, end=8)
    filled = replace(fill("write", WORK, A), span=Range.of(4, 4))
    for write in (copied, updated, filled):
        for length, sure in ((4, False), (8, True)):
            reader = dispatch("reader", write, on=A)
            bound = replace(reader.bindings[0], span=Range.of(0, length))
            reader = replace(reader, arguments=(bound,))
            whole = straight([WORK, short, write, reader], reader)
            assert missed(whole, "write") == sure, write


def test_bytes_that_nobody_wrote_are_not_missed() -> None:
    room = Alloca(identity="room", result=resource("room"), affinity=A)
    written = replace(fill("written", room, A), span=Range.of(0, 4))
    assert not missed(straight([room, written], written), "room")


def test_a_transfer_is_missed_where_others_take_what_it_makes_than_transfers() -> None:
    away = transfer("away", WORK, A, B)
    back = transfer("back", same := clone("same", away, B), B, A)
    chain: list[Operation] = [WORK, away, same, back]
    assert not missed(straight(chain, back), "away")
    assert missed(straight(chain, back), "back")
    assert missed(straight(chain, back, same), "away")
    more = dispatch("more", away, on=B)
    home = transfer("home", more, B, A)
    assert missed(straight([WORK, away, more, home], home), "away")


def test_a_chain_of_transfers_goes_through_blocks_and_functions() -> None:
    away = transfer("away", GIVEN, A, B)
    merged = resource("merged")
    back = transfer("back", merged, B, A)
    for last, sure in ((back, False), (barrier("held", merged, B), True)):
        body = blocks(
            ([GIVEN, CHOICE], [away, fork((1, [away]), (1, [away]))]),
            ([merged], [last, ended(last)]),
        )
        assert missed(module(func("f", [], body=body)), "away") == sure
    passes = calling("passes", away)
    for last, sure in ((back, False), (barrier("held", merged, B), True)):
        callee = func("callee", [merged], last, ended(last), public=False)
        whole = module(func("f", [GIVEN], away, passes, ended(passes)), callee)
        assert missed(whole, "away") == sure


def calling(name: str, *sources: Source) -> Call:
    one = call(name, "callee", *sources)
    return replace(one, arguments=(*one.arguments, CHOICE, COUNT, REACHED))


def test_a_call_whose_result_nobody_takes_needs_nothing() -> None:
    taken = resource("taken")
    callee = func("callee", [taken], ended(taken))
    passes = calling("passes", WORK)
    assert not missed(module(func("f", [GIVEN], WORK, passes, ended(GIVEN)), callee), "work")
    assert missed(module(func("f", [GIVEN], WORK, passes, ended(passes)), callee), "work")


def test_a_loop_that_turns_once_carries_nothing_on() -> None:
    carried = resource("carried")
    for upper, sure in ((1, False), (2, True)):
        work = dispatch("work", on=A)
        loop = count_loop(
            "loop", [GIVEN], [carried], [opaque("shown", carried), work], [work], upper
        )
        assert missed(straight([loop], GIVEN), "work") == sure


def test_a_while_loop_that_turns_once_hands_on_what_was_there_before() -> None:
    """Whether it turns at first, the caller says; after a turn, never again."""
    asked, turned = [resource("asked"), resource("asked_too")], [resource("one"), resource("two")]
    again = Value("again", I1)
    work = dispatch("work", on=A)
    loop = while_loop("loop", [GIVEN, GIVEN], (asked, [], asked), (turned, [], [work, turned[0]]))
    (before,), (after,) = loop.before.blocks, loop.after.blocks
    condition, last = before.operations[-1], after.operations[-1]
    assert isinstance(condition, Condition)
    assert isinstance(last, Yield)
    loop = replace(
        loop,
        initial=(CHOICE, *loop.initial),
        before=Region((Block((replace(condition, condition=again),), (again, *before.arguments)),)),
        after=Region(
            (Block((work, replace(last, values=(FALSE, *last.values))), after.arguments),)
        ),
    )
    assert not missed(straight([loop], loop.outputs[1]), "work")
    assert missed(straight([loop], loop.outputs[0]), "work")


def test_a_branch_is_taken_in_some_run() -> None:
    here, there = dispatch("here", on=A), dispatch("there", GIVEN, on=A)
    chosen = choose("chosen", [here], here, [there], there)
    whole = module(func("f", [GIVEN], chosen, ended(chosen)))
    assert missed(whole, "here")
    assert missed(whole, "there")
    folded = replace(chosen, condition=FALSE)
    assert not missed(module(func("f", [GIVEN], folded, ended(folded))), "here")


def test_all_ways_to_set_flags_are_run() -> None:
    flags = [Value(f"flag{place}", I1) for place in range(3)]
    inner: Operation = WORK
    for flag in flags:
        inner = within(flag, inner)
    assert missed(module(func("f", [GIVEN, *flags], inner, ended(inner))), "work")
    many = [Value(f"flag{place}", I1) for place in range(9)]
    idle = [within(flag, splat(f"idle{place}", A)) for place, flag in enumerate(many)]
    last = within(many[-1], WORK)
    assert missed(module(func("f", [GIVEN, *many], *idle, last, ended(last))), "work")


def within(flag: Value, operation: Operation) -> If:
    one = choose(f"if_{flag.name}", [operation], operation, [], GIVEN)
    return replace(one, condition=flag)


def test_what_is_loaded_may_decide() -> None:
    staged = transfer("staged", WORK, A, A, STAGING)
    read = load("read", staged)
    assert missed(straight([WORK, staged, read], read), "staged")
    assert not missed(straight([WORK, staged, read], GIVEN), "staged")


def test_what_is_shown_to_somebody_is_missed() -> None:
    assert missed(straight([WORK, opaque("shown", WORK)], GIVEN), "work")
    staged = transfer("staged", WORK, A, A, STAGING)
    read = load("read", staged)
    for name, sure in (("test.print", True), ("util.sizeof", False)):
        told = OpaqueOperation(
            identity="told", name=name, arguments=(read.result, REACHED), outputs=()
        )
        whole = module(func("f", [GIVEN], WORK, staged, read, told, ended(GIVEN)))
        assert missed(whole, "work") == sure


def test_globals_and_initializers() -> None:
    work = dispatch("work", on=A)
    start = initializer(work, store_global("store", work, "state"))
    taken = load_global("taken", "state")
    reader = func("reader", [], taken, ended(taken))
    idle = func("reader", [GIVEN], ended(GIVEN))
    assert missed(module(reader, globals=[kept("state")], initializers=[start]), "work")
    assert not missed(module(idle, globals=[kept("state")], initializers=[start]), "work")


def test_a_program_that_cannot_be_run_accuses_nobody() -> None:
    outside = call("outside", "foreign", WORK)
    assert not missed(
        module(func("f", [GIVEN], WORK, outside, ended(WORK)), declared("foreign")), "work"
    )
    cut = replace(WORK, arguments=(replace(WORK.bindings[0], span=Range.of(8, 16)),))
    assert not missed(straight([cut], cut), "work")
    room = Alloca(identity="room", result=resource("room", STAGING), affinity=A)
    read = load("read", room)
    assert not missed(straight([WORK, room, read], WORK, read), "work")


def test_what_others_make_too() -> None:
    same, other = replace(WORK, identity="same", outputs=(resource("same"),)), splat("other", A)
    whole = straight([WORK, same, other], WORK, same, other)
    witness = Witness(whole)
    assert witness.is_made_by(WORK, [same])
    assert not witness.is_made_by(WORK, [other])
    assert not witness.is_made_by(WORK, [])


def test_a_loop_that_turns_once_makes_what_is_there_already() -> None:
    carried = resource("carried")
    inner = dispatch("inner", carried, on=A)
    loop = count_loop("loop", [GIVEN], [carried], [inner], [inner], 1)
    assert Witness(straight([WORK, loop], WORK, loop)).is_made_by(inner, [WORK])
    twice = replace(loop, upper=2)
    assert not Witness(straight([WORK, twice], WORK, twice)).is_made_by(inner, [WORK])


def test_numbers_are_compared_too() -> None:
    size = Value("number", I32)
    whole = module(func("f", [GIVEN, size], WORK, ended(WORK, size)))
    assert missed(whole, "work")
