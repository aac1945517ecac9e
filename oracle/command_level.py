"""A program at the command level: the question that the checks on memory and order share.

The pipeline is run with lean cleanup up to where dispatches are handed their operands another way.
It is looked at after each pass, and each `canonicalize`, from scheduling on: what is wrong in the
end is blamed on the first pass from which on it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from oracle import stages
from oracle.answers import Json
from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.raw import origin
from oracle.reader import read_program
from oracle.stages import Stage
from oracle.verdict import Fault, Judgement, Verdict
from reference.commands.breaches import Breach, Grounds
from reference.commands.events import Trace
from reference.commands.run import run
from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import Execute, Transfer
from reference.ops.command import COMMAND_OPERATIONS
from reference.values.content import Content, OutOfBoundsError
from reference.values.evaluation import evaluate
from reference.values.inputs import Inputs, inputs_of
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError
from reference.values.memory import ValueMemory
from reference.values.terms import UNWRITTEN, Terms
from reference.verifier import level_of, verify
from reference.verifier.problems import Level

_COMMANDS_FROM = "schedule-allocation"
_END = "fuse-dispatch-bindings"
_LOOKED_AT = frozenset({"copy-on-write", "elide-async-copies", "emplace-allocations"})
"""What changes storage before scheduling."""

_ONCE = frozenset({stages.CSE.name})
"""Passes that are not looked behind: they change nothing that is judged here."""

NOT_WHOLE = "memory and order of a module that the model does not know whole"
NOT_WELL_FORMED = "a breach in a program that is not well-formed"

_COMMANDS = tuple(COMMAND_OPERATIONS.values())


@dataclass(frozen=True, slots=True)
class Part:
    """Passes that run together: the stage of the pipeline that has them, and whether the program is
    looked at behind them."""

    stage: str
    passes: Stage
    looked: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What programs made of `program` are run with, and by what they are judged."""

    program: Program
    inputs: tuple[Inputs, ...]
    terms: Terms
    interfaces: Interfaces
    grounds: Grounds

    def traces(self, program: Program) -> Iterator[Trace]:
        """A run for each set of inputs. Raises UnsupportedOperationError, and for a run that does
        not come to its end too."""
        for inputs in self.inputs:
            try:
                yield run(program, inputs, self.terms, self.interfaces)
            except (EndlessError, OutOfBoundsError) as error:
                raise UnsupportedOperationError(str(error)) from None


Reads = list[tuple[Operation | None, Content]]
"""Who read what, in the order of a run; None is the caller."""

Finder = Callable[[Setting, Program], Iterator[Breach]]
"""What a check finds wrong with a program of the command level."""

Earlier = Callable[[Setting, Program, Breach], bool]
"""Whether a breach is there already in a program of the async level."""


def parts(subject: Subject) -> tuple[Part, ...]:
    """What runs, in order, from where the subject stands."""
    whole = stages.pipeline(subject.compiler.version, "lean")
    names = [stage.name for stage in whole]
    kept = list(whole[: names.index(_END)])
    first = 0
    if subject.program is not None:
        operations = tuple(subject.program.operations())
        if any(isinstance(operation, _COMMANDS) for operation in operations):
            first = names.index(_COMMANDS_FROM) + 1
        elif any(isinstance(operation, Execute) for operation in operations):
            first = names.index(stages.SCHEDULE_CONCURRENCY.name)
    looked = names.index(stages.SCHEDULE_EXECUTION.name)
    found: list[Part] = []
    for place, stage in enumerate(kept[first:], start=first):
        if place < looked:
            found.append(Part(stage.name, stage, stage.name in _LOOKED_AT))
        else:
            inner = stages.parts(stage)
            found += [Part(stage.name, one, one.name not in _ONCE) for one in inner]
    # The last is always looked at.
    found[-1] = Part(found[-1].stage, found[-1].passes, looked=True)
    return tuple(found)


def question(subject: Subject) -> Question:
    """How a program gets to the command level."""
    builder = QuestionBuilder()
    for part in parts(subject):
        builder.step(part.stage, "run", part.passes.pipeline)
        if part.looked:
            builder.step(part.stage, "read")
    return builder.question(stages.STOCK_PIPELINE)


def judge(
    check: str,
    expected: str,
    subject: Subject,
    answers: Sequence[Json],
    find: Finder,
    earlier: Earlier,
) -> Judgement:
    """The verdict of a check on the answers to `question`."""
    if subject.program is None:
        return Judgement(check, unsupported=(NOT_WHOLE,))
    looks = _Looks(subject, [answer for answer in answers if answer is not None])
    try:
        setting = setting_of(subject.program)
        last = looks.program(len(looks.places) - 1)
        breaches = _distinct(find(setting, last))
        if not breaches:
            return Judgement(check)
        if not _well_formed(subject.program):
            return Judgement(check, unsupported=(NOT_WELL_FORMED,))
        faults: dict[str, Fault] = {}
        for breach in breaches:
            place, shown = looks.first(setting, breach, find, earlier)
            fault = _fault(check, expected, looks, place, shown)
            faults.setdefault(fault.signature, fault)
        return Judgement(check, tuple(faults.values()))
    except UnsupportedOperationError as error:
        return Judgement(check, unsupported=(str(error),))


def confirm(subject: Subject, fault: Fault, judge: Judge, find: Finder) -> Confirmation:
    """Whether a program that `iree-opt` alone makes of the subject has a breach of that shape."""
    commands, output = [], ""
    for argument in fault.stock_arguments:
        ran = judge.stock.opt(subject.text, argument, "--mlir-print-debuginfo")
        commands.append(ran.command)
        output = ran.output or ran.diagnostics
        if ran.succeeded and subject.program is not None:
            read = read_program(judge.read(ran.output))
            if not read.unsupported and _shows(subject.program, read.program, fault, find):
                return Confirmation(True, tuple(commands), output)
    return Confirmation(False, tuple(commands), output)


def setting_of(program: Program) -> Setting:
    """How to run what the compiler makes of a program. Raises UnsupportedOperationError."""
    terms, interfaces, inputs = Terms(), Interfaces(program), inputs_of(program)
    excused: set[str | None] = set()
    if not any(isinstance(operation, _COMMANDS) for operation in program.operations()):
        for one in inputs:
            reads: Reads = []
            try:
                outcome = evaluate(program, one, terms, interfaces, ValueMemory(reads))
            except (EndlessError, OutOfBoundsError) as error:
                raise UnsupportedOperationError(str(error)) from None
            if outcome.undefined:
                raise UnsupportedOperationError("a run that depends on bytes that nobody wrote")
            excused |= readers_of_nothing(reads)
    transfers = {
        origin(operation.identity)
        for operation in program.operations()
        if isinstance(operation, Transfer)
    }
    grounds = Grounds(origin, frozenset(excused), frozenset(transfers))
    return Setting(program, inputs, terms, interfaces, grounds)


def readers_of_nothing(reads: Reads) -> set[str | None]:
    """The places of ops, None for the caller, that read bytes which nobody wrote."""
    return {
        None if operation is None else origin(operation.identity)
        for operation, content in reads
        if any(source is UNWRITTEN for source, _, _ in content.pieces)
    }


class _Looks:
    """The program behind each part that was looked behind, read when it is asked for."""

    def __init__(self, subject: Subject, answers: Sequence[Json]) -> None:
        self.subject = subject
        self.parts = parts(subject)
        self.places = [place for place, part in enumerate(self.parts) if part.looked]
        self._answers = answers
        self._read: dict[int, Program] = {}
        stage_names = [part.stage for part in self.parts]
        self._commands = stage_names.index(_COMMANDS_FROM) if _COMMANDS_FROM in stage_names else 0

    def program(self, look: int) -> Program:
        """The program of look number `look`. Raises UnsupportedOperationError."""
        while look and self._answers[look] == self._answers[look - 1]:
            look -= 1
        if look not in self._read:
            read = read_program(self._answers[look])
            if read.unsupported:
                raise UnsupportedOperationError(str(read.unsupported[0]))
            self._read[look] = read.program
        return self._read[look]

    def first(
        self, setting: Setting, breach: Breach, find: Finder, earlier: Earlier
    ) -> tuple[int, Breach]:
        """The part from which on a breach is there, by its place, and how it shows there."""
        look = len(self.places) - 1
        while look:
            before = self._there(setting, look - 1, breach, find, earlier)
            if before is None and self.places[look - 1] >= self._commands:
                # What memory held before may hide what async-level values show.
                async_looks = [one for one, at in enumerate(self.places) if at < self._commands]
                if async_looks and earlier(setting, self.program(async_looks[-1]), breach):
                    look = async_looks[-1]
                    continue
            if before is None:
                break
            look, breach = look - 1, before
        return self.places[look], breach

    def _there(
        self, setting: Setting, look: int, breach: Breach, find: Finder, earlier: Earlier
    ) -> Breach | None:
        program = self.program(look)
        if self.places[look] < self._commands:
            return breach if earlier(setting, program, breach) else None
        return next((one for one in find(setting, program) if one.what == breach.what), None)


def _fault(check: str, expected: str, looks: _Looks, place: int, breach: Breach) -> Fault:
    part = looks.parts[place]
    lean = [element for one in looks.parts[: place + 1] for element in one.passes.passes]
    pipelines = [Stage("", tuple(lean)).pipeline]
    version = looks.subject.compiler.version
    if looks.parts[0].stage == stages.pipeline(version, "lean")[0].name:
        # What the stock pipeline itself does is looked at first.
        pipelines.insert(0, stages.passes_through(version, part.stage))
    name, told = part.passes.name, "\n".join(breach.told)
    return Fault(
        check=check,
        verdict=Verdict.BROKEN_CONTRACT,
        stage=name,
        shape=breach.shape,
        message=f"after {name}: {told}",
        expected=expected,
        actual=told,
        stock_arguments=tuple(map(pass_pipeline, filter(None, pipelines))),
    )


def _shows(subject: Program, made: Program, fault: Fault, find: Finder) -> bool:
    try:
        return any(one.shape == fault.shape for one in find(setting_of(subject), made))
    except UnsupportedOperationError:
        return False


def _distinct(breaches: Iterator[Breach]) -> tuple[Breach, ...]:
    found: dict[tuple[str, ...], Breach] = {}
    for breach in breaches:
        found.setdefault(breach.what, breach)
    return tuple(found.values())


def _well_formed(program: Program) -> bool:
    """Whether a program accuses. Devices may also be named on the compiler's command line."""
    problems = tuple(one for one in verify(program) if one.rule != "known-devices")
    return level_of(problems) is Level.WELL_FORMED
