"""`run`: compiled and executed on several devices, a program returns what the model says.

A program is given kernels that there are (`oracle/running/`), compiled to bytecode in a process of
its own, and run in another on devices of several kinds and orders, with two sets of pseudo-random
inputs. Bytes that nobody wrote are not compared. What goes wrong on the way there, in Stream's own
passes, is `accept`'s; from there on it is this check's.

Only a well-formed program accuses the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from oracle.checks.base import Confirmation, Judge, Question, QuestionBuilder, Subject
from oracle.checks.run_confirmation import RUN, confirmed, status
from oracle.compiling.answers import Answer, Json, Outcome, Seat
from oracle.compiling.stages import STOCK_PIPELINE
from oracle.running import comparisons, pipeline, whole
from oracle.running.arming import Armed, arm
from oracle.running.blame import maker
from oracle.running.comparisons import misled
from oracle.running.kernels import Executable
from oracle.running.mixes import concurrent, mixes, runs
from oracle.running.numeric import Bytes
from oracle.running.process import BINARY, PREPARE
from oracle.running.trial import Expected, Trial, difference, rerun, shown, trials
from oracle.signature import WHEN_CONCURRENT, of_message
from oracle.verdict import Fault, Judgement, Verdict
from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import ChainExternal
from reference.tensor import expressible
from reference.values.machine import Machine
from reference.verifier import level_of, verify_module
from reference.verifier.problems import Level

SEAT = Seat(number=100, runs=True)

_NOT_WHOLE = "a run of a module that the model does not know whole"
_NOT_WELL_FORMED = "a run of a program that is not well-formed"


class Run:
    """Asks for what a program returns on several devices."""

    name: ClassVar[str] = "run"
    question: ClassVar[str] = "does a program return the right bytes when it is run"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        try:
            armed, tried = _prepared(subject)
        except UnsupportedOperationError:
            return (QuestionBuilder().question(STOCK_PIPELINE),)
        return (_question(subject, armed, tried), *_whole_questions(subject, armed, tried))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        return self.judge_some(subject, results)

    def judge_some(self, subject: Subject, results: Sequence[Sequence[Json] | None]) -> Judgement:
        """What one way shows is told, whatever became of the others."""
        try:
            armed, tried = _prepared(subject)
        except UnsupportedOperationError as error:
            return Judgement(self.name, unsupported=(str(error),))
        stages = (RUN, *(way.stage for way in whole.ways(armed, subject.sampled)))
        for stage, answers in zip(stages, results, strict=True):
            fault = None if answers is None else _first_wrong(armed, tried, answers, stage)
            if fault is not None:
                return Judgement(self.name, (fault,))
        return Judgement(self.name)

    def failed(self, subject: Subject, question: Question, answer: Answer) -> Fault | None:
        """A step that failed behind Stream's own passes; None for one of these, and for what this
        compiler does not have."""
        stage = question.stages[answer.step]
        if stage in _stream_stages(subject) or answer.kind == "unknown-pass":
            return None
        shape: tuple[str, ...]
        verdict, shape = Verdict.REJECTED, (of_message(answer.message),)
        if answer.outcome is Outcome.HANG:
            verdict, shape = Verdict.HANG, ("hang", *(_waited_for(subject) if stage == RUN else ()))
        elif answer.lost:
            cause = "memory" if answer.outcome is Outcome.MEMORY else answer.signal or "exit"
            verdict, shape = Verdict.CRASH, ("crash", cause)
        elif stage == RUN:
            drivers = _drivers_of(question, answer.step)
            verdict, shape = Verdict.BROKEN_CONTRACT, ("error", status(answer.message))
            if concurrent(drivers):
                shape = (WHEN_CONCURRENT,)
        where = f" on {', '.join(_drivers_of(question, answer.step))}" if stage == RUN else ""
        armed, _ = _prepared(subject)
        return Fault(
            check=self.name,
            verdict=verdict,
            stage=stage,
            shape=shape,
            message=f"{stage}{where}: {answer.describe()}",
            expected="the program compiles, runs and ends",
            actual=f"{stage}{where}: {answer.describe()}",
            stock_arguments=(),
            text=armed.whole_text,
        )

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        try:
            armed, tried = _prepared(subject)
        except UnsupportedOperationError as error:
            # What was run may be more than the model reads again.
            return Confirmation(False, (), str(error))
        return confirmed(subject, fault, judge, armed, tried)


def _waited_for(subject: Subject) -> tuple[str, ...]:
    """What a run that does not come to its end may wait for beside its devices: the caller's
    fences, which the program is to reach."""
    assert subject.program is not None
    reaches = any(isinstance(one, ChainExternal) for one in subject.program.operations())
    return ("fence",) if reaches else ()


def _first_wrong(
    armed: Armed, tried: Sequence[Trial], answers: Sequence[Json], stage: str
) -> Fault | None:
    """The first result that differs from the model's, None where all agree."""
    for (drivers, trial), told in zip(runs(armed, tried), _last(answers, armed), strict=True):
        returned = trial.returned(told)
        missing: list[Json] = [{}] * (len(trial.expected) - len(returned))
        for expected, actual in zip(trial.expected, returned + missing, strict=False):
            place = difference(expected, actual)
            if place is not None:
                shape: tuple[str, ...]
                if misled(armed.program, trial, told):
                    shape = comparisons.SHAPE
                elif stage == RUN and concurrent(drivers):
                    shape = (WHEN_CONCURRENT,)
                else:
                    shape = _shape(armed, trial, expected, place)
                where = f"{expected.what} on {', '.join(drivers)}, inputs {trial.inputs.seed}"
                return _wrong(armed, where, expected, actual, place, stage, shape)
    return None


@dataclass(frozen=True, slots=True)
class _Same:
    """A program as itself: two that are equal are not asked about."""

    program: Program

    def __hash__(self) -> int:
        return id(self.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.program is other.program


def _prepared(subject: Subject) -> tuple[Armed, tuple[Trial, ...]]:
    """The program with kernels, and what it is to return. Raises UnsupportedOperationError."""
    if subject.program is None:
        raise UnsupportedOperationError(_NOT_WHOLE)
    armed, tried = _prepared_once(_Same(subject.program))
    if isinstance(tried, str):
        raise UnsupportedOperationError(tried)
    assert armed is not None
    return armed, tried


@lru_cache(maxsize=64)
def _prepared_once(same: _Same) -> tuple[Armed | None, tuple[Trial, ...] | str]:
    """What is asked about is judged soon afterwards; why it cannot be run, instead of trials."""
    if level_of(verify_module(same.program)) is not Level.WELL_FORMED:
        return None, _NOT_WELL_FORMED
    try:
        armed = arm(same.program)
        if not armed.devices:
            return None, "a run of a program without devices"
        if armed.program.tensors:
            missing = expressible(armed.program)
            if missing is not None:
                return None, f"a run on tensors of {missing}"
        return armed, trials(armed.program)
    except UnsupportedOperationError as error:
        return None, str(error)


def _question(subject: Subject, armed: Armed, tried: Sequence[Trial]) -> Question:
    steps: list[tuple[Json, ...]] = [
        (PREPARE, {one.name: _told(one) for one in armed.executables}),
        ("parse",),
    ]
    stages = [PREPARE, "arm"]
    for stage in pipeline.stream(subject.compiler.version, armed.calls):
        steps.append(("run", stage.pipeline))
        stages.append(stage.name)
    steps.append(("executables",))
    stages.append("executables")
    for stage in pipeline.HAL:
        steps.append(("run", stage.pipeline, False))
        stages.append(stage.name)
    steps.append(("translate", list(armed.devices)))
    stages.append("translate")
    for stage in pipeline.vm(subject.compiler.version):
        steps.append(("run", stage.pipeline, False))
        stages.append(stage.name)
    steps.append((BINARY,))
    stages.append(BINARY)
    executed = _executed(armed, tried)
    steps += executed
    stages += [RUN] * len(executed)
    return Question(tuple(steps), tuple(stages), (STOCK_PIPELINE,), SEAT, armed.fast_text)


def _whole_questions(subject: Subject, armed: Armed, tried: Sequence[Trial]) -> Iterator[Question]:
    """The program through the whole compiler, where it goes that way.

    Stream's own stages are on that way too: what is refused there is not compiled once more.
    """
    for way in whole.ways(armed, subject.sampled):
        executed = _executed(armed, tried)
        stages = (way.stage, *(RUN for _ in executed), *sorted(_stream_stages(subject)))
        steps: list[tuple[Json, ...]] = [(BINARY, list(way.options)), *executed]
        yield Question(tuple(steps), stages, (), whole.SEAT, armed.whole_text)


def _executed(armed: Armed, tried: Sequence[Trial]) -> list[tuple[Json, ...]]:
    """The steps that run what was compiled."""
    return [("execute", list(drivers), trial.request) for drivers, trial in runs(armed, tried)]


def _told(executable: Executable) -> dict[str, Json]:
    return {
        "entry": executable.entry,
        "scalars": executable.scalars,
        "workload": executable.workload,
        "access": list(executable.access),
        "packed": executable.packed,
    }


def _stream_stages(subject: Subject) -> frozenset[str]:
    return frozenset(stage.name for stage in pipeline.stream(subject.compiler.version, True))


def _last(answers: Sequence[Json], armed: Armed) -> list[Any]:
    """What each run returned."""
    count = len(mixes(len(armed.devices), armed.fast_text))
    return list(answers[-count * 2 :])


def _drivers_of(question: Question, step: int) -> list[str]:
    drivers = question.steps[step][1]
    assert isinstance(drivers, list)
    return [str(driver) for driver in drivers]


def _wrong(
    armed: Armed,
    where: str,
    expected: Expected,
    actual: Json,
    place: int,
    stage: str,
    shape: tuple[str, ...],
) -> Fault:
    found = shown(actual, expected.kind)
    return Fault(
        check=Run.name,
        verdict=Verdict.BROKEN_CONTRACT if shape == (WHEN_CONCURRENT,) else Verdict.WRONG_VALUE,
        stage=stage,
        shape=shape,
        message=f"{where} is wrong from byte {place} on",
        expected=f"{where}: {_text(expected.value)}",
        actual=f"{where}: {_text(found)}",
        stock_arguments=(),
        text=armed.whole_text,
    )


def _shape(armed: Armed, trial: Trial, expected: Expected, place: int) -> tuple[str, ...]:
    if not isinstance(expected.value, Bytes):
        return ("wrong-number",)
    numbers: dict[str, int] = {}

    def observe(operation: Operation, machine: Machine[Any]) -> None:
        del operation
        numbers.update(
            (name, value) for name, value in machine.values.items() if isinstance(value, int)
        )

    rerun(armed.program, trial, observe)
    position, _, rest = expected.what.removeprefix("result ").partition(" of @")
    function = rest.partition(",")[0]
    made_by = maker(armed.program, function, int(position), place, numbers)
    return ("wrong-bytes", *made_by.shape)


def _text(value: Bytes | int) -> str:
    if isinstance(value, int):
        return f"{value} (0x{value:x})"
    pairs = zip(value.data, value.defined, strict=True)
    return " ".join(f"{byte:02x}" if meant else ".." for byte, meant in pairs)
