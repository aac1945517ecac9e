"""`accept`: a valid program compiles, without error, crash or hang."""

from __future__ import annotations

import re
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
from oracle.compiling.stock import StockRun, first_failure
from oracle.signature import of_refusal
from oracle.verdict import Fault, Judgement, Verdict

VALIDATION = "validation"
"""The step that decides, with the parser, whether a program is valid at all. The same pass runs
again inside the pipeline: what fails there is the compiler's doing."""

_ERROR = re.compile(r"error: (?:loc\(.*?\): )?(?P<message>.*)")
"""A stock tool's error line; an op's own location is printed as part of the message."""

_TRIES = 8


class Accept:
    """Runs the whole Stream pipeline. Any step that fails is a fault by itself (`oracle.examiner`),
    so a program that reaches the end is accepted."""

    name: ClassVar[str] = "accept"
    question: ClassVar[str] = "does a valid program compile"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        builder = QuestionBuilder().step(VALIDATION, "run", stages.VALIDATION.pipeline)
        for stage in stages.pipeline(subject.compiler.version):
            builder.run(stage)
        return (builder.question(stages.STOCK_PIPELINE),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        run = judge.stock.opt(subject.text, *fault.stock_arguments)
        tries = _TRIES if fault.verdict is Verdict.CRASH else 0
        while tries and not (run.succeeded or _same_failure(run, fault)):
            # What reads stray memory fails in another way at times.
            run = judge.stock.opt(subject.text, *fault.stock_arguments)
            tries -= 1
        lean = stages.passes_through(subject.compiler.version, fault.stage, "lean")
        if lean and not _same_failure(run, fault):
            # A check that cleans up less between passes may show what the cleanup hides.
            run = judge.stock.opt(subject.text, pass_pipeline(lean))
        same = _same_failure(run, fault)
        return Confirmation(
            confirmed=same,
            commands=(run.command,),
            output=f"{run.outcome}\n{run.diagnostics}",
            failure=None if same else first_failure([run]),
        )


def _same_failure(run: StockRun, fault: Fault) -> bool:
    """Whether a stock process failed in that way. Where a crash happened was told by the same tool
    already (`oracle.crashes`): then its signal, which is chance, is not compared."""
    shape = failure_shape(run, fault.part_of or fault.stage)
    if len(fault.shape) > len(shape) and fault.shape[:1] == shape[:1] == ("crash",):
        return True
    return bool(shape) and fault.shape[: len(shape)] == shape


def failure_shape(run: StockRun, stage: str) -> tuple[str, ...]:
    """How a stock process failed at `stage`, in the words of a fault's shape; empty when it did not
    fail."""
    if run.succeeded:
        return ()
    if run.outcome == "hang":
        return ("hang",)
    if not run.outcome.startswith("exit"):
        return ("crash", run.outcome)
    errors = (_ERROR.search(line) for line in run.diagnostics.splitlines())
    message = next((error["message"] for error in errors if error), "")
    return (of_refusal(stage, message, run.diagnostics),)
