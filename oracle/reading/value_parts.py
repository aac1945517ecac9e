"""The way of a program to where storage is allocated, and the parts that it is looked at behind.

Cleanup is lean, which is much quicker. Where control flow decides what a global holds the program
goes the way of the full one as well, whose passes alone may get that wrong, or mend it.
"""

from __future__ import annotations

from dataclasses import dataclass

from oracle.checks.base import Subject
from oracle.compiling import stages
from oracle.compiling.stages import Stage
from reference.ir import Program, Region, walk
from reference.ops import Concurrent, Execute, GlobalStore

_END = "schedule-allocation"
STORAGE_FROM = "copy-on-write"
_LOOKED_INTO = frozenset(
    {
        "inline",
        "verify-lowering-to-async-resources",
        STORAGE_FROM,
        "elide-async-copies",
        "refine-usage",
        "elide-async-copies-again",
        "materialize-builtins",
    }
)
"""Stages whose cleanup changes values or storage as readily as their own passes."""


@dataclass(frozen=True, slots=True)
class Part:
    """Passes that the program is looked at behind, and the stage of the pipeline that has them."""

    stage: str
    passes: Stage


def parts(subject: Subject, cleanup: stages.Cleanup) -> tuple[Part, ...]:
    """What runs up to where storage is allocated; for scheduled IR, from there on.

    The first is a `canonicalize` of its own, so that what it does first thing in the pipeline has a
    name. The pass that decides whether a program is valid changes nothing.
    """
    whole = stages.pipeline(subject.compiler.version, cleanup)
    (end,) = (place for place, stage in enumerate(whole) if stage.name == _END)
    kept = [stage for stage in whole[:end] if stage is not stages.VALIDATION]
    assert subject.program is not None

    def looked_into(stage: Stage) -> bool:
        if stage.name in _LOOKED_INTO:
            return True
        return cleanup == "full" and len(stage.passes) > 1

    if is_scheduled(subject.program):
        waves = any(isinstance(operation, Concurrent) for operation in subject.program.operations())
        kept = kept[kept.index(stages.SCHEDULE_CONCURRENCY) + waves :]
        found = []
    else:
        found = [Part(kept[0].name, stages.CANONICALIZE)]
    for stage in kept:
        inner = stages.parts(stage) if looked_into(stage) else (stage,)
        found += [Part(stage.name, part) for part in inner]
    return tuple(found)


def is_scheduled(program: Program) -> bool:
    """Whether work is in execution regions already."""
    return any(isinstance(operation, Execute) for operation in program.operations())


def cleanups(subject: Subject) -> tuple[stages.Cleanup, ...]:
    """The ways that a program goes, IREE's own first."""
    assert subject.program is not None
    decides = any(map(_decides_on_globals, subject.program.bodies()))
    return ("full", "lean") if decides else ("lean",)


def _decides_on_globals(body: Region) -> bool:
    """Whether a body stores to a global only on some ways through it."""
    return any(
        isinstance(inner, GlobalStore)
        for place, block in enumerate(body.blocks)
        for operation in block.operations
        for inner in (operation, *(one for nested in operation.regions for one in walk(nested)))
        if place or inner is not operation
    )
