"""Requests to the compiler under test and its answers, as values.

Worker scripts import this too, under other interpreters: it needs the standard library only.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


LOOKS = frozenset({"verify", "print", "digest", "roundtrip", "read", "find"})
"""The verbs of `oracle/compiling/worker.py` that leave the module as it is."""


class Outcome(enum.Enum):
    """How a request ended."""

    OK = "ok"
    FAILED = "failed"
    """A step said no: see the answer's `kind` and `diagnostics`."""
    CRASH = "crash"
    HANG = "hang"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a diagnostic points: a place in a file, a name (``loc("op17")``) or IREE's own text."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    name: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What the compiler said; `severity` is `error`, `warning`, `note` or `remark`."""

    severity: str
    message: str
    location: Location | None = None
    notes: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Seat:
    """A compiler process among those of a lane: its number, and the compiler's flags there.

    `runs` is one that compiles to bytecode and runs it, in two processes (`oracle/running/`).
    `patience` is how many times the usual time-out its questions may take.
    """

    number: int = 0
    flags: tuple[str, ...] = ()
    runs: bool = False
    patience: float = 1


USUAL = Seat()
"""The compiler process that is asked unless there is a reason."""


@dataclass(frozen=True, slots=True)
class Request:
    """A program's MLIR text and the steps to take with it, the first of them ``("parse",)``.

    `dialects` are those the context loads at once, None for the worker's usual ones. The results of
    the first `known` steps are not asked for: they are None, and the steps are taken only as far as
    the others need.
    """

    text: str
    steps: Sequence[Sequence[Json]]
    dialects: tuple[str, ...] | None = None
    known: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request."""

    outcome: Outcome
    results: tuple[Json, ...] = ()
    """One for each completed step; none when the process was lost."""
    step: int = 0
    """The index of the step that failed or was under way; the number of steps when all went well"""
    kind: str | None = None
    """Of a failure: `parse`, `pass`, `verify`, `unknown-pass` or `internal`."""
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    """In the compiler; for a lost process, since its last answer."""
    signal: str | None = None
    """The name of the signal that ended the process, such as `SIGSEGV`."""
    exit_code: int | None = None
    """Of a process that ended by itself."""
    stderr: str = ""
    """The end of what the lost process wrote to standard error during this request."""
    step_seconds: tuple[float, ...] = ()
    """Processor time of each completed step, where the compiler tells it."""
    computing: bool = False
    """Of a hang: the process computed all that time, so that nobody kept it from an answer."""

    @property
    def lost(self) -> bool:
        """Whether the process was lost with the request."""
        return self.outcome not in (Outcome.OK, Outcome.FAILED)

    @property
    def message(self) -> str:
        """The first error's message, else the first diagnostic's, else nothing."""
        errors = [item.message for item in self.diagnostics if item.severity == "error"]
        return next(iter([*errors, *(item.message for item in self.diagnostics)]), "")

    def describe(self) -> str:
        """The answer in a line or two, for people."""
        if self.outcome is Outcome.OK:
            return "no failure"
        if self.outcome is Outcome.FAILED:
            return f"{self.kind} failed: {self.message or 'without any diagnostic'}"
        if self.outcome is Outcome.CRASH:
            cause = self.signal or f"exit code {self.exit_code}"
            return f"the compiler crashed ({cause}){self._last_line()}"
        if self.outcome is Outcome.HANG:
            return f"the compiler gave no answer in {self.seconds:.1f} s"
        return "the compiler's memory passed the limit"

    def _last_line(self) -> str:
        # LLVM prints its stack dump last and what it is about first.
        return next((f": {line}" for line in self.stderr.splitlines() if line.strip()), "")


def encode(job: int, request: Request) -> bytes:
    """The message of a request, in the form of `oracle/compiling/worker.py`."""
    message: dict[str, object] = {"job": job, "text": request.text, "steps": request.steps}
    if request.dialects is not None:
        message["dialects"] = request.dialects
    if request.known:
        message["known"] = request.known
    return json.dumps(message).encode()


def decode(reply: Mapping[str, object]) -> Answer:
    """The answer in a worker's reply."""
    results, seconds, failure = reply["results"], reply["seconds"], reply["failure"]
    assert isinstance(results, list)
    assert isinstance(seconds, float)
    times = reply.get("times", ())
    assert isinstance(times, list | tuple)
    if failure is None:
        return Answer(
            Outcome.OK,
            tuple(results),
            step=len(results),
            seconds=seconds,
            step_seconds=tuple(times),
        )
    assert isinstance(failure, dict)
    return Answer(
        Outcome.FAILED,
        tuple(results),
        step=failure["step"],
        kind=failure["kind"],
        diagnostics=tuple(_diagnostic(item) for item in failure["diagnostics"]),
        seconds=seconds,
        step_seconds=tuple(times),
    )


def _diagnostic(plain: dict[str, object]) -> Diagnostic:
    location, notes = plain["location"], plain["notes"]
    assert isinstance(notes, list)
    return Diagnostic(
        severity=str(plain["severity"]),
        message=str(plain["message"]),
        location=Location(**location) if isinstance(location, dict) else None,
        notes=tuple(_diagnostic(note) for note in notes),
    )
