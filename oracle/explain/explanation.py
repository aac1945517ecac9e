"""Why a program is as it is: places, lifetimes, folds, regions, time; and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oracle.checks.base import Confirmation, Subject
from oracle.compiling.compiler import CompilerUnavailable
from oracle.examiner import Examiner, ExaminerError
from oracle.explain import views
from oracle.explain.comparison import Row, compared
from oracle.explain.picture import Panel
from oracle.explain.placing import Folded, Placed, folded_transfers, placed_operations
from oracle.explain.schedules import Schedules, schedules
from oracle.explain.views import Around
from oracle.reading.raw import origin
from oracle.verdict import Fault, State
from reference.ir import Program, UnsupportedOperationError

_LOCATION = re.compile(r'loc\("((?:[^"\\]|\\.)*)"\)')


@dataclass(frozen=True, slots=True)
class Found:
    """A fault, whose it is, the corpus entry that has it, and what stock tools say of it."""

    fault: Fault
    state: State
    known: str | None
    confirmation: Confirmation


@dataclass(frozen=True, slots=True)
class ExplainedFinding:
    """A fault with both answers line by line, what the guilty pass changed, and the ops at fault.

    `around` says why there is nothing to show where it is text.
    """

    found: Found
    rows: tuple[Row, ...]
    around: Around | str
    at_fault: frozenset[str]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of one subject. Where a part cannot be told, its note says why."""

    functions: tuple[str, ...]
    places: dict[str, tuple[Placed, ...]]
    places_note: str | None
    folds: tuple[Folded, ...] | str
    schedules: Schedules
    findings: tuple[ExplainedFinding, ...]

    @property
    def at_fault(self) -> frozenset[str]:
        """The ops at fault of all findings."""
        return frozenset(name for one in self.findings for name in one.at_fault)

    def panels(self) -> tuple[Panel, ...]:
        """What a picture of it shows."""
        arounds = (finding.around for finding in self.findings)
        return self.schedules.panels(one for one in arounds if isinstance(one, Around))


def explain(
    examiner: Examiner, subject: Subject, functions: tuple[str, ...], found: Sequence[Found]
) -> Explanation:
    """All that the model and the compiler say of a subject. Raises ExaminerError."""
    try:
        return _explained(examiner, subject, functions, found)
    except CompilerUnavailable as error:
        raise ExaminerError(str(error)) from None


def _explained(
    examiner: Examiner, subject: Subject, functions: tuple[str, ...], found: Sequence[Found]
) -> Explanation:
    compiler = examiner.process()
    places, places_note = _places(examiner, subject)
    folds: tuple[Folded, ...] | str = "the model does not know the program whole"
    if subject.program is not None:
        folds = folded_transfers(subject.program, subject.rules)
    return Explanation(
        functions=functions,
        places=places,
        places_note=places_note,
        folds=folds,
        schedules=schedules(compiler, subject),
        findings=tuple(_finding(examiner, subject, one) for one in found),
    )


def _places(
    examiner: Examiner, subject: Subject
) -> tuple[dict[str, tuple[Placed, ...]], str | None]:
    program, note = subject.program, None
    if program is not None and not subject.resolved:
        told, problem = views.before_placement(examiner.process(), subject)
        if told is None:
            note = f"as written, since lifetimes are not resolved: {problem}"
        else:
            program, note = told, "once lifetimes are resolved, just before transfers are placed"
    if program is None:
        return {}, "the model does not know the program whole"
    try:
        return placed_operations(program, subject.rules), note
    except UnsupportedOperationError as error:
        return {}, str(error)


def _finding(examiner: Examiner, subject: Subject, found: Found) -> ExplainedFinding:
    fault = found.fault
    rows = compared(fault.expected, fault.actual)
    around = views.around(examiner.process(), subject, fault)
    return ExplainedFinding(found, rows, around, at_fault(fault, rows, subject, (around,)))


def at_fault(
    fault: Fault, rows: Iterable[Row], subject: Subject, arounds: Iterable[Around | str] = ()
) -> frozenset[str]:
    """The ops that a fault's message, what differs between both answers, or the compiler's own
    diagnostics name."""
    told = [fault.message]
    for row in rows:
        if not row.same:
            for side in (row.expected, row.actual):
                told.append("".join(segment.text for segment in side or ()))
    words = set(map(origin, re.split(r"[^\w.$~-]+", "\n".join(told))))
    for around in arounds:
        if isinstance(around, Around):
            words |= around.blamed
    return frozenset(name for name in _identities(subject, fault) if name in words)


def _identities(subject: Subject, fault: Fault) -> set[str]:
    """The names of the ops of a program."""
    text = fault.text or subject.text
    found = set(_LOCATION.findall(text))
    if isinstance(subject.program, Program):
        found |= {origin(operation.identity) for operation in subject.program.operations()}
    return found
