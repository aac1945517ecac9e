"""`symmetry`: the names of devices, and the order of independent ops, decide nothing.

Three versions of a program are scheduled, cleanup lean: the program; one whose devices have other
names in the same order; and one whose devices have each other's names and whose ops stand in
another order. Of the first two, the IR just before `iree-stream-schedule-execution` and just after
is the same but for the names. The third may become something else, but breaks no contract that the
program keeps (`coverage`, `execution`, and `accept`, since a version that is refused is a fault):
such a breach is told as that contract's, of that version. Values are not compared here.

Nothing is looked at after scheduling: `iree-stream-schedule-allocation` packs slices in an order
that changes from run to run. A valid program accuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar
from zlib import crc32

from oracle.checks import coverage, execution
from oracle.checks.base import Check, Confirmation, Judge, Question, Subject, pass_pipeline
from oracle.checks.coverage import Coverage
from oracle.checks.execution import Execution
from oracle.checks.idempotence import changed_kinds
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.compiling.stock import first_failure
from oracle.reading import scheduled
from oracle.reading.scheduled import AFTER_TEXT, BEFORE_TEXT
from oracle.verdict import Fault, Judgement, Verdict
from reference.contracts.renaming import keeping_order, rename_devices, reversing_order
from reference.contracts.reordering import reorder
from reference.ir import Operation, Program
from reference.tensor import expressible
from reference.text import print_program

_NOT_WHOLE = "symmetry of a module that the model does not know whole"
_SYMBOL = re.compile(r"@([\w.$-]+)")
_KEPT: tuple[Check, ...] = (Coverage(), Execution())
"""The contracts that every version keeps, if one does."""

_BOTH_WAYS = 12
"""The most ops of a program that both other versions are made of; of a larger one only one is, its
text decides which."""
_REMEMBERED = 32
"""Programs whose versions are kept from the question to the judgement: more than are asked about at
a time."""


class Symmetry:
    """Schedules a program under other names and in another order."""

    name: ClassVar[str] = "symmetry"
    question: ClassVar[str] = "do device names and the order of independent ops decide nothing"
    compares_order: ClassVar[bool] = True

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        if subject.program is None or _cannot_be_written(subject.program):
            return (scheduled.question(subject),)
        ways = _ways(_Given(subject.text, subject.program))
        # A device by another name is in the same place, so that the question stays the same.
        return tuple(
            scheduled.question(subject, None if text == subject.text else text)
            for text in (ways.plain, ways.renamed, ways.shuffled)
            if text is not None
        )

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        if subject.program is None or _cannot_be_written(subject.program):
            return Judgement(self.name, unsupported=(_NOT_WHOLE,))
        ways = _ways(_Given(subject.text, subject.program))
        plain, *others = results
        if ways.renamed is not None:
            renamed = others.pop(0)
            for stage, place in (
                (scheduled.last_before(subject), BEFORE_TEXT),
                (stages.SCHEDULE_EXECUTION.name, AFTER_TEXT),
            ):
                expected, actual = str(plain[place]), _with_names(str(renamed[place]), ways.back)
                if expected != actual:
                    return Judgement(self.name, (self._fault(subject, stage, expected, actual),))
        if ways.shuffled is None:
            return Judgement(self.name)
        one = replace(subject, text=ways.plain)
        other = replace(subject, text=ways.shuffled, program=_shuffled(subject.program))
        return self._compared(one, plain, other, others[0])

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        assert subject.program is not None, "such a fault is of a program that is known whole"
        names = keeping_order(subject.program)
        text = print_program(subject.program)
        one = judge.stock.opt(text, *fault.stock_arguments)
        other = judge.stock.opt(_with_names(text, names), *fault.stock_arguments)
        back = _with_names(other.output, {new: old for old, new in names.items()})
        renamed = other.command.replace("program.mlir", "renamed.mlir")
        return Confirmation(
            confirmed=one.succeeded and other.succeeded and one.output != back,
            commands=(
                f"sed -E {_sed(names)!r} program.mlir > renamed.mlir",
                f"{one.command} > one.mlir",
                f"{renamed} | sed -E {_sed({new: old for old, new in names.items()})!r}"
                " | diff one.mlir -",
            ),
            output=other.output,
            failure=first_failure([one, other]),
        )

    def _compared(
        self,
        one: Subject,
        answers: Sequence[Json],
        other: Subject,
        other_answers: Sequence[Json],
    ) -> Judgement:
        """The contracts that the other version breaks and the one does not."""
        found = scheduled.read(other, other_answers)
        if found.unsupported:
            return Judgement(self.name, unsupported=found.unsupported)
        assert other.program is not None, "a version is of a program that is known whole"
        if not coverage.breaches(other, found) and not execution.breaches(other.program, found):
            return Judgement(self.name)
        faults: list[Fault] = []
        for check in _KEPT:
            kept = check.judge(one, [answers])
            told = check.judge(other, [other_answers])
            known = {fault.signature for fault in kept.faults}
            faults += (
                replace(fault, text=other.text)
                for fault in told.faults
                if fault.signature not in known
            )
        return Judgement(self.name, tuple(faults))

    def _fault(self, subject: Subject, stage: str, expected: str, actual: str) -> Fault:
        names = [one.name for one in scheduled.stages_before(subject)]
        names.append(stages.SCHEDULE_EXECUTION.name)
        passes = stages.joined(subject.compiler.version, names[: names.index(stage) + 1], "lean")
        return Fault(
            check=self.name,
            verdict=Verdict.BROKEN_CONTRACT,
            stage=stage,
            shape=("renamed", changed_kinds(expected, actual)),
            message="devices under other names, in the same order, change more than names",
            expected=expected,
            actual=actual,
            stock_arguments=(pass_pipeline(passes),),
        )


@dataclass(frozen=True, slots=True)
class _Given:
    """A program, known by its text."""

    text: str
    program: Program = field(compare=False)


@dataclass(frozen=True, slots=True)
class _Ways:
    """The versions of a program to ask about, as text; None for one that is not asked.

    `back` are the names that take the renamed one's.
    """

    plain: str
    renamed: str | None
    shuffled: str | None
    back: Mapping[str, str]


@lru_cache(maxsize=_REMEMBERED)
def _ways(given: _Given) -> _Ways:
    program = given.program
    plain = print_program(program)
    both = sum(1 for _ in program.operations()) <= _BOTH_WAYS
    chosen = crc32(plain.encode()) & 1
    renamed, shuffled = None, None
    back: dict[str, str] = {}
    if both or chosen == 0:
        names = keeping_order(program)
        renamed = _with_names(plain, names)
        back = {new: old for old, new in names.items()}
    if both or chosen == 1:
        other = print_program(reorder(program, _priority))
        shuffled = _with_names(other, reversing_order(program))
    return _Ways(plain, renamed, shuffled, back)


def _cannot_be_written(program: Program) -> bool:
    """Whether a program that was read on tensors has no form there as the model has it."""
    return program.tensors and expressible(program) is not None


def _shuffled(program: Program) -> Program:
    """The program with its devices' names dealt out anew, and its ops in another order."""
    return reorder(rename_devices(program, reversing_order(program)), _priority)


def _priority(operation: Operation) -> int:
    return crc32(operation.identity.encode())


def _with_names(text: str, names: Mapping[str, str]) -> str:
    return _SYMBOL.sub(lambda match: f"@{names.get(match[1], match[1])}", text)


def _sed(names: Mapping[str, str]) -> str:
    """A script that renames symbols; all at once is more than sed can, so by way of a mark."""
    there = [f"s/@{old}\\b/@!{new}/g" for old, new in names.items()]
    return ";".join([*there, "s/@!/@/g"])
