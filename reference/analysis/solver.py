"""The fixpoint solver of the affinity analysis: sets of potential values and how they settle.

Rules from compiler/src/iree/compiler/Dialect/Util/Analysis/DFX/{Solver,State,Element,DepGraph}.
An element is a set of affinities (a bit mask) about one position of a program. It is assumed empty
at first and grows; once something that it needs is not known, it is invalid for good.

The result depends on the order of updates in two places, so the order is IREE's, step by step:

- What is taken directly grows the set without anybody being told (`getState() ^= …` for
  `util.return` in `ValueConsumerAffinityPVS`, Affinity.cpp): who reads it earlier keeps less.
- What is taken with a guard is taken while the other element is valid, and stays taken.

One rule is left out: a set of 8192 affinities and more would be invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

MAX_ITERATIONS = 128
"""`iree-stream-affinity-solver-max-iterations`, Affinity.cpp."""

_MAX_UPDATE_CHAIN = 16
"""How deep elements update the new ones that they ask for; deeper ones wait for their turn."""


@dataclass(frozen=True, slots=True)
class Take:
    """How an element takes the members of another one, and its doubts."""

    required: bool = False
    """When the other turns invalid, so does the taker at once, not by another update."""
    prepared: bool = True
    """An element that does not exist yet is updated on the spot."""
    guarded: bool = False
    """Nothing is taken from an invalid element."""
    direct: bool = False
    """The members are taken at once, and that does not count as a change."""


REQUIRED = Take(required=True)
OPTIONAL = Take()
UNPREPARED = Take(prepared=False)
GUARDED_OPTIONAL = Take(guarded=True)
GUARDED_UNPREPARED = Take(prepared=False, guarded=True)
DIRECT = Take(direct=True)


@dataclass(slots=True, eq=False)
class Recipe:
    """What an element's set is made of: `constant` members, and what other elements hold."""

    terms: list[tuple[Take, Element]] = field(default_factory=list)
    constant: int = 0
    complete: bool = True
    """False where other sources cannot be seen: the element is invalid."""


class Element:
    """One set and how sure it is. `make_recipe` is asked once, when it is first updated."""

    __slots__ = ("_make_recipe", "_recipe", "dependents", "exists", "fixed", "members", "valid")

    def __init__(self, make_recipe: Callable[[], Recipe]) -> None:
        self._make_recipe: Callable[[], Recipe] | None = make_recipe
        self._recipe: Recipe | None = None
        self.exists = False
        """Whether the solver knows it."""
        self.members = 0
        self.valid = True
        self.fixed = False
        """Whether it stays as it is; an invalid one always does."""
        self.dependents: list[tuple[Element, bool]] = []
        """Elements to look at when this one changes, and whether they require it to be valid."""

    @property
    def recipe(self) -> Recipe:
        """What the set is made of."""
        if self._recipe is None:
            assert self._make_recipe is not None, "no longer asked"
            self._recipe = self._make_recipe()
        return self._recipe

    def fix(self, members: int) -> None:
        """These members and no others."""
        self.members, self.fixed = members, True
        self._make_recipe = None

    def forget_others(self) -> None:
        """No more updates: elements that refer to one another would wait for the collector."""
        self._make_recipe = self._recipe = None
        self.dependents.clear()

    def give_up(self) -> None:
        """`indicatePessimisticFixpoint`: invalid, unless it was known before."""
        if not self.fixed:
            self.valid, self.fixed = False, True


class Solver:
    """Elements and the order in which they were met."""

    def __init__(self) -> None:
        self._elements: list[Element] = []
        self._chain = 0

    def add(self, element: Element, *, update: bool = True) -> None:
        """An element that is wanted (`getOrCreateElementFor`): updated once if it is new."""
        if element.exists:
            return
        element.exists = True
        self._elements.append(element)
        if update and self._chain < _MAX_UPDATE_CHAIN:
            self._chain += 1
            self._update(element)
            self._chain -= 1

    def run(self, max_iterations: int = MAX_ITERATIONS) -> bool:
        """Updates until nothing changes; False when that takes `max_iterations` rounds or more.

        All that was not settled then, and whatever depends on it, is invalid.
        """
        iteration = 1
        work: dict[Element, None] = dict.fromkeys(self._elements)
        changed: list[Element] = []
        invalid: dict[Element, None] = {}
        while True:
            known = len(self._elements)
            _spread_invalid(invalid, work)
            for element in changed:
                _queue_dependents(element, work)
            changed, invalid = [], {}
            for element in work:
                if not element.fixed and self._update(element):
                    changed.append(element)
                if not element.valid:
                    invalid[element] = None
            changed += self._elements[known:]
            work = dict.fromkeys(changed)
            if not work:
                break
            iteration += 1
            if iteration > max_iterations:
                break
        _give_up_with_dependents(changed)
        for element in self._elements:
            element.forget_others()
        return iteration < max_iterations

    def _update(self, element: Element) -> bool:
        """Takes what the recipe says; whether the element changed."""
        if element.fixed:
            return False
        recipe = element.recipe
        members, valid = recipe.constant, recipe.complete
        open_elements: list[tuple[Element, bool]] = []
        for take, other in recipe.terms:
            if not other.exists:
                self.add(other, update=take.prepared)
            if not other.fixed:
                open_elements.append((other, take.required))
            if take.direct:
                if not other.valid:
                    element.give_up()
                elif element.valid:
                    element.members |= other.members
            elif other.valid:
                members |= other.members
            elif not take.guarded:
                valid = False
        changed = _clamp(element, members, valid=valid)
        if not open_elements:
            element.fixed = True
        if not element.fixed:
            for other, required in open_elements:
                other.dependents.append((element, required))
        return changed


def _clamp(element: Element, members: int, *, valid: bool) -> bool:
    """`clampStateAndIndicateChange`: what is assumed from now on; whether that is new."""
    if not element.valid:
        return False
    if not valid:
        element.give_up()
        return True
    before = element.members
    element.members |= members
    return element.members != before


def _spread_invalid(invalid: dict[Element, None], work: dict[Element, None]) -> None:
    """Elements that require an invalid one are invalid at once, the others are updated again.

    None of them can be known by now: that would take that the invalid one had been known before.
    """
    pending = list(invalid)
    for element in pending:
        while element.dependents:
            dependent, required = element.dependents.pop()
            if not required:
                work.setdefault(dependent)
                continue
            dependent.give_up()
            if dependent not in invalid:
                invalid[dependent] = None
                pending.append(dependent)


def _queue_dependents(element: Element, work: dict[Element, None]) -> None:
    while element.dependents:
        work.setdefault(element.dependents.pop()[0])


def _give_up_with_dependents(changed: Iterable[Element]) -> None:
    pending = list(changed)
    visited: set[Element] = set()
    for element in pending:
        if element in visited:
            continue
        visited.add(element)
        element.give_up()
        while element.dependents:
            pending.append(element.dependents.pop()[0])
