"""What a kind of step is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from oracle.reduction.tree import Tree


class Step(Protocol):
    """One way to make a program smaller. It need not know whether what comes out is a program."""

    name: ClassVar[str]

    def sites(self, tree: Tree) -> int:
        """How many places there are to take the step at, largest cuts first."""

    def take(self, tree: Tree, site: int) -> Tree | None:
        """A smaller copy; None where nothing can be done at that place."""


def halves(count: int) -> Sequence[tuple[int, int]]:
    """Runs of `count` items to try to delete: half of them, quarters, …, each alone; from the end,
    where what others need is not."""
    runs: list[tuple[int, int]] = []
    length = count // 2
    while length > 1:
        runs += [(start, length) for start in range(count - length, -1, -length)]
        length //= 2
    return (*runs, *((start, 1) for start in reversed(range(count))))
