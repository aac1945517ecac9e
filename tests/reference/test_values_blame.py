"""What a wrong result is put down to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_values_storage import reading, region, writing
from valued import (
    A,
    B,
    alloca,
    barrier,
    bound,
    clone,
    dispatch,
    evaluated,
    fill,
    function,
    load,
    one_block,
    program,
    resource,
    slice_of,
    splat,
    staged,
    store,
    transfer,
)

from reference.ir import Global
from reference.ops import (
    Cast,
    Export,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    Import,
    OptimizationBarrier,
    Select,
    Yield,
)
from reference.types import BUFFER_VIEW, I1, I8, INDEX, Lifetime, Literal, Value
from reference.values.blame import changed_value, exposes, misread, written_over
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.observation import Setting
from reference.values.sharing import ALIASED, DIRECTLY, EXPORTED, HANDED_ON, exposed, way
from reference.values.terms import Terms

START = splat("start", 1)
MADE = dispatch("made", "ex::a__n")
OUT = resource("out")


def origin(identity):
    return identity.partition("~")[0]


def setting_of(whole):
    return Setting(inputs_of(whole)[0], Terms(), Interfaces(whole))


def whole_of(*operations, gives, arguments=()):
    return program(function(*operations, gives=gives, arguments=arguments))


def changed(before, after):
    return changed_value(before, after, setting_of(before), origin)


def over(after, before=None, last=None):
    return written_over(before, after, last or after, setting_of(after), origin)


# Values


def test_the_first_op_that_makes_something_else():
    filled = fill("filled", START, 0, 4, 9)
    before = whole_of(START, filled, gives=(filled,))
    other = fill("filled", START, 0, 4, 8)
    found = changed(before, whole_of(START, other, gives=(other,)))
    assert found.shape == ("changed", "fill", "in-place")
    assert "filled" in found.ops[0]
    new = replace(MADE, kernel="ex::b__n")
    found = changed(whole_of(MADE, gives=(MADE,)), whole_of(new, gives=(new,)))
    assert found.shape == ("changed", "dispatch", "new")


def test_an_op_that_a_pass_made_says_nothing():
    before = whole_of(START, gives=(START,))
    other = splat("start~2", 1), splat("new", 2)
    assert changed(before, whole_of(*other, gives=(other[1],))).shape == (
        "changed",
        "another-value",
    )


@pytest.mark.parametrize("handed_on", [False, True])
def test_what_made_the_value_that_is_not_taken_any_more(handed_on):
    filled = fill("filled", START, 0, 4, 9)

    def of(last, *operations):
        if not handed_on:
            return whole_of(START, *operations, gives=(last,))
        saved = clone("saved", last)
        return whole_of(START, *operations, saved, gives=(saved,))

    found = changed(of(filled, filled), of(START))
    assert found.shape == ("changed", "another-value", "for-fill")
    # What is still there was not left out.
    assert changed(of(filled, filled), of(START, filled)).shape == ("changed", "another-value")


def test_a_clone_that_was_a_transfer_does_as_that_did():
    filled = fill("filled", START, 0, 4, 9)
    moved = transfer("moved", filled)
    before = whole_of(START, filled, moved, gives=(moved,))
    kept = clone("moved", START)
    found = changed(before, whole_of(START, kept, gives=(kept,)))
    assert found.shape == ("changed", "another-value", "for-fill")


def test_a_value_of_another_size_is_another_value():
    longer = splat("longer", 1, size=12)
    filled = fill("filled", START, 0, 4, 9)
    before = whole_of(START, longer, filled, gives=(filled,))
    wrong = replace(filled, target=longer.result)
    after = whole_of(START, longer, wrong, gives=(wrong,))
    assert changed(before, after).shape == ("changed", "another-value")


@pytest.mark.parametrize("kind", [clone, transfer])
def test_a_source_of_another_size_is_another_value(kind):
    longer = splat("longer", 1, size=12)
    copied = kind("copied", longer)
    before = whole_of(START, longer, copied, gives=(copied,))
    shorter = replace(copied, source=replace(START.result, size=12))
    after = whole_of(START, longer, shorter, gives=(shorter,))
    assert changed(before, after).shape == ("changed", "another-value")


def test_ops_made_one_make_what_the_last_of_them_made():
    first = fill("first", START, 0, 4, 9)
    second = fill("second", first, 4, 4, 9)
    before = whole_of(START, first, second, gives=(second,))
    for start, length, shape in ((0, 8, "another-value"), (0, 6, "fill")):
        one = fill("first+second", START, start, length, 9)
        assert changed(before, whole_of(START, one, gives=(one,))).shape[1] == shape
    beyond = fill("first+second", START, 4, 8, 9)
    assert changed(before, whole_of(START, beyond, gives=(beyond,))).shape == ("changed", "run")


def test_a_run_that_does_not_end_tells_what_came_before():
    filled = fill("filled", START, 0, 4, 9)
    beyond = fill("beyond", filled, 6, 4, 9)
    other = fill("filled", START, 0, 4, 8)
    before = whole_of(START, filled, beyond, gives=(beyond,))
    found = changed(before, whole_of(START, other, replace(beyond, target=other.result), gives=()))
    assert found.shape == ("changed", "fill", "in-place")


def test_of_ops_of_one_place_each_is_held_against_its_kind():
    """As many as there were, in another order, one of them another op."""
    other = splat("other", 7)
    part = slice_of("moved~2", START, 0, 4)
    first, second = transfer("moved", other), transfer("moved~3", part)
    before = whole_of(START, other, part, first, second, gives=(first, second))
    wrong = splat("moved~2", 9, size=4)
    last = replace(second, source=wrong.result)
    after = whole_of(START, other, first, wrong, last, gives=(first, last))
    assert changed(before, after).shape == ("changed", "splat", "new")


def test_how_many_copies_a_run_that_stopped_would_have_had_nobody_knows():
    """Two calls with an op each, and one with two of the same place that does not come to its end:
    the second of these made what the first call made."""
    given = resource("given")
    saved = clone("saved", given)
    stored = GlobalStore(identity="stored", symbol="g", source=START.result)
    kept = Global(name="g", type=OUT.type, mutable=True)
    twice = clone("saved~2", given)
    beyond = fill("beyond", twice, 6, 4, 9)
    before, after = (
        replace(whole_of(*ops, gives=(ops[-1],), arguments=(given,)), globals=(kept,))
        for ops in ((START, stored, saved), (START, stored, saved, twice, beyond))
    )
    assert changed(before, after).shape == ("changed", "run")


# Storage


def test_a_read_behind_the_write():
    filled, seen = fill("filled", MADE, 2, 4, 9), slice_of("seen", MADE, 0, 8)
    found = over(whole_of(MADE, filled, seen, gives=(seen,)))
    assert found.shape == ("written-over", "not-copied", "directly")
    assert "writes bytes 2 to 6" in found.ops[0]
    assert "seen" in found.ops[1]
    found = over(whole_of(MADE, filled, gives=(MADE,)))
    assert found.shape == ("written-over", "not-copied", "directly")
    assert "the caller" in found.ops[1]


@pytest.mark.parametrize("name", ["barrier", "cast", "barrier+cast"])
def test_storage_under_another_name(name):
    named = barrier("named", MADE)
    cast = Cast(identity="cast", source=MADE.outputs[0], result=resource("cast"), affinity=A)
    both = (named, replace(cast, source=named.result))
    made = {"barrier": (named,), "cast": (cast,), "barrier+cast": both}[name]
    filled = fill("filled", made[-1], 0, 4, 9)
    found = over(whole_of(MADE, *made, filled, gives=(MADE, filled)))
    assert found.shape == ("written-over", "not-copied", "aliased")


def test_a_copy_that_is_gone():
    saved = clone("saved", MADE)
    filled, seen = fill("filled", saved, 0, 4, 9), slice_of("seen", MADE, 0, 8)
    before = whole_of(MADE, saved, filled, seen, gives=(filled, seen))
    shared = fill("filled", MADE, 0, 4, 9)
    found = over(whole_of(MADE, shared, seen, gives=(shared, seen)), before)
    assert found.shape == ("written-over", "without-clone", "directly")
    # The reader's own, where the writer writes what it wrote before.
    kept = slice_of("seen", saved, 0, 8)
    before = whole_of(MADE, saved, shared, kept, gives=(shared, kept))
    told = over(whole_of(MADE, shared, seen, gives=(shared, seen)), before)
    assert told.shape == ("written-over", "read-without-clone", "directly")


def test_ops_in_another_order():
    filled, seen = fill("filled", MADE, 0, 4, 9), transfer("seen", MADE)
    before = whole_of(MADE, seen, filled, gives=(filled, seen))
    found = over(whole_of(MADE, filled, seen, gives=(filled, seen)), before)
    assert found.shape == ("written-over", "reordered")
    read = dispatch("read", "ex::a_r_n", bound(MADE))
    for one in (replace(read, affinity=B), replace(read, affinity=None)):
        before = whole_of(MADE, one, filled, gives=(filled, one))
        found = over(whole_of(MADE, filled, one, gives=(filled, one)), before)
        assert found.shape == ("written-over", "reordered")


def test_ops_of_one_place_are_numbered_anew_after_each_pass():
    """Before, the number is a clone's that another op of the same place makes."""
    filled, seen = fill("filled", MADE, 0, 4, 9), slice_of("seen", MADE, 0, 8)
    saved = clone("filled~2", filled)
    before = whole_of(MADE, seen, filled, saved, gives=(saved, seen))
    now = replace(filled, identity="filled~2")
    found = over(whole_of(MADE, now, seen, gives=(now, seen)), before)
    assert found.shape == ("written-over", "reordered")


def test_a_reader_of_which_there_was_but_one():
    filled, seen = fill("filled", MADE, 0, 4, 9), slice_of("seen", MADE, 0, 8)
    before = whole_of(MADE, seen, filled, gives=(filled, seen))
    late = slice_of("seen~2", MADE, 0, 8)
    after = whole_of(MADE, seen, filled, late, gives=(filled, seen, late))
    assert over(after, before).shape == ("written-over", "reordered")


def test_what_the_caller_gets_has_no_place():
    """One of two results is written over by an op that came too late for the other."""
    first, second = fill("first", MADE, 0, 4, 9), fill("second", MADE, 0, 4, 8)
    before = whole_of(MADE, second, first, gives=(first,))
    found = over(whole_of(MADE, first, second, gives=(first,)), before)
    assert found.shape == ("written-over", "reordered")


def test_storage_that_no_op_made():
    argument = resource("argument")
    filled = fill("filled", argument, 0, 4, 9)
    other = resource("other")
    apart = fill("filled", other, 0, 4, 9)
    seen, same = slice_of("seen", argument, 0, 8), slice_of("same", other, 0, 8)
    arguments = (argument, other)
    before = whole_of(apart, seen, same, gives=(apart, seen), arguments=arguments)
    after = whole_of(filled, seen, gives=(filled, seen), arguments=arguments)
    assert over(after, before).shape == ("written-over", "shared", "directly")


def test_a_write_that_was_not_there():
    filled, seen = fill("filled", MADE, 0, 4, 9), slice_of("seen", MADE, 0, 8)
    before = whole_of(MADE, seen, gives=(seen,))
    after = whole_of(MADE, filled, seen, gives=(seen,))
    assert over(after, before).shape == ("written-over", "rewritten", "directly")


def test_bytes_that_nobody_has_written_in_the_place_of_some():
    """As happens where an op writes too little, in another order than SSA's."""
    room = alloca("room")
    filled, late = fill("filled", room, 0, 4, 9), clone("late", room)
    after = whole_of(room, filled, late, gives=(late,))
    assert over(after).shape == ("written-over", "unknown")


def test_only_what_is_wrong_in_the_end_counts():
    first, second = resource("first"), resource("second")
    one, two = fill("one", first, 0, 4, 9), fill("two", second, 0, 4, 9)
    seen, also = slice_of("seen", first, 0, 8), slice_of("also", second, 0, 8)
    arguments = (first, second)
    after = whole_of(one, two, seen, also, gives=(seen, also), arguments=arguments)
    mended = whole_of(seen, one, two, also, gives=(seen, also), arguments=arguments)
    assert "seen" in over(after).ops[1]
    assert "also" in over(after, last=mended).ops[1]
    # Where nothing of it is left, the first will do.
    right = whole_of(seen, also, one, two, gives=(seen, also), arguments=arguments)
    assert "seen" in over(after, last=right).ops[1]


def test_who_reads_what_a_misled_op_wrote_is_not_at_the_cause():
    """The clone reads what was written over; who writes it in place writes something else then,
    which the caller gets, and the clone itself is gone in the end."""
    over_it = fill("over", MADE, 0, 4, 9)
    taken = clone("taken", MADE)
    used = dispatch("used", "ex::a_w_t", bound(taken), ties=(0,))
    after = whole_of(MADE, over_it, taken, used, gives=(used,))
    merged = dispatch("used", "ex::a_w_t", bound(MADE), ties=(0,))
    last = whole_of(MADE, over_it, merged, gives=(merged,))
    found = over(after, last=last)
    assert "over" in found.ops[0]
    assert "taken" in found.ops[1]


def test_what_was_wrong_before_is_not_what_a_pass_did():
    first, second = resource("first"), resource("second")
    one, two = fill("one", first, 0, 4, 9), fill("two", second, 0, 4, 9)
    seen, also = slice_of("seen", first, 0, 8), slice_of("also", second, 0, 8)
    arguments = (first, second)
    before = whole_of(one, seen, also, two, gives=(seen, also), arguments=arguments)
    after = whole_of(one, two, seen, also, gives=(seen, also), arguments=arguments)
    assert "seen" in over(after).ops[1]
    assert "also" in over(after, before).ops[1]
    # Where a pass did nothing, the first will do.
    assert "seen" in over(after, after).ops[1]


def test_what_nothing_orders_is_not_in_the_wrong_order():
    memory = resource("memory")

    def regions(*both):
        return whole_of(*both, gives=(resource("out1_0"),), arguments=(memory,))

    raced = over(regions(writing(0), reading(1)), regions(reading(1), writing(0)))
    assert raced is None
    waits = replace(reading(1), awaits=writing(0).timepoint)
    wrong = over(regions(writing(0), waits), regions(reading(1), writing(0)))
    assert wrong.shape == ("written-over", "reordered")
    # What a later pass makes to wait waits for the wrong one.
    late = over(
        regions(writing(0), reading(1)),
        regions(reading(1), writing(0)),
        last=regions(writing(0), waits),
    )
    assert late == wrong


def test_a_view_that_is_returned_as_it_came_is_not_misread():
    view, held = Value("view", BUFFER_VIEW), resource("held")
    taken = Import(
        identity="i", source=view, encoding="tensor<8xi8>", dimensions=(), result=held, affinity=A
    )
    seen = slice_of("seen", held, 0, 8)
    whole = whole_of(taken, seen, gives=(view, seen), arguments=(view,))
    assert misread(whole, setting_of(whole), origin) == frozenset()
    written = whole_of(taken, fill("f", held, 0, 4, 9), gives=(view,), arguments=(view,))
    assert misread(written, setting_of(written), origin) == {None}


def test_who_reads_what_was_written_over():
    filled, seen = fill("filled", MADE, 0, 4, 9), slice_of("seen~2", MADE, 0, 8)
    whole = whole_of(MADE, filled, seen, gives=(MADE, filled))
    assert misread(whole, setting_of(whole), origin) == {"seen", None}


def test_a_run_that_was_led_elsewhere_is_followed_as_far_as_it_is_the_same():
    """The host reads what was written over, and decides by it."""
    here = staged("here", MADE)
    stored, word = store("stored", here, 0, 0), load("word", here, 0, I1)
    sides = [one_block(slice_of(name, MADE, 0, end), Yield(identity="y", values=()))
             for name, end in (("then", 4), ("else", 8))]  # fmt: skip
    choice = If(identity="i", condition=word.result, outputs=(), then=sides[0], otherwise=sides[1])
    whole = whole_of(MADE, here, stored, word, choice, gives=(word,))
    inputs = next(
        one
        for one in (replace(inputs_of(whole)[0], seed=seed) for seed in range(9))
        if evaluated(whole, one).results[0].value == 1
    )
    setting = Setting(inputs, Terms(), Interfaces(whole))
    assert misread(whole, setting, origin) == {"word"}


def test_bytes_that_a_misled_run_never_wrote():
    """A number that was misread says where to write."""
    here = staged("here", splat("eight", 4))
    stored, word = store("stored", here, 0, 0), load("word", here, 0, I8)
    grown = HostScalar(
        identity="g", name="arith.extui", arguments=(word.result,),
        outputs=(Value("grown", INDEX),),
    )  # fmt: skip
    target = resource("target", lifetime=Lifetime.STAGING)
    late = store("late", target, grown.outputs[0], 9, I8)
    seen = load("seen", late, 4, I8)
    operations = (splat("eight", 4), here, stored, word, grown, late, seen)
    whole = whole_of(*operations, gives=(seen,), arguments=(target,))
    # Of what the caller gets, a number, there is nothing to read.
    assert misread(whole, setting_of(whole), origin) == {"word", "seen"}
    assert over(whole).shape == ("written-over", "not-copied", "directly")


def test_the_host_reads_too():
    here = staged("here", MADE)
    stored, word = store("stored", here, 0, 9), load("word", here, 0)
    found = over(whole_of(MADE, here, stored, word, gives=(word,)))
    assert found.shape == ("written-over", "not-copied", "directly")


def test_what_nothing_wrote():
    """The bytes were an argument's, and were never touched: they are wrong from the start."""
    one, other = resource("one"), resource("other")
    flag = Select(
        identity="s", condition=Literal(1, I1), then=one, otherwise=other, result=resource("x")
    )
    seen = slice_of("seen", flag, 0, 8)
    whole = whole_of(flag, seen, gives=(seen,), arguments=(one, other))
    assert over(whole).shape == ("written-over", "unknown")


# Names of storage


def test_storage_that_others_name_otherwise_is_exposed():
    named = barrier("named", MADE)
    filled = fill("filled", named, 0, 4, 9)
    seen, behind = slice_of("seen", MADE, 0, 8), slice_of("behind", filled, 0, 8)
    for others, expected in (((seen,), True), ((behind,), False), ((behind, seen), True)):
        whole = whole_of(MADE, named, filled, *others, gives=(behind,) if behind in others else ())
        assert exposed(whole, filled) is expected
        assert exposes(whole, fill("filled", named, 2, 4, 8), origin) is expected
    # Under one name, copy-on-write has looked.
    direct = fill("direct", MADE, 0, 4, 9)
    assert not exposed(whole_of(MADE, direct, seen, gives=()), direct)
    saved = clone("saved", MADE)
    apart = fill("filled", saved, 0, 4, 9)
    assert not exposes(whole_of(MADE, named, saved, apart, seen, gives=()), filled, origin)


def test_a_load_that_a_pass_moved():
    stored = GlobalStore(identity="s", symbol="g", source=START.result)
    loaded = GlobalLoad(identity="l", symbol="g", result=resource("loaded"))
    kept = Global(name="g", type=OUT.type, mutable=True)
    before, after = (
        replace(whole_of(*ops, gives=(loaded,)), globals=(kept,))
        for ops in ((START, stored, loaded), (loaded, START, stored))
    )
    assert changed(before, after).shape == ("changed", "load", "new")


def test_ways_go_up_into_regions_and_out_again():
    work = region(0, fill("filled0", resource("inner0"), 0, 4, 9), gives=(
        fill("filled0", resource("inner0"), 0, 4, 9),))  # fmt: skip
    made = dispatch("memory", "ex::a__n")
    outside = fill("outside", work.outputs[0], 0, 4, 8)
    inside = work.body.blocks[0].operations[0]
    whole = whole_of(made, work, outside, gives=(outside,))
    assert way(whole, outside, inside) == DIRECTLY
    assert way(whole, inside, None) == DIRECTLY


def test_what_control_flow_hands_on_has_no_one_way():
    passed = OptimizationBarrier(
        identity="o", sources=(MADE.outputs[0],), outputs=(resource("passed"),)
    )
    filled, seen = fill("filled", passed, 0, 4, 9), slice_of("seen", MADE, 0, 8)
    whole = whole_of(MADE, passed, filled, seen, gives=(seen,))
    assert way(whole, filled, seen) == HANDED_ON
    shown = Export(
        identity="e", source=MADE.outputs[0], encoding="tensor<8xi8>", dimensions=(),
        result=Value("view", BUFFER_VIEW), affinity=A,
    )  # fmt: skip
    direct = fill("direct", MADE, 0, 4, 9)
    both = whole_of(MADE, shown, direct, gives=(shown, MADE))
    assert [way(both, direct, None, turn) for turn in (0, 1)] == [EXPORTED, DIRECTLY]
    named = barrier("named", MADE)
    renamed = fill("renamed", named, 0, 4, 9)
    assert way(whole_of(MADE, shown, named, renamed, gives=(shown,)), renamed, None) == ALIASED
    scalar = load("word", staged("here", MADE), 0)
    assert way(whole, filled, scalar) == HANDED_ON
