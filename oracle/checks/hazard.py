"""`hazard`: at the command level, accesses to memory are ordered and within its life.

The rules are in `reference/commands/`. Only a well-formed program accuses the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from oracle import command_level
from oracle.answers import Json
from oracle.checks.base import Confirmation, Judge, Question, Subject
from oracle.command_level import Setting
from oracle.raw import origin
from oracle.verdict import Fault, Judgement
from reference.commands.breaches import Breach, breaches
from reference.commands.events import Kind
from reference.ir import Operation, Program
from reference.ops import Dispatch
from reference.values.content import OutOfBoundsError
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.machine import EndlessError
from reference.values.memory import ValueMemory

_EXPECTED = (
    "two accesses of the same bytes, one of them a write, are ordered; every access is within the "
    "life of its memory and reads what somebody wrote; what crosses devices is flushed or "
    "invalidated"
)


class Hazard:
    """Runs what the compiler makes of a program, watching its memory."""

    name: ClassVar[str] = "hazard"
    question: ClassVar[str] = "is every access to memory ordered and within the memory's life"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return (command_level.question(subject),) if subject.program is not None else ()

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        answers = results[0] if results else ()
        return command_level.judge(self.name, _EXPECTED, subject, answers, found, _there)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        return command_level.confirm(subject, fault, judge, found)


def found(setting: Setting, program: Program) -> Iterator[Breach]:
    """What is wrong with a program of the command level."""
    for trace in setting.traces(program):
        yield from breaches(trace, setting.grounds)


def _there(setting: Setting, program: Program, breach: Breach) -> bool:
    """Whether a program of the async level has a breach already, as far as it can be told there."""
    kind, places = breach.what[0], frozenset(breach.what[1:])
    if kind == Kind.OVERLAPPING.value:
        return any(
            isinstance(operation, Dispatch)
            and places.intersection(_origins(operation))
            and _overlaps(operation)
            for operation in program.operations()
        )
    if kind == Kind.UNORDERED.value:
        return any(
            all(side is None or places.intersection(_origins(side)) for side in sides)
            for sides in _races(setting, program)
        )
    return kind == Kind.UNWRITTEN.value and bool(places & _unwritten(setting, program))


def _overlaps(dispatch: Dispatch) -> bool:
    """Whether a dispatch writes in place what it also takes otherwise."""
    taken = [binding.value for binding in dispatch.bindings]
    return any(taken.count(target) > 1 for _, target in dispatch.tied)


def _races(
    setting: Setting, program: Program
) -> Iterator[tuple[Operation | None, Operation | None]]:
    for inputs in setting.inputs:
        try:
            outcome = evaluate_storage(program, inputs, setting.terms, setting.interfaces)
        except (EndlessError, OutOfBoundsError):
            continue
        for race in outcome.races:
            yield race.earlier.operation, race.later.operation


def _unwritten(setting: Setting, program: Program) -> set[str]:
    found: set[str] = set()
    for inputs in setting.inputs:
        reads: command_level.Reads = []
        try:
            evaluate(program, inputs, setting.terms, setting.interfaces, ValueMemory(reads))
        except (EndlessError, OutOfBoundsError):
            continue
        found |= {str(place) for place in command_level.readers_of_nothing(reads)}
    return found


def _origins(operation: Operation) -> list[str]:
    return origin(operation.identity).split("+")
