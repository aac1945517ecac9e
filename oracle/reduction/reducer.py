"""The search: steps to a fixpoint, each of which keeps the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from oracle.reduction.step import Step
from oracle.reduction.steps import STEPS
from oracle.reduction.tree import Tree, UndefinedValueError, size_of, text_of

Predicate = Callable[[str], bool]
"""Whether a module's text still shows the fault; False too for what is no program."""

GroupPredicate = Callable[[Sequence[str]], Sequence[bool]]
"""The same of several texts at once."""


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


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What a step makes at one site, and its text."""

    site: int
    tree: Tree
    text: str


@dataclass(slots=True)
class Reducer:
    """Reduces trees for one fault. `shows` is asked about each text once.

    `shows_several`, where there is one, is asked about `width` candidates at once. Of those that
    show the fault the first counts, so that the outcome is the same as one by one.
    """

    shows: Predicate
    steps: tuple[Step, ...] = STEPS
    shows_several: GroupPredicate | None = None
    width: int = 1
    asked: int = 0
    _known: dict[str, bool] = field(default_factory=dict)
    _been: set[str] = field(default_factory=set)
    """The texts that were the program. To come back to one would be to go round for ever: not every
    step makes a program smaller."""

    def reduce(self, tree: Tree) -> Reduced:
        """A program of which no single step keeps the fault. Raises NotShownError."""
        text = _text(tree)
        if text is None or not any(self._hold([text])):
            raise NotShownError
        self._been.add(text)
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
            group, site_behind = self._group(step, tree, site)
            held = self._hold([one.text for one in group])
            found = next((one for one, holds in zip(group, held, strict=True) if holds), None)
            if found is None:
                site = site_behind
                continue
            tree, site, count = found.tree, found.site, count + 1
            self._been.add(found.text)
        return tree, count

    def _group(self, step: Step, tree: Tree, site: int) -> tuple[list[_Candidate], int]:
        """The next candidates that are worth a question, at most `width`, and the site behind."""
        group: list[_Candidate] = []
        for candidate, behind in self._candidates(step, tree, site):
            site = behind
            if candidate is not None:
                group.append(candidate)
            # What is known already costs nothing, and what holds ends the search.
            if len(group) == self.width or (candidate and self._known.get(candidate.text)):
                break
        return group, site

    def _candidates(
        self, step: Step, tree: Tree, site: int
    ) -> Iterator[tuple[_Candidate | None, int]]:
        for place in range(site, step.sites(tree)):
            made = _taken(step, tree, place)
            text = None if made is None else _text(made)
            if made is None or text is None or text in self._been or self._known.get(text) is False:
                yield None, place + 1
            else:
                yield _Candidate(place, made, text), place + 1

    def _hold(self, texts: Sequence[str]) -> list[bool]:
        """Of each text whether it shows the fault."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self.asked += len(new)
        if self.shows_several is not None and len(new) > 1:
            self._known.update(zip(new, self.shows_several(new), strict=True))
        else:
            self._known.update((text, self.shows(text)) for text in new)
        return [self._known[text] for text in texts]


def _taken(step: Step, tree: Tree, site: int) -> Tree | None:
    """What a step makes; None where it cuts too much, or nothing can be done."""
    try:
        return step.take(tree, site)
    except UndefinedValueError:
        return None


def _text(tree: Tree) -> str | None:
    """The text of a tree; None where an op takes what no longer exists."""
    try:
        return text_of(tree)
    except UndefinedValueError:
        return None
