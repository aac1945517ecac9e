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
from dataclasses import replace
from typing import ClassVar
from zlib import crc32

from oracle import scheduled, stages
from oracle.answers import Json
from oracle.checks.base import Check, Confirmation, Judge, Question, Subject, pass_pipeline
from oracle.checks.coverage import Coverage
from oracle.checks.execution import Execution
from oracle.checks.idempotence import changed_kinds
from oracle.scheduled import AFTER_TEXT, BEFORE_TEXT
from oracle.verdict import Fault, Judgement, Verdict
from reference.contracts.renaming import keeping_order, rename_devices, reversing_order
from reference.contracts.reordering import reorder
from reference.ir import Operation, Program
from reference.text import print_program

_NOT_WHOLE = "symmetry of a module that the model does not know whole"
_HIDDEN_DEVICE = "a device in an attribute that the model keeps without looking at it"
_SYMBOL = re.compile(r"@([\w.$-]+)")
_KEPT: tuple[Check, ...] = (Coverage(), Execution())
"""The contracts that every version keeps, if one does."""


class Symmetry:
    """Schedules a program under other names and in another order."""

    name: ClassVar[str] = "symmetry"
    question: ClassVar[str] = "do device names and the order of independent ops decide nothing"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        program = subject.program
        if program is None or _hides_devices(program):
            return (scheduled.question(subject),)
        return tuple(
            scheduled.question(one, None if one.text == subject.text else one.text)
            for one in (_version(subject, program), _renamed(subject), _shuffled(subject))
        )

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        program = subject.program
        if program is None:
            return Judgement(self.name, unsupported=(_NOT_WHOLE,))
        if _hides_devices(program):
            return Judgement(self.name, unsupported=(_HIDDEN_DEVICE,))
        plain, renamed, shuffled = results
        back = {new: old for old, new in keeping_order(program).items()}
        for stage, place in (
            (scheduled.stages_before(subject)[-1].name, BEFORE_TEXT),
            (stages.SCHEDULE_EXECUTION.name, AFTER_TEXT),
        ):
            expected, actual = str(plain[place]), _with_names(str(renamed[place]), back)
            if expected != actual:
                return Judgement(self.name, (self._fault(subject, stage, expected, actual),))
        return self._compared(_version(subject, program), plain, _shuffled(subject), shuffled)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        assert subject.program is not None, "such a fault is of a program that is known whole"
        names = keeping_order(subject.program)
        one = judge.stock.opt(print_program(subject.program), *fault.stock_arguments)
        other = judge.stock.opt(_renamed(subject).text, *fault.stock_arguments)
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
        )

    def _compared(
        self,
        one: Subject,
        answers: Sequence[Json],
        other: Subject,
        other_answers: Sequence[Json],
    ) -> Judgement:
        """The contracts that the other version breaks and the one does not."""
        faults: list[Fault] = []
        for check in _KEPT:
            kept = check.judge(one, [answers])
            told = check.judge(other, [other_answers])
            unsupported = kept.unsupported or told.unsupported
            if unsupported:
                return Judgement(self.name, unsupported=unsupported)
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


def _version(subject: Subject, program: Program) -> Subject:
    return replace(subject, text=print_program(program), program=program)


def _renamed(subject: Subject) -> Subject:
    """The program under other names in the same order."""
    program = subject.program
    assert program is not None
    return _version(subject, rename_devices(program, keeping_order(program)))


def _shuffled(subject: Subject) -> Subject:
    """The program with its devices' names dealt out anew, and its ops in another order."""
    program = subject.program
    assert program is not None
    return _version(subject, reorder(rename_devices(program, reversing_order(program)), _priority))


def _priority(operation: Operation) -> int:
    return crc32(operation.identity.encode())


def _hides_devices(program: Program) -> bool:
    """Whether a renamed program still has an old name somewhere."""
    names = keeping_order(program)
    text = print_program(rename_devices(program, names))
    return not set(_SYMBOL.findall(text)).isdisjoint(names)


def _with_names(text: str, names: Mapping[str, str]) -> str:
    return _SYMBOL.sub(lambda match: f"@{names.get(match[1], match[1])}", text)


def _sed(names: Mapping[str, str]) -> str:
    """A script that renames symbols; all at once is more than sed can, so by way of a mark."""
    there = [f"s/@{old}\\b/@!{new}/g" for old, new in names.items()]
    return ";".join([*there, "s/@!/@/g"])
