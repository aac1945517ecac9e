"""`access`: at the command level, memory is touched only by devices that it was allocated for.

The rules are in `reference/commands/access.py`. Only a well-formed program accuses the compiler.
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
from reference.commands.access import chosen_places, foreign, off_the_pin, pinned_places
from reference.commands.breaches import Breach
from reference.ir import Program

_EXPECTED = (
    "a buffer is touched only by devices in its allocation's affinity, and what is pinned to one "
    "device is written only there"
)


class Access:
    """Runs what the compiler makes of a program, noting which device touches what."""

    name: ClassVar[str] = "access"
    question: ClassVar[str] = "is memory touched only by devices that it was allocated for"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        return (command_level.question(subject),) if subject.program is not None else ()

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        answers = results[0] if results else ()
        return command_level.judge(self.name, _EXPECTED, subject, answers, found, _not_seen)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        return command_level.confirm(subject, fault, judge, found)


def found(setting: Setting, program: Program) -> Iterator[Breach]:
    """What is wrong with a program of the command level."""
    chosen = chosen_places(setting.program, origin)
    pins = pinned_places(setting.program, origin)
    for trace in setting.traces(program):
        yield from foreign(trace, program, chosen, origin)
        yield from off_the_pin(trace, program, pins, origin)


def _not_seen(setting: Setting, program: Program, breach: Breach) -> bool:
    """Before memory is allocated nobody can tell."""
    return False
