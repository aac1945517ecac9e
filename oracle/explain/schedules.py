"""How a program is scheduled: by the rules, and by the compiler; and where the two differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from oracle.checks.base import Subject
from oracle.compiling.inquiry import Compiler
from oracle.explain import views
from oracle.explain.picture import Panel
from oracle.explain.views import Around, Scheduled
from oracle.reading.raw import origin
from reference.ir import UnsupportedOperationError
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.partition_fault import ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.timeline import Kind, Piece, Timeline, timelines


@dataclass(frozen=True, slots=True)
class Schedules:
    """The timelines by the rules and by the compiler; where there are none, or not all, a note says
    why."""

    expected: tuple[Timeline, ...]
    expected_note: str | None
    actual: tuple[Timeline, ...]
    actual_note: str | None

    def differing(self) -> frozenset[str]:
        """The functions that the compiler schedules in another way than the rules."""
        if self.expected_note or self.actual_note:
            return frozenset()
        ours, theirs = (
            {one.name: _shape(one) for one in side} for side in (self.expected, self.actual)
        )
        return frozenset(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))

    def panels(self, arounds: Iterable[Around] = ()) -> tuple[Panel, ...]:
        """What a picture shows: each function as the compiler has it, as the rules have it where
        that is another, and as the guilty passes of findings left it."""
        differing = self.differing()
        found = []
        expected = {one.name: one for one in self.expected}
        for one in self.actual:
            label = "scheduled" if one.name not in differing else "what the compiler did"
            found.append(Panel(f"{one.name}: {label}", one))
            if one.name in differing and one.name in expected:
                found.append(Panel(f"{one.name}: expected", expected[one.name]))
        have = {one.name for one in self.actual}
        found += [
            Panel(f"{one.name}: expected", one) for one in self.expected if one.name not in have
        ]
        for around in arounds:
            if around.program is not None:
                found += [
                    Panel(f"{one.name}: after {around.stage}", one)
                    for one in timelines(around.program)
                    if any(piece.kind is Kind.REGION for piece in one.pieces)
                    and _shape(one) not in {_shape(panel.timeline) for panel in found}
                ]
        return tuple(found)


def schedules(compiler: Compiler, subject: Subject) -> Schedules:
    """How a subject is scheduled. Raises CompilerUnavailable."""
    seen = views.scheduled(compiler, subject)
    return Schedules(*_expected(subject, seen), *_actual(seen))


def _expected(subject: Subject, seen: Scheduled) -> tuple[tuple[Timeline, ...], str | None]:
    """The regions that the rules make of what the compiler schedules."""
    if seen.before is None:
        return (), f"the compiler does not come to scheduling: {seen.failure}"
    if seen.before.unsupported:
        return (), f"not known to the model: {seen.before.unsupported[0]}"
    try:
        program = schedule_execution(seen.before.program, subject.rules)
    except ScheduleRefusedError as refusal:
        return (), f"the rules say that the compiler refuses this: {refusal.fault.value}"
    except UnsupportedOperationError as error:
        return (), str(error)
    return timelines(schedule_concurrency(program)), None


def _actual(seen: Scheduled) -> tuple[tuple[Timeline, ...], str | None]:
    if seen.after is None:
        return (), seen.failure
    note = (
        f"not known to the model: {seen.after.unsupported[0]}" if seen.after.unsupported else None
    )
    return timelines(seen.after.program), note


def _shape(timeline: Timeline) -> tuple[object, ...]:
    """What of a timeline is the same for the model and the compiler where both agree."""
    return tuple(_plain(piece) for piece in timeline.pieces)


def _plain(piece: Piece) -> Piece:
    """A piece without names that differ between the two: of copies, and of the piece itself."""
    waves = tuple(
        tuple(sorted((replace(one, identity=origin(one.identity)) for one in wave), key=str))
        for wave in piece.waves
    )
    return replace(piece, identity="", waves=waves, around=tuple(map(_place, piece.around)))


def _place(around: str) -> str:
    return origin(around.partition(" ")[0])
