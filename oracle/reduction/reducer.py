"""The search: steps to a fixpoint, each of which keeps the fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oracle.reduction.step import Step
from oracle.reduction.steps import STEPS
from oracle.reduction.tree import Tree, UndefinedValueError, size_of, text_of

Predicate = Callable[[str], bool]
"""Whether a module's text still shows the fault; False too for what is no program."""


class NotShownError(Exception):
    """The program does not show the fault that it is to be reduced for."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """The smallest program found, how many candidates were put to the predicate, and the steps
    taken, by kind."""

    tree: Tree
    asked: int
    taken: dict[str, int]

    @property
    def ops(self) -> int:
        """Its size in ops."""
        return size_of(self.tree)


@dataclass(slots=True)
class Reducer:
    """Reduces trees for one fault. `shows` is asked about each text once."""

    shows: Predicate
    steps: tuple[Step, ...] = STEPS
    asked: int = 0
    _known: dict[str, bool] = field(default_factory=dict)

    def reduce(self, tree: Tree) -> Reduced:
        """A program of which no single step keeps the fault. Raises NotShownError."""
        if not self._holds(tree):
            raise NotShownError
        taken: dict[str, int] = {}
        progress = True
        while progress:
            progress = False
            for step in self.steps:
                tree, count = self._exhaust(step, tree)
                if count:
                    taken[step.name] = taken.get(step.name, 0) + count
                    progress = True
        return Reduced(tree, self.asked, taken)

    def _exhaust(self, step: Step, tree: Tree) -> tuple[Tree, int]:
        """Takes one kind of step for as long as it can be taken, from site to site."""
        count = site = 0
        while site < step.sites(tree):
            try:
                made = step.take(tree, site)
            except UndefinedValueError:
                made = None
            if made is not None and self._holds(made):
                tree, count = made, count + 1
            else:
                site += 1
        return tree, count

    def _holds(self, tree: Tree) -> bool:
        try:
            text = text_of(tree)
        except UndefinedValueError:
            return False
        known = self._known.get(text)
        if known is None:
            self.asked += 1
            known = self._known[text] = self.shows(text)
        return known
