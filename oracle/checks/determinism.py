"""`determinism`: the same input gives the same output text, in one process and in two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
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
from oracle.compiling.answers import USUAL, Json, Seat
from oracle.compiling.stages import Stage
from oracle.compiling.stock import first_failure
from oracle.verdict import Fault, Judgement, Verdict

_STOCK_RUNS = 8

_LOOKED_AT = frozenset(
    {
        "verify-input",
        "inline",
        "combine-initializers",
        "verify-lowering-to-async-resources",
        "copy-on-write",
        "elide-async-copies",
        "refine-usage",
        "schedule-execution",
        "schedule-concurrency",
        "schedule-allocation",
    }
)
"""The stages after whose passes the outputs are compared, so that the first to differ has a name:
those that clean up, and those whose own passes order things."""


class Determinism:
    """Runs the Stream pipeline, cleanup lean, twice in one process and once in another."""

    name: ClassVar[str] = "determinism"
    question: ClassVar[str] = "does the same input give the same output"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(_asked(subject, seat) for seat in (USUAL, USUAL, Seat(1)))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        question = _asked(subject, USUAL)
        first, second, elsewhere = results
        for other in (second, elsewhere):
            for place, step in enumerate(question.steps):
                if step[0] in ("digest", "print") and first[place] != other[place]:
                    texts = str(first[-1]), str(other[-1])
                    fault = self._fault(subject, question.stages[place], place, *texts)
                    return Judgement(self.name, (fault,))
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        runs = [judge.stock.opt(subject.text, *fault.stock_arguments) for _ in range(_STOCK_RUNS)]
        outputs = len({run.output for run in runs})
        return Confirmation(
            confirmed=outputs > 1,
            commands=tuple(f"{run.command} | sha256sum" for run in runs),
            output=f"{outputs} different outputs in {_STOCK_RUNS} runs",
            failure=first_failure(runs),
        )

    def _fault(self, subject: Subject, name: str, place: int, one: str, other: str) -> Fault:
        version = subject.compiler.version
        stage = _stages(version)[place]
        passes = stages.passes_through(version, stage)
        return Fault(
            check=self.name,
            verdict=Verdict.BROKEN_CONTRACT,
            stage=name,
            part_of=None if name == stage else stage,
            # What becomes of a program differs with the program, not with what orders it by chance.
            shape=("differs",),
            message="the same program compiled twice gives two different modules",
            expected=one,
            actual=other,
            stock_arguments=(pass_pipeline(passes), "--mlir-print-debuginfo"),
        )


def _asked(subject: Subject, seat: Seat) -> Question:
    builder = QuestionBuilder()
    for stage in stages.pipeline(subject.compiler.version, "lean"):
        for part in _parts(stage):
            builder.run(part)
            if stage.name in _LOOKED_AT:
                builder.step(part.name, "digest")
    builder.step(stage.name, "print", False)
    return builder.question(stages.STOCK_PIPELINE, seat=seat)


@cache
def _stages(version: str) -> tuple[str, ...]:
    """The stage of the pipeline that each step of a question is part of."""
    names = ["parse"]
    for stage in stages.pipeline(version, "lean"):
        names += len(_parts(stage)) * [stage.name] * (2 if stage.name in _LOOKED_AT else 1)
    return (*names, stage.name)


def _parts(stage: Stage) -> tuple[Stage, ...]:
    return stages.parts(stage) if stage.name in _LOOKED_AT else (stage,)
