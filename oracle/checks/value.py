"""`value`: at the end of scheduling a program still computes what it was written to compute.

The pipeline is run stage by stage (`oracle/reading/value_parts.py`) up to where storage is
allocated. What it ends in is interpreted twice (`reference/values/`): as SSA values, which must
return what the input returns, and as storage that tied results write in place, which must return
the same. Where it does not, the guilty stage is the first from which on the result is wrong: what
an earlier pass leaves unsafe and a later one mends (a cast that shares storage until it becomes a
transfer) is nobody's fault. Accesses that nothing orders are `hazard`'s: a run may go either way,
whatever this one returns. A program that is right up to there is followed to the command level,
where memory is what it is (`reference/commands/`).

Only a well-formed program accuses the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import ClassVar

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
    seen,
)
from oracle.checks.causes import value_shape
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.compiling.stock import StockRun
from oracle.reading import command_level, command_parts, command_values
from oracle.reading.raw import origin
from oracle.reading.reader import ReadProgram, read_program
from oracle.reading.value_parts import STORAGE_FROM, Part, cleanups, is_scheduled, parts
from oracle.verdict import AGAIN, Fault, Judgement, Verdict
from reference.ir import Program, UnsupportedOperationError
from reference.values.blame import (
    CHANGED,
    STOPPED,
    WRITTEN_OVER,
    Blame,
    changed_value,
    exposes,
    written_over,
)
from reference.values.content import OutOfBoundsError
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError
from reference.values.observation import Setting
from reference.values.outcome import Difference, Outcome, difference
from reference.values.sharing import ALIASED
from reference.values.terms import Terms
from reference.verifier import level_of, verify_module
from reference.verifier.problems import Level

_NOT_WHOLE = "values of a module that the model does not know whole"
_NOT_WELL_FORMED = "a difference in values of a program that is not well-formed"
_WRONG_FROM_THE_START = "values of a program that writes over what it reads later, as written"
_UNCHANGED = "commands on memory return what the input program returns"


@dataclass(frozen=True, slots=True)
class _Symptom:
    """What is wrong with one program: `what` is the result that differs.

    Under the same `what`, the programs of two stages have the same symptom. `as_storage` tells
    which semantics shows it.
    """

    what: str
    setting: Setting
    as_storage: bool
    expected: str
    actual: str


class Value:
    """Asks for the IR after each stage, and interprets it."""

    name: ClassVar[str] = "value"
    question: ClassVar[str] = "does every stage's program return what the input program returns"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        if subject.program is None:
            return (QuestionBuilder().question(stages.STOCK_PIPELINE),)
        ways = [parts(subject, cleanup) for cleanup in cleanups(subject)]
        return *map(_question, ways), command_parts.question(subject)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        return self.judge_some(subject, results)

    def judge_some(self, subject: Subject, results: Sequence[Sequence[Json] | None]) -> Judgement:
        """The verdict on the async level, then on the command level; either may be out of reach."""
        if subject.program is None:
            return Judgement(self.name, unsupported=(_NOT_WHOLE,))
        *ways, commands = results
        judgement = Judgement(self.name)
        for cleanup, answers in zip(cleanups(subject), ways, strict=True):
            if answers is not None:
                judgement = self._async(subject, parts(subject, cleanup), answers)
            if judgement.faults or judgement.unsupported:
                return judgement
        if commands is None:
            return judgement
        return command_level.judge(
            self.name,
            _UNCHANGED,
            subject,
            commands,
            command_values.found,
            command_values.not_before,
            verdict=Verdict.WRONG_VALUE,
        )

    def _async(self, subject: Subject, way: Sequence[Part], answers: Sequence[Json]) -> Judgement:
        assert subject.program is not None
        looks = _Looks(subject, way, [answer for answer in answers if answer is not None])
        try:
            told = looks.expectations
            if isinstance(told, str):
                return Judgement(self.name, unsupported=(told,))
            symptom = _symptom(told, looks.last, storage=True)
            if symptom is None:
                return Judgement(self.name)
            if not _well_formed(subject.program):
                return Judgement(self.name, unsupported=(_NOT_WELL_FORMED,))
            if is_scheduled(subject.program) and _symptom(told, subject.program, True):
                return Judgement(self.name, unsupported=(_WRONG_FROM_THE_START,))
            # Where one result only lacks an order, another may tell what is wrong.
            symptoms = chain((symptom,), _others(told, looks.last, symptom))
            faults = (self._fault(looks, one) for one in symptoms)
            return Judgement(self.name, tuple(islice(filter(None, faults), 1)))
        except UnsupportedOperationError as error:
            return Judgement(self.name, unsupported=(str(error),))

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        if fault.expected == _UNCHANGED:
            return command_level.confirm(subject, fault, judge, command_values.found)
        runs: list[StockRun] = []
        for argument in fault.stock_arguments:
            run = judge.stock.opt(subject.text, argument, "--mlir-print-debuginfo")
            runs.append(run)
            if run.succeeded and _shows(subject, read_program(judge.read(run.output))):
                return Confirmation.of(runs, confirmed=True)
        return Confirmation.of(runs, confirmed=False)

    def _fault(self, looks: _Looks, symptom: _Symptom) -> Fault | None:
        place, found = looks.first(symptom)
        part = looks.parts[place]
        blame = looks.blame(place, found)
        if blame is None or (blame.shape == STOPPED and looks.validated(place)):
            return None
        exposed = looks.exposed_from(place, blame)
        if exposed < place:
            # What has become of the other name does not matter.
            blame = replace(blame, shape=(WRITTEN_OVER, ALIASED))
        guilty = _guilty(looks.parts[exposed].passes.name, blame)
        version = looks.subject.compiler.version
        taken = [element for one in looks.parts[: place + 1] for element in one.passes.passes]
        pipelines = [Stage("", tuple(taken)).pipeline]
        if not is_scheduled(looks.input):
            # What the stock pipeline itself does is looked at first.
            pipelines.insert(0, stages.passes_through(version, part.stage))
        at_fault = "\n".join(blame.ops)
        return Fault(
            check=self.name,
            verdict=Verdict.WRONG_VALUE,
            stage=guilty,
            shape=value_shape(guilty, blame.shape),
            message=f"after {part.passes.name}, {found.what} is wrong\n{at_fault}",
            expected=found.expected,
            actual=found.actual,
            stock_arguments=tuple(map(pass_pipeline, filter(None, pipelines))),
        )


def _question(way: Sequence[Part]) -> Question:
    builder = QuestionBuilder()
    for part in way:
        builder.step(part.stage, "run", part.passes.pipeline).step(part.stage, "read")
    return builder.question(stages.STOCK_PIPELINE, deferred=range(len(way) - 1))


@dataclass(frozen=True, slots=True)
class _Expectation:
    """What a program returns for one set of inputs."""

    setting: Setting
    outcome: Outcome


class _Looks:
    """The program behind each part of the pipeline, read when it is asked for."""

    def __init__(self, subject: Subject, way: Sequence[Part], answers: Sequence[Json]) -> None:
        assert subject.program is not None
        self.subject = subject
        self.input = subject.program
        self.parts = way
        self._answers = answers
        self._read: dict[int, ReadProgram] = {}

    @cached_property
    def expectations(self) -> tuple[_Expectation, ...] | str:
        """What the input returns, or why it cannot be told."""
        return _expectations(self.input)

    @property
    def last(self) -> Program:
        """The program in the end."""
        return self.program(len(self.parts) - 1)

    def program(self, place: int) -> Program:
        """The program after part number `place`. Raises UnsupportedOperationError."""
        if place < 0:
            return self.input
        while place and self._answers[place] == self._answers[place - 1]:
            place -= 1
        read = self._read.get(place)
        if read is None:
            read = self._read[place] = read_program(seen(self._answers[place]))
        if read.unsupported:
            raise UnsupportedOperationError(str(read.unsupported[0]))
        return read.program

    def first(self, symptom: _Symptom) -> tuple[int, _Symptom]:
        """The part from which on a symptom is there, and how it shows there."""
        place, found = len(self.parts) - 1, symptom
        while place and not (found.as_storage and self.parts[place].passes.name == STORAGE_FROM):
            earlier = self._there(place - 1, found)
            if earlier is None:
                break
            place, found = place - 1, earlier
        return place, found

    def blame(self, place: int, symptom: _Symptom) -> Blame | None:
        """The ops at fault after that stage; None where it is only their order that is missing."""
        after = self.program(place)
        if not symptom.as_storage:
            return changed_value(self.program(place - 1), after, symptom.setting, origin)
        first = self.parts[place].passes.name == STORAGE_FROM
        before = None if first else self.program(place - 1)
        return written_over(before, after, self.last, symptom.setting, origin)

    def validated(self, place: int) -> bool:
        """Whether the pipeline still asks whether all ops are within bounds, after that part: what
        is not is refused there, and acceptance's fault."""
        names = [stage.name for stage in stages.pipeline(self.subject.compiler.version, "lean")]
        asked = stages.VALIDATION.name
        stage = self.parts[place].stage
        return asked in names and names.index(stage) < names.index(asked)

    def exposed_from(self, place: int, blame: Blame) -> int:
        """The part that left storage to be written in place which others name otherwise, whichever
        later one made that show; `place`, where it shows, for all other faults."""
        if blame.writer is None:
            return place
        names = [part.passes.name for part in self.parts]
        first = names.index(STORAGE_FROM) if STORAGE_FROM in names else place
        return next(
            (
                earlier
                for earlier in range(first, place)
                if exposes(self.program(earlier), blame.writer, origin)
            ),
            place,
        )

    def _there(self, place: int, symptom: _Symptom) -> _Symptom | None:
        assert not isinstance(self.expectations, str)
        program = self.program(place)
        one = _symptom(self.expectations, program, symptom.as_storage, symptom.what)
        return one if one is not None and one.what == symptom.what else None


def _guilty(name: str, blame: Blame) -> str:
    """The pass to blame: one that runs twice is one pass, and what MLIR's inliner does to values
    the canonicalization does that it runs on each function (`InlinerPass`, "canonicalize" unless
    told otherwise)."""
    if name == "inline" and blame.shape[0] == CHANGED:
        return stages.CANONICALIZE.name
    return name.removesuffix(AGAIN)


def _shows(subject: Subject, read: ReadProgram) -> bool:
    """Whether a program that stock tools made of the subject is wrong, too."""
    if subject.program is None or read.unsupported:
        return False
    told = _expectations(subject.program)
    return not isinstance(told, str) and bool(_symptom(told, read.program, storage=True))


def _well_formed(program: Program) -> bool:
    """Whether a program accuses."""
    return level_of(verify_module(program)) is Level.WELL_FORMED


def _expectations(program: Program) -> tuple[_Expectation, ...] | str:
    """What a program returns for each set of inputs, or why that cannot be told.

    Raises UnsupportedOperationError for what is not modelled.
    """
    terms, interfaces = Terms(), Interfaces(program)
    found = []
    for inputs in inputs_of(program):
        try:
            outcome = evaluate(program, inputs, terms, interfaces)
        except (EndlessError, OutOfBoundsError) as error:
            return f"values of a program with {error}"
        if outcome.undefined:
            return "values that depend on bytes that nobody wrote"
        found.append(_Expectation(Setting(inputs, terms, interfaces), outcome))
    return tuple(found)


def _symptom(
    expectations: Sequence[_Expectation], program: Program, storage: bool, what: str | None = None
) -> _Symptom | None:
    """The first result of a program that differs, for any set of inputs, as storage only where
    `storage`; `what` is the only one to look at, where there is such a result."""
    for expectation in expectations:
        for as_storage in (False, True) if storage else (False,):
            outcome = _outcome(expectation.setting, program, as_storage)
            if isinstance(outcome, Outcome):
                found = difference(*(_only(what, one) for one in (expectation.outcome, outcome)))
            else:
                found = Difference("the run", "comes to its end", outcome)
            if found is not None:
                where = found.what if found.place is None else f"byte {found.place} of {found.what}"
                told = (f"{where}: {side}" for side in (found.expected, found.actual))
                return _Symptom(found.what, expectation.setting, as_storage, *told)
    return None


def _others(
    expectations: Sequence[_Expectation], program: Program, but: _Symptom
) -> Iterator[_Symptom]:
    """The other results of a program that differ."""
    names = (result.what for one in expectations for result in one.outcome.results)
    for what in dict.fromkeys(names):
        found = _symptom(expectations, program, True, what) if what != but.what else None
        if found is not None and found.what == what:
            yield found


def _only(what: str | None, outcome: Outcome) -> Outcome:
    kept = tuple(one for one in outcome.results if one.what == what)
    return replace(outcome, results=kept) if kept else outcome


def _outcome(setting: Setting, program: Program, as_storage: bool) -> Outcome | str:
    """What a run returns, or why it did not come to its end."""
    try:
        if as_storage:
            return evaluate_storage(program, setting.inputs, setting.terms, setting.interfaces)
        return evaluate(program, setting.inputs, setting.terms, setting.interfaces)
    except (EndlessError, OutOfBoundsError) as error:
        return str(error)
