"""Looks at what a compiler makes of a program on its way: around the guilty pass, and scheduled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from oracle.checks.base import QuestionBuilder, Subject, pass_pipeline
from oracle.compiling import routes, stages
from oracle.compiling.answers import Diagnostic, Json, Outcome, Request
from oracle.compiling.inquiry import Compiler
from oracle.compiling.routes import Route
from oracle.compiling.stages import Stage
from oracle.reading.reader import ReadProgram, read_program
from oracle.verdict import Fault
from reference.ir import Program

_ALIAS = re.compile(r"^#(loc\d*) = loc\((.*)\)$")
_NAMES = re.compile(r'"((?:[^"\\]|\\.)*)"(?!:\d)')
_LINES = re.compile(r'"(?:[^"\\]|\\.)*":(\d+):\d+')
_USE = re.compile(r" loc\(#(loc\d*)\)")
_SSA = re.compile(r"%[\w#.$-]+")
_CONTEXT = 2
"""Lines shown around each change."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a comparison of two texts: `sign` is `-` (gone), `+` (new), or a blank."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True)
class Around:
    """The module just before a pass and just after, and what changed."""

    stage: str
    before: str
    after: str | None
    """None where the pass fails; `failure` then says how."""
    program: Program | None = None
    """The module just after, where the model knows it whole."""
    failure: str | None = None
    blamed: frozenset[str] = frozenset()
    """The ops that the compiler's own diagnostics point at."""

    def changes(self) -> tuple[Line, ...]:
        """What the pass changed, with a little around it; names of values are no change.

        The whole program where it changed nothing, or failed.
        """
        if self.after is None:
            return tuple(Line(" ", line) for line in self.before.splitlines())
        found = tuple(_changes(self.before, self.after))
        return found or tuple(Line(" ", line) for line in self.after.splitlines())

    @property
    def heading(self) -> str:
        """What `changes` shows, for people."""
        if self.after is None:
            return f"the program just before {self.stage}, which then fails"
        if _keys(self.before) == _keys(self.after):
            return f"{self.stage} changes nothing; the program then"
        return f"what {self.stage} changes, - before, + after"


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A program just before `iree-stream-schedule-execution`, and after `-schedule-concurrency`.

    Either is None where the compiler refused on the way; `failure` then says how.
    """

    before: ReadProgram | None
    after: ReadProgram | None
    failure: str | None = None


def scheduled(compiler: Compiler, subject: Subject) -> Scheduled:
    """How a program is scheduled: by the shortest way that the checks take or, where the compiler
    refuses the program there, by the whole pipeline."""
    ways = dict.fromkeys((routes.scheduling(subject), routes.whole(subject)))
    found = [_scheduled(compiler, subject, next(iter(ways)))]
    for way in list(ways)[1:]:
        if found[-1].after is None:
            found.append(_scheduled(compiler, subject, way))
    return found[-1] if found[-1].after is not None else found[0]


def _scheduled(compiler: Compiler, subject: Subject, way: Route) -> Scheduled:
    led = way.before(stages.SCHEDULE_EXECUTION.name)
    builder = led.take(QuestionBuilder()).step("read", "read")
    place = len(builder.question().steps) - 1
    builder.run(stages.SCHEDULE_EXECUTION).step("reparse", "reparse")
    builder.run(stages.SCHEDULE_CONCURRENCY).step("read", "read")
    question = builder.question()
    (answer,) = compiler.ask([Request(subject.text, question.steps)])
    before = read_program(answer.results[place]) if len(answer.results) > place else None
    if answer.outcome is not Outcome.OK:
        return Scheduled(before, None, f"{question.stages[answer.step]}: {answer.describe()}")
    return Scheduled(before, read_program(answer.results[-1]))


def before_placement(compiler: Compiler, subject: Subject) -> tuple[Program | None, str | None]:
    """The program that transfers are placed in, where that is not the one as written: what the
    compiler made of it by then. None with the reason where there is none."""
    stage = stages.placement(subject.compiler.version) or stages.SCHEDULE_EXECUTION
    builder = routes.whole(subject).before(stage.name).take(QuestionBuilder())
    question = builder.step("read", "read").question()
    (answer,) = compiler.ask([Request(subject.text, question.steps)])
    if answer.outcome is not Outcome.OK:
        return None, answer.describe()
    read = read_program(answer.results[-1])
    if read.unsupported:
        return None, f"not known to the model: {read.unsupported[0]}"
    return read.program, None


def around(compiler: Compiler, subject: Subject, fault: Fault) -> Around | str:
    """The module just before and just after the guilty pass, or why there is no such thing."""
    text, why = fault.text or subject.text, f"{fault.stage} is no pass of the Stream pipeline"
    for before, guilty in dict.fromkeys(_guilty(subject, fault)):
        found = _around(compiler, text, fault.stage, before, guilty)
        if isinstance(found, Around):
            return found
        why = found
    return why


def _around(compiler: Compiler, text: str, stage: str, before: str, guilty: str) -> Around | str:
    led: list[tuple[Json, ...]] = [("parse",), *([("run", before)] if before else [])]
    led.append(("print", True))
    steps: list[tuple[Json, ...]] = [*led, ("run", guilty), ("print", True), ("read",)]
    (answer,) = compiler.ask([Request(text, steps)])
    results = answer.results
    if answer.lost:
        # Nothing comes back from a process that was lost.
        (earlier,) = compiler.ask([Request(text, led)])
        results = earlier.results
    shown = [one for one in results if isinstance(one, str)]
    if not shown:
        return f"the module cannot be shown: {answer.describe()}"
    if answer.outcome is not Outcome.OK:
        blamed = frozenset(_places(answer.diagnostics))
        return Around(stage, with_names(shown[0]), None, failure=answer.describe(), blamed=blamed)
    read = read_program(results[-1])
    program = None if read.unsupported else read.program
    return Around(stage, with_names(shown[0]), with_names(shown[1]), program)


def _places(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """The ops that diagnostics point at, and their notes, by what ops are known by."""
    for one in diagnostics:
        place = one.location
        if place is not None and place.name is not None:
            yield from place.name.split("+")
        elif place is not None and place.line is not None:
            yield f"line{place.line}"
        yield from _places(one.notes)


def with_names(text: str) -> str:
    """A module as MLIR prints it with locations: what an op is known by stands behind it.

    That is the name of its location or, in a module without names, its line.
    """
    named: dict[str, str] = {}
    lines: dict[str, str] = {}
    kept = []
    for line in text.splitlines():
        alias = _ALIAS.match(line)
        if alias is None:
            kept.append(line)
            continue
        named[alias[1]] = "+".join(_NAMES.findall(alias[2]))
        lines[alias[1]] = "+".join(f"line{number}" for number in _LINES.findall(alias[2]))
    known = named if any(named.values()) else lines

    def name(match: re.Match[str]) -> str:
        found = known.get(match[1], "")
        return f"   // {found}" if found else ""

    return "\n".join(_USE.sub(name, line) for line in kept)


def _guilty(subject: Subject, fault: Fault) -> Iterator[tuple[str, str]]:
    """Pipelines up to the guilty pass and of it alone: as the check has run them, where the end of
    its pipeline is that pass, then by the stage's name."""
    for argument in reversed(fault.stock_arguments):
        elements = _elements(argument)
        if elements and fault.stage in elements[-1]:
            inner = _inner(elements[-1])
            first = len(elements)
            while first and _inner(elements[first - 1]) == inner:
                first -= 1
            yield _module(elements[:first]), _module(elements[first:])
    for way in (routes.scheduling(subject), routes.whole(subject)):
        names = [stage.name for stage in way.stages]
        if fault.stage in names:
            stage = way.stages[len(names) - 1 - names[::-1].index(fault.stage)]
            yield _joined(way.before(fault.stage).stages), stage.pipeline
    whole = stages.pipeline(subject.compiler.version, "lean")
    for place, stage in enumerate(whole):
        if stage.name == fault.stage:
            yield _joined(whole[:place]), stage.pipeline


def _joined(parts: tuple[Stage, ...]) -> str:
    return _module([element for one in parts for element in one.passes])


def _module(elements: list[str]) -> str:
    return f"builtin.module({','.join(elements)})" if elements else ""


def _elements(argument: str) -> list[str]:
    """The elements of a textual pipeline on a module, nothing for another option."""
    head, tail = pass_pipeline("builtin.module("), ")"
    if not (argument.startswith(head) and argument.endswith(tail)):
        return []
    found, depth, start = [], 0, 0
    inner = argument[len(head) : -len(tail)]
    for place, character in enumerate(inner):
        depth += (character in "({") - (character in ")}")
        if character == "," and not depth:
            found.append(inner[start:place])
            start = place + 1
    return [one for one in [*found, inner[start:]] if one]


def _inner(element: str) -> str:
    """The passes of an element, on whatever op they run."""
    return element.partition("(")[2] or element


def _changes(before: str, after: str) -> Iterator[Line]:
    ours, theirs = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, _keys(before), _keys(after), autojunk=False)
    first = True
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        if not first:
            yield Line(" ", "  …")
        first = False
        for kind, start, end, other, other_end in group:
            if kind == "equal":
                yield from (Line(" ", line) for line in theirs[other:other_end])
            else:
                yield from (Line("-", line) for line in ours[start:end])
                yield from (Line("+", line) for line in theirs[other:other_end])


def _keys(text: str) -> list[str]:
    """The lines without what values are called, which every printing deals out anew."""
    return [_SSA.sub("%", line) for line in text.splitlines()]
