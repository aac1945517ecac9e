from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from straight import A0, A, B, C

from reference.affinity import (
    ANY_QUEUE,
    NULL_MEMBER,
    Affinity,
    Link,
    OptimalAffinity,
    Topology,
    affinity_order,
    are_compatible,
    can_execute_together,
    is_executable_with,
    join_all,
    join_and,
    join_or,
    parse_affinity,
    parse_topology,
)

QUEUES = st.one_of(st.just(ANY_QUEUE), st.integers(1, 15))
AFFINITIES = st.builds(Affinity, st.sampled_from(["dev", "dev_1"]), QUEUES)
OPTIMAL = st.builds(
    OptimalAffinity,
    st.lists(AFFINITIES, min_size=1, max_size=3, unique_by=lambda one: one.device).map(tuple),
)
ANY = AFFINITIES | OPTIMAL
OPTIONAL = st.none() | ANY
LINKS = st.builds(
    Link, st.sampled_from("abc"), st.sampled_from("abc"), st.booleans(), st.booleans()
)
BOTH = OptimalAffinity((A, B))


def test_printed_like_mlir():
    assert str(A) == "#hal.device.affinity<@device_a>"
    assert str(Affinity("d", 0b101)) == "#hal.device.affinity<@d, [0, 2]>"
    assert str(BOTH) == f"#hal.device.optimal<[{A}, {B}]>"
    assert str(OptimalAffinity((None, A))) == f"#hal.device.optimal<[{NULL_MEMBER}, {A}]>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dense<1> : tensor<1xi32>",
        "#hal.device.optimal<[]>",
        "#hal.device.promise<@a>",
        "#hal.device.optimal<[#hal.device.promise<@a>]>",
        "#hal.device.optimal<[#hal.device.affinity<@a>, #hal.device.promise<@a>]>",
        str(OptimalAffinity((None, A))),
        str(OptimalAffinity((BOTH, A))),
    ],
)
def test_any_other_attribute_is_not_read(text):
    assert parse_affinity(text) is None


@given(ANY)
def test_what_is_printed_is_read_back(affinity):
    assert parse_affinity(str(affinity)) == affinity


def test_all_queues_by_name_are_all_queues():
    assert parse_affinity(f"#hal.device.affinity<@d, {list(range(64))}>") == Affinity("d")
    assert parse_affinity(f"#hal.device.affinity<@d, {list(range(63))}>") != Affinity("d")


def test_affinities_are_ordered_by_what_is_printed():
    assert affinity_order([B, A, A0, BOTH, B]) == (A0, A, B, BOTH)
    assert affinity_order([B, B]) == (B,)
    assert affinity_order([]) == ()


def test_a_subset_of_queues_executes_with_all_but_not_the_other_way_round():
    assert is_executable_with(A0, A)
    assert not is_executable_with(A, A0)
    assert not is_executable_with(A, B)


def test_a_set_executes_where_all_its_members_do():
    assert is_executable_with(OptimalAffinity((A0, A)), A)
    assert not is_executable_with(BOTH, A)
    assert not is_executable_with(OptimalAffinity((A, None)), A)


def test_a_device_executes_with_no_set_not_even_its_own():
    assert not is_executable_with(A, OptimalAffinity((A,)))
    assert is_executable_with(OptimalAffinity((A,)), A)


def test_a_set_executes_with_a_set_of_which_every_member_suits_every_one_of_its_own():
    assert is_executable_with(OptimalAffinity((A0,)), OptimalAffinity((A,)))
    assert not is_executable_with(OptimalAffinity((A,)), OptimalAffinity((A0,)))
    assert not is_executable_with(BOTH, BOTH)


@given(AFFINITIES)
def test_executable_with_itself(affinity):
    assert is_executable_with(affinity, affinity)


@given(ANY, ANY, ANY)
def test_executable_with_is_transitive(first, second, third):
    if is_executable_with(first, second) and is_executable_with(second, third):
        assert is_executable_with(first, third)


@given(AFFINITIES, AFFINITIES)
def test_executable_both_ways_only_when_equal(left, right):
    both = is_executable_with(left, right) and is_executable_with(right, left)
    assert both == (left == right)


@given(ANY)
def test_all_is_executable_with_an_absent_affinity(affinity):
    assert is_executable_with(affinity, None)


@given(OPTIONAL)
def test_equal_affinities_go_together(affinity):
    assert can_execute_together(affinity, affinity)


@given(OPTIONAL)
def test_an_absent_affinity_goes_with_any(affinity):
    assert can_execute_together(None, affinity)
    assert can_execute_together(affinity, None)


@given(AFFINITIES, ANY)
def test_present_affinities_go_together_where_the_left_is_executable(left, right):
    assert can_execute_together(left, right) == is_executable_with(left, right)


@given(OPTIONAL, OPTIONAL)
def test_compatible_is_equal_where_both_are_present(left, right):
    expected = left == right or left is None or right is None
    assert are_compatible(left, right) == are_compatible(right, left) == expected


@given(AFFINITIES, AFFINITIES | st.none())
def test_a_join_is_executable_with_both(left, right):
    joined = join_and(left, right)
    if joined is not None:
        assert is_executable_with(joined, left)
        assert can_execute_together(joined, right)


@given(AFFINITIES, OPTIONAL)
def test_a_join_exists_only_in_the_direction_of_execution(left, right):
    assert (join_and(left, right) is None) == (not can_execute_together(left, right))


@given(ANY)
def test_a_join_with_nothing_changes_nothing(affinity):
    assert join_and(affinity, None) == join_or(affinity, None) == affinity


@given(AFFINITIES)
def test_a_device_joined_with_itself_is_itself(affinity):
    assert join_and(affinity, affinity) == join_or(affinity, affinity) == affinity


def test_a_set_joined_with_a_device_narrows_that_device_and_keeps_the_others():
    assert join_and(BOTH, B) == BOTH
    assert join_and(OptimalAffinity((A0, B)), A) == OptimalAffinity((A0, B))
    assert join_and(BOTH, C) == BOTH


def test_a_set_loses_the_member_that_may_not_run_there():
    assert join_and(BOTH, A0) == OptimalAffinity((None, B))


def test_a_set_joined_with_itself_loses_all_members():
    # What `iree-stream-schedule-execution` makes of two ops on one set: see the fault it reports.
    assert join_and(BOTH, BOTH) == OptimalAffinity((None, None))


def test_what_lost_its_members_joins_with_nothing():
    lost = OptimalAffinity((None,))
    assert join_and(lost, A) is None
    assert join_or(lost, A) is None
    assert join_or(BOTH, lost) is None


def test_one_of_two_devices():
    assert join_or(A, B) == OptimalAffinity((A, B))
    assert join_or(A0, Affinity("device_a", 2)) == Affinity("device_a", 3)


def test_a_set_grows_by_a_device_in_either_direction():
    assert join_or(BOTH, C) == join_or(C, BOTH) == OptimalAffinity((A, B, C))
    assert join_or(OptimalAffinity((A0, B)), A) == BOTH


def test_two_sets_that_share_a_device_nest():
    shared = OptimalAffinity((A, C))
    assert join_or(BOTH, shared) == OptimalAffinity((OptimalAffinity((A, C)), B, C))
    assert join_or(BOTH, OptimalAffinity((C,))) == OptimalAffinity((A, B, C))


def test_of_two_members_on_one_device_the_first_counts():
    assert join_or(OptimalAffinity((A0, A)), B) == OptimalAffinity((A0, B))


@given(AFFINITIES, AFFINITIES)
def test_or_commutes_up_to_order(left, right):
    one, other = join_or(left, right), join_or(right, left)
    assert _devices(one) == _devices(other)


@given(AFFINITIES, AFFINITIES, AFFINITIES)
def test_or_of_devices_is_associative_up_to_order(first, second, third):
    one = join_or(join_or(first, second), third)
    assert _devices(one) == _devices(join_all([third, second, first]))


@given(st.lists(st.none() | AFFINITIES))
def test_a_list_is_joined_from_the_left_without_what_is_absent(affinities):
    present = [affinity for affinity in affinities if affinity is not None]
    assert join_all(affinities) == join_all(present)
    assert _devices(join_all(present)) == {
        affinity.device: _union(one.queues for one in present if one.device == affinity.device)
        for affinity in present
    }


@given(st.lists(LINKS, max_size=4))
def test_a_printed_topology_is_read_back(links):
    topology = Topology(tuple(links))
    assert parse_topology(str(topology)) == topology


def test_a_topology_as_it_is_written_by_hand():
    text = """#hal.device.topology<links = [
      (@dev_a -> @dev_b = {transparent_access = true, unified_memory = true}),
      (@pod::@dev_b -> @dev_a = {unified_memory = false}, {distance = 3 : i32})
    ]>"""
    assert parse_topology(text) == Topology(
        (Link("dev_a", "dev_b", True, True), Link("dev_b", "dev_a"))
    )


@pytest.mark.parametrize("text", ["", str(A), "#hal.device.topology<links = [what]>"])
def test_any_other_attribute_is_no_topology(text):
    assert parse_topology(text) is None


def test_a_link_goes_one_way_and_says_what_it_gives():
    topology = Topology((Link("device_a", "device_b", transparent_access=True),))
    assert topology.has_transparent_access(A0, B)
    assert not topology.has_unified_memory(A, B)
    assert not topology.has_transparent_access(B, A)


def test_of_two_links_the_first_counts():
    links = (Link("device_a", "device_b"), Link("device_a", "device_b", unified_memory=True))
    assert not Topology(links).has_unified_memory(A, B)
    assert Topology(links[::-1]).has_unified_memory(A, B)


def test_a_device_reaches_itself_without_a_link():
    assert Topology(()).has_unified_memory(A0, A)
    assert Topology(()).has_transparent_access(A, A)


def test_neither_a_set_nor_nothing_has_a_device_to_reach():
    topology = Topology((Link("device_a", "device_b", True, True),))
    assert not topology.has_unified_memory(OptimalAffinity((A,)), A)
    assert not topology.has_unified_memory(A, None)
    assert not topology.has_transparent_access(None, B)


def _devices(affinity):
    """The queues by device, in no order."""
    if affinity is None:
        return {}
    members = affinity.members if isinstance(affinity, OptimalAffinity) else (affinity,)
    return {member.device: member.queues for member in members}


def _union(masks):
    union = 0
    for mask in masks:
        union |= mask
    return union
