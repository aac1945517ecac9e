"""IREE's Stream pipeline as named stages, which together do what one stock option does.

The passes and their order are those of `buildStreamTransformPassPipeline` and the functions that it
calls in compiler/src/iree/compiler/Dialect/Stream/Transforms/Passes.cpp. A stage is named after the
last pass of its own, without the dialect's prefix. Cleanup is the cleanup of
`buildStreamCleanupPassPipeline`, either "full" (IREE's own) or "lean" (`canonicalize`, `cse`): most
of the full one's time goes into two passes that rebuild every canonicalization pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from oracle.verdict import AGAIN

Cleanup: TypeAlias = Literal["full", "lean"]

STOCK_PIPELINE = "--iree-stream-transformation-pipeline"
"""The option with which `iree-opt` runs all that `pipeline` gives."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)")
# FunctionLikeNest in Passes.cpp.
_FUNCTION_LIKE = ("func.func", "util.initializer", "util.func")
_FUNCTION_NEST = re.compile(r"func\.func\(([^()]*)\),util\.initializer\(\1\),util\.func\(\1\)$")


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes that run together: a name for reports, the passes as textual pipeline elements."""

    name: str
    passes: tuple[str, ...]

    @property
    def pipeline(self) -> str:
        """The text of a pipeline that runs this stage on a module."""
        return _module(self.passes)


def _module(passes: Iterable[str]) -> str:
    return f"builtin.module({','.join(passes)})"


def _functions(*passes: str) -> str:
    """Passes run one after the other on each function-like op."""
    return ",".join(f"{op}({','.join(passes)})" for op in _FUNCTION_LIKE)


CANONICALIZE = Stage("canonicalize", (_functions("canonicalize"),))
"""One `canonicalize` of each function, as the pipeline runs it between its passes."""

CSE = Stage("cse", (_functions("cse"),))
"""One `cse` of each function, as the lean cleanup runs it."""

SCHEDULE_EXECUTION = Stage("schedule-execution", (_functions("iree-stream-schedule-execution"),))
"""`iree-stream-schedule-execution` alone."""

SCHEDULE_CONCURRENCY = Stage(
    "schedule-concurrency", (_functions("iree-stream-schedule-concurrency"),)
)
"""`iree-stream-schedule-concurrency` alone."""

ANNOTATE_AFFINITIES = Stage("annotate-affinities", ("iree-stream-annotate-affinities",))
"""The affinity analysis' answers as attributes."""

VALIDATION = Stage("verify-async-access-ranges", ("iree-stream-verify-async-access-ranges",))
"""What decides, with the parser, whether a program is valid. Changes nothing."""

_PLACEMENT = Stage("place-transfer-executions", ("iree-stream-place-transfer-executions",))

_CLEANUP: dict[Cleanup, tuple[str, ...]] = {
    "full": (
        _functions(
            "canonicalize",
            "cse",
            "iree-util-optimize-int-arithmetic",
            "iree-util-simplify-global-accesses",
            "iree-util-apply-patterns",
        ),
        "iree-util-fold-globals",
        "iree-util-fuse-globals",
        "iree-util-ipo",
    ),
    "lean": (_functions("canonicalize", "cse"),),
}

SHARED = ("canonicalize", "cse", "optimize-int-arithmetic", "simplify-global-accesses",
          "apply-patterns", "fold-globals", "fuse-globals", "ipo")  # fmt: skip
"""The passes of cleanup by their own names: those that several stages run."""

_MISSING: dict[tuple[int, int], frozenset[str]] = {
    (3, 11): frozenset({_PLACEMENT.name}),
}
"""Stages that a release, and every one before it, does not have."""


def _stages(cleanup: Cleanup) -> tuple[Stage, ...]:
    """The stages of the newest release."""
    clean = _CLEANUP[cleanup]
    # iree-util-fixed-point-iterator (Util/Transforms/FixedPointIterator.cpp) runs nothing when it
    # is written as text, hence its runs are written out: as many as programs were seen to need.
    elide = (*clean, "iree-stream-elide-timepoints")
    # What `cse` made one a wave may yield twice, of which ScheduleAllocation.cpp writes only one:
    # the full cleanup goes on after its `cse` and leaves it none such, nor may the lean one.
    settled = clean if cleanup == "full" else (*clean, *CANONICALIZE.passes)
    return (
        Stage(
            "verify-input",
            ("iree-util-verify-initialization-order", "iree-stream-verify-input", *clean),
        ),
        Stage("clone-to-consumers", ("iree-stream-clone-to-consumers",)),
        Stage("conversion", ("iree-stream-conversion", "iree-stream-verify-lowering-to-tensors")),
        Stage("inline", ("inline", *clean)),
        Stage("combine-initializers", ("iree-util-combine-initializers", *clean, *clean)),
        Stage("specialize-encodings", ("iree-stream-specialize-encodings",)),
        Stage(
            "materialize-encodings",
            (
                _functions("iree-stream-encode-host-tensors"),
                "stream.executable(iree-stream-encode-device-tensors)",
                "iree-stream-materialize-encodings",
            ),
        ),
        Stage(
            "verify-lowering-to-async-resources",
            (
                _functions("iree-stream-layout-slices"),
                *clean,
                "iree-stream-verify-lowering-to-async-resources",
            ),
        ),
        Stage(
            "copy-on-write", (_functions("iree-stream-materialize-copy-on-write", "canonicalize"),)
        ),
        Stage("elide-async-copies", ("iree-stream-elide-async-copies", _functions("canonicalize"))),
        Stage("emplace-allocations", (_functions("iree-stream-emplace-allocations"),)),
        Stage("refine-usage", ("iree-stream-refine-usage", _functions("canonicalize"))),
        Stage(f"elide-async-copies{AGAIN}", ("iree-stream-elide-async-copies", *clean)),
        VALIDATION,
        _PLACEMENT,
        SCHEDULE_EXECUTION,
        SCHEDULE_CONCURRENCY,
        Stage(
            "propagate-timepoints",
            ("iree-stream-sync-initializers", "iree-stream-propagate-timepoints"),
        ),
        Stage(
            "materialize-builtins",
            (
                "iree-stream-materialize-builtins",
                *settled,
                "iree-stream-verify-lowering-to-async",
            ),
        ),
        Stage("schedule-allocation", ("iree-stream-schedule-allocation",)),
        Stage(
            "emplace-transients",
            (
                "iree-stream-emplace-transients",
                "iree-stream-materialize-transient-size-queries",
            ),
        ),
        Stage(
            "pack-constants",
            (
                _functions(
                    "iree-stream-pack-constants", "iree-stream-layout-slices", "canonicalize"
                ),
            ),
        ),
        Stage("propagate-subranges", ("iree-util-propagate-subranges", *clean)),
        Stage(
            "automatic-reference-counting",
            (
                "iree-stream-automatic-reference-counting",
                "iree-stream-annotate-constant-transient-size",
                "iree-stream-verify-lowering-to-cmd",
            ),
        ),
        Stage(
            "reuse-allocations",
            (*clean, _functions("iree-stream-reuse-allocations", "convert-scf-to-cf")),
        ),
        Stage("elide-timepoints", elide * 2),
        Stage("fuse-dispatch-bindings", ("iree-stream-fuse-dispatch-bindings",)),
        Stage(
            "annotate-dispatch-assumptions",
            (
                "iree-stream-annotate-dispatch-arguments",
                "iree-stream-annotate-dispatch-assumptions",
            ),
        ),
        Stage("pack-dispatch-operands", ("iree-stream-pack-dispatch-operands", *clean)),
        Stage(
            "fold-uniform-operands",
            ("iree-stream-fold-uniform-operands", *clean, "symbol-dce"),
        ),
    )


@cache
def pipeline(version: str, cleanup: Cleanup = "full") -> tuple[Stage, ...]:
    """The whole Stream pipeline of a release, in order.

    `version` begins with `major.minor`; a release newer than all known ones is taken for the
    newest, an older one for the oldest. Raises ValueError for text that begins otherwise.
    """
    match = _VERSION.match(version)
    if match is None:
        raise ValueError(f"not a release: {version}")
    release = (int(match[1]), int(match[2]))
    missing = {name for last, names in _MISSING.items() if release <= last for name in names}
    return tuple(stage for stage in _stages(cleanup) if stage.name not in missing)


def parts(stage: Stage) -> tuple[Stage, ...]:
    """A stage as its own passes, under its name, and each pass of a cleanup, under its own name; in
    order, to the same effect."""
    found: list[Stage] = []
    for one in single_passes(stage.pipeline):
        if one.name in SHARED:
            found.append(one)
        elif found and found[-1].name == stage.name:
            found[-1] = Stage(stage.name, (*found[-1].passes, *one.passes))
        else:
            found.append(Stage(stage.name, one.passes))
    return tuple(found)


def single_passes(pipeline: str) -> tuple[Stage, ...]:
    """The passes of a pipeline's text, of a module, one by one and under their own names, in order.
    A pass that is run on every kind of function stays one."""
    found: list[Stage] = []
    elements = _elements(pipeline.partition("(")[2].removesuffix(")"))
    while elements:
        op, nested, inner = elements[0].partition("(")
        nest = [f"{one}({inner}" for one in _FUNCTION_LIKE]
        of_functions = elements[: len(nest)] == nest
        for one in _elements(inner.removesuffix(")")) if nested else [op]:
            alone = _functions(one) if of_functions else f"{op}({one})" if nested else one
            found.append(Stage(_own_name(one), (alone,)))
        del elements[: len(nest) if of_functions else 1]
    return tuple(found)


def each_alone(pipeline: str) -> tuple[str, ...]:
    """The passes of a pipeline's text, of a module, one by one and on each kind of function for
    itself, each as a pipeline of a module, in order."""
    return tuple(
        _module((element,))
        for one in single_passes(pipeline)
        for element in _elements(one.pipeline.partition("(")[2].removesuffix(")"))
    )


def _own_name(element: str) -> str:
    return element.partition("{")[0].removeprefix("iree-stream-").removeprefix("iree-util-")


def _elements(text: str) -> list[str]:
    """What stands between the outermost commas of a pipeline's text."""
    found, start, depth = [], 0, 0
    for at, character in enumerate(text):
        if character == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
        depth += (character in "({") - (character in ")}")
    return [*found, text[start:]] if text[start:] else found


@cache
def placement(version: str) -> Stage | None:
    """The stage that places transfers, `iree-stream-place-transfer-executions`; None before 3.12.

    Raises ValueError as `pipeline` does.
    """
    return _PLACEMENT if _PLACEMENT in pipeline(version) else None


def before_placement(version: str, cleanup: Cleanup = "full") -> tuple[Stage, ...]:
    """The stages up to where transfers are placed: by the placement stage or, before 3.12, by
    `SCHEDULE_EXECUTION`. Raises ValueError as `pipeline` does."""
    stages = pipeline(version, cleanup)
    return stages[: stages.index(placement(version) or SCHEDULE_EXECUTION)]


def joined(version: str, names: Sequence[str], cleanup: Cleanup = "full") -> str:
    """The text of one pipeline that runs the stages of these names.

    `CANONICALIZE` and `ANNOTATE_AFFINITIES` are known by name too. Raises ValueError as `pipeline`
    does, KeyError for a stage that the release does not have.
    """
    known = {
        stage.name: stage
        for stage in (*pipeline(version, cleanup), CANONICALIZE, ANNOTATE_AFFINITIES)
    }
    return _module(element for name in names for element in known[name].passes)


def in_one(pipelines: Iterable[str]) -> str:
    """The text of one pipeline that runs these, each of a module, one after the other."""
    start, end = _module(("",))[:-1], ")"
    return _module(one.removeprefix(start).removesuffix(end) for one in pipelines)


def in_one_short(pipelines: Iterable[str]) -> str:
    """As `in_one`, with passes in a row on the same kind of function written as one nest."""
    found: list[str] = []
    for element in _elements(in_one(pipelines).partition("(")[2].removesuffix(")")):
        op, nested, inner = element.partition("(")
        if nested and found and found[-1].partition("(")[0] == op:
            found[-1] = f"{found[-1].removesuffix(')')},{inner}"
        else:
            found.append(element)
    return _module(found)


def passes_through(version: str, name: str, cleanup: Cleanup = "full") -> str:
    """The text of one pipeline that runs all stages up to and including the one of this name.

    Empty for a name that is no stage of the pipeline, such as `parse`. Raises ValueError as
    `pipeline` does.
    """
    names = [stage.name for stage in pipeline(version, cleanup)]
    return joined(version, names[: names.index(name) + 1], cleanup) if name in names else ""
