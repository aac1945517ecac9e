"""`hazard`: at the command level, accesses to memory are ordered and within its life.

The rules are in `reference/commands/`. Only a well-formed program accuses the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from oracle.checks.base import Confirmation, Judge, Question, Subject
from oracle.checks.causes import hazard_shape, hazard_shapes
from oracle.compiling.answers import Json
from oracle.reading import command_level, command_parts
from oracle.reading.raw import origin
from oracle.verdict import Fault, Judgement
from reference.commands.breaches import CALLER, Breach, breaches, missing_wait
from reference.commands.events import Kind
from reference.commands.lineage import constant_written, overlapping
from reference.ir import Operation, Program
from reference.ops import Constant, Copy, Dispatch, Execute, Update
from reference.values import observation, storage
from reference.values.blame import misread
from reference.values.content import OutOfBoundsError
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.inputs import Inputs
from reference.values.machine import EndlessError, Machine
from reference.values.memory import ValueMemory
from reference.values.outcome import difference
from reference.values.sharing import HANDED_ON

_EXPECTED = (
    "two accesses of the same bytes, one of them a write, are ordered; every access is within the "
    "life of its memory and reads what somebody wrote; nobody writes over constants; what crosses "
    "devices is flushed or invalidated"
)

_USERS = (Copy, Dispatch, Update)
"""Ops that write one operand in place and read others."""


class Hazard:
    """Runs what the compiler makes of a program, watching its memory."""

    name: ClassVar[str] = "hazard"
    question: ClassVar[str] = "is every access to memory ordered and within the memory's life"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return (command_parts.question(subject),) if subject.program is not None else ()

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        answers = results[0] if results else ()
        told = command_level.judge(self.name, _EXPECTED, subject, answers, found, _there, _follows)
        faults = (
            replace(fault, shape=hazard_shape(fault.stage, fault.shape)) for fault in told.faults
        )
        return replace(told, faults=command_level.of_one_name(faults))

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        return command_level.confirm(subject, fault, judge, found, hazard_shapes)


def found(setting: command_level.Setting, program: Program, every: bool) -> Iterator[Breach]:
    """What is wrong with a program of the command level."""
    for trace in setting.traces(program):
        yield from breaches(trace, setting.grounds, every)


def _there(setting: command_level.Setting, program: Program, breach: Breach) -> Breach | None:
    """How a breach shows in a program of the async level already, as far as it can be told there.

    Who does not wait for memory there does not wait for those who wrote it either.
    """
    kind, places = breach.what[0], frozenset(breach.what[1:])

    def concerns(operation: Operation) -> bool:
        return not places.isdisjoint(_origins(operation))

    if kind == Kind.OVERLAPPING.value:
        if overlapping(program, _users_at(places)):
            return breach
        if any(concerns(one) for one in _overlapping(setting, program)):
            # What one name cannot tell: a loop, a branch or a call gives the storage another.
            return replace(breach, shape=(kind, HANDED_ON))
        there = False
    elif kind == Kind.UNORDERED.value:
        # Ops that are in no region yet are ordered as they stand.
        there = any(
            all(not places.isdisjoint(_origins(side.operation)) for side in sides)
            for sides in _races(setting, program)
        )
    elif kind == Kind.EARLY.value:
        for sides in _races(setting, program):
            earlier, later = (_origins(one.operation) for one in sides)
            if sides[0].work != sides[1].work and not places.isdisjoint(later):
                shape = (Kind.UNORDERED.value, missing_wait(earlier, later, setting.grounds))
                return replace(breach, shape=shape)
        there = False
    elif kind == Kind.READ_ONLY.value:
        there = constant_written(program, concerns) or any(
            concerns(one) for one in _writers_of_constants(setting, program)
        )
    else:
        there = kind == Kind.UNWRITTEN.value and bool(places & _unwritten(setting, program))
    return breach if there else None


def _follows(setting: command_level.Setting, program: Program, breach: Breach) -> bool:
    """Whether a breach follows from values that are wrong at the async level, which is `value`'s.

    A program that computes something else is another program; bytes that nobody wrote, or that
    there are not, are read where storage was written over; so is what was written over before
    anything was scheduled.
    """
    kind, places = breach.what[0], frozenset(breach.what[1:])
    if kind == Kind.OVERLAPPING.value and overlapping(program, _users_at(places)):
        # Printed and read again, an op that takes its target twice is tied to the first.
        return False
    if any(_differs(setting, program, inputs, as_storage=False) for inputs in setting.inputs):
        return True
    if kind == Kind.UNORDERED.value:
        return not _scheduled(program) and any(
            not places.isdisjoint(map(str, misread(program, one, origin)))
            for one in _blame_settings(setting)
        )
    return kind in (Kind.UNWRITTEN.value, Kind.BEYOND.value) and any(
        _differs(setting, program, inputs, as_storage=True) for inputs in setting.inputs
    )


def _differs(
    setting: command_level.Setting, program: Program, inputs: Inputs, as_storage: bool
) -> bool:
    taken = (inputs, setting.terms, setting.interfaces)
    try:
        expected = evaluate(setting.program, *taken)
        found = evaluate_storage(program, *taken) if as_storage else evaluate(program, *taken)
    except (EndlessError, OutOfBoundsError):
        return True
    return difference(expected, found) is not None


def _blame_settings(setting: command_level.Setting) -> Iterator[observation.Setting]:
    for inputs in setting.inputs:
        yield observation.Setting(inputs, setting.terms, setting.interfaces)


def _scheduled(program: Program) -> bool:
    """Whether work is in execution regions."""
    return any(isinstance(operation, Execute) for operation in program.operations())


def _users_at(places: frozenset[str]) -> Callable[[Operation], bool]:
    """Tells the ops of `_USERS` that come from there."""
    return lambda one: isinstance(one, _USERS) and not places.isdisjoint(_origins(one))


def _races(
    setting: command_level.Setting, program: Program
) -> Iterator[tuple[storage.Access, storage.Access]]:
    if not _scheduled(program):
        return
    for inputs in setting.inputs:
        try:
            outcome = evaluate_storage(program, inputs, setting.terms, setting.interfaces)
        except (EndlessError, OutOfBoundsError):
            continue
        for race in outcome.races:
            yield race.earlier, race.later


def _overlapping(setting: command_level.Setting, program: Program) -> list[Operation]:
    """Ops that write in place storage which they also take otherwise, in some run."""
    found: list[Operation] = []

    def observe(operation: Operation, machine: Machine[Any]) -> None:
        if isinstance(operation, _USERS):
            held = [machine.values[one.name] for one in operation.operands if one.is_resource]
            written = [machine.values[target.name] for _, target in operation.tied]
            if any(sum(one is other for other in held) > 1 for one in written):
                found.append(operation)

    for inputs in setting.inputs:
        try:
            taken = (inputs, setting.terms, setting.interfaces)
            evaluate_storage(program, *taken, observe=observe)
        except (EndlessError, OutOfBoundsError):
            continue
    return found


def _writers_of_constants(setting: command_level.Setting, program: Program) -> Iterator[Operation]:
    """Ops that in some run write in place what a constant is, under whichever name."""
    for inputs in setting.inputs:
        memory = storage.StorageMemory(watch=True)
        try:
            evaluate_storage(program, inputs, setting.terms, setting.interfaces, memory)
        except (EndlessError, OutOfBoundsError):
            continue
        for one in memory.made:
            for access in one.history if isinstance(one.maker, Constant) else ():
                if access.writes and access.operation not in (None, one.maker):
                    assert access.operation is not None
                    yield access.operation


def _unwritten(setting: command_level.Setting, program: Program) -> set[str]:
    found: set[str] = set()
    for inputs in setting.inputs:
        reads: command_level.Reads = []
        try:
            evaluate(program, inputs, setting.terms, setting.interfaces, ValueMemory(reads))
        except (EndlessError, OutOfBoundsError):
            continue
        found |= {str(place) for place in command_level.readers_of_nothing(reads)}
    return found


def _origins(operation: Operation | None) -> frozenset[str]:
    """Where an op comes from, as breaches have it; the caller is a place of its own."""
    return frozenset((CALLER,) if operation is None else origin(operation.identity).split("+"))
