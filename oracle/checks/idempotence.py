"""`idempotence`: `canonicalize` twice is once, and so is transfer placement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.compiling.stock import first_failure
from oracle.signature import of_kinds
from oracle.verdict import Fault, Judgement, Verdict


class Idempotence:
    """Runs each pass twice on the program as it is."""

    name: ClassVar[str] = "idempotence"
    question: ClassVar[str] = "is a pass run twice the pass run once"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(
            QuestionBuilder()
            .run(stage)
            .step(stage.name, "print", False)
            .run(stage)
            .step(stage.name, "print", False)
            .question(pass_pipeline(stage.pipeline))
            for stage in self._stages(subject)
        )

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        faults = []
        for stage, (_, _, once, _, twice) in zip(self._stages(subject), results, strict=True):
            if once != twice:
                faults.append(self._fault(stage, str(once), str(twice)))
        return Judgement(self.name, tuple(faults))

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        once = judge.stock.opt(subject.text, *fault.stock_arguments)
        twice = judge.stock.opt(once.output, *fault.stock_arguments)
        again = twice.command.replace("program.mlir", "once.mlir")
        return Confirmation(
            confirmed=once.succeeded and twice.succeeded and once.output != twice.output,
            commands=(f"{once.command} > once.mlir", f"{again} | diff once.mlir -"),
            output=twice.output,
            failure=first_failure([once, twice]),
        )

    @staticmethod
    def _stages(subject: Subject) -> tuple[Stage, ...]:
        placement = stages.placement(subject.compiler.version)
        return (stages.CANONICALIZE,) if placement is None else (stages.CANONICALIZE, placement)

    def _fault(self, stage: Stage, once: str, twice: str) -> Fault:
        return Fault(
            check=self.name,
            verdict=Verdict.BROKEN_CONTRACT,
            stage=stage.name,
            shape=(changed_kinds(once, twice),),
            message=f"{stage.name} run a second time changes the module again",
            expected=once,
            actual=twice,
            stock_arguments=(pass_pipeline(stage.pipeline),),
        )


def changed_kinds(before: str, after: str) -> str:
    """The kinds of ops whose number differs between two printed modules, `order` when none."""
    one, other = _kinds(before), _kinds(after)
    changed = {kind for kind in one | other if one.get(kind, 0) != other.get(kind, 0)}
    return of_kinds(changed) if changed else "order-or-operands"


def _kinds(text: str) -> dict[str, int]:
    """How often each dialect op stands in a printed module (its first dotted word a line)."""
    counts: dict[str, int] = {}
    for line in text.splitlines():
        words = line.partition(" = ")[2].split() or line.split()
        if words and "." in words[0]:
            counts[words[0]] = counts.get(words[0], 0) + 1
    return counts
