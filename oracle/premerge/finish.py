"""A difference on its way to people: made sure of, made small, shown by the stock tools of both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scipy import stats

from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Subject, pass_pipeline
from oracle.checks.run import Run
from oracle.compiling import stages
from oracle.compiling.answers import Outcome, Request
from oracle.compiling.stock import StockRun
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerError
from oracle.premerge.programs import Offered
from oracle.premerge.side import Side, contracts, holds
from oracle.premerge.sorting import Difference, Kind
from oracle.reduction.reducer import NotShownError, Reducer
from oracle.reduction.text import readable
from oracle.reduction.tree import size_of, text_of, tree_of
from oracle.verdict import Fault, Verdict
from reference.verifier.problems import Level

_BY_CHANCE = frozenset({"determinism", "run"})
"""Checks that a fault may show in by chance."""

_TRIES = 2
_TRIES_BY_CHANCE = 24
_AT_ONCE = 4
_SIGNIFICANCE = 1e-4
"""How likely it may be that two compilers with one fault, shown by chance, look as different."""

_PATIENCE = 3.0
"""A hang has to last so many times the time-out."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the stock tools of one side say: the commands, what they printed, and whether the fault
    shows there; `failure` is a run of theirs that ended ill in another way."""

    commands: tuple[str, ...]
    output: str
    shows: bool
    failure: StockRun | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A difference as people are told of it.

    `steady` is False where it did not show again, where the stock tools of the side in the right
    crash or hang on it, or where `run` alone shows it and those of the other side do not; `note`
    then says so. `text` is the program and `ops` its size, `reduced` whether
    no smaller one was found (not so where time was short).
    `also` are other promises that the side in the right breaks on that program. `confirmed` is
    whether stock tools alone show the fault on the side that is wrong, and come to a good end
    without it on the other.
    """

    steady: bool
    fault: Fault | None
    text: str
    ops: int
    reduced: bool
    baseline: Shown | None = None
    candidate: Shown | None = None
    also: tuple[str, ...] = ()
    note: str = ""
    confirmed: bool = False


def finish(
    baseline: Side, candidate: Side, difference: Difference, offered: Offered, deadline: float
) -> Finished:
    """Finishes a difference of the kinds `regressed` and `fixed`; a change is taken as it is.

    Reduction ends at `deadline` (of the monotonic clock). Raises ExaminerError when a compiler
    cannot be asked any more.
    """
    fault = difference.fault
    if fault is None or difference.kind not in (Kind.REGRESSED, Kind.FIXED):
        return Finished(True, fault, offered.text, 0, reduced=False)
    worse = difference.kind is Kind.REGRESSED
    wrong, right = (candidate, baseline) if worse else (baseline, candidate)
    if fault.stage == "parse":
        return _parse_fault(wrong, right, worse, fault, offered.text)
    shows = OnOneSide.of(wrong, right, difference, offered, deadline)
    why = shows.unsteady(offered.text)
    if why:
        return Finished(False, fault, offered.text, 0, reduced=False, note=why)
    # What is in the corpus is small already.
    whole = (offered.text, 0, offered.known is not None)
    small = whole if offered.known is not None else _reduced(wrong.examiner, shows, offered.text)
    found: list[Finished] = []
    for text, ops, reduced in dict.fromkeys((small, whole)):
        told = _confirmed(wrong, right, worse, shows, text)
        if told is None:
            continue
        found.append(replace(told, ops=ops or told.ops, reduced=reduced))
        if found[-1].confirmed:
            return found[-1]
    # The small one where stock tools show neither.
    unshown = Finished(False, fault, offered.text, 0, False, note="it did not show again")
    return next(iter(found), unshown)


@dataclass(slots=True)
class OnOneSide:
    """Whether a module's fault shows on one compiler while the other keeps the same promise.

    The program must be as good as the one it was met in, and the right side must not break another
    promise that it kept on that one.
    """

    wrong: Side
    right: Side
    asks: tuple[Examiner, Examiner]
    signature: str
    checks: tuple[str, ...]
    level: Level | None
    excused: frozenset[str]
    verdict: Verdict
    deadline: float

    @classmethod
    def of(
        cls, wrong: Side, right: Side, difference: Difference, offered: Offered, deadline: float
    ) -> OnOneSide:
        """For a difference that was met in a program."""
        assert difference.fault is not None
        names = tuple(name for name in CHECKS if name in (*difference.checks, "accept"))
        asks = (wrong.narrowed(difference.checks), right.narrowed(names))
        prepared = right.prepare(offered)
        excused: frozenset[str] = frozenset()
        if prepared.subject is not None:
            (examination,) = asks[1].examine([prepared.subject])
            excused = frozenset(contracts(examination))
        return cls(
            wrong, right, asks, difference.signature, difference.checks, prepared.level, excused,
            difference.fault.verdict, deadline,
        )  # fmt: skip

    def __call__(self, text: str) -> bool:
        if time.monotonic() > self.deadline:
            return False
        tries = _TRIES_BY_CHANCE // 4 if _BY_CHANCE & set(self.checks) else 1
        try:
            subjects = self._subjects(text)
            return (
                subjects is not None
                and any(map(self._has, self.asks[0].examine([subjects[0]] * tries)))
                and all(map(self._kept_by, self.asks[1].examine([subjects[1]] * tries)))
            )
        except ExaminerError:
            return False

    def unsteady(self, text: str) -> str:
        """Why the difference is not one that comes again; empty where it is."""
        subjects = self._subjects(text)
        if subjects is None:
            return "one side does not parse the program any more"
        by_chance = bool(_BY_CHANCE & set(self.checks))
        tries = _TRIES_BY_CHANCE if by_chance else _TRIES
        shown = looked = 0
        while looked < tries and (looked == 0 or time.monotonic() <= self.deadline):
            some = min(_AT_ONCE, tries - looked)
            looked += some
            shown += sum(map(self._has, self._patiently(subjects[0], some)))
            others = self.asks[1].examine([subjects[1]] * some)
            elsewhere = sum(map(self._has, others))
            if elsewhere:
                return f"it shows on both: {shown} and {elsewhere} times of {looked}"
            if any(not self._kept_by(one) for one in others):
                return "the other side does not always keep the promise"
            if by_chance and may_be_chance(shown + tries - looked, tries):
                break
        if by_chance and may_be_chance(shown, looked):
            if not may_be_chance(shown + tries - looked, tries):
                return (
                    f"there was no time to look more than {looked} times: it showed {shown} times"
                )
            return f"it shows by chance: {shown} times of {looked}, and never on the other side"
        if not by_chance and shown < looked:
            return f"it showed {shown} times of {looked} when asked again"
        if not self._shows_afresh(subjects[0], tries):
            return "it does not show in a process that has seen no other program"
        return ""

    def fault(self, subject: Subject) -> Fault | None:
        """The fault as the wrong side has it on a program."""
        for _ in range(_TRIES_BY_CHANCE if _BY_CHANCE & set(self.checks) else 1):
            (examination,) = self.asks[0].examine([subject])
            for fault in examination.faults:
                if fault.signature == self.signature:
                    return fault
        return None

    def _shows_afresh(self, subject: Subject, tries: int) -> bool:
        """Whether the wrong side shows it in new processes."""
        checks = [CHECKS[name] for name in self.checks]
        with Examiner(self.wrong.settings.examiner, checks) as fresh:
            return any(self._has(fresh.examine([subject])[0]) for _ in range(tries))

    def _patiently(self, subject: Subject, tries: int) -> list[Examination]:
        """The wrong side asked so many times; with more time where a hang is in question."""
        if self.verdict is not Verdict.HANG:
            return self.asks[0].examine([subject] * tries)
        settings = self.wrong.settings.examiner
        settings = replace(settings, timeout=settings.timeout * _PATIENCE)
        with Examiner(settings, [CHECKS[name] for name in self.checks]) as patient:
            return patient.examine([subject] * tries)

    def _subjects(self, text: str) -> tuple[Subject, Subject] | None:
        """The program as each side's; what the right side does not parse it will say itself."""
        prepared = self.wrong.prepare(Offered("", text))
        if prepared.subject is None:
            return None
        if self.level is not None and prepared.level not in (self.level, Level.WELL_FORMED):
            return None
        release = self.right.settings.release
        return prepared.subject, replace(prepared.subject, rules=release, compiler=release)

    def _has(self, examination: Examination) -> bool:
        return any(fault.signature == self.signature for fault in examination.faults)

    def _kept_by(self, examination: Examination) -> bool:
        if examination.invalid is not None or not contracts(examination).keys() <= self.excused:
            return False
        return all(holds(examination, check) for check in self.checks)


def may_be_chance(shown: int, tries: int) -> bool:
    """Whether two compilers with one fault may well look so different, that show it so often of so
    many times, and never."""
    table = [[shown, tries - shown], [0, tries]]
    return float(stats.fisher_exact(table, alternative="greater").pvalue) > _SIGNIFICANCE


def _reduced(examiner: Examiner, shows: OnOneSide, text: str) -> tuple[str, int, bool]:
    """The smallest program that shows the difference, its size, and whether time was enough."""
    (answer,) = examiner.process().ask([Request(text, (("parse",), ("read",)))])
    if answer.outcome is not Outcome.OK:
        return text, 0, False
    tree = tree_of(answer.results[-1])
    try:
        reduced = Reducer(shows).reduce(tree)
    except NotShownError:
        return text, size_of(tree), False
    in_time = time.monotonic() <= shows.deadline
    # What is written as people write it has to show it, too, whatever the time.
    shows = replace(shows, deadline=time.monotonic() + 10.0)
    return readable(examiner, text_of(reduced.tree), shows), reduced.ops, in_time


def _confirmed(
    wrong: Side, right: Side, worse: bool, shows: OnOneSide, text: str
) -> Finished | None:
    """What the stock tools of both say of a program; None where the fault does not show on it."""
    prepared = [side.prepare(Offered("", text)) for side in (wrong, right)]
    bad, good = prepared[0].subject, prepared[1].subject
    if bad is None or good is None:
        return None
    fault = shows.fault(bad)
    if fault is None:
        return None
    shown = _shown(wrong.examiner.confirm(bad, fault))
    versions = bad.compiler.version, good.compiler.version
    arguments = tuple(adapted(one, *versions) for one in fault.stock_arguments)
    kept = _shown(right.examiner.confirm(good, replace(fault, stock_arguments=arguments)))
    why = why_left_out(fault.check, shown, kept)
    (everything,) = right.examiner.examine([good])
    ops = 0 if bad.program is None else sum(1 for _ in bad.program.operations()) - 1
    baseline, candidate = (kept, shown) if worse else (shown, kept)
    also = tuple(sorted(contracts(everything)))
    confirmed = shown.shows and not kept.shows and kept.failure is None
    return Finished(not why, fault, text, ops, False, baseline, candidate, also, why, confirmed)


def why_left_out(check: str, shown: Shown, kept: Shown) -> str:
    """Why a check's difference is not told, by what the stock tools of the side in the wrong and of
    the other say; empty where it is. What they merely do not show is told, but for what only `run`
    sees: it takes a way to bytecode of our own, and what only that gets wrong is no compiler's."""
    lost = kept.failure
    if lost is not None and lost.lost:
        return f"the other side's tools: {lost.command}: {lost.outcome}"
    if check == Run.name and shown.commands and not shown.shows and shown.failure is None:
        return "iree-compile and iree-run-module do not show it"
    return ""


def adapted(argument: str, version: str, other: str) -> str:
    """An option that names the passes of one release, with those of another instead: a stage that
    only one of them has is left out, or put in before the stage that follows it."""
    mine, theirs = (list(stages.pipeline(one, "lean")) for one in (version, other))
    for stage in mine:
        if stage not in theirs:
            for element in stage.passes:
                argument = argument.replace(f"{element},", "").replace(f",{element}", "")
    for place, stage in enumerate(theirs):
        if stage not in mine and place + 1 < len(theirs):
            following = theirs[place + 1].passes[0]
            inserted = ",".join((*stage.passes, following))
            if not all(element in argument for element in stage.passes):
                argument = argument.replace(following, inserted, 1)
    return argument


def _shown(confirmation: Confirmation) -> Shown:
    return Shown(
        confirmation.commands, confirmation.output, confirmation.confirmed, confirmation.failure
    )


def _parse_fault(wrong: Side, right: Side, worse: bool, fault: Fault, text: str) -> Finished:
    """A program that one side calls invalid, in the stock tools' words; it is not reduced, since
    cutting it may make it invalid for another reason."""
    runs = [
        side.examiner.stock.opt(text, pass_pipeline(stages.VALIDATION.pipeline))
        for side in (wrong, right)
    ]
    told = [
        Shown((run.command,), f"{run.outcome}\n{run.diagnostics}", not run.succeeded)
        for run in runs
    ]
    baseline, candidate = reversed(told) if worse else told
    steady = _refuses(wrong, text) and not _refuses(right, text)
    confirmed = told[0].shows and not told[1].shows
    return Finished(steady, fault, text, 0, False, baseline, candidate, confirmed=confirmed)


def _refuses(side: Side, text: str) -> bool:
    steps = (("parse",), ("run", stages.VALIDATION.pipeline))
    (answer,) = side.examiner.process().ask([Request(text, steps)])
    return answer.outcome is not Outcome.OK


__all__: Sequence[str] = [
    "Finished",
    "OnOneSide",
    "Shown",
    "adapted",
    "finish",
    "may_be_chance",
    "why_left_out",
]
