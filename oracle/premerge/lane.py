"""One lane of a pre-merge run: a process that owns both compilers and puts programs to them."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracle.campaigns.lane import end_with_parent, spare_the_collector
from oracle.checks.base import Subject
from oracle.examination import Examination
from oracle.examiner import ExaminerError
from oracle.mishaps import examined
from oracle.premerge import looks
from oracle.premerge.finish import Finished, finish
from oracle.premerge.programs import Offered
from oracle.premerge.screening import differing
from oracle.premerge.side import Prepared, Side, SideSettings, contracts, parses
from oracle.premerge.sorting import Difference, Kind, sort
from oracle.premerge.timing import Timings, measure
from oracle.verdict import Fault, Verdict
from reference.ir import Program
from reference.verifier.problems import Level


@dataclass(frozen=True, slots=True)
class PairSettings:
    """What a lane must know. `checks` are all that a program is asked unless it says otherwise;
    `in_flight` is the folder for what compilers are looking at."""

    baseline: SideSettings
    candidate: SideSettings
    checks: tuple[str, ...]
    in_flight: Path


@dataclass(frozen=True, slots=True)
class Met:
    """A difference, and the program in which it was met."""

    difference: Difference
    offered: Offered
    ops: int


@dataclass(slots=True)
class BlockResult:
    """Counts over one block. `compared` are programs of which both sides had something to say."""

    programs: int = 0
    compared: int = 0
    invalid: list[tuple[str, str]] = field(default_factory=list)
    mishaps: list[tuple[str, str]] = field(default_factory=list)
    """What crosscurrent itself did wrong, and on which program."""
    unparsed: Counter[str] = field(default_factory=Counter)
    """Programs that a side's release cannot parse, by side."""
    not_compared: Counter[str] = field(default_factory=Counter)
    met: list[Met] = field(default_factory=list)
    sound: list[Offered] = field(default_factory=list)
    """Programs that neither side breaks a promise on: fit for measuring."""
    restarts: Counter[str] = field(default_factory=Counter)


class Pair:
    """Both compilers; close it when done."""

    def __init__(self, settings: PairSettings) -> None:
        self.settings = settings
        self.baseline = Side(settings.baseline, settings.checks)
        self.candidate = Side(settings.candidate, settings.checks)
        self._restarts: Counter[str] = Counter()
        self._note = settings.in_flight / f"{os.getpid()}.json"

    def close(self) -> None:
        """Ends the processes."""
        self.baseline.examiner.close()
        self.candidate.examiner.close()

    def run(self, block: Sequence[Offered]) -> BlockResult:
        """Puts each program to both compilers and sorts what differs. Raises ExaminerError."""
        self._remember(block)
        result = BlockResult()
        # Programs that ask for the same checks are asked about together.
        groups: dict[tuple[str, ...], list[Offered]] = {}
        for offered in block:
            groups.setdefault(offered.checks or self.settings.checks, []).append(offered)
        for checks, group in groups.items():
            self._group(group, checks, result)
        restarts = Counter(self.baseline.examiner.restarts())
        restarts.update(self.candidate.examiner.restarts())
        result.restarts = restarts - self._restarts
        self._restarts = restarts
        return result

    def finish(self, met: Met, deadline: float) -> Finished:
        """Makes sure of a difference, makes its program small and asks the stock tools."""
        self._remember([met.offered])
        return finish(self.baseline, self.candidate, met.difference, met.offered, deadline)

    def screen(self, programs: Sequence[Offered]) -> list[bool]:
        """Whether both compilers do otherwise with each program."""
        self._remember(programs)
        return differing(self.baseline, self.candidate, programs)

    def measure(self, programs: Sequence[Offered]) -> Timings:
        """Compile times of both, of processes of their own."""
        settings = self.settings
        return measure(settings.baseline, settings.candidate, programs)

    def _group(
        self, group: Sequence[Offered], checks: tuple[str, ...], result: BlockResult
    ) -> None:
        result.programs += len(group)
        pairs: list[tuple[Offered, Subject, Subject]] = []
        for offered in group:
            one, other = self.baseline.prepare(offered), self.candidate.prepare(offered)
            if one.subject is not None and other.subject is not None:
                if may_be_asked(offered, one, other):
                    pairs.append((offered, one.subject, other.subject))
                else:
                    result.invalid.append((offered.name, "it is not well-formed"))
            else:
                self._refused(offered, one, other, result)
        whole = checks == self.settings.checks
        sides = [side.examiner if whole else side.narrowed(checks) for side in self._sides]
        subjects = [one for _, one, _ in pairs], [other for _, _, other in pairs]
        told = [examined(examiner, asked) for examiner, asked in zip(sides, subjects, strict=True)]
        schedules: list[list[Program | None]] = [[None] * len(pairs)] * 2
        if whole:
            schedules = [
                looks.scheduled(side.examiner, asked)
                for side, asked in zip(self._sides, subjects, strict=True)
            ]
        for (offered, subject, _), before, after, *seen in zip(
            pairs, *told, *schedules, strict=True
        ):
            change = None
            if seen[0] is not None and seen[1] is not None:
                change = looks.change(seen[0], seen[1], subject.program)
            self._sorted(offered, before, after, change, result)

    @property
    def _sides(self) -> tuple[Side, Side]:
        return self.baseline, self.candidate

    def _sorted(
        self,
        offered: Offered,
        before: Examination,
        after: Examination,
        change: looks.Change | None,
        result: BlockResult,
    ) -> None:
        mishaps = (*before.mishaps, *after.mishaps)
        if mishaps:
            result.mishaps.append((offered.name, mishaps[0][1].line))
            return
        if before.invalid is not None or after.invalid is not None:
            self._refused(
                offered,
                Prepared(None if before.invalid else before.subject, None, before.invalid or ""),
                Prepared(None if after.invalid else after.subject, None, after.invalid or ""),
                result,
            )
            return
        result.compared += any(
            not one.unsupported for one in (*before.judgements, *after.judgements)
        )
        found = sort(before, after, change)
        result.not_compared.update(found.not_compared)
        program = offered.program or before.subject.program
        ops = 0 if program is None else sum(1 for _ in program.operations()) - 1
        result.met += (Met(one, offered, ops) for one in found.differences)
        if offered.known is None and not contracts(before) and not contracts(after):
            result.sound.append(offered)

    def _refused(
        self, offered: Offered, one: Prepared, other: Prepared, result: BlockResult
    ) -> None:
        """A program that a side says is not valid. Where its release has all that the program is
        made of, and the other side takes it, that is a difference."""
        if one.subject is None and other.subject is None:
            result.invalid.append((offered.name, one.refusal))
            return
        worse = other.subject is None
        wrong, right = (other, one) if worse else (one, other)
        assert right.subject is not None
        side = self.candidate if worse else self.baseline
        if not parses(offered.program or right.subject.program, side.settings.release):
            result.unparsed["candidate" if worse else "baseline"] += 1
            return
        result.compared += 1
        fault = Fault(
            check="accept",
            verdict=Verdict.REJECTED,
            stage="parse",
            shape=("not-valid",),
            message=f"a valid program is called invalid: {wrong.refusal}",
            expected="the program is valid",
            actual=wrong.refusal,
            stock_arguments=(),
        )
        kind = Kind.REGRESSED if worse else Kind.FIXED
        sides = (fault.expected, fault.actual)
        difference = Difference(
            kind, fault.signature, "accept", fault, ("accept",), *(sides if worse else sides[::-1])
        )
        result.met.append(Met(difference, offered, 0))

    def _remember(self, block: Sequence[Offered]) -> None:
        """What a compiler is about to see is on disk first."""
        self._note.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({offered.name: offered.text for offered in block})
        self._note.write_text(text, encoding="utf-8")


def may_be_asked(offered: Offered, one: Prepared, other: Prepared) -> bool:
    """Whether a program can accuse a compiler. Of one that a user gave it is enough that the model
    does not know it to be invalid: it is told only where one compiler keeps what the other breaks.
    """
    if Level.WELL_FORMED in (one.level, other.level) or offered.known is not None:
        return True
    if not offered.given or one.subject is None:
        return False
    return one.level is not None or one.subject.program is None


_pair: Pair | None = None


def start(settings: PairSettings) -> None:
    """Initializer of a lane process. Ctrl-C is the run's to handle, not a lane's."""
    global _pair
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    _pair = Pair(settings)
    spare_the_collector()


def run_block(block: Sequence[Offered]) -> BlockResult:
    """One block in this process's lane."""
    return _own().run(block)


def finish_one(met: Met, seconds: float, deadline: float) -> Finished:
    """One difference, finished in this process's lane: reduced for so many seconds at most, and not
    after `deadline`, which is of the monotonic clock."""
    return _own().finish(met, min(deadline, time.monotonic() + seconds))


def screen_some(programs: Sequence[Offered]) -> list[bool]:
    """Programs screened in this process's lane."""
    return _own().screen(programs)


def measure_some(programs: Sequence[Offered]) -> Timings:
    """Compile times, measured in this process's lane."""
    return _own().measure(programs)


def _own() -> Pair:
    assert _pair is not None, "start() was not called"
    return _pair


__all__ = [
    "BlockResult",
    "ExaminerError",
    "Met",
    "Pair",
    "PairSettings",
    "finish_one",
    "measure_some",
    "run_block",
    "screen_some",
    "start",
]
