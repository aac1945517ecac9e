from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from straight import A0, A, B

from reference.affinity import (
    ANY_QUEUE,
    Affinity,
    can_execute_together,
    is_executable_with,
    join_and,
    parse_affinity,
)

QUEUES = st.one_of(st.just(ANY_QUEUE), st.integers(1, 15))
AFFINITIES = st.builds(Affinity, st.sampled_from(["dev", "dev_1"]), QUEUES)
OPTIONAL = st.none() | AFFINITIES


def test_printed_like_mlir():
    assert str(A) == "#hal.device.affinity<@device_a>"
    assert str(Affinity("d", 0b101)) == "#hal.device.affinity<@d, [0, 2]>"


@pytest.mark.parametrize("text", ["", "#hal.device.optimal<[]>", "#hal.device.promise<@a>"])
def test_any_other_attribute_is_not_read(text):
    assert parse_affinity(text) is None


@given(AFFINITIES)
def test_what_is_printed_is_read_back(affinity):
    assert parse_affinity(str(affinity)) == affinity


def test_a_subset_of_queues_executes_with_all_but_not_the_other_way_round():
    assert is_executable_with(A0, A)
    assert not is_executable_with(A, A0)
    assert not is_executable_with(A, B)


@given(AFFINITIES)
def test_executable_with_itself(affinity):
    assert is_executable_with(affinity, affinity)


@given(AFFINITIES, AFFINITIES, AFFINITIES)
def test_executable_with_is_transitive(first, second, third):
    if is_executable_with(first, second) and is_executable_with(second, third):
        assert is_executable_with(first, third)


@given(AFFINITIES, AFFINITIES)
def test_executable_both_ways_only_when_equal(left, right):
    both = is_executable_with(left, right) and is_executable_with(right, left)
    assert both == (left == right)


@given(OPTIONAL)
def test_an_absent_affinity_goes_with_any(affinity):
    assert can_execute_together(None, affinity)
    assert can_execute_together(affinity, None)


@given(AFFINITIES, AFFINITIES)
def test_present_affinities_go_together_where_the_left_is_executable(left, right):
    assert can_execute_together(left, right) == is_executable_with(left, right)


@given(AFFINITIES, OPTIONAL)
def test_a_join_is_executable_with_both(left, right):
    joined = join_and(left, right)
    if joined is not None:
        assert is_executable_with(joined, left)
        assert can_execute_together(joined, right)


@given(AFFINITIES, OPTIONAL)
def test_a_join_exists_only_in_the_direction_of_execution(left, right):
    assert (join_and(left, right) is None) == (not can_execute_together(left, right))


@given(AFFINITIES)
def test_joins_with_nothing_and_itself_change_nothing(affinity):
    assert join_and(affinity, None) == affinity
    assert join_and(affinity, affinity) == affinity
