"""`execution`: what says `on(D)` runs on D to the end of scheduling, or does not exist any more.

The rules and their exceptions are in `reference/contracts/execution.py`. A valid program accuses.
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
from oracle.reading.reader import read_program
from oracle.reading.scheduled import Scheduled
from oracle.verdict import Fault, Judgement
from reference.contracts.breach import Breach
from reference.contracts.execution import execution
from reference.ir import Program

_EXPECTED = (
    "what says on(D) is in an execution region on D, or is gone because nobody needs it, another "
    "op does the same, or it was a hop that is not made"
)
_ADDS_ONLY = "copy-on-write"
"""The stage whose own pass takes nothing away
(compiler/src/iree/compiler/Dialect/Stream/Transforms/MaterializeCopyOnWrite.cpp): what is seen to
be lost behind it was lost by a canonicalization before, such as the one that MLIR's inliner runs.
"""
_NOT_WHOLE = "execution of a module that the model does not know whole"


class Execution:
    """Compares a program with its execution regions."""

    name: ClassVar[str] = "execution"
    question: ClassVar[str] = "does what says on(...) run there"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return (scheduled.question(subject),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        (answers,) = results
        found = scheduled.read(subject, answers)
        if subject.program is None or found.unsupported:
            return Judgement(self.name, unsupported=found.unsupported or (_NOT_WHOLE,))
        faults: dict[str, Fault] = {}
        for breach in breaches(subject.program, found):
            stage: str | None = stages.SCHEDULE_EXECUTION.name
            if breach.before:
                stage = found.lost_at(breach)
                if stage == _ADDS_ONLY:
                    stage = stages.CANONICALIZE.name
            fault = scheduled.fault(subject, self.name, breach, stage, _EXPECTED)
            faults.setdefault(fault.signature, fault)
        return Judgement(self.name, tuple(faults.values()))

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        found, told = scheduled.stock(subject, fault, judge)
        program = subject.program or read_program(judge.read(subject.text)).program
        shapes = {breach.shape for breach in breaches(program, found)} if found else set()
        return replace(told, confirmed=fault.shape in shapes)


def breaches(program: Program, found: Scheduled) -> list[Breach]:
    """The ops of `program` that lost their `on(...)`."""
    return list(execution(program, found.before, found.after, origin))
