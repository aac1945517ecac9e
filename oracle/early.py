"""Modules of the phases before Stream's: brought to where Stream's own passes begin.

What a framework hands over (functions of tensors, linalg) goes through IREE's own passes up to
there, as `iree-compile` runs them: input conversion, the wrapping of entry points and, where more
than ops on tensors is left, the forming of dispatches. What comes of it is a program on tensors,
which the checks are about. Cleanup behind the wrapping is left to the Stream pipeline, which begins
with the same passes, so that what it loses has a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.compiling.stages import Stage
from oracle.examiner import Examiner, ExaminerError

_PROMISE = "#hal.device.promise<"
_AFFINITY = "#hal.device.affinity<"
_DEVICE = re.compile(r"#hal\.device\.affinity<@([\w.$-]+)")
_MODULE = re.compile(r"^(?:module\b.*|builtin\.module\b.*)\{$", re.MULTILINE)

WRAPPING = (
    Stage(
        "input-conversion",
        ("iree-auto-input-conversion", "iree-common-input-transformation-pipeline"),
    ),
    Stage("wrap-entry-points", ("iree-abi-convert-streamable-ops", "iree-abi-wrap-entry-points")),
    # The inliner would canonicalize, too.
    Stage("inline-entry-points", ("inline{default-pipeline=}", "symbol-dce")),
)
"""Up to a program on tensors that shares buffer views with its caller."""

DISPATCHING = (
    Stage("abi", ("iree-abi-transformation-pipeline",)),
    Stage("global-optimization", ("iree-global-optimization-transformation-pipeline",)),
    Stage("dispatch-creation", ("iree-dispatch-creation-pipeline",)),
    Stage("flow", ("iree-flow-transformation-pipeline",)),
)
"""From there on to dispatches of executables; the first once more, with its cleanup."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A module where Stream's passes begin, its text and what the worker tells of it; why it does
    not get there instead, by the stage that refuses it."""

    text: str
    told: Json
    refusal: str | None = None


def wrapped(examiner: Examiner, text: str) -> Brought:
    """The module with wrapped entry points. Raises ExaminerError."""
    return _through(examiner, text, WRAPPING)


def dispatched(examiner: Examiner, text: str) -> Brought:
    """The module with dispatches. Raises ExaminerError."""
    return _through(examiner, text, (WRAPPING[0], *DISPATCHING))


def _through(examiner: Examiner, text: str, stages: tuple[Stage, ...]) -> Brought:
    steps: list[tuple[Json, ...]] = [("parse",)]
    steps += [("run", stage.pipeline) for stage in stages]
    steps.append(("print", True))
    (answer,) = examiner.process().ask([Request(text, tuple(steps))])
    if answer.outcome is not Outcome.OK:
        names = ("parse", *(stage.name for stage in stages))
        return Brought("", None, f"{names[answer.step]}: {answer.describe()}")
    made = _with_devices(str(answer.results[-1]))
    read: Answer
    (read,) = examiner.process().ask([Request(made, (("parse",), ("read",)))])
    if read.outcome is not Outcome.OK:
        raise ExaminerError(f"cannot read a module that IREE printed: {read.describe()}")
    return Brought(made, read.results[-1])


def _with_devices(text: str) -> str:
    """The module with the devices that it only promises: `iree-compile` is told of them."""
    text = text.replace(_PROMISE, _AFFINITY)
    named = dict.fromkeys(_DEVICE.findall(text))
    missing = [one for one in named if f"util.global private @{one} " not in text]
    globals_ = "".join(f"\n  util.global private @{one} : !hal.device" for one in missing)
    return _MODULE.sub(lambda match: match[0] + globals_, text, count=1)
