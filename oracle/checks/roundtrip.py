"""`roundtrip`: after every stage the module verifies, and its text reads back as it was."""

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
from oracle.compiling.answers import Answer, Json
from oracle.compiling.stock import first_failure
from oracle.signature import of_message
from oracle.verdict import Fault, Judgement, Verdict

ONCE = "once.mlir"
"""What commands call the module that was printed once."""

DOES_NOT_PARSE = "does-not-parse"


class Roundtrip:
    """Looks after the parse and after each stage; the re-parse is in another context.

    Pass managers verify the module after each pass: what does not verify is not accepted.
    """

    name: ClassVar[str] = "roundtrip"
    question: ClassVar[str] = "does what the compiler prints read back as the same module"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        builder = QuestionBuilder().step("parse", "roundtrip")
        for stage in stages.pipeline(subject.compiler.version, "lean"):
            builder.run(stage).step(stage.name, "roundtrip")
        return (builder.question(stages.STOCK_PIPELINE),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        (question,) = self.questions(subject)
        for step, stage, result in zip(question.steps, question.stages, results[0], strict=True):
            if step[0] == "roundtrip" and isinstance(result, dict):
                return Judgement(self.name, (self._fault(subject, stage, result),))
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        once = judge.stock.opt(subject.text, *fault.stock_arguments)
        twice = judge.stock.opt(once.output)
        return Confirmation(
            confirmed=once.succeeded and (not twice.succeeded or once.output != twice.output),
            commands=(f"{once.command} > {ONCE}", f"iree-opt {ONCE} | diff {ONCE} -"),
            output=twice.diagnostics or twice.output,
            failure=first_failure([once]),
        )

    def _fault(self, subject: Subject, stage: str, result: dict[str, Json]) -> Fault:
        before = str(result["before"])
        diagnostics = result.get("diagnostics")
        shape: tuple[str, ...]
        if isinstance(diagnostics, list):
            first = diagnostics[0] if diagnostics else {}
            message = str(first["message"]) if isinstance(first, dict) else ""
            shape, actual = (DOES_NOT_PARSE, of_message(message)), message
        else:
            shape, actual = ("differs",), str(result["after"])
        passes = stages.passes_through(subject.compiler.version, stage)
        return _fault(stage, shape, before, actual, passes)


def does_not_parse(question: Question, answer: Answer) -> Fault:
    """Another check ran into it: what the stage before its `reparse` printed is refused."""
    ran = [
        (stage, str(arguments[0]))
        for (verb, *arguments), stage in zip(question.steps, question.stages, strict=True)
        if verb == "run"
    ][: sum(step[0] == "run" for step in question.steps[: answer.step])]
    stage = ran[-1][0] if ran else "parse"
    shape = (DOES_NOT_PARSE, of_message(answer.message))
    passes = stages.in_one(pipeline for _, pipeline in ran)
    return _fault(stage, shape, "a module that reads back", answer.message, passes)


def _fault(stage: str, shape: tuple[str, ...], before: str, after: str, passes: str) -> Fault:
    return Fault(
        check=Roundtrip.name,
        verdict=Verdict.BROKEN_CONTRACT,
        stage=stage,
        shape=shape,
        message=f"the module printed after {stage} does not read back as it was",
        expected=before,
        actual=after,
        stock_arguments=(pass_pipeline(passes),) if passes else (),
    )
