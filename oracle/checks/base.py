"""What a check is: questions to the compiler, and a judgement of its answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from oracle.compiling.answers import USUAL, Answer, Json, Seat
from oracle.compiling.stages import Stage
from oracle.compiling.stock import StockRun, StockTools, first_failure
from oracle.verdict import Fault, Judgement
from reference.ir import Program
from reference.releases import Release
from reference.types import Lifetime

_GIVEN_LIFETIMES = frozenset({Lifetime.TRANSIENT, Lifetime.VARIABLE, Lifetime.CONSTANT})


@dataclass(frozen=True, slots=True)
class Subject:
    """One program under examination.

    `program` is None where a file has constructs the model does not know. `rules` are those the
    model answers by, `compiler` is the release under test: usually the same, not when a user asks
    what another release's rules would say. `resolved` is whether placement may run on the text as
    it is, or only after the passes that give `*` resources their lifetimes. `alone` is whether the
    passes in question run on the text as it is, whatever it is: others may refuse it before.
    `sampled` is whether it is one of many, of some of which only is asked what costs much.
    """

    text: str
    program: Program | None
    rules: Release
    compiler: Release
    resolved: bool
    alone: bool = False
    sampled: bool = False


UNSEEN: Json = {"unseen": True}
"""In the place of what a look would have seen that was not taken."""


class UnseenError(Exception):
    """A check cannot judge without what is `UNSEEN`."""


def seen(look: Json) -> Json:
    """What a look saw. Raises UnseenError where it was not taken."""
    if look is UNSEEN:
        raise UnseenError
    return look


@dataclass(frozen=True, slots=True)
class Question:
    """Steps for the compiler process, each with the stage to blame when it fails.

    `seat` says which compiler process to ask. `stock_arguments` are the options
    with which a plain `iree-opt` runs the same passes. `text` is the module to ask about, where it
    is another than the subject's. `deferred` are those of its looks, by number, that only tell
    where a fault came in: at first their results are `UNSEEN`.
    """

    steps: tuple[tuple[Json, ...], ...]
    stages: tuple[str, ...]
    stock_arguments: tuple[str, ...]
    seat: Seat = USUAL
    text: str | None = None
    deferred: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Whether stock tools alone show a fault, the commands used, and what they printed.

    `failure` is a tool's run that did not end well, and not in the fault's way: that the fault
    does not show then says nothing for the compiler.
    """

    confirmed: bool
    commands: tuple[str, ...]
    output: str
    failure: StockRun | None = None

    @classmethod
    def of(cls, runs: Sequence[StockRun], *, confirmed: bool) -> Confirmation:
        """Of runs of one tool, the last of which tells."""
        output = (runs[-1].output or runs[-1].diagnostics) if runs else ""
        failure = None if confirmed else first_failure(runs)
        return cls(confirmed, tuple(run.command for run in runs), output, failure)


class Judge(Protocol):
    """What confirmation may use: the stock tools, and the compiler process to read their output."""

    @property
    def stock(self) -> StockTools:
        """The tools of the release under test."""

    def find(self, text: str, names: Sequence[str]) -> Json:
        """The ops of these names in a module's text, as the worker's `find` gives them."""

    def read(self, text: str) -> Json:
        """A module's text as the worker's `read` gives it."""


class Check(Protocol):
    """One promise of DESIGN's tables. A check keeps no state between programs."""

    name: ClassVar[str]
    question: ClassVar[str]
    """The promise in one line, for people."""

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        """What to ask; nothing when the check does not apply to this program."""

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        """The verdict, given each question's step results. Called when no step failed.

        Raises UnseenError to be asked again with all looks taken.
        """

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        """Whether the stock tools alone show `fault`."""


@runtime_checkable
class Foreseeing(Protocol):
    """A check whose model also says which programs the compiler refuses."""

    def foresees(self, subject: Subject, stage: str) -> bool | None:
        """Whether the compiler refuses the program at `stage`; None where the model has no say."""


@runtime_checkable
class Piecewise(Protocol):
    """A check whose questions stand each for itself: an answer is worth having without others."""

    def judge_some(self, subject: Subject, results: Sequence[Sequence[Json] | None]) -> Judgement:
        """The verdict, given each question's step results, None for those without an answer.

        Raises UnseenError, as `Check.judge` does.
        """


@runtime_checkable
class Ordered(Protocol):
    """A check that compares in which order ops stand. What the compiler orders in another way each
    time is another fault, that of `determinism`."""

    compares_order: ClassVar[bool]


@runtime_checkable
class Explaining(Protocol):
    """A check whose questions go further than Stream's own pipeline: it says itself what a failure
    there is."""

    def failed(self, subject: Subject, question: Question, answer: Answer) -> Fault | None:
        """The fault that a failed step is; None where it is acceptance's."""


class QuestionBuilder:
    """Collects steps and their stages, from the parse on."""

    def __init__(self) -> None:
        self._steps: list[tuple[Json, ...]] = [("parse",)]
        self._stages: list[str] = ["parse"]

    def run(self, stage: Stage) -> QuestionBuilder:
        """Run the passes of `stage`."""
        return self.step(stage.name, "run", stage.pipeline)

    def step(self, stage: str, verb: str, *arguments: Json) -> QuestionBuilder:
        """Any step, `stage` to blame."""
        self._steps.append((verb, *arguments))
        self._stages.append(stage)
        return self

    def question(
        self,
        *stock_arguments: str,
        seat: Seat = USUAL,
        text: str | None = None,
        deferred: Iterable[int] = (),
    ) -> Question:
        """The finished question."""
        steps, stages = tuple(self._steps), tuple(self._stages)
        return Question(steps, stages, stock_arguments, seat, text, frozenset(deferred))


def pass_pipeline(pipeline: str) -> str:
    """The option with which `iree-opt` runs a textual pipeline."""
    return f"--pass-pipeline={pipeline}"


def is_resolved(generated: Program) -> bool:
    """Whether the program is of level `resolved`: placement may be asked of it as it is.

    A program of level `stream` has `*` for every resource that is neither shared with the caller
    nor staging, and gets its lifetimes from the passes before placement.
    """
    if generated.tensors:
        return False
    lifetimes = {value.lifetime for op in generated.operations() for value in op.results}
    return Lifetime.UNKNOWN not in lifetimes or bool(lifetimes & _GIVEN_LIFETIMES)
