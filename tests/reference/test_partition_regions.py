"""Partitions around ops with regions, and where values leave for other blocks."""

from __future__ import annotations

from flow import choose, opaque, store_global, when
from straight import A, B, barrier, block, clone, dispatch, load, resource, splat, transfer

from reference.ir import Block
from reference.ops import Immediate
from reference.releases import release_rules
from reference.scheduling.block_uses import Elsewhere
from reference.scheduling.partition import partition_block
from reference.types import TIMEPOINT, Value

NEWEST, OLDEST = (release_rules(version)[0] for version in ("3.13.0", "3.11.0"))
SOURCE = resource("source")


def members(*operations, returned=(), **around):
    found = partition_block(block(operations, *returned), NEWEST, **around)
    return [(partition.affinity, " ".join(partition.operations)) for partition in found]


def test_what_a_region_takes_runs_before_what_takes_its_results():
    made = dispatch("made", SOURCE, on=A)
    choice = choose("choice", [], made, [], SOURCE)
    user = dispatch("user", choice, on=A)
    operations = (made, choice, user)
    assert members(*operations, returned=[user]) == [(A, "made"), (A, "user")]
    (first, second) = partition_block(block(operations, user), NEWEST)
    assert first.results == made.outputs
    assert second.inputs == choice.outputs


def test_what_a_region_takes_may_run_with_what_has_nothing_to_do_with_it():
    made = dispatch("made", SOURCE, on=A)
    choice = choose("choice", [], made, [], SOURCE)
    other = dispatch("other", SOURCE, on=A)
    assert members(made, choice, other, returned=[choice, other]) == [(A, "made other")]


def test_an_op_that_a_region_takes_and_a_later_op_too():
    # `made` may not join `both`, which waits for the choice that waits for `made`.
    made = dispatch("made", SOURCE, on=A)
    choice = choose("choice", [], made, [], SOURCE)
    both = dispatch("both", made, choice, on=A)
    assert members(made, choice, both, returned=[both]) == [(A, "made"), (A, "both")]


def test_what_depends_on_a_choice_through_another_device():
    made = dispatch("made", SOURCE, on=A)
    choice = choose("choice", [], made, [], SOURCE)
    sent = dispatch("sent", choice, on=B)
    last = dispatch("last", sent, on=A)
    operations = (made, choice, sent, last)
    assert members(*operations, returned=[last]) == [(A, "made"), (B, "sent"), (A, "last")]


def test_effects_in_a_region_hold_back_what_is_above():
    above, below = dispatch("above", SOURCE, on=A), dispatch("below", SOURCE, on=A)
    pure = choose("choice", [dispatch("inside", SOURCE, on=A)], resource("inside"), [], SOURCE)
    effect = choose("choice", [splat("inside", A)], resource("inside"), [], SOURCE)
    for between, together in ((pure, True), (effect, False)):
        found = members(above, between, below, returned=[above, below, between])
        assert found == ([(A, "above below")] if together else [(A, "above"), (A, "below")])


def test_a_store_to_a_global_holds_nothing_back_unless_in_a_region():
    above, below = dispatch("above", SOURCE, on=A), dispatch("below", SOURCE, on=A)
    store = store_global("store", SOURCE, "g")
    returned = [above, below]
    assert members(above, store, below, returned=returned) == [(A, "above below")]
    inside = when("choice", store)
    assert members(above, inside, below, returned=returned) == [(A, "above"), (A, "below")]


def test_what_is_stored_does_not_wait_for_later_work():
    made = dispatch("made", SOURCE, on=A)
    store = store_global("store", made, "g")
    later = dispatch("later", SOURCE, on=A)
    assert members(made, store, later, returned=[later]) == [(A, "made later")]


def test_a_constant_among_host_ops_is_passed_over():
    above, below = dispatch("above", SOURCE, on=A), dispatch("below", SOURCE, on=A)
    now = Immediate(identity="now", result=Value("now", TIMEPOINT))
    assert members(above, now, below, returned=[above, below]) == [(A, "above below")]


def test_a_splat_that_only_regions_take_is_in_no_partition():
    made = splat("made", A)
    choice = choose("choice", [], made, [], SOURCE)
    user = dispatch("user", choice, on=A)
    operations = (made, choice, user)
    # Taken by nobody else, it is made anew where the region is. It opened a partition all the same.
    assert members(*operations, returned=[user]) == [(None, ""), (A, "user")]


def test_what_an_op_takes_that_only_regions_take_joins_the_partition_opened_for_it():
    made = dispatch("made", SOURCE, on=None)
    copy = clone("copy", made, A)
    choice = choose("choice", [], copy, [], SOURCE)
    user = dispatch("user", choice, on=A)
    other = dispatch("other", made, on=A)
    operations = (made, copy, choice, other, user)
    assert members(*operations, returned=[user, other]) == [(None, "made"), (A, "other user")]
    # Without the copy there is nothing to keep it from its other user.
    alone = choose("choice", [], SOURCE, [], SOURCE)
    operations = (made, alone, other, user)
    assert members(*operations, returned=[user, other]) == [(A, "made other user")]


def test_a_splat_that_regions_and_ops_take_is_a_clone():
    made = splat("made", A)
    first = dispatch("first", made, on=A)
    choice = choose("choice", [], made, [], first)
    user = dispatch("user", choice, on=A)
    found = partition_block(block((made, first, choice, user), user), NEWEST)
    assert [(item.operations, set(item.clones)) for item in found] == [
        (("made", "first"), {"made"}),
        (("user",), set()),
    ]
    # The yield that takes it in the region is no streamable op.
    assert found[0].results == (made.result, first.outputs[0])


def test_a_splat_without_a_partition_to_be_repeated_in_is_made_once():
    made = splat("made", A)
    choice = choose("choice", [], made, [], SOURCE)
    both = dispatch("both", made, choice, on=A)
    found = partition_block(block((made, choice, both), both), NEWEST)
    assert [(item.operations, set(item.clones)) for item in found] == [
        (("made",), set()),
        (("both",), set()),
    ]
    assert found[0].results == (made.result,)


def test_a_barrier_that_a_region_takes_keeps_its_producer_from_what_comes_after():
    made = dispatch("made", SOURCE, on=A)
    fenced = barrier("fenced", made, A)
    choice = choose("choice", [], fenced, [], SOURCE)
    user = dispatch("user", choice, on=A)
    assert members(made, fenced, choice, user, returned=[user]) == [
        (A, "made fenced"),
        (A, "user"),
    ]


def test_a_value_that_another_block_takes_leaves():
    made, last = dispatch("made", SOURCE, on=A), dispatch("last", resource("made"), on=A)
    elsewhere = Elsewhere()
    elsewhere.add(dispatch("user", made, on=A))
    (found,) = partition_block(block((made, last), last), NEWEST, elsewhere)
    assert found.results == (made.outputs[0], last.outputs[0])


def test_a_clone_leaves_for_host_ops_of_other_blocks_only():
    made = splat("made", A)
    first, second = dispatch("first", made, on=A), dispatch("second", resource("first"), on=B)
    third = dispatch("third", made, second, on=A)
    operations = (made, first, second, third)
    for user, leaves in ((clone("user", made, A), False), (opaque("user", made), True)):
        elsewhere = Elsewhere()
        elsewhere.add(user)
        found = partition_block(block(operations, third), NEWEST, elsewhere)
        assert [made.result in item.results for item in found] == [leaves, False, False]


def test_a_transfer_waits_for_nobody_where_its_producer_is_outside():
    # IREE holds it back for a producer that it never comes to.
    left = splat("left", A)
    moved = transfer("moved", left, A, B)
    outside = {left.result: left}
    assert members(moved, returned=[moved], outside=outside) == []
    other = splat("left", B)
    assert members(moved, returned=[moved], outside={other.result: other}) == [(A, "moved")]
    assert members(load("moved", left), outside=outside) == []


def test_an_empty_block_has_no_partitions():
    assert partition_block(Block(()), OLDEST) == ()
