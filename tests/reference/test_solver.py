"""The solver by itself: elements with hand-made recipes."""

from __future__ import annotations

import pytest

from reference.analysis.solver import (
    DIRECT,
    GUARDED_OPTIONAL,
    GUARDED_UNPREPARED,
    MAX_ITERATIONS,
    OPTIONAL,
    REQUIRED,
    UNPREPARED,
    Element,
    Recipe,
    Solver,
)

A, B = 1, 2


def element(*terms, constant=0, complete=True):
    return Element(lambda: Recipe([*terms], constant, complete))


def solved(*elements, limit=MAX_ITERATIONS):
    solver = Solver()
    for one in elements:
        solver.add(one)
    return solver.run(limit)


def loop(take, *others, constant=0):
    """Two elements that take from each other; the second takes from others, too."""
    one = Element(lambda: Recipe([(take, two)]))
    two = Element(lambda: Recipe([(OPTIONAL, one), *others], constant))
    return one, two


@pytest.mark.parametrize("take", [REQUIRED, OPTIONAL, UNPREPARED, GUARDED_OPTIONAL, DIRECT])
def test_members_spread_whatever_the_way(take):
    source = element(constant=A)
    taker = element((take, source), constant=B)
    assert solved(taker)
    assert taker.members == A | B
    assert taker.valid
    assert source.exists


def test_members_spread_round_a_loop():
    one, two = loop(OPTIONAL, constant=A)
    assert solved(one, two)
    assert one.members == two.members == A


@pytest.mark.parametrize("take", [REQUIRED, OPTIONAL, UNPREPARED, DIRECT])
def test_doubts_spread_but_where_there_is_a_guard(take):
    doubtful = element(complete=False)
    taker = element((take, doubtful), constant=A)
    behind = element((GUARDED_OPTIONAL, taker), constant=B)
    assert solved(doubtful, behind)
    assert not taker.valid
    assert behind.valid
    assert behind.members == B


@pytest.mark.parametrize("take", [REQUIRED, OPTIONAL])
def test_doubts_spread_round_a_loop(take):
    doubtful = element(complete=False)
    one, two = loop(take, (UNPREPARED, doubtful))
    assert solved(one, two)
    assert not one.valid
    assert not two.valid


def test_what_is_taken_directly_changes_nothing_where_doubts_are_already():
    doubtful, source = element(complete=False), element(constant=A)
    taker = element((DIRECT, doubtful), (DIRECT, source))
    assert solved(taker)
    assert not taker.valid
    assert taker.members == 0


def test_what_a_guard_let_in_stays():
    """The guarded element is asked while the one behind it still believes in its members."""
    one, two = loop(OPTIONAL, (UNPREPARED, element(complete=False)), constant=A)
    watcher = element((GUARDED_UNPREPARED, one))
    solver = Solver()
    for each in (one, two, watcher):
        solver.add(each, update=False)
    assert solver.run()
    assert not one.valid
    assert watcher.valid


def test_a_fixed_element_is_never_asked_again():
    known = element(complete=False)
    known.fix(A)
    taker = element((REQUIRED, known))
    assert solved(taker)
    assert taker.members == known.members == A
    known.give_up()
    assert known.valid


def test_an_element_without_open_sources_is_fixed_at_once():
    source = element(constant=A)
    taker = element((REQUIRED, source))
    solver = Solver()
    solver.add(taker)
    assert source.fixed
    assert taker.fixed


def test_an_element_is_added_once():
    source = element(constant=A)
    solver = Solver()
    solver.add(source)
    solver.add(source)
    assert solver.run()


@pytest.mark.parametrize(("take", "heard"), [(OPTIONAL, A), (DIRECT, 0)])
def test_what_is_taken_directly_is_not_told_to_others(take, heard):
    """`reader` was updated before the member arrived, and nobody tells it of what came later.

    `middle` takes from `source` in both ways, as IREE does: the second way finds nothing new.
    """
    far = element((UNPREPARED, element((UNPREPARED, element(constant=A)))))
    source = element((UNPREPARED, far))
    middle = element((take, source), (OPTIONAL, source))
    reader = element((OPTIONAL, middle))
    assert solved(source, middle, reader)
    assert middle.members == A
    assert reader.members == heard


def chain(length):
    """Elements that each take from the next; the last has something to tell. A member moves on by
    one element a round, but for those that were made in one go."""
    last = Element(lambda: Recipe([(OPTIONAL, last)], A))
    elements = [last]
    for _ in range(length):
        elements.append(element((OPTIONAL, elements[-1])))
    return elements[::-1]


def given_rounds(limit):
    """Whether a chain of three settles within that many rounds, and what its first element is."""
    elements = chain(2)
    solver = Solver()
    for each in elements:
        solver.add(each, update=False)
    return solver.run(limit), elements[0].valid


def test_a_solver_that_runs_out_of_rounds_gives_up_what_is_open():
    # Three rounds to move the member on, one to see that nothing changes: it must end before the
    # last round that is allowed.
    assert given_rounds(5) == (True, True)
    assert given_rounds(4) == (False, True)
    assert given_rounds(3) == (False, False)


def test_new_elements_are_updated_sixteen_deep():
    elements = chain(20)
    solver = Solver()
    solver.add(elements[0])
    assert [each.exists for each in elements] == [True] * 17 + [False] * 4
    assert solver.run()
    assert all(each.members == A for each in elements)
