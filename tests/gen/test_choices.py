"""Choices: stable, in range, and simplest first."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from gen.choices import Choices, DrawnChoices, SeededChoices, Weighted, continue_probability

LETTERS = Weighted.of((("a", 3.0), ("b", 1.0), ("never", 0.0)))


def test_seeded_choices_never_change() -> None:
    """These numbers hold on any machine and Python: seeds in findings depend on it."""
    choices = SeededChoices("7:0")
    assert [choices.integer(0, 99) for _ in range(8)] == [70, 3, 97, 36, 72, 28, 71, 31]


def test_seeds_differ() -> None:
    first = [SeededChoices(f"7:{index}").integer(0, 10**9) for index in range(100)]
    assert len(set(first)) == 100


def test_seeded_choices_are_spread_evenly() -> None:
    choices = SeededChoices("even")
    counts = Counter(choices.integer(1, 4) for _ in range(4000))
    assert set(counts) == {1, 2, 3, 4}
    assert min(counts.values()) > 850


@pytest.mark.parametrize(
    ("probability", "expected"), [(0.0, 0), (1.0, 1000), (-1.0, 0), (2.0, 1000)]
)
def test_certain_chances(probability: float, expected: int) -> None:
    choices = SeededChoices("certain")
    assert sum(choices.chance(probability) for _ in range(1000)) == expected


def test_weights_are_kept() -> None:
    choices = SeededChoices("weights")
    counts = Counter(choices.weighted(LETTERS) for _ in range(4000))
    assert set(counts) == {"a", "b"}
    assert 2850 < counts["a"] < 3150


@pytest.mark.parametrize("pairs", [(), (("a", 0.0),), (("a", -1.0), ("b", 1.0))])
def test_weights_that_make_no_sense(pairs: tuple[tuple[str, float], ...]) -> None:
    with pytest.raises(ValueError, match="weight"):
        Weighted.of(pairs)


def length(choices: Choices, minimum: int, average: float, maximum: int) -> int:
    """How long a list grows."""
    count = 0
    while choices.more(count, minimum, average, maximum):
        count += 1
    return count


def test_lists_have_the_length_asked_for() -> None:
    choices = SeededChoices("lists")
    lengths = [length(choices, 2, 6.0, 50) for _ in range(2000)]
    assert min(lengths) == 2
    assert 5.7 < sum(lengths) / len(lengths) < 6.3
    assert max(length(choices, 0, 30.0, 9) for _ in range(200)) == 9


def test_no_list_grows_past_its_minimum_when_the_average_is_it() -> None:
    assert continue_probability(3, 3.0) == 0
    assert length(SeededChoices("exact"), 3, 3.0, 9) == 3


@settings(max_examples=50, database=None, derandomize=True)
@given(st.data())
def test_drawn_choices_are_in_range(data: st.DataObject) -> None:
    choices = DrawnChoices(data.draw)
    assert 2 <= choices.integer(2, 5) <= 5
    assert choices.pick("xyz") in "xyz"
    assert choices.weighted(LETTERS) in ("a", "b")
    assert choices.chance(0.5) in (True, False)
    assert (choices.chance(0.0), choices.chance(1.0)) == (False, True)
    assert choices.unit(lambda: choices.integer(3, 3)) == 3
    assert length(choices, 1, 2.0, 4) <= 4


@st.composite
def answers(draw: st.DrawFn) -> tuple[int, bool, str, str, int]:
    """One answer of each kind."""
    choices = DrawnChoices(draw)
    return (
        choices.integer(2, 9),
        choices.chance(0.9),
        choices.pick("xyz"),
        choices.weighted(LETTERS),
        length(choices, 2, 5.0, 9),
    )


def test_drawn_choices_shrink_to_the_simplest() -> None:
    assert find(answers(), lambda _: True) == (2, False, "x", "a", 0)
