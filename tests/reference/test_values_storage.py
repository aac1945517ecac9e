"""Storage semantics: in place is in place, and what nothing orders is a race."""

from __future__ import annotations

from dataclasses import replace

import pytest
from valued import (
    A,
    B,
    alloca,
    as_storage,
    barrier,
    both,
    bound,
    clone,
    copy,
    dispatch,
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
    update,
    values,
)

from reference.ops import (
    Await,
    Cast,
    ChainExternal,
    Concurrent,
    Execute,
    Export,
    Import,
    Join,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
)
from reference.types import BUFFER_VIEW, TIMEPOINT, Lifetime, OpaqueType, Value
from reference.values.content import literal
from reference.values.outcome import difference

START = splat("start", 1)
IN_PLACE = (
    fill("written", START, 0, 4, 9),
    update("written", splat("small", 9, 4), START, 0, 4),
    copy("written", splat("other", 9), 0, START, 0, 4),
    dispatch("written", "ex::a_w_t", bound(START, 0, 4), ties=(0,)),
)


def differ(*operations, gives, arguments=()):
    """Whether storage shows another result than SSA values."""
    ssa, storage = both(program(function(*operations, gives=gives, arguments=arguments)))
    return difference(ssa, storage) is not None


@pytest.mark.parametrize("written", IN_PLACE, ids=lambda op: op.mnemonic)
def test_what_is_written_in_place_is_written_over(written):
    before = (START, splat("small", 9, 4), splat("other", 9))
    assert differ(*before, written, gives=(START, written))
    saved = clone("saved", START)
    on_copy = clone("on_copy", START)
    assert not differ(*before, saved, written, gives=(saved, written))
    assert differ(*before, written, saved, gives=(saved, written))
    assert not differ(*before, written, gives=(written,))
    assert not differ(*before, on_copy, written, gives=(on_copy,))


def test_the_host_writes_in_place():
    here = staged("here", START)
    stored = store("stored", here, 0, 9)
    before, after = load("before", here, 0), load("after", here, 0)
    assert differ(START, here, stored, after, gives=(after,))
    assert not differ(START, here, before, stored, gives=(before, stored))


@pytest.mark.parametrize("kind", [Lifetime.UNKNOWN, Lifetime.TRANSIENT, Lifetime.EXTERNAL])
def test_a_cast_shares_storage(kind):
    cast = Cast(identity="c", source=START.result, result=resource("c", 8, kind), affinity=A)
    filled = fill("filled", cast, 0, 4, 9)
    assert differ(START, cast, filled, gives=(START, filled))


def test_ops_that_copy_have_storage_of_their_own():
    for made in (clone("made", START), transfer("made", START), slice_of("made", START, 0, 8)):
        filled = fill("filled", made, 0, 4, 9)
        assert not differ(START, made, filled, gives=(START, filled))


def test_ops_that_name_storage_again_share_it():
    ready = Value("ready", TIMEPOINT)
    named = TimepointBarrier(
        identity="n", source=START.result, result=resource("named"), timepoint=ready, affinity=A
    )
    waited = Await(identity="w", awaits=ready, sources=(named.result,), outputs=(resource("w"),))
    for made in ((barrier("made", START),), (named,), (named, waited)):
        filled = fill("filled", made[-1], 0, 4, 9)
        assert differ(START, *made, filled, gives=(START, filled))


def test_views_share_storage_with_their_resources():
    view, shown = Value("view", BUFFER_VIEW), Value("shown", BUFFER_VIEW)
    external = resource("external", lifetime=Lifetime.EXTERNAL)
    taken = Import(
        identity="i", source=view, encoding="tensor<8xi8>", dimensions=(), result=external,
        affinity=A,
    )  # fmt: skip
    given = Export(
        identity="e", source=external, encoding="tensor<8xi8>", dimensions=(), result=shown,
        affinity=A,
    )  # fmt: skip
    filled = fill("filled", external, 0, 4, 9)
    assert differ(taken, given, filled, gives=(shown, filled), arguments=(view,))
    # What becomes of the caller's own memory is not looked at.
    assert not differ(taken, filled, gives=(filled,), arguments=(view,))


def test_what_an_allocation_holds_at_first_is_nobody_s():
    made = alloca("made")
    filled = fill("filled", made, 0, 8, 9)
    assert not differ(made, filled, gives=(filled,))
    # Unwritten bytes may be any, those of a later write too.
    assert not differ(made, filled, gives=(made,))


# Order

DONE = [Value(f"done{place}", TIMEPOINT) for place in range(4)]


def region(place, *operations, gives=(), awaits=None, captures=(), on=A):
    """Region number `place` over the argument `memory`, which it sees as `inner`."""
    inner = resource(f"inner{place}")
    last = StreamYield(identity="y", values=tuple(one.results[0] for one in gives))
    body = one_block(*operations, last, arguments=(inner,))
    outputs = tuple(resource(f"out{place}_{each}") for each in range(len(gives)))
    return Execute(
        identity=f"region{place}", captures=captures or (resource("memory"),), awaits=awaits,
        outputs=outputs, timepoint=DONE[place], body=body, affinity=on,
    )  # fmt: skip


def writing(place, start=0, length=8, awaits=None, on=A):
    filled = fill(f"filled{place}", resource(f"inner{place}"), start, length, place)
    return region(place, filled, gives=(filled,), awaits=awaits, on=on)


def reading(place, start=0, end=8, awaits=None, on=A):
    part = slice_of(f"part{place}", resource(f"inner{place}"), start, end)
    return region(place, part, gives=(part,), awaits=awaits, on=on)


def waiting(name, timepoint):
    return Await(
        identity=name, awaits=timepoint, sources=(resource("memory"),), outputs=(resource(name),)
    )


def raced(*operations, gives=()):
    arguments = (resource("memory"),)
    outcome = as_storage(program(function(*operations, gives=gives, arguments=arguments)))
    return [(race.earlier.writes, race.later.writes) for race in outcome.races]


def test_regions_that_nothing_orders_race():
    assert raced(writing(0), reading(1)) == [(True, False)]
    assert raced(reading(0), writing(1)) == [(False, True)]
    assert raced(writing(0), writing(1)) == [(True, True)]
    assert raced(reading(0), reading(1)) == []


def test_other_bytes_do_not_race():
    assert raced(writing(0, 0, 4), reading(1, 4, 8)) == []
    assert raced(writing(0, 0, 4), reading(1, 3, 8)) == [(True, False)]


def test_a_region_comes_after_what_it_awaits():
    assert raced(writing(0), reading(1, awaits=DONE[0])) == []
    # And after all that this came after.
    chain = (writing(0), reading(1, awaits=DONE[0]), writing(2, awaits=DONE[1]))
    assert raced(*chain) == []
    # Not after what it does not wait for.
    assert raced(writing(0), writing(1, 0, 0), reading(2, awaits=DONE[1])) == [(True, False)]


def test_a_join_is_all_of_its_timepoints():
    both_done = Value("both", TIMEPOINT)
    join = Join(identity="j", sources=(DONE[0], DONE[1]), result=both_done)
    first, second = writing(0, 0, 4), writing(1, 4, 4)
    assert raced(first, second, join, reading(2, awaits=both_done)) == []
    assert raced(first, second, join, reading(2, awaits=DONE[1])) == [(True, False)]


def test_the_host_orders_what_it_does_later():
    waited = waiting("w", DONE[0])
    taken = resource("w")
    assert raced(writing(0), waited, reading(1), gives=(taken,)) == []
    assert raced(writing(0), reading(1), waited, gives=(taken,)) == [(True, False)]
    # Nobody takes what was waited for: a pass drops the wait.
    assert raced(writing(0), waited, reading(1)) == [(True, False)]


def test_the_host_itself_races_until_it_waits():
    memory = resource("memory", lifetime=Lifetime.STAGING)
    word = load("word", memory, 0)
    assert raced(writing(0), word) == [(True, False)]
    awaited = load("word", replace(memory, name="w"), 0)
    assert raced(writing(0), waiting("w", DONE[0]), awaited) == []
    assert raced(word, writing(0)) == []


def test_the_caller_races_with_what_it_is_not_told_the_end_of():
    memory, work = resource("memory"), writing(0)
    done = work.timepoint
    assert raced(work, gives=(memory,)) == [(True, False)]
    assert raced(reading(0), gives=(memory,)) == []
    awaited = waiting("w", done)
    assert raced(work, awaited, gives=(awaited.outputs[0],)) == []
    assert raced(work, gives=(memory, done)) == []
    fence = Value("fence", OpaqueType("!hal.fence"))
    chained = ChainExternal(identity="c", source=done, externals=(fence,), affinity=A)
    assert raced(work, chained, gives=(memory,)) == []
    exported = TimepointExport(identity="e", source=done, outputs=(fence,), affinity=A)
    assert raced(work, exported, gives=(memory, fence)) == []


def test_the_host_learns_when_storage_is_ready():
    ready, named = Value("ready", TIMEPOINT), resource("named")
    asked = TimepointBarrier(
        identity="n", source=resource("memory"), result=named, timepoint=ready, affinity=A
    )
    chain = (writing(0), reading(1, awaits=DONE[0]), asked)
    assert raced(*chain, writing(2, awaits=ready)) == []
    assert raced(*chain, writing(2)) == [(True, True), (False, True)]
    # Of storage that only the host has touched, at once.
    assert raced(load("word", resource("memory"), 0), asked, writing(2, awaits=ready)) == []


def wave(place, *operations, gives):
    inner, outer = resource(f"in_wave{place}"), resource(f"inner{place}")
    last = StreamYield(identity="y", values=tuple(one.results[0] for one in gives))
    return Concurrent(
        identity=f"wave{place}", captures=(outer,),
        outputs=tuple(resource(f"waved{place}_{each}") for each in range(len(gives))),
        body=one_block(*operations, last, arguments=(inner,)),
    )  # fmt: skip


def test_ops_of_a_wave_race_with_each_other_only():
    inside = resource("in_wave0")
    filled, part = fill("f", inside, 0, 4, 1), slice_of("p", inside, 0, 8)
    together = wave(0, filled, part, gives=(filled, part))
    assert raced(region(0, together, gives=(together,))) == [(True, False)]
    apart = wave(0, filled, slice_of("p", inside, 4, 8), gives=(filled,))
    before = fill("b", resource("inner0"), 0, 8, 1)
    after = slice_of("a", resource("inner0"), 0, 8)
    assert raced(region(0, before, apart, after, gives=(after,))) == []
    # A later region waits for all of it.
    assert raced(region(0, apart, gives=(apart,)), reading(1, awaits=DONE[0])) == []
    two = wave(0, fill("g", inside, 0, 4, 1), gives=(fill("g", inside, 0, 4, 1),))
    again = replace(two, identity="again", outputs=(resource("again"),))
    assert raced(region(0, apart, again, gives=(again,))) == []


def test_a_value_of_the_same_wave_is_not_there_yet():
    made = splat("made", 7)
    copied = clone("copied", made)
    together = wave(0, made, copied, gives=(copied,))
    assert raced(region(0, together, gives=(together,))) == [(True, False)]


def test_accesses_remember_where_and_within_what():
    other = writing(1, on=B)
    memory = resource("memory")
    (race,) = as_storage(program(function(writing(0), other, arguments=(memory,)))).races
    assert (race.earlier.affinity, race.later.affinity) == (A, A)  # the ops say so themselves
    assert race.earlier.work != race.later.work
    nowhere = replace(fill("f", resource("inner0"), 0, 8, 1), affinity=None)
    (race,) = as_storage(
        program(
            function(
                region(0, nowhere, gives=(nowhere,), on=B), writing(1), arguments=(memory,),
            )
        )
    ).races  # fmt: skip
    assert (race.earlier.affinity, race.later.affinity) == (B, A)


def test_what_comes_after_a_whole_write_needs_nothing_before_it():
    chain = [writing(0), writing(1, awaits=DONE[0]), reading(2, awaits=DONE[1])]
    given = (chain[-1], DONE[2])
    outcome = as_storage(program(function(*chain, gives=given, arguments=(resource("memory"),))))
    assert outcome.races == ()
    assert values(outcome) == [literal(b"\1" * 8)]
