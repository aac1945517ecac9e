"""From a module's text and a fault's signature to the smallest text with that fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from oracle.compiling.answers import Outcome, Request
from oracle.examiner import ExaminerSettings
from oracle.files import subject_from_text
from oracle.reduction.reducer import GroupPredicate, NotShownError, Predicate, Reducer
from oracle.reduction.several import Asking, SeveralAtOnce
from oracle.reduction.text import readable
from oracle.reduction.tree import text_of, tree_of
from oracle.signature import shows_by_chance
from reference.releases import Release

TRIES = 6
"""How often a fault is looked for that shows by chance."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a module was reduced to: its text as people write it, its size in ops, how many
    candidates were put to the compiler, and the steps taken, by kind."""

    text: str
    ops: int
    asked: int
    taken: dict[str, int]


def reduce_text(
    text: str,
    signature: str,
    checks: Sequence[str],
    settings: ExaminerSettings,
    rules: Release,
    compiler: Release,
    workers: int = 1,
    kept: Callable[[str], object] | None = None,
) -> Reduction:
    """Reduces a module that shows the fault of `signature` to one of `checks`.

    `workers` candidates are tried at once; the outcome does not depend on it. `kept` is told each
    program that shows the fault, as soon as it is found: the last is what to keep when the search
    is interrupted. It is MLIR in its generic form, for `written` to make readable. Raises
    NotShownError where the module does not show the fault (again), ExaminerError.
    """
    tries = TRIES if shows_by_chance(signature) else 1
    asking = Asking(settings, tuple(checks), signature, rules, compiler, None, tries)
    with ExitStack() as stack:
        examiner = stack.enter_context(asking.examiner())
        read = subject_from_text(examiner, text, rules, compiler)
        if read is None or read.subject is None:
            raise NotShownError
        asking = Asking(settings, tuple(checks), signature, rules, compiler, read.level, tries)
        shows = asking.predicate(examiner)
        (answer,) = examiner.process().ask([Request(text, (("parse",), ("read",)))])
        if answer.outcome is not Outcome.OK:
            raise NotShownError
        several = None
        if workers > 1:
            several = stack.enter_context(SeveralAtOnce(asking, workers))
        ask_one, ask_several = _telling(shows, several, kept)
        reducer = Reducer(ask_one, shows_several=ask_several, width=workers)
        reduced = reducer.reduce(tree_of(answer.results[-1]))
        told = readable(examiner, text_of(reduced.tree), shows)
    return Reduction(told, reduced.ops, reduced.asked, reduced.taken)


def written(
    text: str,
    signature: str,
    checks: Sequence[str],
    settings: ExaminerSettings,
    rules: Release,
    compiler: Release,
) -> str:
    """A program that a search told of, as people write it. Raises ExaminerError."""
    tries = TRIES if shows_by_chance(signature) else 1
    asking = Asking(settings, tuple(checks), signature, rules, compiler, None, tries)
    with asking.examiner() as examiner:
        return readable(examiner, text, asking.predicate(examiner))


def _telling(
    shows: Predicate, several: GroupPredicate | None, kept: Callable[[str], object] | None
) -> tuple[Predicate, GroupPredicate | None]:
    """Predicates that tell `kept` what the search goes on with: of several the first that shows."""
    if kept is None:
        return shows, several

    def one(text: str) -> bool:
        held = shows(text)
        if held:
            kept(text)
        return held

    def group(texts: Sequence[str]) -> Sequence[bool]:
        assert several is not None, "only where several are asked about at once"
        held = several(texts)
        found = next((text for text, holds in zip(texts, held, strict=True) if holds), None)
        if found is not None:
            kept(found)
        return held

    return one, None if several is None else group


def check_that_shows(
    text: str,
    signature: str,
    checks: Sequence[str],
    settings: ExaminerSettings,
    rules: Release,
    compiler: Release,
) -> str:
    """Of some checks the first that runs into a fault by itself: to ask only that one is quicker.

    Raises NotShownError, ExaminerError.
    """
    tries = TRIES if shows_by_chance(signature) else 1
    own = signature.partition("/")[0]
    for name in sorted(checks, key=lambda one: one != own):
        asking = Asking(settings, (name,), signature, rules, compiler, None, tries)
        with asking.examiner() as examiner:
            if asking.predicate(examiner)(text):
                return name
    raise NotShownError
