"""The fast order against MLIR's own loop, which looks through the ops again and again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference.scheduling.topological import topological_order


def looked_through(dependencies):
    """`sortTopologically`, step by step."""
    left = list(range(len(dependencies)))
    order, complete = [], True
    while left:
        taken = []
        for position in left:
            if all(item in order for item in dependencies[position]):
                order.append(position)
                taken.append(position)
        if not taken:
            complete = False
            order.append(left[0])
            taken = left[:1]
        left = [position for position in left if position not in taken]
    return order, complete


@st.composite
def graphs(draw):
    count = draw(st.integers(0, 9))
    return [
        draw(st.sets(st.sampled_from([other for other in range(count) if other != position])))
        if count > 1
        else set()
        for position in range(count)
    ]


@given(graphs())
def test_the_order_is_that_of_the_loop(dependencies):
    assert topological_order(dependencies) == looked_through(dependencies)


@given(st.lists(st.sets(st.integers(0, 30), max_size=4), max_size=30), st.randoms())
def test_without_cycles_the_order_is_complete(sets, random):
    places = list(range(len(sets)))
    random.shuffle(places)
    dependencies = [set() for _ in sets]
    for rank, place in enumerate(places):
        dependencies[place] = {places[item % rank] for item in sets[rank]} if rank else set()
    order, complete = topological_order(dependencies)
    assert complete
    assert (order, complete) == looked_through(dependencies)


def test_what_is_in_order_stays():
    assert topological_order([set(), {0}, {0, 1}]) == ([0, 1, 2], True)


def test_what_comes_too_early_waits_for_the_next_look():
    assert topological_order([{2}, set(), {1}, {0}]) == ([1, 2, 0, 3], True)


def test_a_cycle_is_broken_at_its_first_op():
    assert topological_order([{1}, {0}, set()]) == ([2, 0, 1], False)
