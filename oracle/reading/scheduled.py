"""A program at the end of scheduling: the question that the contracts about regions share.

One run of the pipeline, cleanup lean, gives the IR just before `iree-stream-schedule-execution`,
read from its own text, and just after. Where the program has an explicit `on(…)` that some pass may
lose on the way, the run also looks at the transfers in between, so that the pass has a name; with
programs on tensors, whose ops become others, at all ops that say where they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import cast

from oracle.checks.base import (
    Confirmation,
    Judge,
    Question,
    QuestionBuilder,
    Subject,
    pass_pipeline,
)
from oracle.compiling import routes, stages
from oracle.compiling.answers import Json
from oracle.compiling.stages import Stage
from oracle.compiling.stock import first_failure
from oracle.reading.raw import RawOperation, location_name, plain
from oracle.reading.reader import ReadProgram, read_program
from oracle.verdict import Fault, Verdict
from reference.affinity import Affinity, AnyAffinity
from reference.contracts.breach import Breach
from reference.contracts.execution import explicit_affinity, goes_with
from reference.ir import Program
from reference.ops import Execute, Transfer
from reference.types import Value, parse_type

_LOOKED_AT = frozenset(
    {
        stages.CANONICALIZE.name,
        "copy-on-write",
        "elide-async-copies",
        "refine-usage",
        "elide-async-copies-again",
    }
)
_LOOKED_FOR = ("stream.async.transfer", "stream.async.clone")
_ON_TENSORS = (
    "flow.dispatch",
    *(f"flow.tensor.{kind}" for kind in ("constant", "slice", "splat", "update")),
    *(
        f"stream.{level}.{kind}"
        for level in ("tensor", "async")
        for kind in ("constant", "copy", "dispatch", "fill", "slice", "splat", "update")
    ),
)
"""What an op on tensors that says where it runs is, and becomes; what conversion adds at its
location apart."""


BEFORE_TEXT, AFTER_TEXT = -5, -2
"""Where the answer to `question` has the IR as text, just before scheduling and just after."""


@dataclass(frozen=True, slots=True)
class Copy:
    """An op on its way to scheduling: where it says that it executes."""

    kind: str
    place: str
    affinity: AnyAffinity | None

    def says(self, affinity: AnyAffinity | None) -> bool:
        """Whether it may be one that executes there by its own word."""
        return self.affinity is not None and goes_with(affinity, self.affinity)


Looks = tuple[tuple[str, tuple[Copy, ...]], ...]
"""What was seen after passes, by their names."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """What a compiler made of a program.

    `looks` are by pass, in order: a canonicalization goes by its own name wherever it runs.
    `canonical` is the program after the first canonicalization, where it waits for anything.
    `unsupported` says what the model does not know of it; the programs are not whole then.
    """

    before: Program
    after: Program
    looks: Looks
    canonical: Program | None
    unsupported: tuple[str, ...]

    def lost_at(self, breach: Breach) -> str | None:
        """The first stage after which no copy of an op executes where it once said, or one that
        became another kind of op does not."""
        for stage, found in self.looks:
            copies = [copy for copy in found if copy.place == breach.origin]
            kept = any(copy.says(breach.affinity) for copy in copies)
            if not kept or any(
                copy.kind == breach.became and not copy.says(breach.affinity) for copy in copies
            ):
                return stage
        return None


def question(subject: Subject, text: str | None = None) -> Question:
    """How a program is scheduled; of another text than the subject's, where one is given."""
    asked = _question(_route(subject), _looked_for(subject.program), _waits(subject.program))
    return asked if text is None else replace(asked, text=text)


@cache
def _question(route: routes.Route, kinds: tuple[str, ...], waits: bool) -> Question:
    def look(builder: QuestionBuilder, stage: Stage, part: Stage) -> None:
        if kinds and (stage.name in _LOOKED_AT or kinds is _ON_TENSORS):
            builder.step(part.name, "find", list(kinds))
        if waits and stage is stages.CANONICALIZE:
            builder.step(stage.name, "read")

    scheduling = stages.SCHEDULE_EXECUTION
    builder = route.take(QuestionBuilder(), look)
    builder.step("read", "read").step("print", "print", False)
    builder.run(scheduling).step("read", "read").step("print", "print", False)
    # Others go on from here.
    builder.step("reparse", "reparse")
    return builder.question(route.stock_arguments(scheduling))


def read(subject: Subject, answers: Sequence[Json]) -> Scheduled:
    """The answer to `question`."""
    return _read(_Given(question(subject), answers))


class _Given:
    """A question and its answer, equal to itself only: several checks judge the same one."""

    __slots__ = ("answers", "question")

    def __init__(self, question: Question, answers: Sequence[Json]) -> None:
        self.question = question
        self.answers = answers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Given) and other.answers is self.answers

    def __hash__(self) -> int:
        return id(self.answers)


@lru_cache(maxsize=64)
def _read(given: _Given) -> Scheduled:
    told = [
        (step[0], stage, answer)
        for step, stage, answer in zip(
            given.question.steps, given.question.stages, given.answers, strict=True
        )
    ]
    looks = tuple((stage, _copies(answer)) for verb, stage, answer in told if verb == "find")
    *early, before, after = (read_program(answer) for verb, _, answer in told if verb == "read")
    return _scheduled(before, after, looks, early[0].program if early else None)


def stock(subject: Subject, fault: Fault, judge: Judge) -> tuple[Scheduled | None, Confirmation]:
    """The same from `iree-opt` alone, with the options of a fault, None where it fails; and what
    was asked and printed, not yet said to confirm anything."""
    option, debug = fault.stock_arguments
    *before, scheduling = stages.single_passes(option.removeprefix(pass_pipeline("")))
    earlier = judge.stock.opt(
        subject.text, pass_pipeline(stages.in_one_short(one.pipeline for one in before)), debug
    )
    later = judge.stock.opt(earlier.output, pass_pipeline(scheduling.pipeline), debug)
    again = later.command.replace("program.mlir", "before.mlir")
    commands = (f"{earlier.command} > before.mlir", again)
    failure = first_failure([earlier, later])
    if failure is not None:
        printed = earlier.diagnostics + later.diagnostics
        return None, Confirmation(False, commands, printed, failure)
    given = read_program(judge.read(earlier.output))
    made = read_program(judge.read(later.output))
    return _scheduled(given, made, (), None), Confirmation(False, commands, later.output)


def fault(subject: Subject, check: str, breach: Breach, stage: str | None, expected: str) -> Fault:
    """A broken promise as a fault of `check`.

    `stage` is the first after which it was seen to be broken, None for one before scheduling that
    nobody looked after. `expected` says for people what was promised.
    """
    return Fault(
        check=check,
        verdict=Verdict.BROKEN_CONTRACT,
        stage=stage or last_before(subject),
        shape=breach.shape,
        message=breach.message,
        expected=expected,
        actual=breach.message,
        stock_arguments=(pass_pipeline(pipeline(subject)), "--mlir-print-debuginfo"),
    )


def _scheduled(
    before: ReadProgram,
    after: ReadProgram,
    looks: Looks,
    canonical: Program | None,
) -> Scheduled:
    unsupported = tuple(map(str, (*before.unsupported, *after.unsupported)))
    return Scheduled(before.program, after.program, looks, canonical, unsupported)


def stages_before(subject: Subject) -> tuple[Stage, ...]:
    """The stages up to scheduling."""
    return _route(subject).stages


def last_before(subject: Subject) -> str:
    """The name of the last stage before scheduling; nothing comes before a pass that is asked about
    a text as it is."""
    before = stages_before(subject)
    return before[-1].name if before else "parse"


def _route(subject: Subject) -> routes.Route:
    return routes.whole(subject).before(stages.SCHEDULE_EXECUTION.name)


def pipeline(subject: Subject) -> str:
    """The text of one pipeline to the end of scheduling."""
    names = [stage.name for stage in (*stages_before(subject), stages.SCHEDULE_EXECUTION)]
    return stages.joined(subject.compiler.version, names, "lean")


def _looked_for(program: Program | None) -> tuple[str, ...]:
    """The kinds of ops that are looked at after passes, none where no `on(…)` may be lost."""
    if program is not None and program.tensors:
        return _ON_TENSORS
    return _LOOKED_FOR if program is not None and _may_lose(program) else ()


def _may_lose(program: Program) -> bool:
    """Whether the program has a transfer whose `on(…)` is not where both of its ends are."""
    return any(
        isinstance(operation, Transfer)
        and (affinity := explicit_affinity(operation)) is not None
        and not all(
            end is not None and goes_with(affinity, end)
            for end in (operation.source_affinity, operation.target_affinity)
        )
        for operation in program.operations()
    )


def _waits(program: Program | None) -> bool:
    """Whether an op that may be in a region says what it waits for."""
    return program is not None and any(
        operation.await_timepoints
        for operation in program.operations()
        if operation.streamable or isinstance(operation, Execute)
    )


class _Found(RawOperation):
    operand_types: list[str]
    result_types: list[str]


def _copies(found: Json) -> tuple[Copy, ...]:
    return tuple(
        Copy(op["name"], location_name(op) or "unknown", _affinity(op))
        for op in cast("list[_Found]", found)
    )


def _affinity(op: _Found) -> AnyAffinity | None:
    """Where an op executes by its own word."""
    said = {name: plain(raw) for name, raw in op["attributes"].items()}

    def named(name: str) -> Affinity | None:
        return cast("Affinity | None", said.get(name))

    if op["name"] != Transfer.mnemonic:
        return named("affinity") or named("stream.affinity")
    return Transfer(
        identity="",
        source=Value("", parse_type(op["operand_types"][0])),
        result=Value("", parse_type(op["result_types"][0])),
        source_affinity=named("source_affinity"),
        target_affinity=named("target_affinity"),
        explicit_affinity=named("execution_affinity"),
    ).execution_affinity
