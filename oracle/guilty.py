"""The guilty pass of a failure: a stage of the pipeline is passes of its own and a cleanup.

What fails in a cleanup is one and the same fault wherever the pipeline cleans up, so that its
signature names the pass of the cleanup, not the stage that it happens to be part of. A pass that
only verifies is named too: it breaks nothing, some pass before it did.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from oracle.checks.accept import Accept
from oracle.checks.base import Question
from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.compiling.inquiry import Compiler
from oracle.compiling.stages import CANONICALIZE, SHARED, Stage, single_passes
from oracle.crashes import Crash
from oracle.verdict import Fault, Verdict

_CLASSES = {
    "Canonicalizer": "canonicalize",
    "CSE": "cse",
    "CSEPass": "cse",
    "OptimizeIntArithmeticPass": "optimize-int-arithmetic",
    "SimplifyGlobalAccessesPass": "simplify-global-accesses",
    "ApplyPatternsPass": "apply-patterns",
    "FoldGlobalsPass": "fold-globals",
    "FuseGlobalsPass": "fuse-globals",
    "IPOPass": "ipo",
}
"""The classes of these passes, in MLIR's and in
compiler/src/iree/compiler/Dialect/Util/Transforms/Passes.td."""

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
"""Where a word begins in a class's name."""

_APPLY_ALL_PATTERNS = frozenset({"apply-patterns", "fold-globals", "schedule-execution"})
_PATTERNS_OF_THEIR_OWN = frozenset({"RemoveBarriers.matchAndRewrite"})
"""Passes that apply every canonicalization pattern, and the patterns that they add to these
(ApplyPatterns.cpp and FoldGlobals.cpp in compiler/src/iree/compiler/Dialect/Util/Transforms/,
ScheduleExecution.cpp in compiler/src/iree/compiler/Dialect/Stream/Transforms/)."""

_CHANGES = frozenset({"parse", "reparse", "run"})
"""The steps that make a module what it is when a pass fails."""

_TRIES = 5

VERIFIES = "verify-lowering-to-"
"""How the names of passes begin that only verify what the passes before have made."""


def in_cleanup(fault: Fault, guilty: str | None) -> Fault:
    """The same fault of a pass that has a name of its own; as it is where there is none."""
    if guilty in (None, fault.stage):
        return fault
    assert guilty is not None
    told = f"{guilty} in {fault.message}"
    return replace(fault, stage=guilty, part_of=fault.stage, message=told, actual=told)


def crashed_anywhere(fault: Fault) -> bool:
    """Whether the stack of a crash tells no place: as where a module is verified of which a pass
    has left no whole one."""
    signal_alone = len(fault.shape) == 2 and fault.shape[-1].startswith("SIG")
    return fault.verdict is Verdict.CRASH and fault.part_of is None and signal_alone


def only_verified(fault: Fault) -> bool:
    """Whether a pass refused the program that only verifies."""
    return fault.check == Accept.name and fault.stage.startswith(VERIFIES)


def shared_pass_of_class(name: str | None) -> str | None:
    """The pass of a cleanup whose class that is; None for other classes."""
    return _CLASSES.get(name) if name is not None else None


def crashed_in_cleanup(crash: Crash) -> str | None:
    """The pass of a cleanup that a crash is one of: also where another pass applies the patterns of
    `canonicalize`. None for other crashes."""
    if crash.within is None:
        return None
    applies_patterns = pass_of_class(crash.within) in _APPLY_ALL_PATTERNS
    in_pattern = crash.site is not None and crash.site.endswith(".matchAndRewrite")
    if applies_patterns and in_pattern and crash.site not in _PATTERNS_OF_THEIR_OWN:
        return CANONICALIZE.name
    return shared_pass_of_class(crash.within)


def pass_of_class(name: str) -> str:
    """`refine-usage` for `RefineUsagePass`: how IREE calls most passes and their classes."""
    return _CAPITAL.sub("-", name.removesuffix("Pass")).lower()


def shared_pass_that_fails(
    compiler: Compiler, question: Question, answer: Answer, text: str
) -> str | None:
    """The pass of a cleanup, or that only verifies, at which a step of `question` fails, as
    `answer` says of the whole step; None where a pass of the stage's own does, or where it does not
    fail again.

    `text` is the module that was asked about. Any compiler that runs Stream's passes may be asked,
    also where the module was on its way to be run. Raises
    `oracle.compiling.compiler.CompilerUnavailable`.
    """
    verb, *arguments = question.steps[answer.step]
    if verb != "run" or answer.kind != "pass":
        return None
    passes = single_passes(str(arguments[0]))
    if not any(map(_has_own_name, passes)):
        return None
    if len(passes) == 1:
        # Checks that look behind each pass of a stage ask for one at a time.
        return passes[0].name
    before = [step for step in question.steps[: answer.step] if step[0] in _CHANGES]
    steps = (*before, *(("run", one.pipeline) for one in passes))
    (again,) = compiler.ask([Request(text, steps)])
    at = again.step - len(before)
    if again.outcome is not Outcome.FAILED or not 0 <= at < len(passes):
        return None
    return passes[at].name if _has_own_name(passes[at]) else None


def pass_that_crashes(
    compiler: Compiler, question: Question, answer: Answer, text: str
) -> str | None:
    """The pass of a cleanup, or that only verifies, at which the compiler crashes on the way to the
    step at which `answer` says that it did; None where that is another pass, or it does not crash
    again.

    What reads memory that a pass has freed may get by and crash in a later pass, or harm the
    process that is asked next: the pass of most tries is taken, each pass run by itself. Else as
    `shared_pass_that_fails`.
    """
    steps: list[tuple[Json, ...]] = []
    passes: list[Stage | None] = []
    for step in question.steps[: answer.step + 1]:
        alone = single_passes(str(step[1])) if step[0] == "run" else ()
        steps += [("run", one.pipeline) for one in alone]
        passes += alone
        if step[0] in _CHANGES and not alone:
            steps.append(step)
            passes.append(None)
    tried = compiler.ask([Request(text, steps)] * _TRIES)
    at = Counter(one.step for one in tried if one.outcome is Outcome.CRASH)
    ((found, _),) = at.most_common(1) or [(len(passes), 0)]
    guilty = passes[found] if found < len(passes) else None
    return guilty.name if guilty is not None and _has_own_name(guilty) else None


def _has_own_name(one: Stage) -> bool:
    return one.name in SHARED or one.name.startswith(VERIFIES)
