"""One of the two compilers of a pre-merge run: its processes, and the rules it is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType

from oracle.campaigns.lane import subject_of
from oracle.checks import AGREEMENTS, CHECKS
from oracle.checks.base import Subject
from oracle.compiling.answers import USUAL, Outcome, Request, Seat
from oracle.compiling.inquiry import Compiler
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import subject_from_text
from oracle.premerge.programs import Offered
from oracle.verdict import Fault
from reference.ir import Program
from reference.ops import Cast, Transfer
from reference.releases import Release
from reference.verifier.problems import Level


@dataclass(frozen=True, slots=True)
class SideSettings:
    """How to reach a compiler, what it says it is, and its own rules (the newest ones for a build
    that is no release)."""

    examiner: ExaminerSettings
    release: Release
    version: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program as one side takes it: None where that side does not parse it, and then why."""

    subject: Subject | None
    level: Level | None
    refusal: str = ""


class Side:
    """A compiler that answers; close it when done."""

    def __init__(self, settings: SideSettings, checks: Sequence[str]) -> None:
        self.settings = settings
        self.checks = tuple(checks)
        self.examiner = Examiner(settings.examiner, [CHECKS[name] for name in checks])

    def __enter__(self) -> Side:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.examiner.close()

    def prepare(self, offered: Offered) -> Prepared:
        """The program as a subject. Raises ExaminerError when the compiler cannot be asked."""
        release = self.settings.release
        if offered.program is not None:
            subject = subject_of(offered.program, release, release)
            return Prepared(subject, Level.WELL_FORMED)
        read = subject_from_text(self.examiner, offered.text, release, release)
        if read is None or read.subject is None:
            return Prepared(None, None, self.refusal(offered.text))
        return Prepared(replace(read.subject, sampled=True), read.level)

    def refusal(self, text: str) -> str:
        """What the compiler says of a text that it does not parse."""
        (answer,) = self.examiner.process().ask([Request(text, (("parse",),))])
        return "" if answer.outcome is Outcome.OK else answer.message or answer.describe()

    def narrowed(self, checks: Sequence[str]) -> Examiner:
        """An examiner with the same processes that asks these checks only."""
        return _Narrowed(self.examiner, checks)


class _Narrowed(Examiner):
    """Borrows another examiner's processes: nothing of it needs closing."""

    def __init__(self, whole: Examiner, checks: Sequence[str]) -> None:
        super().__init__(whole.settings, [CHECKS[name] for name in checks])
        self._whole = whole

    def process(self, seat: Seat = USUAL) -> Compiler:
        return self._whole.process(seat)


def parses(program: Program | None, release: Release) -> bool | None:
    """Whether a release's parser takes the program; None where the model does not know it whole."""
    if program is None:
        return None
    return all(
        not (
            (isinstance(one, Cast) and not release.async_cast)
            or (
                isinstance(one, Transfer)
                and one.explicit_affinity is not None
                and not release.explicit_transfer_execution
            )
        )
        for one in program.operations()
    )


def contracts(examination: Examination) -> dict[str, Fault]:
    """The promises broken, by signature: what makes a compiler wrong."""
    return {one.signature: one for one in examination.faults if one.check not in AGREEMENTS}


def agreements(examination: Examination) -> dict[str, Fault]:
    """Where the compiler is not what the model says, by signature."""
    return {one.signature: one for one in examination.faults if one.check in AGREEMENTS}


def asked_by(examination: Examination, signature: str) -> tuple[str, ...]:
    """The checks whose questions ran into a fault."""
    return tuple(
        judgement.check
        for judgement in examination.judgements
        if any(fault.signature == signature for fault in judgement.faults)
    )


def holds(examination: Examination, check: str) -> bool | None:
    """Whether a check was answered and found nothing; None where it came to no answer of its own,
    or was not asked."""
    judgement = next((one for one in examination.judgements if one.check == check), None)
    if judgement is None:
        return None
    if judgement.faults and not judgement.foreseen:
        return False if judgement.faults[0].check == check else None
    return None if judgement.unsupported else True


__all__ = [
    "ExaminerError",
    "Prepared",
    "Side",
    "SideSettings",
    "agreements",
    "asked_by",
    "contracts",
    "holds",
    "parses",
]
