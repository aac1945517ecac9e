"""What crosscurrent says of a program: verdicts, faults, and what a fault becomes for people."""

from __future__ import annotations

import enum
from dataclasses import dataclass

AGAIN = "-again"
"""How a stage's name ends that runs a pass for the second time."""


class Verdict(enum.StrEnum):
    """What became of one check on one program."""

    AGREE = "agree"
    DISAGREE = "disagree"
    REJECTED = "rejected"
    CRASH = "crash"
    HANG = "hang"
    WRONG_VALUE = "wrong-value"
    BROKEN_CONTRACT = "broken-contract"
    UNSUPPORTED = "unsupported"
    INVALID = "invalid"
    MISHAP = "mishap"


class State(enum.StrEnum):
    """Whose fault a finding is, as far as is known."""

    NEW = "new"
    KNOWN = "known"
    MODEL = "model"
    BY_DESIGN = "by-design"


@dataclass(frozen=True, slots=True)
class Fault:
    """One promise that did not hold for one program.

    `stage` is the first stage after which it does not hold. `shape` is what is wrong in words that
    hold for any program with the same cause: op kinds, lifetimes, same or cross device, never
    names, numbers or sizes. `expected` and `actual` are for people, several lines each.
    `stock_arguments` are the options of a plain `iree-opt` call that shows it. `text` is the module
    that shows it, where it is another than the one that was examined. `part_of` is the stage of the
    pipeline that the guilty pass ran in, where `stage` is a pass that several of them run. `places`
    are where the ops at fault come from, or which results differ, of a check that tells: stock
    tools confirm it there or not at all.
    """

    check: str
    verdict: Verdict
    stage: str
    shape: tuple[str, ...]
    message: str
    expected: str
    actual: str
    stock_arguments: tuple[str, ...]
    text: str | None = None
    part_of: str | None = None
    places: frozenset[str] = frozenset()

    @property
    def signature(self) -> str:
        """One cause, one signature: check, stage and shape. A pass that the pipeline runs again is
        the same pass."""
        return "/".join((self.check, self.stage.removesuffix(AGAIN), *self.shape))


@dataclass(frozen=True, slots=True)
class Mishap:
    """crosscurrent itself went wrong on a program: `trace` says where, and in its last line how."""

    trace: str

    @property
    def line(self) -> str:
        """What went wrong, in one line."""
        return next(reversed(self.trace.strip().splitlines()), "no message")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one check says of one program: the faults found, or what kept it from answering."""

    check: str
    faults: tuple[Fault, ...] = ()
    unsupported: tuple[str, ...] = ()
    foreseen: bool = False
    """The compiler refused the program, a fault of its own, and the model said that it would."""
    mishap: Mishap | None = None

    @property
    def verdict(self) -> Verdict:
        """The worst that was found; agree when the check answered and found nothing."""
        if self.foreseen:
            return Verdict.AGREE
        if self.faults:
            return self.faults[0].verdict
        if self.mishap is not None:
            return Verdict.MISHAP
        return Verdict.UNSUPPORTED if self.unsupported else Verdict.AGREE
