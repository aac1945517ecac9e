"""`execution` on programs put together by hand: a case on each side of each exception."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flow import (
    CHOICE,
    blocks,
    ended,
    execute,
    fork,
    func,
    go,
    initializer,
    kept,
    module,
    store_global,
)
from straight import (
    A0,
    STAGING,
    TRANSIENT,
    A,
    B,
    C,
    barrier,
    clone,
    dispatch,
    exported,
    fill,
    imported,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
    value_of,
)

from reference.affinity import Affinity, Link, Topology
from reference.contracts.breach import Breach
from reference.contracts.execution import execution, explicit_affinity, goes_with, still_says
from reference.ir import Operation, Program
from reference.ops import Alloca, Copy, Slice
from reference.ops.assembly import Range

GIVEN = resource("given")


def origin(identity: str) -> str:
    return identity.partition("~")[0]


def broken(
    before: Sequence[Operation] | Program,
    *held: tuple[Affinity | None, Sequence[Operation]],
    between: Sequence[Operation] | None = None,
    topology: Topology | None = None,
) -> list[Breach]:
    """What is lost when a program becomes regions of these ops on these devices.

    The last op of the program is needed. `between` is what scheduling was given, the program
    itself unless said otherwise.
    """
    whole = before if isinstance(before, Program) else program(before, before[-1])
    regions = [
        execute(f"region{place}", [], [], operations, [], on)
        for place, (on, operations) in enumerate(held)
    ]
    given = whole if between is None else program(between, GIVEN)
    return list(
        execution(replace(whole, topology=topology), given, program(regions, GIVEN), origin)
    )


def shapes(breaches: list[Breach]) -> list[tuple[str, ...]]:
    return [breach.shape for breach in breaches]


WORK = dispatch("work", GIVEN, on=A)
ELSEWHERE = ("region-elsewhere", "stream.async.dispatch")


def test_what_says_on_runs_in_a_region_there() -> None:
    assert broken([WORK], (A, [WORK])) == []
    assert shapes(broken([WORK], (B, [WORK]))) == [ELSEWHERE]


def test_the_region_decides_not_what_is_left_on_the_op() -> None:
    stripped = replace(WORK, affinity=None)
    assert broken([WORK], (A, [stripped])) == []
    assert shapes(broken([WORK], (B, [WORK]))) == [ELSEWHERE]


def test_queues_of_one_device_go_together_in_either_direction() -> None:
    assert broken([WORK], (A0, [WORK])) == []
    narrow = replace(WORK, affinity=A0)
    assert broken([narrow], (A, [narrow])) == []
    assert shapes(broken([narrow], (Affinity("device_a", 2), [narrow]))) == [ELSEWHERE]


def test_an_op_that_says_nothing_may_run_anywhere() -> None:
    silent = replace(WORK, affinity=None)
    assert broken([silent], (B, [silent])) == []
    assert broken([silent], (None, [silent])) == []
    moved = transfer("moved", GIVEN, A, B)
    assert broken([moved], (C, [moved])) == []


def test_host_ops_are_in_no_region() -> None:
    assert broken([imported("in", A)]) == []
    assert explicit_affinity(imported("in", A)) is None
    assert explicit_affinity(exported("out", GIVEN, A)) is None
    assert explicit_affinity(transfer("moved", GIVEN, A, B)) is None
    assert explicit_affinity(transfer("moved", GIVEN, A, B, on=C)) == C


def test_a_region_without_affinity_is_told_once_with_what_stood_against_it() -> None:
    other = dispatch("other", GIVEN, on=A)
    (breach,) = broken([WORK, other], (None, [WORK, other]))
    assert breach.shape == ("region-without-affinity", "against-nothing")
    assert breach.origin == "work"
    held = barrier("held", WORK, B)
    assert shapes(broken([WORK, held], (None, [WORK]))) == [
        ("region-without-affinity", "against-barrier")
    ]
    there = dispatch("there", GIVEN, on=B)
    assert shapes(broken([WORK, there], (None, [WORK, there]))) == [
        ("region-without-affinity", "against-dispatch")
    ]
    queue = dispatch("queue", GIVEN, on=A0)
    assert shapes(broken([WORK, queue], (None, [WORK, queue]))) == [
        ("region-without-affinity", "against-another-queue")
    ]
    assert broken([WORK, held], (A, [WORK])) == []
    moved = transfer("moved", WORK, B, A, on=B)
    assert shapes(broken([WORK, moved, there, held], (None, [WORK, moved, there]))) == [
        ("region-without-affinity", "against-transfer")
    ]


def test_an_op_outside_of_all_regions_is_another_promise() -> None:
    whole = program([WORK], WORK)
    assert list(execution(whole, whole, whole, origin)) == []


def test_each_copy_runs_there() -> None:
    made = splat("made", A)
    copy = replace(made, identity="made~2")
    assert broken([made], (A, [made]), (A, [copy])) == []
    assert shapes(broken([made], (A, [made]), (B, [copy]))) == [
        ("region-elsewhere", "stream.async.splat")
    ]


def test_ops_that_share_a_location_each_have_a_place() -> None:
    other = dispatch("work~2", GIVEN, on=B)
    assert broken([WORK, other], (A, [WORK]), (B, [other])) == []
    assert shapes(broken([WORK, other], (A, [WORK]), (C, [other]))) == [ELSEWHERE]


def test_what_another_op_stands_for_runs_there_too() -> None:
    moved = transfer("moved", GIVEN, A, A, on=B)
    turned = clone("moved", GIVEN, A)
    (breach,) = broken([moved], (A, [turned]), between=[turned])
    assert breach.shape == ("lost", "stream.async.transfer", "to-device")
    assert breach.before
    assert breach.affinity == B
    assert "stream.async.clone" in breach.message
    assert broken([moved], (B, [turned]), between=[turned]) == []


def test_what_is_lost_by_scheduling_is_told_apart() -> None:
    moved = transfer("moved", GIVEN, A, A, on=B)
    (breach,) = broken([moved], (A, [clone("moved", GIVEN, A)]))
    assert breach.shape == ("region-elsewhere", "stream.async.transfer")
    assert not breach.before
    (gone,) = broken([WORK])
    assert gone.shape == ("vanished", "stream.async.dispatch")
    assert not gone.before


def test_of_an_op_that_is_there_several_times_one_may_lose_it_by_becoming_another() -> None:
    """As copies of an inlined function do: where they are matters."""
    moved = transfer("moved", GIVEN, A, A, on=B)
    copied = clone("moved", GIVEN, A)
    kept = (B, [replace(moved, identity="moved~2")])
    (breach,) = broken(
        [moved], (A, [copied]), kept, between=[copied, replace(moved, identity="moved~2")]
    )
    assert breach.shape == ("lost", "stream.async.transfer", "to-device")
    assert breach.before
    assert breach.became == "stream.async.clone"
    (all_of_them,) = broken([moved], (A, [copied]), between=[copied])
    assert all_of_them.shape == breach.shape
    assert all_of_them.became is None


def test_other_ops_are_lost_too() -> None:
    (breach,) = broken([WORK], between=[])
    assert breach.shape == ("lost", "stream.async.dispatch")


def test_a_chain_goes_through_copies() -> None:
    away = transfer("away", GIVEN, A, B)
    same = replace(cut(away), identity="same", end=16, result=resource("same"), affinity=B)
    held = barrier("held", same, B)
    whole = Copy(
        identity="whole", source=held.result, source_span=Range.of(0, 16), target=resource("there"),
        target_span=Range.of(0, 16), result=resource("whole"), affinity=B,
    )  # fmt: skip
    for between in (same, held, whole, clone("copy", held, B)):
        back = transfer("back", between, B, A, on=A)
        chain = [away, same, held, whole, clone("copy", held, B), back]
        assert broken(program(chain, back), (B, [same, whole, chain[4]])) == []
        lost = replace(back, explicit_affinity=C)
        chain[-1] = lost
        assert len(broken(program(chain, lost), (B, [same, whole, chain[4]]))) == 1


def test_a_chain_ends_at_what_is_no_copy() -> None:
    away = transfer("away", GIVEN, A, B)
    work = dispatch("worked", away, on=B)
    back = transfer("back", work, B, A, on=A)
    assert len(broken([away, work, back], (B, [work]))) == 1


def test_staging_is_told_apart() -> None:
    moved = transfer("moved", GIVEN, A, A, STAGING, on=B)
    (breach,) = broken([moved, load("read", moved)], between=[])
    assert breach.shape == ("lost", "stream.async.transfer", "to-staging")


def test_a_dispatch_vanishes_only_when_dead_or_a_duplicate() -> None:
    assert shapes(broken([WORK])) == [("vanished", "stream.async.dispatch")]
    assert broken(program([WORK], GIVEN)) == []
    twin = dispatch("twin", GIVEN, on=A)
    both = program([WORK, twin], WORK, twin)
    assert broken(both, (A, [twin])) == []
    elsewhere = program([WORK, replace(twin, affinity=B)], WORK, twin)
    assert shapes(broken(elsewhere, (B, [replace(twin, affinity=B)]))) == [
        ("vanished", "stream.async.dispatch")
    ]
    other = program([WORK, replace(twin, workload=(4,))], WORK, twin)
    assert shapes(broken(other, (A, [replace(twin, workload=(4,))]))) == [
        ("vanished", "stream.async.dispatch")
    ]


def test_of_blocks_that_are_one_now_an_op_of_either_is_left() -> None:
    """They hold the same ops, but for what these take, and go on to the same block."""
    one, other = dispatch("one", splat("x", A), on=A), dispatch("other", splat("y", A), on=A)
    moved, sent = (transfer(name, GIVEN, A, B, on=A) for name in ("moved", "sent"))

    def lost(first: Sequence[Operation], second: Sequence[Operation], left: Operation) -> int:
        joined = resource("joined")
        body = blocks(
            ((GIVEN, CHOICE), [splat("x", A), splat("y", A), fork((1, []), (2, []))]),
            ((), [*first, go(3, first[0])]),
            ((), [*second, go(3, second[0])]),
            ((joined,), [ended(joined)]),
        )
        whole = module(func("main", [], body=body))
        kept_there = (A, [*first[1:], left])
        return len([1 for breach in broken(whole, kept_there) if breach.shape[0] == "vanished"])

    assert lost([one], [other], other) == 0
    assert lost([one], [other], one) == 0
    assert lost([one], [other], dispatch("neither", GIVEN, on=A)) == 2
    assert lost([one], [replace(other, kernel="ex::another")], other) == 1
    assert lost([one], [replace(other, affinity=B)], other) == 1
    assert lost([one], [moved], moved) == 1
    assert lost([one], [other, moved, dispatch("used", moved, on=A)], other) == 0
    assert lost([replace(moved, identity="one")], [sent], sent) == 0


def test_what_ends_elsewhere_is_another_block() -> None:
    one, other = (
        dispatch(
            "one",
            GIVEN,
            on=A,
        ),
        dispatch("other", splat("y", A), on=A),
    )
    whole = module(
        func(
            "main", [],
            body=blocks(
                ((GIVEN, CHOICE), [splat("y", A), fork((1, []), (2, []))]),
                ((), [one, go(3, one)]),
                ((), [other, ended(other)]),
                ((resource("joined"),), [ended(resource("joined"))]),
            ),
        )
    )  # fmt: skip
    assert shapes(broken(whole, (A, [other]))) == [("vanished", "stream.async.dispatch")]


def test_identical_transfers_are_one() -> None:
    """Kind n35: two transfers of one value to one device are merged."""
    one = transfer("one", GIVEN, A, B, on=C)
    other = transfer("other", GIVEN, A, B, on=C)
    assert broken(program([one, other], one, other), (C, [one])) == []
    elsewhere = replace(other, explicit_affinity=A)
    assert len(broken(program([one, elsewhere], one, other), (A, [elsewhere]))) == 1
    further = replace(other, target_affinity=A)
    assert len(broken(program([one, further], one, other), (C, [further]))) == 1


def test_duplicates_may_take_copies_of_one_value() -> None:
    copies = [clone("first", GIVEN, A), transfer("second", GIVEN, A, A)]
    ends = [dispatch("one", copies[0], on=A), dispatch("other", copies[1], on=A)]
    whole = program([*copies, *ends], *ends)
    assert broken(whole, (A, [copies[0], ends[0]])) == []


def test_an_inner_link_of_a_chain_may_go_whatever_it_says() -> None:
    inner = transfer("inner", GIVEN, A, B, on=C)
    last = transfer("last", inner, B, C)
    assert broken([inner, last], (B, [last])) == []
    assert broken([inner, held := barrier("held", inner, B), replace(last, source=held.result)],
                  (B, [last])) == []  # fmt: skip
    used = dispatch("used", inner, on=B)
    both = program([inner, last, used], last, used)
    assert shapes(broken(both, (B, [last, used]))) == [("vanished", "stream.async.transfer")]


def test_a_user_that_nobody_needs_is_none() -> None:
    inner = transfer("inner", GIVEN, A, B, on=C)
    dead = dispatch("dead", inner, on=B)
    last = transfer("last", inner, B, C)
    assert broken([inner, dead, last], (B, [last])) == []


def test_the_last_link_of_a_chain_keeps_its_on() -> None:
    inner = transfer("inner", GIVEN, A, B)
    last = transfer("last", inner, B, A, TRANSIENT, on=B)
    assert shapes(broken([inner, last], between=[])) == [
        ("lost", "stream.async.transfer", "to-device")
    ]
    home = replace(last, explicit_affinity=A)
    assert broken([inner, home], between=[]) == []


def test_a_transfer_in_place_may_go_when_it_is_at_home() -> None:
    for source, target, on in ((A, A, A), (None, A, A), (A, None, A), (A, A, A0)):
        moved = transfer("moved", GIVEN, source, target, on=on)
        assert broken([moved]) == []
    assert len(broken([transfer("moved", GIVEN, A, A, on=B)])) == 1
    assert len(broken([transfer("moved", GIVEN, A, B, on=A)])) == 1


def test_a_transfer_between_linked_devices_may_go_when_it_is_at_one_of_them() -> None:
    unified = Topology((Link("device_a", "device_b", unified_memory=True),))
    transparent = Topology((Link("device_a", "device_b", transparent_access=True),))
    for topology in (unified, transparent):
        for on, lost in ((A, 0), (B, 0), (C, 1)):
            moved = transfer("moved", GIVEN, A, B, on=on)
            assert len(broken([moved], topology=topology)) == lost
        back = transfer("moved", GIVEN, B, A, on=B)
        assert len(broken([back], topology=topology)) == 1


def test_a_chain_to_where_its_last_link_is_at_home_may_come_from_another_block() -> None:
    merged = resource("merged")
    moved = transfer("moved", merged, B, A, on=C)
    unified = Topology((Link("device_c", "device_a", unified_memory=True),))
    for source, lost in ((C, 0), (B, 1)):
        first = transfer("first", GIVEN, source, B)
        body = blocks(([GIVEN], [first, go(1, first)]), ([merged], [moved, ended(moved)]))
        whole = module(func("f", [], body=body))
        assert len(broken(whole, (B, [first]), topology=unified)) == lost


def test_a_barrier_is_removed() -> None:
    assert broken([WORK, barrier("held", WORK, B)], (A, [WORK])) == []


def cut(source: Operation) -> Slice:
    return Slice(
        identity="gone", source=value_of(source), start=0, end=8,
        result=replace(resource("gone"), size=8), affinity=A,
    )  # fmt: skip


MADE = dispatch("made", GIVEN, on=A)


def test_what_copies_may_be_left_out() -> None:
    copies = (
        clone("gone", MADE, B), fill("gone", MADE, B), update("gone", GIVEN, MADE, B), cut(MADE),
        splat("gone", B), Alloca(identity="gone", result=resource("gone"), affinity=B),
    )  # fmt: skip
    for gone in copies:
        last = dispatch("last", gone, on=C)
        assert broken([MADE, gone, last], (A, [MADE]), (C, [last])) == []
        assert len(broken([MADE, gone, last], (A, [MADE, gone]), (C, [last]))) == (
            gone.affinity == B
        )


def test_ops_of_initializers_and_functions_are_told_apart() -> None:
    work = dispatch("work", on=A)
    start = initializer(work, store_global("store", work, "state"))
    whole = module(*program([MADE], MADE).functions, globals=[kept("state")], initializers=[start])
    whole = replace(whole, globals=(replace(whole.globals[0], public=True),))
    assert shapes(broken(whole, (A, [MADE]))) == [("vanished", "stream.async.dispatch")]
    assert broken(whole, (A, [MADE]), (A, [work])) == []


def test_of_an_op_repeated_for_several_queues_the_copy_in_the_region_is_the_opponent() -> None:
    one, other = splat("one", A0), splat("other", A)
    elsewhere = replace(splat("copy", Affinity("device_a", 2)), identity="other")
    found = broken([one], (None, [one, other]), between=[one, other, elsewhere])
    assert shapes(found) == [("region-without-affinity", "against-another-queue")]
    found = broken([one], (None, [one, elsewhere]), between=[one, other, elsewhere])
    assert shapes(found) == [("region-without-affinity", "against-splat")]


def test_on_tensors_a_copy_of_an_op_has_its_kind_too() -> None:
    given = replace(program([WORK], WORK), tensors=True)
    # What is moved for an op has the op's location.
    added = replace(transfer("moved", GIVEN, B, A), identity="work")
    assert broken(given, (B, [added]), (A, [WORK])) == []
    assert shapes(broken(given, (B, [added, WORK]))) == [ELSEWHERE]
    gone = ("vanished", "stream.async.dispatch")
    assert shapes(broken(given, (A, [added]), between=[added, WORK])) == [gone]
    assert shapes(broken(given, (A, [added]), between=[added])) == [
        ("lost", "stream.async.dispatch")
    ]
    assert broken(replace(given, tensors=False), (A, [added])) == []


def test_on_tensors_an_op_is_named_after_the_one_of_its_kind() -> None:
    made = replace(splat("made", A), identity="work")
    given = replace(program([made, WORK], made, WORK), tensors=True)
    assert shapes(broken(given, (B, [WORK]))) == [ELSEWHERE]
    # A clone may stand where a tensor changes its shape.
    shaped = replace(clone("shaped", GIVEN, A), identity="work")
    given = replace(program([shaped, WORK], shaped, WORK), tensors=True)
    assert broken(given, (B, [shaped]), (A, [WORK])) == []


def test_the_words_of_the_contract() -> None:
    assert goes_with(A, A0)
    assert goes_with(A0, A)
    assert goes_with(None, A)
    assert not goes_with(A, B)
    assert still_says(A, [splat("one", B), splat("other", A)])
    assert not still_says(A, [])
    assert not still_says(A, [splat("silent", None)])
