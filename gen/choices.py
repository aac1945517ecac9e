"""Where a generator's decisions come from: a seed, or Hypothesis.

The generator asks for choices through one protocol, `Choices`, and does not know who answers. Two
sources answer:

* `SeededChoices` for volume. It draws from `random.Random.random()` only, seeded with a string.
  Python documents both as stable (the Mersenne Twister's 53-bit floats, and SHA-512 of the
  string's UTF-8 bytes under seed version 2), while `randrange`, `choice` and `shuffle` have changed
  between versions. The same seed therefore gives the same choices on any machine and Python.
* `DrawnChoices` for property tests and shrinking. Every choice is a Hypothesis draw whose smallest
  answer is the simplest one: the lowest integer, no, the first item.

Hypothesis is imported on the first draw, never by the bulk lane.
"""

from __future__ import annotations

import functools
import random
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")

_STEPS = 128
"""How finely Hypothesis divides a probability. Of wider ranges it prefers the small integers."""


@dataclass(frozen=True, slots=True)
class Weighted(Generic[T]):
    """Items and how often each is chosen; put the simplest first, shrinking leads there."""

    items: tuple[T, ...]
    cumulative: tuple[float, ...]

    @staticmethod
    def of(pairs: Iterable[tuple[T, float]]) -> Weighted[T]:
        """The table of (item, weight) pairs. Items of weight 0 are left out.

        Raises ValueError when a weight is negative or nothing is left.
        """
        kept: list[tuple[T, float]] = []
        for item, weight in pairs:
            if weight < 0:
                raise ValueError(f"the weight of {item} is negative: {weight}")
            if weight > 0:
                kept.append((item, weight))
        if not kept:
            raise ValueError("no item has a weight above 0")
        return Weighted(
            tuple(item for item, _ in kept), tuple(accumulate(weight for _, weight in kept))
        )

    def at(self, fraction: float) -> T:
        """The item at `fraction` of the total weight, 0 ≤ fraction < 1."""
        index = bisect_right(self.cumulative, fraction * self.cumulative[-1])
        return self.items[min(index, len(self.items) - 1)]


class Choices(Protocol):
    """What a generator may ask."""

    def integer(self, low: int, high: int) -> int:
        """An integer, low ≤ integer ≤ high."""

    def chance(self, probability: float) -> bool:
        """Yes with a probability in [0, 1]; 0 and 1 cost no draw."""

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely; there must be one. A single one costs no draw."""

    def weighted(self, table: Weighted[T]) -> T:
        """One of the table's items."""

    def more(self, count: int, minimum: int, average: float, maximum: int) -> bool:
        """Whether a list that has `count` items gets one more.

        Asked before each item of a list of `minimum` to `maximum` items, about `average` of them;
        Hypothesis may stop below the minimum.
        """

    def unit(self, step: Callable[[], T]) -> T:
        """`step()`, whose choices belong together: shrinking deletes or moves them as one."""


def continue_probability(minimum: int, average: float) -> float:
    """How likely 'one more' must be for lists of `average` items, `minimum` of them certain."""
    return 1 - 1 / (1 + max(average - minimum, 0.0))


class SeededChoices:
    """Choices from a seed: equal seeds give equal choices everywhere."""

    __slots__ = ("_random",)

    def __init__(self, seed: str) -> None:
        self._random: Callable[[], float] = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        if probability <= 0:
            return False
        return probability >= 1 or self._random() < probability

    def pick(self, items: Sequence[T]) -> T:
        count = len(items)
        return items[0] if count == 1 else items[int(self._random() * count)]

    def weighted(self, table: Weighted[T]) -> T:
        return table.at(self._random())

    def more(self, count: int, minimum: int, average: float, maximum: int) -> bool:
        if count < minimum:
            return True
        return count < maximum and self._random() < continue_probability(minimum, average)

    def unit(self, step: Callable[[], T]) -> T:
        return step()


class DrawnChoices:
    """Choices that Hypothesis draws, and shrinks."""

    __slots__ = ("_draw",)

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(_integers(low, high))

    def chance(self, probability: float) -> bool:
        if probability <= 0:
            return False
        if probability >= 1:
            return True
        refused = min(max(round((1 - probability) * _STEPS), 1), _STEPS - 1)
        return self._draw(_integers(0, _STEPS - 1)) >= refused

    def pick(self, items: Sequence[T]) -> T:
        return items[0] if len(items) == 1 else items[self._draw(_integers(0, len(items) - 1))]

    def weighted(self, table: Weighted[T]) -> T:
        return table.at(self._draw(_integers(0, _STEPS - 1)) / _STEPS)

    def more(self, count: int, minimum: int, average: float, maximum: int) -> bool:
        # The minimum only shapes what a run looks like. It would keep programs from shrinking: an
        # item that needs no choice to be there has no choice to delete it with.
        return count < maximum and self.chance(continue_probability(0, average))

    def unit(self, step: Callable[[], T]) -> T:
        # A strategy drawn is a span of choices to Hypothesis: that is what it deletes and reorders.
        from hypothesis import strategies

        return self._draw(strategies.builds(step))


@functools.cache
def _integers(low: int, high: int) -> SearchStrategy[int]:
    from hypothesis import strategies

    return strategies.integers(low, high)
