"""Puts programs to the checks: asks the compiler processes, turns failures into faults, judges."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from oracle.asking import Pairs, answered
from oracle.checks import CHECKS
from oracle.checks.accept import VALIDATION, Accept
from oracle.checks.base import (
    Check,
    Confirmation,
    Explaining,
    Foreseeing,
    Ordered,
    Subject,
    is_resolved,
)
from oracle.compiling.answers import USUAL, Json, Outcome, Request, Seat
from oracle.compiling.bare import BareCompiler
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable
from oracle.compiling.compilers import CompilerSpec
from oracle.compiling.inquiry import Compiler, Inquiry
from oracle.compiling.stock import StockTools
from oracle.crashes import Tool
from oracle.examination import Examination, explained, gathered, unexplained
from oracle.failures import WrongQuestionError, failure_fault
from oracle.guilty import crashed_anywhere, in_cleanup, pass_that_crashes, shared_pass_that_fails
from oracle.reading.reader import read_program
from oracle.running.process import RunningCompiler
from oracle.steadiness import unsteady
from oracle.verdict import Fault, Judgement, Verdict

_ORDER = (*CHECKS,)

INVALID_STAGES = frozenset({"parse", VALIDATION})
"""A program refused here was never valid: nobody's fault but its author's."""


class ExaminerError(Exception):
    """crosscurrent itself went wrong, or its compiler process; the message says how."""


class UnreachableError(ExaminerError):
    """There is no compiler to ask, or none that can be asked this: no program fares better."""


@dataclass(frozen=True, slots=True)
class ExaminerSettings:
    """How to reach a compiler. `timeout` is seconds a program, `memory_limit` bytes a process.

    `environment`, `tools` and `bare` are those of `oracle.compiling.compilers.CompilerSpec`; the
    tools are beside the interpreter unless told otherwise.
    """

    interpreter: Path
    timeout: float = 5.0
    memory_limit: int = 4 << 30
    worker_script: Path | None = None
    runtime_script: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    tools: Path | None = None
    bare: Path | None = None

    @classmethod
    def of(
        cls, compiler: CompilerSpec, timeout: float = 5.0, memory_limit: int = 4 << 30
    ) -> ExaminerSettings:
        """How to reach the compiler that `--compiler` named."""
        return cls(
            compiler.interpreter,
            timeout,
            memory_limit,
            environment=compiler.environment,
            tools=compiler.tools,
            bare=compiler.bare,
        )

    @property
    def variables(self) -> dict[str, str] | None:
        """The environment variables of its processes; None for this process's own."""
        return {**os.environ, **dict(self.environment)} if self.environment else None

    @property
    def stock(self) -> StockTools:
        """The command-line tools of the same IREE."""
        return StockTools(self.tools or self.interpreter.parent)


def start_process(settings: ExaminerSettings, flags: tuple[str, ...] = ()) -> Compiler:
    """The usual compiler: a process of its own, or an `iree-opt` where there are no bindings."""
    if settings.bare is not None:
        return BareCompiler(
            settings.bare,
            settings.interpreter,
            timeout=settings.timeout,
            memory_limit=settings.memory_limit,
            flags=flags,
        )
    return CompilerProcess(
        interpreter=settings.interpreter,
        worker_script=settings.worker_script,
        timeout=settings.timeout,
        memory_limit=settings.memory_limit,
        environment=settings.variables,
        flags=flags,
    )


def start_running(settings: ExaminerSettings) -> Compiler:
    """A compiler that also runs what it compiles."""
    return RunningCompiler(
        interpreter=settings.interpreter,
        timeout=settings.timeout,
        memory_limit=settings.memory_limit,
        runtime_script=settings.runtime_script,
        environment=settings.variables,
    )


class Examiner:
    """One compiler, and a second one when a check asks for it; close it when done.

    `start` makes a compiler when one is first needed.
    """

    def __init__(
        self,
        settings: ExaminerSettings,
        checks: Sequence[Check],
        start: Callable[[ExaminerSettings, tuple[str, ...]], Compiler] = start_process,
    ) -> None:
        self.settings = settings
        self._start = start
        self.checks = tuple(checks)
        self.stock = settings.stock
        self._tool = Tool.in_folder(self.stock.directory)
        self._stack = ExitStack()
        self._processes: dict[Seat, Compiler] = {}

    def __enter__(self) -> Examiner:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the compiler processes."""
        self._processes.clear()
        self._stack.close()

    def process(self, seat: Seat = USUAL) -> Compiler:
        """The compiler of that seat, started when first asked for."""
        if seat not in self._processes:
            try:
                if seat.runs and self.settings.bare is not None:
                    raise UnreachableError(f"{self.settings.bare} has no Python bindings to run")
                timeout = self.settings.timeout * seat.patience
                settings = replace(self.settings, timeout=timeout)
                if seat.runs:
                    started = start_running(settings)
                else:
                    started = self._start(settings, seat.flags)
            except CompilerUnavailable as error:
                raise UnreachableError(str(error)) from None
            self._processes[seat] = self._stack.enter_context(started)
        return self._processes[seat]

    def restarts(self) -> dict[str, int]:
        """How often a compiler process was lost, by why: `crash` (memory included) and `hang`."""
        counts = {"crash": 0, "hang": 0}
        for process in self._processes.values():
            counts["crash"] += process.restarts.crash + process.restarts.memory
            counts["hang"] += process.restarts.hang
        return counts

    def examine(
        self, subjects: Sequence[Subject], checks: Sequence[Check] | None = None
    ) -> list[Examination]:
        """The examinations of `subjects`, in order, by these checks only. Raises ExaminerError, and
        whatever a check raises: `oracle/mishaps.py` is for those who go on then.

        Acceptance is asked first: what the compiler refuses there, or what any question lost a
        process to, is not asked again by checks whose questions run through the same stage. What an
        earlier check has asked already is not asked again either; a check that asks twice by itself
        is answered twice.
        """
        asked = self.checks if checks is None else checks
        return [self._explained(one, asked) for one in self._examined(subjects, asked)]

    def _explained(self, examination: Examination, asked: Sequence[Check]) -> Examination:
        """With what only a run shows under the name that IR, its own first, has for it."""
        for shown, names in unexplained(examination):
            assert shown.text is not None
            checks = [CHECKS[name] for name in names]
            own = [check for check in checks if check not in asked]
            found = self._examined([examination.subject], own)[0].faults if own else ()
            named = explained(examination, shown, found, None)
            if named is examination:
                subject = self._with_text(examination.subject, shown.text)
                (again,) = self._examined([subject], checks)
                named = explained(examination, shown, again.faults, shown.text)
            examination = named
        return examination

    def _with_text(self, subject: Subject, text: str) -> Subject:
        """The subject that another text of it is. Raises ExaminerError."""
        read = read_program(self.read(text))
        program = None if read.unsupported else read.program
        resolved = program is not None and is_resolved(program)
        return replace(subject, text=text, program=program, resolved=resolved)

    def _examined(self, subjects: Sequence[Subject], checks: Sequence[Check]) -> list[Examination]:
        inquiry = Inquiry(self.process)
        refused: dict[int, Fault] = {}
        judgements: list[dict[str, Judgement]] = [{} for _ in subjects]
        invalid: dict[int, str] = {}
        for check in sorted(checks, key=lambda one: _ORDER.index(one.name)):
            open_to = {
                position: subject
                for position, subject in enumerate(subjects)
                if position not in invalid
            }
            try:
                found = list(answered(check, open_to, refused, inquiry))
            except CompilerUnavailable as error:
                raise UnreachableError(str(error)) from None
            for position, pairs, told in found:
                refusal = refused.get(position)
                judgement = self._judged(check, subjects[position], pairs, told, refusal)
                if isinstance(judgement, str):
                    invalid[position] = judgement
                    continue
                judgements[position][check.name] = judgement
                for fault in judgement.faults:
                    if _stops_others(check, fault):
                        refused.setdefault(position, fault)
        return [
            Examination(subject, (), (), invalid[position])
            if position in invalid
            else gathered(subject, [judgements[position][c.name] for c in checks])
            for position, subject in enumerate(subjects)
        ]

    def _judged(
        self,
        check: Check,
        subject: Subject,
        pairs: Pairs,
        told: Judgement | None,
        refusal: Fault | None,
    ) -> Judgement | str:
        """What one check says of one program, or why the program is not valid.

        `told` is what it says to the answers that there are. `refusal` is why the program was not
        accepted: questions without an answer were not put because of it, and the same failure under
        another stage's name (a pass may run in several) is the same cause. Raises ExaminerError.
        """
        for question, answer in pairs:
            if answer is None or answer.outcome is Outcome.OK:
                continue
            if answer.kind == "internal":
                # Whatever our own worker raises says nothing of the program.
                raise ExaminerError(f"{question.stages[answer.step]}: {answer.message}")
            if question.seat.runs and answer.kind == "unknown-pass":
                # Of a release before all that are known: its IR can be judged, a run cannot.
                reason = f"a run by a compiler without the passes of {question.stages[answer.step]}"
                return Judgement(check.name, unsupported=(reason,))
            refused = answer.outcome is Outcome.FAILED
            if refused and question.text is not None and question.stages[answer.step] == "parse":
                # A text of the check's own says nothing of the text that it was made from.
                reason = f"{check.name} of a version that does not parse: {answer.describe()}"
                return Judgement(check.name, unsupported=(reason,))
            if refused and question.stages[answer.step] in INVALID_STAGES:
                return answer.describe()
            text = question.text or subject.text
            if isinstance(check, Explaining):
                own = check.failed(subject, question, answer)
                if own is not None:
                    return _incomplete(check, told, own)
                # What is compiled there is not what was asked about.
                question = replace(question, text=None)
            try:
                fault = failure_fault(question, answer, question.text or subject.text, self._tool)
            except WrongQuestionError as error:
                raise UnreachableError(str(error)) from None
            refused = refused and fault.verdict is not Verdict.CRASH
            if refused and isinstance(check, Foreseeing):
                foreseen = check.foresees(subject, fault.part_of or fault.stage)
                if foreseen is not None:
                    faults = (fault,) if foreseen else (_unforeseen(check, fault), fault)
                    return Judgement(check.name, faults, foreseen=foreseen)
            if refusal is not None and refusal.shape == fault.shape:
                return _incomplete(check, told, refusal)
            if refused or crashed_anywhere(fault):
                seat = USUAL if question.seat.runs else question.seat
                look = shared_pass_that_fails if refused else pass_that_crashes
                try:
                    fault = in_cleanup(fault, look(self.process(seat), question, answer, text))
                except CompilerUnavailable as error:
                    raise UnreachableError(str(error)) from None
            return _incomplete(check, told, fault)
        if any(answer is None for _, answer in pairs):
            assert refusal is not None, "questions are put unless the program was refused"
            return _incomplete(check, told, refusal)
        assert told is not None, "all questions have answers"
        if told.faults and isinstance(check, Ordered):
            try:
                return replace(told, faults=unsteady(self.process, subject) or told.faults)
            except CompilerUnavailable as error:
                raise UnreachableError(str(error)) from None
        return told

    def confirm(self, subject: Subject, fault: Fault) -> Confirmation:
        """Whether stock tools alone show `fault`; where they are missing, it is not confirmed."""
        if not self.stock.available:
            return Confirmation(False, (), f"no iree-opt in {self.stock.directory}")
        if fault.text is not None:
            subject = self._with_text(subject, fault.text)
        return CHECKS[fault.check].confirm(subject, fault, self)

    def find(self, text: str, names: Sequence[str]) -> Json:
        """The ops of these names in a module's text. Raises ExaminerError if it does not parse."""
        return self._told(text, "find", list(names))

    def read(self, text: str) -> Json:
        """All of a module's text. Raises ExaminerError if it does not parse."""
        return self._told(text, "read")

    def _told(self, text: str, verb: str, *arguments: Json) -> Json:
        (answer,) = self.process().ask([Request(text, (("parse",), (verb, *arguments)))])
        if answer.outcome is not Outcome.OK:
            raise ExaminerError(f"cannot read a module: {answer.describe()}")
        return answer.results[-1]


def _stops_others(check: Check, fault: Fault) -> bool:
    """Whether later checks need not run into this fault too. A process that was lost costs most."""
    lost = fault.verdict in (Verdict.CRASH, Verdict.HANG)
    return check.name == Accept.name or (fault.check == Accept.name and lost)


def _incomplete(check: Check, told: Judgement | None, fault: Fault) -> Judgement:
    """What a check says when `fault` kept some of its questions from an answer."""
    if told is None:
        return Judgement(check.name, (fault,))
    return replace(told, faults=(*told.faults, fault))


def _unforeseen(check: Check, refusal: Fault) -> Fault:
    """The compiler refused what the model says it takes."""
    return replace(
        refusal,
        check=check.name,
        verdict=Verdict.DISAGREE,
        shape=("refused-unforeseen", *refusal.shape),
        expected="the model says that the compiler takes this program",
    )
