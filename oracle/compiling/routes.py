"""The ways through the pipeline that checks share, and where on them the text is read back.

An agreement is about one pass, asked on text: before the pass the module is printed and parsed
again. All checks do so at the same points of the same ways, whether they look there or not, so that
what one has asked the others need not ask again (`oracle/compiling/inquiry.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

from oracle.checks.base import QuestionBuilder, Subject, pass_pipeline
from oracle.compiling import stages
from oracle.compiling.stages import Stage

CLEANUP: stages.Cleanup = "lean"
"""Of every way: what a pass is given differs from the stock pipeline's, what it does does not."""

Look: TypeAlias = Callable[[QuestionBuilder, Stage, Stage], None]
"""Adds steps that leave the module as it is, after passes of a stage: all, or a part of them."""

_IN_PARTS = frozenset(
    {
        "copy-on-write",
        "elide-async-copies",
        "refine-usage",
        "elide-async-copies-again",
        "materialize-builtins",
    }
)
"""Stages whose own passes and cleanup are steps of their own: either may lose something."""

_WAITED = "propagate-timepoints"
_ALLOCATED = "schedule-allocation"


@dataclass(frozen=True, slots=True)
class Route:
    """Stages in order; after those named in `read_back` the module is printed and parsed again.

    On a way that is not `led_to` each stage is taken by itself: nothing comes before it.
    """

    version: str
    stages: tuple[Stage, ...]
    read_back: frozenset[str]
    led_to: bool = True

    def before(self, name: str) -> Route:
        """The part of the way that leads to a stage, the last of this name. Raises ValueError."""
        names = [stage.name for stage in self.stages]
        if name not in names:
            raise ValueError(f"no stage {name} on this way")
        place = len(names) - 1 - names[::-1].index(name) if self.led_to else 0
        return Route(self.version, self.stages[:place], self.read_back)

    def take(self, builder: QuestionBuilder, look: Look | None = None) -> QuestionBuilder:
        """Adds the steps of the way, and what `look` adds after passes."""
        for stage in self.stages:
            for part in stages.parts(stage) if stage.name in _IN_PARTS else (stage,):
                builder.step(stage.name, "run", part.pipeline)
                if look is not None:
                    look(builder, stage, part)
            if stage.name in self.read_back:
                builder.step("reparse", "reparse")
        return builder

    def stock_arguments(self, *further: Stage) -> str:
        """The option with which `iree-opt` runs the passes of the way, and further ones."""
        names = [stage.name for stage in (*self.stages, *further)]
        return pass_pipeline(stages.joined(self.version, names, CLEANUP))


def whole(subject: Subject) -> Route:
    """The pipeline from its beginning, up to the end of `iree-stream-schedule-allocation`.

    The first stage is a `canonicalize` of its own: what it does first thing in the pipeline's
    cleanup then has a name.
    """
    return _way(subject, _whole)


def scheduling(subject: Subject) -> Route:
    """The shortest way through scheduling: the whole one or, where placement may run on the text as
    it is, one without the passes before, which may refuse it, or not come to an end."""
    return _way(subject, _direct if subject.resolved else _whole)


def _way(subject: Subject, made: Callable[[str], Route]) -> Route:
    return replace(made(subject.compiler.version), led_to=not subject.alone)


def mentions(subject: Subject, mnemonic: str) -> bool:
    """Whether an op of that name stands in the text, comments apart."""
    lines = subject.text.splitlines() if mnemonic in subject.text else ()
    return any(mnemonic in line.partition("//")[0] for line in lines)


@cache
def _whole(version: str) -> Route:
    pipeline = stages.pipeline(version, CLEANUP)
    names = [stage.name for stage in pipeline]
    end = names.index(_ALLOCATED) + 1
    placed = stages.placement(version)
    read_back = {
        stages.VALIDATION.name,
        placed.name if placed is not None else stages.VALIDATION.name,
        stages.SCHEDULE_EXECUTION.name,
        names[end - 2],
    }
    return Route(version, (stages.CANONICALIZE, *pipeline[:end]), frozenset(read_back))


@cache
def _direct(version: str) -> Route:
    placed = stages.placement(version)
    first = (stages.CANONICALIZE, *(() if placed is None else (placed,)))
    waited = next(stage for stage in stages.pipeline(version, CLEANUP) if stage.name == _WAITED)
    way = (*first, stages.SCHEDULE_EXECUTION, stages.SCHEDULE_CONCURRENCY, waited)
    read_back = {first[-1].name, stages.SCHEDULE_EXECUTION.name, waited.name}
    return Route(version, way, frozenset(read_back))
