from __future__ import annotations

from dataclasses import dataclass

from flow import choose
from straight import (
    A0,
    EXTERNAL,
    STAGING,
    A,
    B,
    barrier,
    block,
    dispatch,
    exported,
    function,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
)

from reference.folding.working import Body, Names
from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import Cast
from reference.releases import release_rules
from reference.scheduling.outline import outline_execution
from reference.scheduling.partition import (
    Outside,
    PartitionFault,
    partition_block,
    transfer_regions,
)
from reference.scheduling.partition_fault import ScheduleRefusedError, partition_fault

NEWEST = release_rules("3.13.0")[0]
OLDEST = release_rules("3.11.0")[0]
SOURCE = resource("source")


def partitions(*operations, returned=(), release=NEWEST):
    return partition_block(block(operations, *returned), release)


def members(*operations, returned=(), release=NEWEST):
    """Each partition as its affinity and its ops, in the order they run."""
    found = partitions(*operations, returned=returned, release=release)
    return [(partition.affinity, " ".join(partition.operations)) for partition in found]


def fault(*operations, returned=(), release=NEWEST):
    try:
        outlined(*operations, returned=returned, release=release)
    except ScheduleRefusedError as refused:
        return refused.fault
    return None


def outlined(*operations, returned=(), release=NEWEST):
    """The ops of the function's block once the execution regions are made."""
    body = Body(function(operations, *returned).body)
    outline_execution(body, release)
    (found,) = body.to_region(Names()).blocks
    return found.operations


def regions(*operations, returned=(), release=NEWEST):
    return transfer_regions(program(operations, *returned), release)


# Joining a partition.


def test_nothing_to_run():
    assert partitions() == ()


def test_one_device_is_one_partition():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=A)
    assert members(first, second, returned=[second]) == [(A, "first second")]


def test_devices_are_apart_and_run_in_order():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=B)
    third = dispatch("third", second, on=A)
    found = members(first, second, third, returned=[third])
    assert found == [(A, "first"), (B, "second"), (A, "third")]


def test_an_op_joins_the_last_partition_to_run_that_takes_it():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=B)
    third = dispatch("third", second, on=A)
    apart = dispatch("apart", SOURCE, on=A)
    found = members(apart, first, second, third, returned=[third, apart])
    assert found == [(A, "first"), (B, "second"), (A, "apart third")]


def test_an_op_joins_its_consumer_rather_than_a_later_partition():
    early = dispatch("early", SOURCE, on=A)
    user = dispatch("user", early, on=A)
    other = dispatch("other", user, on=B)
    late = dispatch("late", other, on=A)
    found = members(early, user, other, late, returned=[late])
    assert found == [(A, "early user"), (B, "other"), (A, "late")]


def test_an_op_may_not_run_after_what_depends_on_it():
    # Of two consumers on A the earlier one waits on B for nothing: its partition is the first.
    made = dispatch("made", SOURCE, on=A)
    through = dispatch("through", made, on=B)
    joined = dispatch("joined", made, through, on=A)
    found = members(made, through, joined, returned=[joined])
    assert found == [(A, "made"), (B, "through"), (A, "joined")]


def test_host_ops_between_keep_work_apart():
    staged = transfer("staged", SOURCE, A, A, STAGING)
    loaded = load("loaded", staged)
    user = dispatch("user", SOURCE, on=A)
    user = type(user)(
        identity="user",
        kernel="ex::d",
        workload=(),
        arguments=(*user.arguments, loaded.result),
        outputs=user.outputs,
        ties=(None,),
        affinity=A,
    )
    found = partitions(staged, loaded, user, returned=[user])
    assert [partition.operations for partition in found] == [("staged",), ("user",)]
    assert found[1].inputs == (SOURCE, loaded.result)
    assert found[1].captures == (SOURCE,)


def test_nothing_moves_below_a_side_effect():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Effect(Operation):
        side_effects = True

    above, below = dispatch("above", SOURCE, on=A), dispatch("below", SOURCE, on=A)
    returned = [above, below]
    assert members(above, below, returned=returned) == [(A, "above below")]
    found = members(above, Effect(identity="effect"), below, returned=returned)
    assert found == [(A, "above"), (A, "below")]


def test_what_enters_and_leaves():
    other = resource("other")
    first = dispatch("first", SOURCE, other, on=A, ties=(None, None))
    second = dispatch("second", first.outputs[0], SOURCE, on=A)
    (found,) = partitions(first, second, returned=[second, first.outputs[1]])
    assert found.inputs == found.captures == (SOURCE, other)
    assert found.results == (first.outputs[1], second.outputs[0])


# Affinities.


def test_without_an_affinity_an_op_goes_anywhere():
    first = dispatch("first", SOURCE, on=None)
    second = dispatch("second", first, on=A)
    assert members(first, second, returned=[second]) == [(A, "first second")]
    assert members(dispatch("alone", SOURCE, on=None)) == [(None, "alone")]


def test_the_first_affinity_makes_the_partition():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=None)
    assert members(first, second, returned=[second]) == [(A, "first second")]


def test_a_producer_on_all_queues_does_not_join_a_consumer_on_one():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=A0)
    assert members(first, second, returned=[second]) == [(A, "first"), (A0, "second")]


def test_a_narrower_affinity_joins_and_leaves_the_partition_without_one():
    # Joining asks whether queue 0 executes with A, the join itself asks the other way round.
    first = dispatch("first", SOURCE, on=A0)
    second = dispatch("second", first, on=A)
    assert members(first, second, returned=[second]) == [(None, "first second")]
    assert fault(first, second, returned=[second]) is None


def test_a_partition_that_lost_its_affinity_takes_the_next_ones():
    other = dispatch("other", SOURCE, on=B)
    first = dispatch("first", SOURCE, on=A0)
    second = dispatch("second", first, on=A)
    operations = (other, first, second)
    assert members(*operations, returned=[second, other]) == [(B, "other first second")]
    assert fault(*operations, returned=[second, other]) is PartitionFault.AFFINITY


# Ops that are repeated.


def test_a_splat_is_repeated_in_every_consumer():
    made = splat("made", A)
    first = dispatch("first", made, on=A)
    second = dispatch("second", first, on=B)
    third = dispatch("third", made, second, on=A)
    found = partitions(made, first, second, third, returned=[third])
    assert [(item.operations, set(item.clones)) for item in found] == [
        (("made", "first"), {"made"}),
        (("second",), set()),
        (("made", "third"), {"made"}),
    ]
    assert found[0].results == (first.outputs[0],)


def test_the_first_copy_serves_the_host():
    made = splat("made", A, EXTERNAL)
    first = dispatch("first", made, on=A)
    second = dispatch("second", first, on=B)
    third = dispatch("third", made, second, on=A)
    out = exported("out", made, A)
    found = partitions(made, first, second, third, out, returned=[third, out])
    assert [made.result in item.results for item in found] == [True, False, False]


def test_a_single_consumer_gets_the_splat_itself():
    made = splat("made", A)
    user = dispatch("user", made, on=A)
    (found,) = partitions(made, user, returned=[user])
    assert (found.operations, set(found.clones)) == (("made", "user"), set())


def test_a_splat_that_not_every_consumer_can_hold_is_made_once():
    made = splat("made", A)
    first = dispatch("first", made, on=A)
    second = dispatch("second", made, first, on=B)
    third = dispatch("third", made, second, on=A)
    found = partitions(made, first, second, third, returned=[third])
    assert [item.operations for item in found] == [("made", "first"), ("second",), ("third",)]
    assert found[0].results == (made.result, first.outputs[0])


def test_a_copy_stays_out_of_a_partition_that_waits_for_its_user():
    # In the last partition stands a user of the splat, `last`, and so does what `middle` feeds.
    made = splat("made", A)
    middle = dispatch("middle", made, on=B)
    last = dispatch("last", made, middle, on=A)
    assert members(made, middle, last, returned=[last]) == [
        (A, "made"),
        (B, "middle"),
        (A, "last"),
    ]


def test_a_repeated_op_ignores_what_its_users_elsewhere_depend_on():
    # A splat read by a host op as well as by the op after it (async.cast is no streamable op):
    # IREE puts it into the consumer's partition, which then waits for itself.
    made = splat("made", A)
    cast = Cast(identity="cast", source=made.result, result=resource("cast"), affinity=A)
    onto = update("onto", made, cast, A)
    assert members(made, cast, onto, returned=[onto]) == [(A, "made onto")]
    assert fault(made, cast, onto, returned=[onto]) is PartitionFault.CIRCULAR


def test_an_op_stays_out_of_a_partition_that_its_user_depends_on():
    # The partition of `user` hands the splat to the host, and `through` waits for that. If `early`
    # went along with `through`, `user` would wait for it in turn.
    early = dispatch("early", SOURCE, on=B)
    made = splat("made", A)
    cast = Cast(identity="cast", source=made.result, result=resource("cast"), affinity=A)
    through = dispatch("through", cast, on=B)
    user = dispatch("user", made, early, on=A)
    operations = (early, made, cast, through, user)
    found = members(*operations, returned=[through, user])
    assert found == [(B, "early"), (B, "through"), (A, "made user")]
    assert fault(*operations, returned=[through, user]) is None


# Barriers and transfers join their producers.


def test_placed_transfer():
    """IREE's test of #24748, schedule_execution.mlir."""
    produced = dispatch("produced", resource("argument", EXTERNAL), on=B)
    transferred = transfer("transferred", produced, B, A, on=A)
    operations = (produced, transferred)
    found = partitions(*operations, returned=[transferred])
    assert [(item.affinity, item.operations) for item in found] == [
        (B, ("produced",)),
        (A, ("transferred",)),
    ]
    assert found[0].results == found[1].captures == (produced.outputs[0],)
    assert regions(*operations, returned=[transferred]) == {"transferred": A}


def test_a_transfer_joins_a_producer_it_can_execute_with():
    produced = dispatch("produced", SOURCE, on=B)
    moved = transfer("moved", produced, B, A)
    assert members(produced, moved, returned=[moved]) == [(B, "produced moved")]


def test_a_transfer_pulled_by_its_target_joined_the_producer_before_3_12():
    produced = dispatch("produced", SOURCE, on=B, lifetime=EXTERNAL)
    moved = transfer("moved", produced, B, A)
    operations = (produced, moved)
    assert members(*operations, returned=[moved]) == [(B, "produced"), (A, "moved")]
    # With nothing in common the region has no affinity, and runs anywhere.
    assert members(*operations, returned=[moved], release=OLDEST) == [(None, "produced moved")]
    assert regions(*operations, returned=[moved], release=OLDEST) == {"moved": None}


def test_the_transfer_asks_whether_it_can_execute_with_the_producer():
    wide, narrow = dispatch("produced", SOURCE, on=A), dispatch("produced", SOURCE, on=A0)
    moved = transfer("moved", wide, A, B, on=A0)
    assert members(wide, moved, returned=[moved]) == [(A0, "produced moved")]
    moved = transfer("moved", narrow, A, B, on=A)
    # It goes first and alone; then the producer joins it, and the join asks the other way round.
    assert members(narrow, moved, returned=[moved]) == [(None, "produced moved")]


def test_a_barrier_joins_its_producer_whatever_their_affinities():
    produced = dispatch("produced", SOURCE, on=A)
    fenced = barrier("fenced", produced, B)
    assert members(produced, fenced, returned=[fenced]) == [(None, "produced fenced")]


def test_a_transfer_of_an_argument_or_a_host_value_goes_its_own_way():
    moved = transfer("moved", SOURCE, A, B)
    assert members(moved, returned=[moved]) == [(A, "moved")]
    cast = Cast(identity="cast", source=SOURCE, result=resource("cast"), affinity=A)
    moved = transfer("moved", cast, A, B)
    assert members(cast, moved, returned=[moved]) == [(A, "moved")]


def test_what_comes_after_a_barrier_is_in_another_partition():
    produced = dispatch("produced", SOURCE, on=A)
    fenced = barrier("fenced", produced, A)
    user = dispatch("user", fenced, on=A)
    found = members(produced, fenced, user, returned=[user])
    assert found == [(A, "produced fenced"), (A, "user")]


def test_a_barrier_needs_a_partition_it_fits_into():
    produced = dispatch("produced", SOURCE, on=A)
    fenced = barrier("fenced", produced, B)
    other = dispatch("other", SOURCE, on=A)
    found = members(produced, fenced, other, returned=[fenced, other])
    assert found == [(None, "produced fenced"), (A, "other")]


def test_a_splat_before_a_barrier_is_not_repeated():
    made = splat("made", A)
    fenced = barrier("fenced", made, A)
    user = dispatch("user", fenced, on=A)
    assert members(made, fenced, user, returned=[user]) == [(A, "made fenced"), (A, "user")]


# Chains of them: the compiler's own fault, which the model must foresee.

CHAIN = (
    dispatch("made", SOURCE, on=A),
    barrier("one", resource("made"), A),
    barrier("two", resource("one"), A),
)


def test_the_second_link_of_a_chain_is_in_no_partition():
    assert members(*CHAIN, returned=CHAIN[2:]) == [(A, "made one")]
    kinds = [type(item).__name__ for item in outlined(*CHAIN, returned=CHAIN[2:])]
    assert kinds == ["Execute", "Await", "Barrier", "Return"]


def test_a_link_that_nobody_needs_is_erased():
    kinds = [type(item).__name__ for item in outlined(*CHAIN)]
    assert kinds == ["Execute", "Await", "Return"]


def test_a_transfer_at_the_end_of_a_chain_stays_with_the_host():
    moved = transfer("moved", CHAIN[1], A, B)
    operations = (*CHAIN[:2], moved)
    assert regions(*operations, returned=[moved]) == {"moved": Outside.STRANDED}
    assert regions(*operations) == {"moved": Outside.GONE}


def test_the_end_of_a_chain_may_be_used_in_the_partition_it_starts_from():
    user = dispatch("user", CHAIN[2], on=A)
    assert fault(*CHAIN, user, returned=[user]) is PartitionFault.CIRCULAR


def test_a_link_within_control_flow_stays_there():
    links = (CHAIN[0], CHAIN[1], transfer("moved", CHAIN[1], A, B))
    chosen = choose("chosen", links, links[2], [], SOURCE)
    assert regions(chosen, returned=[chosen]) == {"moved": Outside.STRANDED}


def test_a_longer_chain_is_a_longer_cycle():
    third = barrier("three", CHAIN[2], A)
    user = dispatch("user", third, on=A)
    assert fault(*CHAIN, third, user, returned=[user]) is PartitionFault.CYCLE


def test_partitions_that_take_what_later_ones_make_are_out_of_order():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=B)
    good = partitions(first, second, returned=[second])
    operations = block([first, second], second).operations
    assert partition_fault(operations, good) is None
    assert partition_fault(operations, good[::-1]) is PartitionFault.ORDER


# The regions of transfers.


def test_a_fault_in_one_function_fails_every_transfer():
    moved = transfer("moved", SOURCE, A, B)
    user = dispatch("user", CHAIN[2], on=A)
    good = function([moved], moved)
    bad = function([*CHAIN, user], user, name="bad")
    assert transfer_regions(Program((), (good,)), NEWEST) == {"moved": A}
    assert transfer_regions(Program((), (good, bad)), NEWEST) == {"moved": Outside.FAILED}


def test_a_function_that_fails_outright_decides():
    cycle = (*CHAIN, *ENDLESS)
    user = dispatch("user", CHAIN[2], on=A)
    good = transfer("moved", SOURCE, A, B)
    circular = function([*CHAIN, user, good], user, good, name="circular")
    endless = function(cycle, ENDLESS[1], name="endless")
    assert transfer_regions(Program((), (endless, circular)), OLDEST) == {"moved": Outside.FAILED}


ENDLESS = (
    barrier("three", CHAIN[2], A),
    dispatch("user", resource("three"), on=A),
    transfer("moved", resource("user"), A, B),
)


def test_before_3_12_the_cycle_shows_after_cleanup():
    operations = (*CHAIN, *ENDLESS)
    for release in (NEWEST, OLDEST):
        assert regions(*operations, returned=ENDLESS[2:], release=release) == {
            "moved": Outside.FAILED
        }


def test_before_3_12_cleanup_may_break_a_cycle():
    # Nobody takes what `user` makes: it goes, and with it what the region waited for.
    moved = transfer("moved", SOURCE, A, B)
    operations = (*CHAIN, *ENDLESS[:2], moved)
    assert regions(*operations, returned=[moved]) == {"moved": Outside.FAILED}
    assert regions(*operations, returned=[moved], release=OLDEST) == {"moved": A}


def test_cleanup_by_a_rule_that_is_not_known_leaves_it_open(monkeypatch):
    def refuse(*_):
        raise UnsupportedOperationError("a rule")

    monkeypatch.setattr("reference.scheduling.partition.scheduled_body", refuse)
    operations = (*CHAIN, *ENDLESS)
    found = regions(*operations, returned=ENDLESS[2:], release=OLDEST)
    assert found == {"moved": Outside.UNDECIDED}
