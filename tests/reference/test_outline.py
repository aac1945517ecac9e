"""The execution regions as they are made, before any cleanup."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flow import (
    blocks,
    choose,
    count_loop,
    ended,
    execute,
    fork,
    func,
    go,
    opaque,
    region,
    stream_yielded,
)
from straight import (
    A0,
    STAGING,
    A,
    B,
    barrier,
    clone,
    dispatch,
    exported,
    function,
    load,
    resource,
    splat,
    transfer,
)

from reference.folding.working import Body, Names
from reference.ir import Region, walk
from reference.ops import Await, Execute, Join, Splat, StreamYield
from reference.releases import release_rules
from reference.scheduling.outline import fused, outline_execution
from reference.scheduling.partition_fault import (
    PartitionFault,
    ScheduleRefusedError,
    partition_fault,
)
from reference.scheduling.partitioner import Partition
from reference.types import TIMEPOINT, Value

NEWEST, OLDEST = (release_rules(version)[0] for version in ("3.13.0", "3.11.0"))
SOURCE = resource("source")
TIMES = tuple(Value(f"time{place}", TIMEPOINT) for place in range(2))


def outlined(body: Region, release=NEWEST) -> Region:
    made = Body(body)
    outline_execution(made, release)
    return made.to_region(Names())


def straight(*operations, returned=()):
    return outlined(function(operations, *returned).body)


def labels(region: Region) -> list[str]:
    """The ops of the first block: the members of execution regions in brackets."""
    return [label(operation) for operation in region.blocks[0].operations]


def label(operation) -> str:
    if isinstance(operation, Execute):
        inside = operation.body.blocks[0].operations[:-1]
        return f"[{' '.join(item.identity.partition('~')[0] for item in inside)}]"
    return "await" if isinstance(operation, Await) else operation.identity.partition("~")[0]


def only(region: Region, kind):
    (found,) = (operation for operation in walk(region) if isinstance(operation, kind))
    return found


def test_a_region_captures_yields_and_is_awaited():
    made = dispatch("made", SOURCE, on=A)
    kept = dispatch("kept", made, on=A)
    found = straight(made, kept, returned=[kept])
    assert labels(found) == ["[made kept]", "await", "return"]
    execute, wait, returned = found.blocks[0].operations
    assert (execute.captures, execute.affinity, execute.awaits) == ((SOURCE,), A, None)
    (inside,) = execute.body.blocks
    first, second, handed_on = inside.operations
    assert first.bindings[0].value == inside.arguments[0]
    assert second.bindings[0].value == first.outputs[0]
    assert handed_on.values == second.outputs
    assert (wait.awaits, wait.sources) == (execute.timepoint, execute.outputs)
    assert returned.values == wait.outputs


def test_each_result_is_awaited_on_its_own():
    made = dispatch("made", SOURCE, on=A, ties=(None, None))
    found = straight(made, returned=made.outputs)
    assert labels(found) == ["[made]", "await", "await", "return"]


def test_a_region_takes_what_the_host_awaited():
    first = dispatch("first", SOURCE, on=A)
    second = dispatch("second", first, on=B)
    found = straight(first, second, returned=[second])
    _, wait, execute, *_ = found.blocks[0].operations
    assert execute.captures == wait.outputs


def test_a_region_stands_after_its_last_member():
    first = dispatch("first", SOURCE, on=A)
    between = opaque("between", SOURCE)
    found = straight(first, between, returned=[first, between])
    assert labels(found) == ["[first]", "await", "between", "return"]


def test_ops_are_put_in_order_again():
    # The region of `first` and `last` stands after `last`; `seen` needs it.
    first = dispatch("first", SOURCE, on=A)
    seen = exported("seen", first, A)
    last = dispatch("last", SOURCE, on=A)
    found = straight(first, seen, last, returned=[seen, last])
    assert labels(found) == ["[first last]", "await", "await", "seen", "return"]


def test_affinities_that_the_region_has_are_taken_off():
    made = dispatch("made", SOURCE, on=A)
    moved = transfer("moved", made, A, B, on=A)
    back = transfer("back", SOURCE, B, A, STAGING, on=A0)
    found = straight(made, moved, returned=[moved])
    work, sent, _ = only(found, Execute).body.blocks[0].operations
    assert work.affinity is None
    assert (sent.explicit_affinity, sent.source_affinity, sent.target_affinity) == (None, None, B)
    (sent, _) = only(straight(back, returned=[back]), Execute).body.blocks[0].operations
    assert (sent.explicit_affinity, sent.source_affinity, sent.target_affinity) == (None, B, A)


def test_an_affinity_that_differs_stays():
    first = dispatch("first", SOURCE, on=A0)
    second = dispatch("second", first, on=A)
    found = only(straight(first, second, returned=[second]), Execute)
    assert found.affinity is None
    assert [item.affinity for item in found.body.blocks[0].operations[:-1]] == [A0, A]


def test_no_affinity_is_what_a_region_without_one_has():
    moved = transfer("moved", SOURCE, None, B)
    sent = only(straight(moved, returned=[moved]), Execute).body.blocks[0].operations[0]
    assert (sent.source_affinity, sent.target_affinity) == (None, B)


def test_the_region_waits_for_what_its_members_wait_for():
    made = replace(splat("made", A), awaits=TIMES[0])
    found = straight(made, returned=[made])
    execute = only(found, Execute)
    assert execute.awaits == TIMES[0]
    assert only(found, Splat).awaits is None


def test_members_that_wait_for_several_timepoints_join_them():
    made = replace(splat("made", A), awaits=TIMES[0])
    other = replace(splat("other", A), awaits=TIMES[1])
    found = straight(made, other, returned=[made, other])
    join = only(found, Join)
    # In the order in which the members were put in: from the end of the block.
    assert join.sources == TIMES[::-1]
    assert only(found, Execute).awaits == join.result
    assert join.identity == "other+made"


def test_identities_of_regions_are_those_of_their_members():
    made = splat("made", A)
    one = clone("made~2", made, A)
    user = dispatch("user+more", one, on=A)
    found = straight(made, one, user, returned=[user])
    assert only(found, Execute).identity == "user+more+made"
    assert fused(["a~2+b", "b", "c~copy"]) == "a+b+c"
    # A place that is not known counts only where there is no other.
    assert fused(["unknown~2", "a", "unknown"]) == "a"
    assert fused(["unknown", "unknown~2"]) == "unknown"


def test_a_value_has_the_size_that_its_maker_gives_it():
    made = dispatch("made", SOURCE, on=A)
    wide = Value("made", made.outputs[0].type, 32)
    used = dispatch("used", wide, on=B)
    found = straight(made, used, returned=[used])
    captures = [item.captures for item in walk(found) if isinstance(item, Execute)]
    assert [[value.size for value in values] for values in captures] == [[16], [16]]


# Regions and blocks.


def test_regions_of_control_flow_have_regions_of_their_own():
    inside = dispatch("inside", SOURCE, on=A)
    choice = choose("choice", [inside], inside, [], SOURCE)
    found = straight(choice, returned=[choice])
    (choice, _) = found.blocks[0].operations
    assert labels(choice.then) == ["[inside]", "await", "yield"]
    assert labels(choice.otherwise) == ["yield"]
    (_, wait, handed_on) = choice.then.blocks[0].operations
    assert handed_on.values == wait.outputs


def test_a_region_in_a_region_takes_what_was_awaited_outside():
    made = dispatch("made", SOURCE, on=A)
    inside = dispatch("inside", made, on=B)
    choice = choose("choice", [inside], inside, [], made)
    found = straight(made, choice, returned=[choice])
    _, wait, choice, _ = found.blocks[0].operations
    assert only(choice.then, Execute).captures == wait.outputs
    assert choice.otherwise.blocks[0].operations[0].values == wait.outputs


def test_scheduled_regions_are_not_entered():
    argument = resource("argument")
    inside = dispatch("inside", argument, on=A)
    done = execute("done", [SOURCE], [argument], [inside], [inside], A)
    found = straight(done, returned=done.outputs)
    assert labels(found) == ["[inside]", "return"]


def test_an_op_that_only_regions_take_is_made_anew_at_each_use():
    made = splat("made", A)
    inside = dispatch("inside", made, made, on=A)
    choice = choose("choice", [inside], inside, [], made)
    user = dispatch("user", choice, on=A)
    found = straight(made, choice, user, returned=[user])
    choice = next(item for item in walk(found) if item.identity == "choice")
    assert labels(choice.then) == ["[made made inside]", "await", "yield"]
    assert labels(choice.otherwise) == ["[made]", "await", "yield"]
    execute = only(choice.then, Execute).body.blocks[0].operations
    # The first copy is for the first use.
    assert [item.value for item in execute[2].bindings] == [execute[0].result, execute[1].result]
    identities = [item.identity for item in walk(choice.then)]
    assert len(set(identities)) == len(identities)
    # Its partition is empty; cleanup erases it.
    assert labels(found) == ["[]", "choice", "[user]", "await", "return"]


def left_behind():
    """`made` is repeated in two regions and handed out by none; the copy of `twice` takes it."""
    made = splat("made", A)
    twice = clone("twice", made, A)
    inside = transfer("inside", twice, A, B, STAGING)
    chosen = choose("chosen", [], twice, [inside], SOURCE)
    first = dispatch("first", made, on=A)
    through = dispatch("through", first, on=B)
    last = dispatch("last", made, through, chosen, on=A)
    return (made, twice, chosen, first, through, last), last


def test_what_a_copy_takes_stays_where_it_was():
    operations, last = left_behind()
    found = straight(*operations, returned=[last])
    assert "made" in labels(found)
    chosen = next(item for item in walk(found) if item.identity == "chosen")
    assert labels(chosen.then) == ["[twice]", "await", "yield"]
    assert only(chosen.then, Execute).captures == operations[0].results


def test_loops_are_entered():
    turn = resource("turn")
    inside = dispatch("inside", turn, on=A)
    loop = count_loop("loop", [SOURCE], [turn], [inside], [inside])
    found = outlined(func("f", [SOURCE], loop, ended(loop)).body)
    (loop, _) = found.blocks[0].operations
    assert labels(loop.body) == ["[inside]", "await", "yield"]


def test_blocks_are_taken_after_those_that_lead_to_them():
    made = dispatch("made", SOURCE, on=A)
    given = resource("given")
    first = dispatch("first", made, on=A)
    last = dispatch("last", given, on=A)
    body = blocks(
        ((SOURCE,), (made, fork((2, ()), (1, [made])))),
        ((given,), (last, ended(last))),
        ((), (first, go(1, first))),
    )
    found = outlined(func("f", [], body=body).body)
    kinds = [[label(item) for item in block.operations] for block in found.blocks]
    assert kinds == [
        ["[made]", "await", "fork"],
        ["[last]", "await", "return"],
        ["[first]", "await", "to_1"],
    ]
    wait = found.blocks[0].operations[1]
    assert found.blocks[2].operations[0].captures == wait.outputs


def test_a_clone_is_made_anew_in_another_block():
    made = splat("made", A)
    first = dispatch("first", made, on=A)
    second = dispatch("second", first, on=B)
    third = dispatch("third", made, second, on=A)
    later = dispatch("later", made, third, on=A)
    body = blocks(
        ((), (made, first, second, third, go(1))),
        ((), (later, ended(later))),
    )
    found = outlined(func("f", [], body=body).body)
    assert [label(item) for item in found.blocks[1].operations] == [
        "[made later]",
        "await",
        "return",
    ]


def test_a_block_that_control_never_reaches_stays_as_it_is():
    made = dispatch("made", SOURCE, on=A)
    dead = dispatch("dead", SOURCE, on=A)
    body = blocks(((SOURCE,), (made, ended(made))), ((), (dead, ended(dead))))
    found = outlined(func("f", [], body=body).body)
    assert [label(item) for item in found.blocks[1].operations] == ["dead", "return"]


def test_a_body_without_blocks_has_nothing_to_do():
    assert outlined(Region(())) == Region(())


def test_host_scalars_are_seen_from_inside():
    staged = transfer("staged", SOURCE, A, A, STAGING)
    loaded = load("loaded", staged)
    user = dispatch("user", SOURCE, on=A)
    user = replace(user, arguments=(*user.arguments, loaded.result))
    found = straight(staged, loaded, user, returned=[user])
    assert labels(found) == ["[staged]", "await", "loaded", "[user]", "await", "return"]
    work = next(item for item in walk(found) if item.identity.startswith("user"))
    assert work.captures == (SOURCE,)
    assert work.body.blocks[0].operations[0].arguments[1] == loaded.result


def test_what_nobody_needs_is_scheduled_all_the_same():
    made = dispatch("made", SOURCE, on=A)
    assert labels(straight(made)) == ["[made]", "return"]


# Refusals.


def test_a_region_may_not_take_what_a_region_of_control_flow_makes_of_its_result():
    made = dispatch("made", SOURCE, on=A)
    choice = choose("choice", [], made, [], SOURCE)
    onto = dispatch("onto", choice, on=A)
    both = Partition(
        affinity=A,
        operations=("made", "onto"),
        order=("onto", "made"),
        clones=frozenset(),
        inputs=(SOURCE, *choice.outputs),
        results=(*made.outputs, *onto.outputs),
    )
    operations = (made, choice, onto)
    assert partition_fault(operations, [both]) is PartitionFault.CIRCULAR
    assert partition_fault(operations, [replace(both, results=onto.outputs)]) is None


def test_a_cycle_is_refused_since_3_12():
    made = dispatch("made", SOURCE, on=A)
    links = [made]
    for name in ("one", "two", "three"):
        links.append(barrier(name, links[-1], A))
    user = dispatch("user", links[-1], on=A)
    body = function([*links, user], user).body
    with pytest.raises(ScheduleRefusedError) as refused:
        outlined(body)
    assert refused.value.fault is PartitionFault.CYCLE
    assert not outline_execution(Body(body), OLDEST)


def test_regions_of_regions_are_ended_by_yields():
    found = straight(dispatch("made", SOURCE, on=A))
    assert isinstance(only(found, Execute).body.blocks[0].operations[-1], StreamYield)
    assert region(stream_yielded()).blocks[0].operations[0].values == ()
