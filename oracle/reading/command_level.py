"""A program at the command level: how the checks on memory and order judge it.

What is wrong in the end is blamed on the first pass from which on it is; which passes are looked
behind, `oracle/reading/command_parts.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from oracle.checks.base import (
    Confirmation,
    Judge,
    Subject,
    pass_pipeline,
    seen,
)
from oracle.compiling import stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.compiling.stock import StockRun
from oracle.reading.command_parts import COMMANDS_FROM, asynchronous_ends, has_commands, parts
from oracle.reading.raw import origin
from oracle.reading.reader import read_program
from oracle.verdict import Fault, Judgement, Verdict
from reference.commands.breaches import Breach, Grounds
from reference.commands.events import Trace
from reference.commands.run import run
from reference.ir import Operation, Program, UnsupportedOperationError
from reference.values.content import Content, OutOfBoundsError
from reference.values.evaluation import evaluate
from reference.values.inputs import Inputs, inputs_of
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError, Machine
from reference.values.memory import ValueMemory
from reference.values.terms import UNWRITTEN, Terms
from reference.verifier import level_of, verify_module
from reference.verifier.problems import Level

_FORMS = ((), ("--mlir-print-op-generic",))
"""How stock tools print: what a pass leaves may read back in generic form only, for which other
checks are there."""

NOT_WHOLE = "memory and order of a module that the model does not know whole"
NOT_WELL_FORMED = "a breach in a program that is not well-formed"
AS_WRITTEN = "a breach in a program of the command level as written"


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

Finder = Callable[[Setting, Program, bool], Iterator[Breach]]
"""What a check finds wrong with a program of the command level; if asked for, also what follows
from another breach."""

Earlier = Callable[[Setting, Program, Breach], Breach | None]
"""How a breach shows already in a program of the async level; None where it does not."""

Shapes = Callable[[Breach], frozenset[tuple[str, ...]]]
"""All words that a check may have for a breach, whichever pass is guilty."""

Follows = Callable[[Setting, Program, Breach], bool]
"""Whether a breach follows from what is wrong with a program of the async level."""


def judge(
    check: str,
    expected: str,
    subject: Subject,
    answers: Sequence[Json],
    find: Finder,
    earlier: Earlier,
    follows: Follows | None = None,
    verdict: Verdict = Verdict.BROKEN_CONTRACT,
) -> Judgement:
    """The verdict of a check on the answers to `question`.

    `follows` tells a breach that follows from what is wrong already with a program of the async
    level, in the end or before it was scheduled, which is another check's.
    """
    if subject.program is None:
        return Judgement(check, unsupported=(NOT_WHOLE,))
    try:
        setting = setting_of(subject.program)
        told = [answer for answer in answers if answer is not None]
        looks = _Looks(subject, told, setting, find, earlier)
        breaches = [
            breach
            for breach in _distinct(find(setting, looks.last, False))
            if follows is None
            or not any(follows(setting, program, breach) for program in looks.asynchronous())
        ]
        if not breaches:
            return Judgement(check)
        if not _well_formed(subject.program):
            return Judgement(check, unsupported=(NOT_WELL_FORMED,))
        if has_commands(subject.program) and any(find(setting, subject.program, False)):
            return Judgement(check, unsupported=(AS_WRITTEN,))
        faults = []
        for breach in breaches:
            place, first = looks.first(breach)
            fault = _fault(check, expected, looks, place, first)
            places = frozenset((*breach.what[1:], *first.what[1:]))
            faults.append(replace(fault, verdict=verdict, places=places))
        return Judgement(check, of_one_name(faults))
    except UnsupportedOperationError as error:
        return Judgement(check, unsupported=(str(error),))


def of_one_name(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """The first fault of each signature, with the places of all of that signature."""
    found: dict[str, Fault] = {}
    for fault in faults:
        first = found.get(fault.signature, fault)
        found[fault.signature] = replace(first, places=first.places | fault.places)
    return tuple(found.values())


def as_it_shows(breach: Breach) -> frozenset[tuple[str, ...]]:
    """The words for a breach, of a check that has one name for each."""
    return frozenset({breach.shape})


def confirm(
    subject: Subject, fault: Fault, judge: Judge, find: Finder, shapes: Shapes = as_it_shows
) -> Confirmation:
    """Whether a program that `iree-opt` alone makes of the subject has a breach that the check may
    have told in the fault's words, at a place of the fault."""
    runs: list[StockRun] = []
    for argument in fault.stock_arguments:
        for form in _FORMS:
            ran = judge.stock.opt(subject.text, argument, "--mlir-print-debuginfo", *form)
            runs.append(ran)
            if not ran.succeeded:
                break
            if judge.stock.opt(ran.output).succeeded:
                if _shows(subject, judge.read(ran.output), fault, find, shapes):
                    return Confirmation.of(runs, confirmed=True)
                break
    return Confirmation.of(runs, confirmed=False)


def setting_of(program: Program) -> Setting:
    """How to run what the compiler makes of a program. Raises UnsupportedOperationError."""
    terms, interfaces, inputs = Terms(), Interfaces(program), inputs_of(program)
    excused: set[str | None] = set()
    if not has_commands(program):
        for one in inputs:
            reads: Reads = []
            writers: set[str | None] = set()
            observe = partial(_note_writer, writers)
            try:
                outcome = evaluate(program, one, terms, interfaces, ValueMemory(reads), observe)
            except (EndlessError, OutOfBoundsError) as error:
                raise UnsupportedOperationError(str(error)) from None
            if outcome.undefined:
                raise UnsupportedOperationError("a run that depends on bytes that nobody wrote")
            excused |= readers_of_nothing(reads) | writers
    grounds = Grounds.of(program, origin, frozenset(excused))
    return Setting(program, inputs, terms, interfaces, grounds)


def readers_of_nothing(reads: Reads) -> set[str | None]:
    """The places of ops, None for the caller, that read bytes which nobody wrote."""
    return {
        None if operation is None else origin(operation.identity)
        for operation, content in reads
        if any(source is UNWRITTEN for source, _, _ in content.pieces)
    }


def _note_writer(noted: set[str | None], operation: Operation, machine: Machine[Any]) -> None:
    """Notes ops that write in place what nobody wrote before: copied first, it is read."""
    for _, target in operation.tied:
        held = machine.values.get(target.name)
        if isinstance(held, Content) and any(source is UNWRITTEN for source, _, _ in held.pieces):
            noted.add(origin(operation.identity))


class _Looks:
    """The program behind each part that was looked behind, read when it is asked for."""

    def __init__(
        self,
        subject: Subject,
        answers: Sequence[Json],
        setting: Setting,
        find: Finder,
        earlier: Earlier,
    ) -> None:
        self.subject = subject
        self.parts = parts(subject)
        self._places = [place for place, part in enumerate(self.parts) if part.looked]
        self._answers = answers
        self._setting = setting
        self._find = find
        self._earlier = earlier
        self._read: dict[int, Program] = {}
        self._found: dict[int, dict[tuple[str, ...], Breach]] = {}
        names = [part.stage for part in self.parts]
        self.commands = names.index(COMMANDS_FROM) if COMMANDS_FROM in names else 0
        """The part from which on the program is one of the command level."""
        self._async = sum(place < self.commands for place in self._places)
        """How many looks are at the async level: the first."""

    @property
    def last(self) -> Program:
        """The program in the end."""
        return self.program(len(self._places) - 1)

    def asynchronous(self) -> Iterator[Program]:
        """The program of the async level in the end, and before it was scheduled; none for one
        that began at the command level."""
        for look in asynchronous_ends([self.parts[place] for place in self._places]):
            assert self.subject.program is not None
            yield self.program(look) if look >= 0 else self.subject.program

    def program(self, look: int) -> Program:
        """The program of look number `look`. Raises UnsupportedOperationError."""
        look = self._same(look)
        if look not in self._read:
            read = read_program(seen(self._answers[look]))
            if read.unsupported:
                raise UnsupportedOperationError(str(read.unsupported[0]))
            self._read[look] = read.program
        return self._read[look]

    def first(self, breach: Breach) -> tuple[int, Breach]:
        """The part from which on a breach is there, by its place, and how it shows there."""
        look = len(self._places) - 1
        while look:
            before = self._there(look - 1, breach)
            if before is not None:
                look, breach = look - 1, before
                continue
            # What memory held before may hide what async-level values show.
            last = self._async - 1
            early = self._there(last, breach) if 0 <= last < look - 1 else None
            if early is None:
                break
            look, breach = last, early
        return self._places[look], breach

    def _there(self, look: int, breach: Breach) -> Breach | None:
        if look < self._async:
            return self._earlier(self._setting, self.program(look), breach)
        look = self._same(look)
        if look not in self._found:
            found = self._find(self._setting, self.program(look), True)
            self._found[look] = {one.what: one for one in found}
        there = self._found[look]
        return there.get(breach.what) or next(
            (one for one in there.values() if one.led_to(breach)), None
        )

    def _same(self, look: int) -> int:
        """The first look of several in a row that saw the same."""
        while look and self._answers[look] == self._answers[look - 1]:
            look -= 1
        return look


def _fault(check: str, expected: str, looks: _Looks, place: int, breach: Breach) -> Fault:
    part = looks.parts[place]
    # What is wrong before there is memory shows when there is.
    end = max(place, looks.commands)
    lean = [element for one in looks.parts[: end + 1] for element in one.passes.passes]
    pipelines = [Stage("", tuple(lean)).pipeline]
    version = looks.subject.compiler.version
    if looks.parts[0].passes is stages.CANONICALIZE:
        # What the stock pipeline itself does is looked at first.
        pipelines.insert(0, stages.passes_through(version, looks.parts[end].stage))
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


def _shows(subject: Subject, made: Json, fault: Fault, find: Finder, shapes: Shapes) -> bool:
    """Whether a program that stock tools made of the subject has a fault's breach."""
    read = read_program(made)
    if subject.program is None or read.unsupported:
        return False
    try:
        found = find(setting_of(subject.program), read.program, True)
        return any(
            fault.shape in shapes(one) and not fault.places.isdisjoint(one.what[1:])
            for one in found
        )
    except UnsupportedOperationError:
        return False


def _distinct(breaches: Iterator[Breach]) -> tuple[Breach, ...]:
    found: dict[tuple[str, ...], Breach] = {}
    for breach in breaches:
        found.setdefault(breach.what, breach)
    return tuple(found.values())


def _well_formed(program: Program) -> bool:
    """Whether a program accuses."""
    return level_of(verify_module(program)) is Level.WELL_FORMED
