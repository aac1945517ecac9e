"""`access`: at the command level, memory is touched only by devices that it was allocated for.

The rules are in `reference/commands/access.py`. Only a well-formed program accuses the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from oracle.checks import handed_back
from oracle.checks.base import Confirmation, Judge, Question, Subject
from oracle.compiling.answers import Json
from oracle.reading import command_level, command_parts
from oracle.reading.raw import origin
from oracle.verdict import Fault, Judgement
from reference.commands.access import BY_NO_DEVICE, OFF_THE_PIN, Placement, breaches
from reference.commands.breaches import Breach
from reference.ir import Program, walk
from reference.ops import Execute

_EXPECTED = (
    "a buffer is touched only by devices in its allocation's affinity, and what is pinned to one "
    "device is written only there"
)


class Access:
    """Runs what the compiler makes of a program, noting which device touches what."""

    name: ClassVar[str] = "access"
    question: ClassVar[str] = "is memory touched only by devices that it was allocated for"

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        if subject.program is None:
            return ()
        return command_parts.question(subject), *handed_back.questions(subject)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        answers = results[0] if results else ()
        judgement = command_level.judge(self.name, _EXPECTED, subject, answers, found, _there)
        for further in results[1:]:
            fault = handed_back.judge(subject, further)
            if fault is not None:
                judgement = replace(judgement, faults=(*judgement.faults, fault))
        return judgement

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        if fault.shape[0] == handed_back.SHAPE:
            return handed_back.confirm(subject, fault, judge)
        return command_level.confirm(subject, fault, judge, found)


def found(setting: command_level.Setting, program: Program, every: bool) -> Iterator[Breach]:
    """What is wrong with a program of the command level."""
    placement = Placement.of(setting.program, origin)
    for trace in setting.traces(program):
        yield from breaches(trace, program, placement, origin)


def _there(setting: command_level.Setting, program: Program, breach: Breach) -> Breach | None:
    """The breach, where the region of an op at fault is where it should not be already."""
    kind, place = breach.what[0], breach.what[-1]
    if kind not in (BY_NO_DEVICE, OFF_THE_PIN):
        return None
    pin = Placement.of(setting.program, origin).pins.get(place)
    for region in program.operations():
        if isinstance(region, Execute) and any(
            origin(operation.identity) == place for operation in walk(region.body)
        ):
            device = None if region.affinity is None else region.affinity.device
            if device is None or (kind == OFF_THE_PIN and device != pin):
                return breach
    return None
