"""From a module's text and a fault's signature to the smallest text with that fault."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from oracle.compiling.answers import Outcome, Request
from oracle.examiner import ExaminerSettings
from oracle.files import subject_from_text
from oracle.reduction.reducer import NotShownError, Reducer
from oracle.reduction.several import Asking, SeveralAtOnce
from oracle.reduction.text import readable
from oracle.reduction.tree import text_of, tree_of
from reference.releases import Release

TRIES = 6
"""How often a fault of `determinism` is looked for: it shows by chance."""


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
) -> Reduction:
    """Reduces a module that shows the fault of `signature` to one of `checks`.

    `workers` candidates are tried at once; the outcome does not depend on it. Raises
    NotShownError where the module does not show the fault (again), ExaminerError.
    """
    tries = TRIES if signature.startswith("determinism/") else 1
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
        reducer = Reducer(shows, shows_several=several, width=workers)
        reduced = reducer.reduce(tree_of(answer.results[-1]))
        told = readable(examiner, text_of(reduced.tree), shows)
    return Reduction(told, reduced.ops, reduced.asked, reduced.taken)


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
    tries = TRIES if signature.startswith("determinism/") else 1
    own = signature.partition("/")[0]
    for name in sorted(checks, key=lambda one: one != own):
        asking = Asking(settings, (name,), signature, rules, compiler, None, tries)
        with asking.examiner() as examiner:
            if asking.predicate(examiner)(text):
                return name
    raise NotShownError
