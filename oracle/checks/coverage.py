"""`coverage`: after scheduling each op is in one execution region, and every use waits.

The rules and their exceptions are in `reference/contracts/coverage.py`. A valid program accuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from oracle.checks.base import Confirmation, Judge, Question, Subject
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.reading import scheduled
from oracle.reading.raw import origin
from oracle.reading.scheduled import Scheduled
from oracle.verdict import Fault, Judgement
from reference.contracts.breach import Breach
from reference.contracts.coverage import coverage
from reference.contracts.waits import lost_waits

_EXPECTED = (
    "each op that needs to run is in one execution region, and what a region makes is taken only "
    "by those who wait for it"
)


class Coverage:
    """Compares the IR before `iree-stream-schedule-execution` with the IR after."""

    name: ClassVar[str] = "coverage"
    question: ClassVar[str] = "is each op in one execution region, and does every use wait"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return (scheduled.question(subject),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        (answers,) = results
        found = scheduled.read(subject, answers)
        if found.unsupported:
            return Judgement(self.name, unsupported=found.unsupported)
        faults = {
            breach.shape: scheduled.fault(
                subject, self.name, breach, _stage(subject, found, breach), _EXPECTED
            )
            for breach in reversed(breaches(subject, found))
        }
        return Judgement(self.name, tuple(faults.values()))

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        found, told = scheduled.stock(subject, fault, judge)
        shapes = {breach.shape for breach in breaches(subject, found)} if found else set()
        return replace(told, confirmed=fault.shape in shapes)


def breaches(subject: Subject, found: Scheduled) -> list[Breach]:
    """What is not covered; waits that the program asks for are looked for from its input on."""
    told = list(coverage(found.before, found.after, origin))
    if subject.program is not None and not any(breach.shape[0] == "lost-wait" for breach in told):
        told += (
            replace(breach, before=True)
            for breach in lost_waits(subject.program, found.after, origin)
        )
    return told


def _stage(subject: Subject, found: Scheduled, breach: Breach) -> str | None:
    """The first stage after which a promise was seen to be broken."""
    if not breach.before:
        return stages.SCHEDULE_EXECUTION.name
    assert subject.program is not None
    if found.canonical is not None and any(lost_waits(subject.program, found.canonical, origin)):
        return stages.CANONICALIZE.name
    return None
