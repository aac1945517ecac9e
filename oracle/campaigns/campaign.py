"""A campaign: program numbers dealt to lanes, what they found put together, findings kept.

Lanes are processes of a `concurrent.futures` pool; the main process only deals, counts and writes.
The same seed and examples give the same counts and findings, whatever the number of lanes.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from pathlib import Path

from oracle.campaigns import lane
from oracle.campaigns.findings import Finding, FindingsFolder
from oracle.campaigns.lane import BlockResult, LaneSettings, Occurrence
from oracle.checks import AGREEMENTS
from oracle.corpus import Entry
from oracle.machine import cores
from oracle.verdict import State, Verdict

BLOCK = 8
"""Programs a block: few enough for a first verdict within a second or two, with all checks."""

_MOST_LOST_LANES = 20
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that end a run early, its results kept."""
_LOOK_SECONDS = 0.5
"""How soon a Ctrl-C is obeyed."""


class CampaignError(Exception):
    """The machine or crosscurrent failed; the message says how and what was kept."""


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """What to run. `examples` counts programs of the whole run, all shards together; `seconds` is
    when to stop dealing; one of the two is set. `shard` is (I, N), 1-based."""

    lane: LaneSettings
    out: Path
    workers: int
    examples: int | None
    seconds: float | None
    shard: tuple[int, int]
    facts: dict[str, object]


@dataclass(slots=True)
class FindingCount:
    """One signature: the finding as first written, how often it was met, and where it lies."""

    finding: Finding
    folder: Path
    count: int = 0
    first_seed: int = 0


@dataclass(slots=True)
class Tally:
    """Everything counted so far."""

    programs: int = 0
    invalid: list[tuple[int, str]] = field(default_factory=list)
    unsupported: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    restarts: Counter[str] = field(default_factory=Counter)
    findings: dict[str, FindingCount] = field(default_factory=dict)
    seconds: float = 0.0
    first_verdict_seconds: float | None = None
    interrupted: bool = False
    failed: str | None = None
    """Why the run ended before its end, None when it did not."""

    @property
    def rate(self) -> float:
        """Programs per second since the start."""
        return self.programs / self.seconds if self.seconds else 0.0

    def states(self) -> Counter[State]:
        """How many signatures there are of each state."""
        return Counter(count.finding.state for count in self.findings.values())


class Campaign:
    """Runs the lanes. `known` are the corpus entries by signature."""

    def __init__(self, settings: CampaignSettings, known: dict[str, Entry]) -> None:
        self.settings = settings
        self.tally = Tally()
        self._known = known
        self._folder = FindingsFolder(settings.out)
        self._started = time.monotonic()

    def run(self, progress: Callable[[Tally], None]) -> Tally:
        """Deals until done, out of time or interrupted; calls `progress` after each block.

        Ctrl-C ends it early and sets `interrupted`; all that was found is kept. Raises
        CampaignError when lanes die over and over.
        """
        blocks = self._blocks()
        lost = 0
        with self._interrupts():
            while not self.tally.interrupted:
                again = self._run_pool(blocks, progress)
                if not again:
                    break
                blocks = itertools.chain(again, blocks)
                lost += 1
                self.tally.restarts["lane"] += 1
                if lost > _MOST_LOST_LANES:
                    raise CampaignError(f"lanes were lost {lost} times; what was found is kept")
        self._clock()
        shutil.rmtree(self.settings.lane.in_flight, ignore_errors=True)
        return self.tally

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Ctrl-C and its like are obeyed between blocks, never in the middle of a finding."""

        def note(_signal: int, _frame: object) -> None:
            self.tally.interrupted = True

        before = {number: signal.signal(number, note) for number in _ENDING}
        try:
            yield
        except KeyboardInterrupt:
            self.tally.interrupted = True
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _blocks(self) -> Iterator[range]:
        """The program numbers of this shard, block by block, until the end or out of time."""
        settings = self.settings
        ordinal, shards = settings.shard
        for block in itertools.count():
            first = (block * shards * BLOCK) + ordinal - 1
            last = first + shards * BLOCK
            if settings.examples is not None:
                last = min(last, settings.examples)
            indices = range(first, last, shards)
            if not indices or self._out_of_time():
                return
            yield indices

    def _out_of_time(self) -> bool:
        limit = self.settings.seconds
        return limit is not None and time.monotonic() - self._started >= limit

    def _run_pool(self, blocks: Iterator[range], progress: Callable[[Tally], None]) -> list[range]:
        """Runs blocks to the end; returns those under way when a lane was lost, else nothing."""
        most = 2 * self.settings.workers
        under_way: dict[Future[BlockResult], range] = {}
        waiting: list[range] = []
        context = get_context("spawn")
        # Only where there is a lane for every core: with fewer, the system knows better.
        whole_machine = sys.platform == "linux" and self.settings.workers >= cores()
        pool = ProcessPoolExecutor(
            self.settings.workers,
            mp_context=context,
            initializer=lane.start,
            initargs=(self.settings.lane, context.Value("i", 0) if whole_machine else None),
        )
        try:
            while not self.tally.interrupted:
                unfinished = [future for future in under_way if not future.done()]
                for indices in itertools.islice(blocks, most - len(unfinished)):
                    # Kept where it is not lost if the pool is broken by now.
                    waiting.append(indices)
                    with _no_interrupt():
                        under_way[pool.submit(lane.run_block, indices)] = indices
                    waiting.clear()
                if not under_way:
                    break
                if unfinished:
                    wait(unfinished, _LOOK_SECONDS, FIRST_COMPLETED)
                self._merge_in_order(under_way)
                progress(self.tally)
        except BrokenProcessPool:
            return [*under_way.values(), *waiting]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
        return []

    def _merge_in_order(self, under_way: dict[Future[BlockResult], range]) -> None:
        """Merges finished blocks in the order of their numbers, each after those before it.

        So the program that a finding keeps is the first of the run, whichever lane was faster, and
        has its text: a lane leaves it out of later blocks only.
        """
        for future in list(under_way):
            if not future.done():
                break
            self._merge(future.result())
            del under_way[future]

    def _merge(self, block: BlockResult) -> None:
        tally = self.tally
        self._clock()
        if tally.first_verdict_seconds is None:
            tally.first_verdict_seconds = tally.seconds
        tally.programs += block.programs
        tally.invalid += block.invalid
        tally.unsupported += block.unsupported
        tally.verdicts += block.verdicts
        tally.unanswered += block.unanswered
        tally.restarts += block.restarts
        for occurrence in block.occurrences:
            self._count(occurrence)

    def _count(self, occurrence: Occurrence) -> None:
        signature = occurrence.fault.signature
        counted = self.tally.findings.get(signature)
        if counted is None:
            finding = self._finding(occurrence)
            folder = self._folder.record(finding, self.settings.facts)
            counted = FindingCount(finding, folder, first_seed=occurrence.index)
            self.tally.findings[signature] = counted
        counted.count += 1
        counted.first_seed = min(counted.first_seed, occurrence.index)

    def _finding(self, occurrence: Occurrence) -> Finding:
        assert occurrence.text is not None, "the first occurrence carries its program"
        assert occurrence.confirmation is not None
        entry = self._known.get(occurrence.fault.signature)
        if entry is not None:
            state = State.KNOWN
        else:
            state = State.NEW if occurrence.confirmation.confirmed else State.MODEL
        return Finding(
            fault=occurrence.fault,
            state=state,
            level=occurrence.level,
            first_seed=occurrence.index,
            text=occurrence.text,
            ops=occurrence.ops,
            known=None if entry is None else entry.identity,
            confirmation=occurrence.confirmation,
        )

    def _clock(self) -> None:
        self.tally.seconds = time.monotonic() - self._started


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Holds Ctrl-C back. A lane that is started meanwhile never gets it: the mask is inherited."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def summary(tally: Tally, settings: CampaignSettings) -> dict[str, object]:
    """The object that `fuzz --json` writes (DESIGN, The command line)."""
    checks: dict[str, dict[str, int]] = {}
    for name in settings.lane.checks:
        good, bad = ("agree", "disagree") if name in AGREEMENTS else ("hold", "broken")
        verdicts = {v: n for (check, v), n in tally.verdicts.items() if check == name}
        answered = sum(n for v, n in verdicts.items() if v != Verdict.UNSUPPORTED)
        agreed = verdicts.get(Verdict.AGREE, 0)
        checks[name] = {
            good: agreed,
            bad: answered - agreed,
            "unanswered": tally.unanswered[name],
        }
    return {
        **settings.facts,
        "programs": tally.programs,
        "seconds": round(tally.seconds, 3),
        "programs_per_second": round(tally.rate, 1),
        "seconds_to_first_verdict": tally.first_verdict_seconds,
        "invalid": len(tally.invalid),
        "unsupported": tally.unsupported,
        "restarts": {kind: tally.restarts[kind] for kind in ("crash", "hang", "lane")},
        "interrupted": tally.interrupted,
        "failed": tally.failed,
        "checks": checks,
        "findings": [_described(counted) for _, counted in sorted(tally.findings.items())],
    }


def _described(counted: FindingCount) -> dict[str, object]:
    finding = counted.finding
    return {
        "signature": finding.fault.signature,
        "check": finding.fault.check,
        "verdict": finding.fault.verdict.value,
        "stage": finding.fault.stage,
        "state": finding.state.value,
        "level": finding.level,
        "count": counted.count,
        "first_seed": counted.first_seed,
        "program": str(counted.folder / "program.mlir"),
        "reduced": None,
        "ops": finding.ops,
        "known": finding.known,
    }
