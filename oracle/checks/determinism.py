"""`determinism`: the same input gives the same output text, in one process and in two."""

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
from oracle.checks.idempotence import changed_kinds
from oracle.compiling import stages
from oracle.compiling.answers import USUAL, Json, Seat
from oracle.verdict import Fault, Judgement, Verdict

_STOCK_RUNS = 8

_LOOKED_AT = frozenset(
    {
        "copy-on-write",
        "elide-async-copies",
        "refine-usage",
        "schedule-execution",
        "schedule-concurrency",
        "schedule-allocation",
    }
)
"""The stages after which the outputs are compared, so that the first to differ has a name."""


class Determinism:
    """Runs the Stream pipeline, cleanup lean, twice in one process and once in another."""

    name: ClassVar[str] = "determinism"
    question: ClassVar[str] = "does the same input give the same output"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(self._question(subject, seat) for seat in (USUAL, USUAL, Seat(1)))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        question = self._question(subject, USUAL)
        first, second, elsewhere = results
        for other in (second, elsewhere):
            for place, step in enumerate(question.steps):
                if step[0] in ("digest", "print") and first[place] != other[place]:
                    texts = str(first[-1]), str(other[-1])
                    fault = self._fault(subject, question.stages[place], *texts)
                    return Judgement(self.name, (fault,))
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        runs = [judge.stock.opt(subject.text, *fault.stock_arguments) for _ in range(_STOCK_RUNS)]
        outputs = len({run.output for run in runs})
        return Confirmation(
            confirmed=outputs > 1,
            commands=tuple(f"{run.command} | sha256sum" for run in runs),
            output=f"{outputs} different outputs in {_STOCK_RUNS} runs",
        )

    def _question(self, subject: Subject, seat: Seat) -> Question:
        builder = QuestionBuilder()
        for stage in stages.pipeline(subject.compiler.version, "lean"):
            builder.run(stage)
            if stage.name in _LOOKED_AT:
                builder.step(stage.name, "digest")
        builder.step(stage.name, "print", False)
        return builder.question(stages.STOCK_PIPELINE, seat=seat)

    def _fault(self, subject: Subject, stage: str, one: str, other: str) -> Fault:
        passes = stages.passes_through(subject.compiler.version, stage)
        return Fault(
            check=self.name,
            verdict=Verdict.BROKEN_CONTRACT,
            stage=stage,
            shape=(changed_kinds(one, other),),
            message="the same program compiled twice gives two different modules",
            expected=one,
            actual=other,
            stock_arguments=(pass_pipeline(passes), "--mlir-print-debuginfo"),
        )
