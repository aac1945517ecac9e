"""`schedule`: the execution regions that work is put into, and the waves inside them.

Two agreements, each about one pass on IR that was parsed from text: what
`iree-stream-schedule-execution` makes of canonical IR with transfers placed, then what
`iree-stream-schedule-concurrency` makes of that, for some programs also when told to favor
something else than usual. All of both programs is compared, op by op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast
from zlib import crc32

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
)
from oracle.compiling import routes
from oracle.compiling.answers import Json, Seat
from oracle.compiling.stages import (
    CANONICALIZE,
    SCHEDULE_CONCURRENCY,
    SCHEDULE_EXECUTION,
    Stage,
)
from oracle.reading.raw import RawOperation, location_name
from oracle.reading.reader import ReadProgram, read_program
from oracle.reading.structure import first_difference
from oracle.verdict import Fault, Judgement, Verdict
from reference.folding import canonicalize
from reference.ir import Operation, Program, UnsupportedOperationError, map_operations
from reference.ops import OPERATIONS, Yield
from reference.placement import apply_placement, place_transfers
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.partition_fault import ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.scheduling.waves import DEFAULT_FAVOR, Favor

_Model = Callable[[Program], Program]

_PLACE = "   // "
"""Stands between an op and where it comes from (`oracle/reading/structure.py`)."""


_OTHER_FAVORS = tuple(favor for favor in Favor if favor is not DEFAULT_FAVOR)
_ALL_PROGRAMS = 16
"""One of so many programs is also asked about under one of the other favors."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """What one pass was given and left, and the model's rules for it."""

    stage: Stage
    model: _Model
    before: ReadProgram
    after: ReadProgram
    favor: Favor = DEFAULT_FAVOR


class Schedule:
    """Asks the two scheduling passes, one after the other."""

    name: ClassVar[str] = "schedule"
    question: ClassVar[str] = "is work put into the regions and waves that the rules give"
    compares_order: ClassVar[bool] = True

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        way = routes.scheduling(subject).before(SCHEDULE_EXECUTION.name)
        # On the way through the whole pipeline `placement` has gone before, without that look.
        look = _look_for_fold if subject.resolved else None
        builder = way.take(QuestionBuilder(), look).step("read", "read")
        builder.run(SCHEDULE_EXECUTION).step(SCHEDULE_EXECUTION.name, "read")
        builder.step("reparse", "reparse")
        builder.run(SCHEDULE_CONCURRENCY).step(SCHEDULE_CONCURRENCY.name, "read")
        stock = _stock_arguments(subject, SCHEDULE_CONCURRENCY)
        usual = builder.question(stock)
        favor = _other_favor(subject)
        if favor is None:
            return (usual,)
        flag = _flag(favor)
        builder = way.take(QuestionBuilder()).run(SCHEDULE_EXECUTION).step("reparse", "reparse")
        builder.run(SCHEDULE_CONCURRENCY).step(SCHEDULE_CONCURRENCY.name, "read")
        return usual, builder.question(stock, flag, seat=Seat(flags=(flag,)))

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        answers = results[0]
        placed, executed, waved = (_read(answers[place]) for place in (-6, -4, -1))
        passes = [
            _Pass(SCHEDULE_EXECUTION, _execution(subject), placed, executed),
            _Pass(SCHEDULE_CONCURRENCY, schedule_concurrency, executed, waved),
        ]
        favor = _other_favor(subject)
        if favor is not None:
            other = _read(results[1][-1])
            passes.append(_Pass(SCHEDULE_CONCURRENCY, _concurrency(favor), executed, other, favor))
        unsupported: dict[str, None] = {}
        for one in passes:
            for item in (*one.before.unsupported, *one.after.unsupported):
                unsupported[str(item)] = None
            for part in _parts(one.before, one.after):
                try:
                    fault = self._compare(subject, one, *part)
                except UnsupportedOperationError as error:
                    unsupported[str(error)] = None
                    continue
                if fault is not None:
                    return Judgement(self.name, (fault,), tuple(unsupported))
        return Judgement(self.name, unsupported=tuple(unsupported))

    def foresees(self, subject: Subject, stage: str) -> bool | None:
        """Whether the compiler refuses its own partitions; its waves it never refuses."""
        program = subject.program
        if program is None or not subject.resolved:
            return None
        try:
            program = canonicalize(program, subject.rules)
            program = apply_placement(program, place_transfers(program, subject.rules))
            return _refuses(subject, program, stage)
        except UnsupportedOperationError:
            return None

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        run = judge.stock.opt(subject.text, *fault.stock_arguments, "--mlir-print-debuginfo")
        return Confirmation(
            confirmed=run.succeeded and _shows(judge, run.output, fault),
            commands=(run.command,),
            output=run.output or run.diagnostics,
        )

    def _compare(
        self, subject: Subject, one: _Pass, before: Program, after: Program
    ) -> Fault | None:
        """What one pass did to one body, against what the model says."""
        try:
            expected = _with_implied_in_one_place(one.model(before))
        except ScheduleRefusedError as refusal:
            return self._fault(
                subject,
                one,
                ("accepted-unforeseen", refusal.fault.name.lower()),
                f"the compiler refuses the program: {refusal.fault.value}",
                "it takes the program",
            )
        difference = first_difference(expected, after)
        if difference is None:
            return None
        return self._fault(subject, one, difference.shape, difference.expected, difference.actual)

    def _fault(
        self, subject: Subject, one: _Pass, shape: tuple[str, ...], expected: str, actual: str
    ) -> Fault:
        favored = () if one.favor is DEFAULT_FAVOR else (f"favor-{one.favor.value}",)
        return Fault(
            check=self.name,
            verdict=Verdict.DISAGREE,
            stage=one.stage.name,
            shape=(*favored, *shape),
            message=f"{one.stage.name} leaves something else: {' '.join(shape)}",
            expected=expected,
            actual=actual,
            stock_arguments=(
                _stock_arguments(subject, one.stage),
                *(_flag(one.favor) for _ in favored),
            ),
        )


def _look_for_fold(builder: QuestionBuilder, stage: Stage, part: Stage) -> None:
    """Reads what `canonicalize` leaves on the way, of which `fold` need not ask then."""
    if stage is CANONICALIZE:
        builder.step("read", "read")


def _other_favor(subject: Subject) -> Favor | None:
    """What else to favor with this program: the compiler takes it as a flag of its process, so a
    process more for each, hence not with every program."""
    number = crc32(subject.text.encode()) % _ALL_PROGRAMS
    return _OTHER_FAVORS[number] if number < len(_OTHER_FAVORS) else None


def _flag(favor: Favor) -> str:
    return f"--iree-stream-partitioning-favor={favor.value}"


def _concurrency(favor: Favor) -> _Model:
    return lambda program: schedule_concurrency(program, favor)


def _read(answer: Json) -> ReadProgram:
    """What the model knows of a module."""
    read = read_program(answer)
    return replace(read, program=_with_implied_in_one_place(read.program))


def _with_implied_in_one_place(program: Program) -> Program:
    """The program with one place for all yields that MLIR does not print."""
    if not any(map(_is_implied, program.operations())):
        return program
    return replace(
        program,
        initializers=tuple(
            replace(one, body=map_operations(one.body, _in_one_place))
            for one in program.initializers
        ),
        functions=tuple(
            replace(one, body=map_operations(one.body, _in_one_place)) for one in program.functions
        ),
    )


def _is_implied(operation: Operation) -> bool:
    return isinstance(operation, Yield) and not operation.values


def _in_one_place(operation: Operation) -> Operation:
    """An implied yield is parsed back at another place than it was printed at."""
    return replace(operation, identity="implied") if _is_implied(operation) else operation


def _execution(subject: Subject) -> _Model:
    return lambda program: schedule_execution(program, subject.rules)


def _refuses(subject: Subject, placed: Program, stage: str) -> bool | None:
    """Whether the compiler refuses a program, all of whose transfers are placed, at `stage`."""
    if stage not in (SCHEDULE_EXECUTION.name, SCHEDULE_CONCURRENCY.name):
        return None
    try:
        schedule_execution(placed, subject.rules)
    except ScheduleRefusedError:
        return stage == SCHEDULE_EXECUTION.name
    return False


def _stock_arguments(subject: Subject, last: Stage) -> str:
    """The option with which `iree-opt` runs everything up to a stage."""
    route = routes.scheduling(subject)
    return route.before(last.name).stock_arguments(last)


def _parts(before: ReadProgram, after: ReadProgram) -> Iterator[tuple[Program, Program]]:
    """The bodies that the model knows on both sides, each in a program of its own."""
    found = {function.name: function for function in after.program.functions}
    bare = replace(before.program, functions=(), initializers=())
    for function in before.program.functions:
        if function.name in found:
            yield (
                replace(bare, functions=(function,)),
                replace(bare, functions=(found[function.name],)),
            )
    pairs = (before.program.initializers, after.program.initializers)
    if len(pairs[0]) == len(pairs[1]):
        for one, other in zip(*pairs, strict=True):
            yield replace(bare, initializers=(one,)), replace(bare, initializers=(other,))


def _shows(judge: Judge, output: str, fault: Fault) -> bool:
    """Whether a module has ops from all the places that the compiler's side of a fault names."""
    found = cast("list[RawOperation]", judge.find(output, sorted(OPERATIONS)))
    places = {location_name(op) for op in found}
    wanted = {line.rpartition(_PLACE)[2] for line in fault.actual.splitlines() if _PLACE in line}
    return wanted <= places
