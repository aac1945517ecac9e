"""The way of a program to the command level, and where it is looked at.

The pipeline is run with lean cleanup up to where dispatches are handed their operands another way.
It is looked at after what changes storage or order and, from the allocation of memory on, after
each pass and each `canonicalize`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.checks.base import Question, QuestionBuilder, Subject
from oracle.compiling import routes, stages
from oracle.compiling.stages import Stage
from reference.ir import Program
from reference.ops import Execute
from reference.ops.command import COMMAND_OPERATIONS

COMMANDS_FROM = "schedule-allocation"
_END = "fuse-dispatch-bindings"
_LOOKED_AT = frozenset(
    {
        "copy-on-write",
        "elide-async-copies",
        "emplace-allocations",
        "elide-async-copies-again",
        stages.SCHEDULE_EXECUTION.name,
        stages.SCHEDULE_CONCURRENCY.name,
        "propagate-timepoints",
        "materialize-builtins",
        COMMANDS_FROM,
    }
)
"""What changes storage or order up to the command level."""

_ONCE = frozenset({stages.CSE.name})
"""Passes that are not looked behind: they change nothing that is judged here."""

_COMMANDS = tuple(COMMAND_OPERATIONS.values())


@dataclass(frozen=True, slots=True)
class Part:
    """Passes that run together: the stage of the pipeline that has them, and whether the program is
    looked at behind them."""

    stage: str
    passes: Stage
    looked: bool


def parts(subject: Subject) -> tuple[Part, ...]:
    """What runs, in order, from where the subject stands."""
    whole = stages.pipeline(subject.compiler.version, routes.CLEANUP)
    names = [stage.name for stage in whole]
    end, commands = names.index(_END), names.index(COMMANDS_FROM) + 1
    first, found = _first(subject, names), []
    if not first:

        def note(_: QuestionBuilder, stage: Stage, part: Stage) -> None:
            found.append(Part(stage.name, part, stage.name in _LOOKED_AT))

        routes.whole(subject).take(QuestionBuilder(), note)
    for stage in whole[first or commands : end]:
        found += [Part(stage.name, one, one.name not in _ONCE) for one in stages.parts(stage)]
    # The last is always looked at.
    found[-1] = Part(found[-1].stage, found[-1].passes, looked=True)
    return tuple(found)


def _first(subject: Subject, names: Sequence[str]) -> int:
    """The place of the first stage that a subject is to go through: of scheduled IR and of the
    command level not the first of all."""
    if subject.program is None:
        return 0
    if has_commands(subject.program):
        return names.index(COMMANDS_FROM) + 1
    operations = subject.program.operations()
    scheduled = any(isinstance(operation, Execute) for operation in operations)
    return names.index(stages.SCHEDULE_CONCURRENCY.name) if scheduled else 0


def question(subject: Subject) -> Question:
    """How a program gets to the command level."""
    builder = QuestionBuilder()
    rest = parts(subject)
    names = [stage.name for stage in stages.pipeline(subject.compiler.version, routes.CLEANUP)]
    if not _first(subject, names):
        # As all checks go, so that what one has asked need not be asked again.
        routes.whole(subject).take(builder, _look)
        rest = rest[1 + max(n for n, part in enumerate(rest) if part.stage == COMMANDS_FROM) :]
    for part in rest:
        builder.step(part.stage, "run", part.passes.pipeline)
        if part.looked:
            builder.step(part.stage, "read")
    looks = tuple(part for part in parts(subject) if part.looked)
    needed = {*asynchronous_ends(looks), len(looks) - 1}
    deferred = [number for number in range(len(looks)) if number not in needed]
    return builder.question(stages.STOCK_PIPELINE, deferred=deferred)


def asynchronous_ends(looks: Sequence[Part]) -> tuple[int, ...]:
    """The looks, by number, that see the async level's program in the end and before it was
    scheduled, -1 being the input; none for a program that begins at the command level."""
    names = [part.stage for part in looks]
    names = names[: names.index(COMMANDS_FROM)] if COMMANDS_FROM in names else []
    ends = [len(names) - 1] if names else []
    if stages.SCHEDULE_EXECUTION.name in names:
        ends.append(names.index(stages.SCHEDULE_EXECUTION.name) - 1)
    return tuple(ends)


def _look(builder: QuestionBuilder, stage: Stage, _: Stage) -> None:
    if stage.name in _LOOKED_AT:
        builder.step(stage.name, "read")


def has_commands(program: Program) -> bool:
    """Whether a program is one of the command level."""
    return any(isinstance(operation, _COMMANDS) for operation in program.operations())
