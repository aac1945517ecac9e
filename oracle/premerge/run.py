"""A pre-merge run: programs dealt to lanes that own both compilers, differences finished in time.

The corpus comes first, then fresh programs until most of the time is used: those first of which the
two compilers do not make the same IR (`oracle/premerge/screening.py`). What is met is finished
(made sure of, reduced, confirmed) in turns with what is dealt; the last part of the time is for
what then still waits. What the time is too short for is confirmed all the same, unreduced.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from oracle.campaigns.campaign import CampaignError
from oracle.campaigns.pools import no_interrupt
from oracle.premerge import lane
from oracle.premerge.finish import Finished
from oracle.premerge.lane import BlockResult, Met, PairSettings
from oracle.premerge.programs import Offered
from oracle.premerge.screening import SCREENED
from oracle.premerge.sorting import Kind
from oracle.premerge.timing import WHOLE, Slower, Timings, can_measure, faster, merged, slower

T = TypeVar("T")

BLOCK = 4
"""Programs a block: all checks take two compilers a second or so for that many."""

BARE_BLOCK = 32
"""Programs a block where a compiler is a bare `iree-opt`, which takes longer to start than to
compile a program."""

MEASURED = 40
"""Programs that compile times are taken of."""

_CORPUS_FIRST = 0.2
"""The part of the time that the corpus has for itself."""

_DEALING = 0.7
"""The part of the time after which no fresh program is dealt: the rest is for what was found."""

_REDUCING = 0.85
"""The part of the time after which nothing is reduced further: the rest is for what is confirmed as
it is then, and for compile times."""

_SHARE, _LEAST_SHARE = 0.2, 20.0
"""What part of the time, and how many seconds at least, the reduction of one difference may take:
one that hangs takes its time-out for each candidate."""

_KEPT = 400
"""Programs kept for the checks that both compilers make the same of; further ones are as good."""

_OTHERS_EVERY = 4
"""One of so many blocks is of programs that both compilers make the same of."""

_MOST_TRIES = 3
"""How often a difference that was not steady is looked at again in another program."""
_MOST_LOST_LANES = 10
_LOOK_SECONDS = 0.5
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Key = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What to run: `seconds` in all, on `workers` lanes, no more than `programs` fresh ones, in
    blocks of `block`."""

    pair: PairSettings
    workers: int
    seconds: float
    programs: int | None = None
    block: int = BLOCK


@dataclass(slots=True)
class Counted:
    """One difference over the whole run: the first program it was met in (of a change, the
    smallest), how many there were, and what came of it."""

    met: Met
    count: int = 0
    tries: int = 0
    waiting: bool = False
    finished: Finished | None = None

    @property
    def settled(self) -> bool:
        """Whether it is known to come again."""
        return self.finished is not None and self.finished.steady


@dataclass(slots=True)
class Results:
    """All that a run found out."""

    corpus: int = 0
    corpus_left: int = 0
    """Entries that there was no time for."""
    fresh: int = 0
    screened: int = 0
    """Fresh programs that both compiled, of which `same` became the same IR after every stage."""
    same: int = 0
    compared: int = 0
    invalid: list[tuple[str, str]] = field(default_factory=list)
    mishaps: list[tuple[str, str]] = field(default_factory=list)
    unparsed: Counter[str] = field(default_factory=Counter)
    not_compared: Counter[str] = field(default_factory=Counter)
    restarts: Counter[str] = field(default_factory=Counter)
    differences: dict[Key, Counted] = field(default_factory=dict)
    slower: list[Slower] = field(default_factory=list)
    faster: list[Slower] = field(default_factory=list)
    measured: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    failed: str | None = None

    def of(self, kind: Kind) -> list[Counted]:
        """The differences of a kind that are steady, those of most programs first."""
        found = [
            one
            for (other, _), one in self.differences.items()
            if other is kind and (one.settled or kind in (Kind.BOTH_WRONG, Kind.CHANGED))
        ]
        return sorted(found, key=lambda one: (-one.count, one.met.difference.signature))

    @property
    def unsteady(self) -> list[Counted]:
        """What was met and did not come again, or could not be looked at again."""
        return [
            one
            for (kind, _), one in sorted(self.differences.items())
            if kind in (Kind.REGRESSED, Kind.FIXED) and not one.settled
        ]


class Run:
    """Deals, counts and finishes. `found` is called with each difference once it is finished."""

    def __init__(
        self,
        settings: RunSettings,
        corpus: Sequence[Offered],
        fresh: Iterator[Offered],
        found: Callable[[Counted], None],
        progress: Callable[[Results], None],
    ) -> None:
        self.settings = settings
        self.results = Results()
        self._corpus: deque[Offered] = deque(corpus)
        self._fresh = fresh
        self._found = found
        self._progress = progress
        self._started = time.monotonic()
        self._deadline = self._started + _REDUCING * settings.seconds
        self._to_finish: deque[Key] = deque()
        self._again: deque[tuple[Offered, ...]] = deque()
        self._urgent: deque[Offered] = deque()
        self._others: deque[Offered] = deque()
        self._screening = self._blocks = 0
        self._sound: list[Offered] = []
        self._dealt = 0
        self._finishing = self._fresh_next = False
        self._under_way: dict[Future[Any], tuple[str, Any]] = {}

    def run(self) -> Results:
        """Runs to the end, the end of time, or an interruption; then what was found is kept.

        Raises CampaignError when lanes die over and over, ExaminerError when a compiler cannot be
        asked.
        """
        lost = 0
        with self._interrupts():
            while not self._pool():
                lost += 1
                self.results.restarts["lane"] += 1
                if lost > _MOST_LOST_LANES:
                    raise CampaignError(f"lanes were lost {lost} times; what was found is kept")
        self.results.seconds = time.monotonic() - self._started
        self.results.corpus_left = len(self._corpus)
        shutil.rmtree(self.settings.pair.in_flight, ignore_errors=True)
        return self.results

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        def note(_signal: int, _frame: object) -> None:
            self.results.interrupted = True

        before = {number: signal.signal(number, note) for number in _ENDING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _pool(self) -> bool:
        """Works until all is done; False when a lane was lost, whose work is then put back."""
        pool = ProcessPoolExecutor(
            self.settings.workers,
            mp_context=get_context("spawn"),
            initializer=lane.start,
            initargs=(self.settings.pair,),
        )
        try:
            while not self.results.interrupted:
                self._submit(pool)
                if not self._under_way:
                    break
                done, _ = wait(self._under_way, _LOOK_SECONDS, FIRST_COMPLETED)
                for future in done:
                    self._take(future)
                self.results.seconds = time.monotonic() - self._started
                self._progress(self.results)
            pair = self.settings.pair
            measures = bool(self._sound) and can_measure(pair.baseline, pair.candidate)
            if measures and not self.results.interrupted:
                self._measure(pool)
            return True
        except BrokenProcessPool:
            self._put_back()
            return False
        finally:
            pool.shutdown(wait=not self.results.interrupted, cancel_futures=True)
            if self.results.interrupted:
                for child in active_children():
                    child.kill()

    def _submit(self, pool: ProcessPoolExecutor) -> None:
        """Gives each lane something to do, and one thing more to each to go on with."""
        while len(self._under_way) < self.settings.workers + 1:
            # In turns: neither waits for all of the other.
            self._finishing = bool(self._to_finish) and not self._finishing
            block = () if self._finishing else self._block()
            if block:
                self._under_way[_submitted(pool, lane.run_block, block)] = ("block", block)
            elif self._to_finish:
                key = self._to_finish.popleft()
                met = self.results.differences[key].met
                share = max(_LEAST_SHARE, _SHARE * self.settings.seconds)
                future: Future[Any] = _submitted(pool, lane.finish_one, met, share, self._deadline)
                self._under_way[future] = ("finish", key)
            else:
                return
            if not self._urgent and not self._screening:
                self._screen(pool)

    def _block(self) -> tuple[Offered, ...]:
        if self._again:
            return self._again.popleft()
        used = (time.monotonic() - self._started) / self.settings.seconds
        # The corpus first; on a slow machine fresh programs get their turn before it ends.
        self._fresh_next = used > _CORPUS_FIRST and not self._fresh_next
        block = self._fresh_block(used) if self._fresh_next or not self._corpus else ()
        if not block and used <= 1.0:
            count = min(self.settings.block, len(self._corpus))
            block = tuple(self._corpus.popleft() for _ in range(count))
        return block

    def _fresh_block(self, used: float) -> tuple[Offered, ...]:
        """Programs that the compilers do otherwise with first, some of the others in between: not
        all that may differ shows in the IR."""
        if used > _DEALING:
            return ()
        self._blocks += 1
        queues = [self._urgent, self._others]
        if self._blocks % _OTHERS_EVERY == 0:
            queues.reverse()
        queue = queues[0] or queues[1] or deque(self._next(self.settings.block))
        return tuple(queue.popleft() for _ in range(min(self.settings.block, len(queue))))

    def _next(self, count: int) -> tuple[Offered, ...]:
        """Fresh programs, as many as may still be dealt."""
        most = self.settings.programs
        left = count if most is None else min(count, most - self._dealt)
        offered = tuple(islice(self._fresh, max(left, 0)))
        self._dealt += len(offered)
        return offered

    def _screen(self, pool: ProcessPoolExecutor) -> None:
        """Has some fresh programs looked at, which is quick, before they are put to the checks."""
        used = (time.monotonic() - self._started) / self.settings.seconds
        offered = self._next(SCREENED) if used <= _DEALING else ()
        if offered:
            self._screening += 1
            self._under_way[_submitted(pool, lane.screen_some, offered)] = ("screen", offered)

    def _screened(self, offered: Sequence[Offered], differ: Sequence[bool]) -> None:
        self._screening -= 1
        self.results.screened += len(offered)
        for one, other in zip(offered, differ, strict=True):
            self.results.same += not other
            if other:
                self._urgent.append(one)
            elif len(self._others) < _KEPT:
                self._others.append(one)

    def _take(self, future: Future[Any]) -> None:
        # Looked at before it is forgotten: what a lost lane had is put back.
        result = future.result()
        what, about = self._under_way.pop(future)
        if what == "finish":
            self._finished(about, result)
        elif what == "screen":
            self._screened(about, result)
        else:
            self._count(about, result)

    def _put_back(self) -> None:
        for what, about in self._under_way.values():
            if what == "finish":
                self._to_finish.append(about)
            elif what == "screen":
                self._screening -= 1
                self._urgent.extend(about)
            elif len(about) > 1:
                # One at a time, so that a program that ends lanes is left alone with its own.
                self._again.extend((offered,) for offered in about)
            else:
                self.results.invalid.append((about[0].name, "a lane was lost with it"))
        self._under_way.clear()

    def _count(self, block: Sequence[Offered], result: BlockResult) -> None:
        results = self.results
        known = sum(offered.known is not None for offered in block)
        results.corpus += known
        results.fresh += len(block) - known
        results.compared += result.compared
        results.invalid += result.invalid
        results.mishaps += result.mishaps
        results.unparsed += result.unparsed
        results.not_compared += result.not_compared
        results.restarts += result.restarts
        self._sound += result.sound[: max(0, MEASURED - len(self._sound))]
        for met in result.met:
            self._meet(met)

    def _meet(self, met: Met) -> None:
        key = met.difference.kind, met.difference.signature
        counted = self.results.differences.setdefault(key, Counted(met))
        counted.count += 1
        if met.difference.kind not in (Kind.REGRESSED, Kind.FIXED):
            if 0 < met.ops < counted.met.ops:
                counted.met = met
            return
        if counted.settled or counted.waiting or counted.tries >= _MOST_TRIES:
            return
        counted.met, counted.waiting = met, True
        counted.tries += 1
        if met.difference.kind is Kind.REGRESSED:
            self._to_finish.appendleft(key)
        else:
            self._to_finish.append(key)

    def _finished(self, key: Key, finished: Finished) -> None:
        counted = self.results.differences[key]
        counted.waiting = False
        counted.finished = finished
        if finished.steady:
            self._found(counted)

    def _measure(self, pool: ProcessPoolExecutor) -> None:
        """Compile times last, when the lanes have nothing else to do; one lane is enough."""
        future = _submitted(pool, lane.measure_some, self._sound)
        while not self.results.interrupted:
            done, _ = wait([future], _LOOK_SECONDS)
            if done:
                timings: Timings = merged([future.result()])
                self.results.measured = len(timings.turns.get((0, WHOLE), ()))
                self.results.slower, self.results.faster = slower(timings), faster(timings)
                return


def told(counted: Counted) -> Counted:
    """A difference with the finished program's own fault, where there is one."""
    finished, difference = counted.finished, counted.met.difference
    if finished is None or finished.fault is None or difference.fault is None:
        return counted
    fault = finished.fault
    worse = difference.kind is Kind.REGRESSED
    sides = (f"as promised: {fault.expected}", fault.actual)
    baseline, candidate = sides if worse else sides[::-1]
    renewed = replace(difference, fault=fault, baseline=baseline, candidate=candidate)
    return replace(counted, met=replace(counted.met, difference=renewed))


def _submitted(pool: ProcessPoolExecutor, function: Callable[..., T], *arguments: Any) -> Future[T]:
    """A call handed to the pool. The lanes that it starts never get a Ctrl-C, which is ours."""
    with no_interrupt():
        return pool.submit(function, *arguments)
