"""`determinism`: the same input gives the same output text, in one process and in two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from oracle import stages
from oracle.answers import Json
from oracle.checks.base import Confirmation, Judge, Question, QuestionBuilder, Subject
from oracle.checks.idempotence import changed_kinds
from oracle.verdict import Fault, Judgement, Verdict

_STOCK_RUNS = 5


class Determinism:
    """Runs the Stream pipeline, cleanup lean, twice in one process and once in another."""

    name: ClassVar[str] = "determinism"
    question: ClassVar[str] = "does the same input give the same output"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(self._question(subject, process) for process in (0, 0, 1))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        first, second, elsewhere = (str(result[-1]) for result in results)
        if first != second:
            return Judgement(self.name, (self._fault("one-process", first, second),))
        if first != elsewhere:
            return Judgement(self.name, (self._fault("two-processes", first, elsewhere),))
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        runs = [judge.stock.opt(subject.text, *fault.stock_arguments) for _ in range(_STOCK_RUNS)]
        return Confirmation(
            confirmed=len({run.output for run in runs}) > 1,
            commands=tuple(f"{run.command} | sha256sum" for run in runs),
            output=f"{len({run.output for run in runs})} different outputs in {_STOCK_RUNS} runs",
        )

    def _question(self, subject: Subject, process: int) -> Question:
        builder = QuestionBuilder()
        for stage in stages.pipeline(subject.compiler.version, "lean"):
            builder.run(stage)
        builder.step("output", "print", False)
        return builder.question(stages.STOCK_PIPELINE, process=process)

    def _fault(self, where: str, one: str, other: str) -> Fault:
        return Fault(
            check=self.name,
            verdict=Verdict.BROKEN_CONTRACT,
            stage="stream-transformation-pipeline",
            shape=(where, changed_kinds(one, other)),
            message="the same program compiled twice gives two different modules",
            expected=one,
            actual=other,
            stock_arguments=(stages.STOCK_PIPELINE,),
        )
