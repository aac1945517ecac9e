"""Part of `access`: a function does not hand its caller back a buffer that lives elsewhere.

The rule is in `reference/contracts/handed_back.py`. It is asked of the passes from the input to
IREE's conversion to resources, which is where a value gets the transfer that it lacks.
"""

from __future__ import annotations

from collections.abc import Sequence

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
from oracle.reading.reader import read_program
from oracle.verdict import Fault, Verdict
from reference.contracts.handed_back import Promise, broken, promises
from reference.ir import UnsupportedOperationError

SHAPE = "handed-back"
_CONVERSION = "conversion"
_EXPECTED = "a value that comes in on one device and is promised on another is moved there"


def questions(subject: Subject) -> tuple[Question, ...]:
    """What to ask of a program with such values; nothing of any other."""
    if not _promised(subject):
        return ()
    builder = QuestionBuilder()
    for stage in _way(subject):
        builder.run(stage).step(stage.name, "read")
    return (builder.question(*_stock(subject)),)


def judge(subject: Subject, answers: Sequence[Json]) -> Fault | None:
    """The first promise that a pass breaks."""
    looks = [answer for answer in answers if answer is not None]
    for stage, look in zip(_way(subject), looks, strict=True):
        program = read_program(look).program
        for promise in _promised(subject):
            if broken(promise, program):
                return _fault(subject, promise, stage)
    return None


def confirm(subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
    """Whether a plain `iree-opt` hands the caller's buffer back, too."""
    ran = judge.stock.opt(subject.text, *fault.stock_arguments)
    output = ran.output or ran.diagnostics
    if not ran.succeeded:
        return Confirmation(False, (ran.command,), output, ran)
    promised = _promised(subject) or tuple(promises(read_program(judge.read(subject.text)).program))
    program = read_program(judge.read(ran.output)).program
    return Confirmation(any(broken(one, program) for one in promised), (ran.command,), output)


def _promised(subject: Subject) -> tuple[Promise, ...]:
    if subject.program is None or not subject.program.tensors:
        return ()
    try:
        return tuple(promises(subject.program))
    except UnsupportedOperationError:
        return ()


def _way(subject: Subject) -> tuple[Stage, ...]:
    """The passes up to where tensors become resources."""
    whole = stages.pipeline(subject.compiler.version, "lean")
    names = [stage.name for stage in whole]
    return (stages.CANONICALIZE, *whole[: names.index(_CONVERSION) + 1])


def _stock(subject: Subject) -> tuple[str, ...]:
    return (pass_pipeline(stages.in_one(stage.pipeline for stage in _way(subject))),)


def _fault(subject: Subject, promise: Promise, stage: Stage) -> Fault:
    told = (
        f"@{promise.function} returns its argument {promise.argument}, which lives on "
        f"{promise.source}, as result {promise.result}, which is promised on {promise.target}"
    )
    return Fault(
        check="access",
        verdict=Verdict.BROKEN_CONTRACT,
        stage=stage.name,
        shape=(SHAPE, "unmoved"),
        message=f"after {stage.name}: {told}",
        expected=_EXPECTED,
        actual=told,
        stock_arguments=_stock(subject),
    )
