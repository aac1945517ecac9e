"""Findings reduced, and known ones confirmed, beside the lanes: one at a time while programs are
dealt, several when none are."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from oracle.campaigns.counts import Cause, Tally
from oracle.campaigns.findings import CONFIRMED, verdict_of
from oracle.campaigns.pools import BESIDE, no_interrupt
from oracle.campaigns.reducing import give_up, work
from oracle.campaigns.summary import reduction_of
from oracle.campaigns.tasks import FindingTask
from oracle.verdict import State

_URGENCY = {State.NEW: 0, State.MODEL: 1, State.KNOWN: 2}
"""Which findings are worked on, and which of them first. A known one has its entry in the corpus,
so that it is confirmed only."""

_LOOK_SECONDS = 0.5
"""How soon a Ctrl-C is obeyed."""


@dataclass(frozen=True, slots=True)
class _UnderWay:
    cause: Cause
    task: FindingTask
    process: SpawnProcess
    end: float
    """When it has taken too long, by the monotonic clock."""


class Reductions:
    """The findings of a run that are to be reduced. `task` says how; `at_once` processes go on for
    `seconds` when all programs are done."""

    def __init__(
        self, out: Path, task: Callable[[Cause], FindingTask], at_once: int, seconds: float
    ) -> None:
        self._out = out
        self._task = task
        self._at_once = at_once
        self._seconds = seconds
        self._context = get_context("spawn")
        self._waiting: list[tuple[int, int, Cause]] = []
        self._order = itertools.count()
        self._under_way: list[_UnderWay] = []
        self._asked: list[Cause] = []
        self._reduced = 0

    def add(self, cause: Cause) -> None:
        """Takes a finding on, unless all was done about it before."""
        if cause.state not in _URGENCY:
            return
        if cause.state is not State.KNOWN:
            self._asked.append(cause)
            self._reduced += reduction_of(self._out, cause) is not None
        if not self._is_told(cause):
            heapq.heappush(self._waiting, (_URGENCY[cause.state], next(self._order), cause))

    def go_on(self, tally: Tally) -> None:
        """Starts the next one when the last is done, without waiting."""
        self._look(tally, 1, beside=True)

    def finish(self, tally: Tally, progress: Callable[[Tally], None]) -> None:
        """Reduces what is left, for as long as was agreed and until `tally.interrupted`."""
        if tally.interrupted:
            return
        end = time.monotonic() + self._seconds
        # One that gives way to others stays that slow: it is no reason for these to wait.
        at_once = self._at_once + len(self._under_way)
        self._look(tally, at_once, beside=False)
        while self._under_way and not tally.interrupted and time.monotonic() < end:
            wait([one.process.sentinel for one in self._under_way], _LOOK_SECONDS)
            self._look(tally, at_once, beside=False)
            progress(tally)

    def close(self) -> None:
        """Ends the processes; what they had not finished is left for another session."""
        for one in self._under_way:
            one.process.kill()
        for one in self._under_way:
            one.process.join()
        self._under_way.clear()

    def _look(self, tally: Tally, at_once: int, beside: bool) -> None:
        self._under_way = [one for one in self._under_way if not self._is_done(one)]
        while self._waiting and len(self._under_way) < at_once:
            _, _, cause = heapq.heappop(self._waiting)
            task = self._task(cause)
            process = self._context.Process(
                target=work, args=(task, beside), name=BESIDE, daemon=True
            )
            with no_interrupt():
                process.start()
            self._under_way.append(_UnderWay(cause, task, process, time.monotonic() + task.seconds))
        tally.to_reduce = len(self._asked)
        tally.reduced = self._reduced

    def _is_done(self, one: _UnderWay) -> bool:
        """Whether a process is no more; one that takes too long is ended."""
        if one.process.is_alive():
            if time.monotonic() < one.end:
                return False
            one.process.kill()
            one.process.join()
            # It may have said its word just then.
            if not self._is_told(one.cause):
                give_up(one.task, f"no end in {one.task.seconds:.0f} s")
        one.process.join()
        if one.cause.state is not State.KNOWN:
            self._reduced += self._is_told(one.cause)
        return True

    def _is_told(self, cause: Cause) -> bool:
        """Whether a finding's verdict says all that is to be said of it."""
        if cause.state is not State.KNOWN:
            return reduction_of(self._out, cause) is not None
        try:
            verdict = verdict_of(self._out / "findings" / cause.folder)
        except (OSError, ValueError):
            return False
        return verdict.get(CONFIRMED) is not None
