"""A campaign: program numbers dealt to lanes, what they found put together, findings kept.

Lanes are processes, here or on other machines; the main process only deals, counts and writes.
The same seed and examples give the same counts and findings, whatever the number of lanes, and
however often the run was killed and taken up again.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oracle.campaigns import oddities
from oracle.campaigns.counts import BlockRecord, Cause, Tally
from oracle.campaigns.findings import Finding, FindingsFolder, clear
from oracle.campaigns.lane import BlockResult, LaneSettings, Occurrence
from oracle.campaigns.pools import LocalPool, Pool
from oracle.campaigns.run_folder import RunFolder
from oracle.verdict import State

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
    facts: Mapping[str, object]


class Beside(Protocol):
    """Work on findings that goes on beside the lanes."""

    def add(self, cause: Cause) -> None:
        """Takes a finding on."""

    def go_on(self, tally: Tally) -> None:
        """Does what is due, without waiting."""

    def finish(self, tally: Tally, progress: Callable[[Tally], None]) -> None:
        """Does what is left, for as long as was agreed and until `tally.interrupted`."""

    def close(self) -> None:
        """Ends its processes."""


@dataclass(frozen=True, slots=True)
class _Block:
    number: int
    indices: range


class Campaign:
    """Runs the lanes. `known` are the corpus entries by signature, `run` is where the run is kept
    (nowhere, for measurements), `open_pool` makes the lanes, `beside` works on what they find."""

    def __init__(
        self,
        settings: CampaignSettings,
        known: Mapping[str, str],
        run: RunFolder | None = None,
        open_pool: Callable[[], Pool] | None = None,
        beside: Beside | None = None,
    ) -> None:
        self.settings = settings
        self.tally = Tally() if run is None else run.earlier()
        self._known = known
        self._run = run
        self._open_pool = open_pool or (lambda: LocalPool(settings.lane, settings.workers))
        self._beside = beside
        self._folder = FindingsFolder(settings.out)
        self._lost_lanes: Counter[str] = Counter()
        self._before = self.tally.seconds
        self._started = time.monotonic()
        if run is not None:
            clear(settings.out, run.name)
        if beside is not None:
            for counted in self.tally.findings.values():
                beside.add(counted.finding)

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
                self._lost_lanes["lane"] += 1
                if lost > _MOST_LOST_LANES:
                    raise CampaignError(f"lanes were lost {lost} times; what was found is kept")
            if self._beside is not None:
                self._beside.finish(self.tally, progress)
        self.tally.restarts.update(self._lost_lanes)
        # What comes after the last program takes time too, but no program's.
        self.tally.seconds = self.tally.curve[-1][0] if self.tally.curve else 0.0
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
            if self._beside is not None:
                self._beside.close()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _blocks(self) -> Iterator[_Block]:
        """What this shard has still to do, block by block, until the end or out of time."""
        settings = self.settings
        ordinal, shards = settings.shard
        if self._run is not None and self._run.journal.earlier.complete:
            return
        done = 0 if self._run is None else len(self._run.journal.earlier.records)
        for number in itertools.count(done):
            first = (number * shards * BLOCK) + ordinal - 1
            last = first + shards * BLOCK
            if settings.examples is not None:
                last = min(last, settings.examples)
            indices = range(first, last, shards)
            if not indices or self._out_of_time():
                return
            yield _Block(number, indices)

    def _out_of_time(self) -> bool:
        limit = self.settings.seconds
        return limit is not None and self._elapsed() >= limit

    def _run_pool(
        self, blocks: Iterator[_Block], progress: Callable[[Tally], None]
    ) -> list[_Block]:
        """Runs blocks to the end; returns those under way when a lane was lost, else nothing."""
        under_way: dict[Future[list[BlockResult]], Sequence[_Block]] = {}
        waiting: Sequence[_Block] = ()
        pool = self._open_pool()
        try:
            while not self.tally.interrupted:
                unfinished = [future for future in under_way if not future.done()]
                for _ in range(pool.most() - len(unfinished)):
                    # Kept where it is not lost if the pool is broken by now.
                    waiting = tuple(itertools.islice(blocks, pool.blocks))
                    if not waiting:
                        break
                    under_way[pool.submit([block.indices for block in waiting])] = waiting
                    waiting = ()
                if not under_way:
                    break
                if unfinished:
                    wait(unfinished, _LOOK_SECONDS, FIRST_COMPLETED)
                self._merge_in_order(under_way)
                if self._beside is not None:
                    self._beside.go_on(self.tally)
                self.tally.seconds = self._elapsed()
                progress(self.tally)
        except pool.lost:
            return [*itertools.chain.from_iterable(under_way.values()), *waiting]
        finally:
            pool.close()
        return []

    def _merge_in_order(self, under_way: dict[Future[list[BlockResult]], Sequence[_Block]]) -> None:
        """Merges finished blocks in the order of their numbers, each after those before it.

        So the program that a finding keeps is the first of the run, whichever lane was faster, and
        has its text: a lane leaves it out of later blocks only.
        """
        for future, blocks in list(under_way.items()):
            if not future.done():
                break
            results = future.result()
            del under_way[future]
            for block, result in zip(blocks, results, strict=True):
                self._merge(block, result)

    def _merge(self, block: _Block, result: BlockResult) -> None:
        """Counts a block: its findings are on disk first, then the journal says so."""
        record = BlockRecord(
            shard=self.settings.shard[0], block=block.number, at=round(self._elapsed(), 3)
        )
        record.add(result)
        record.restarts.update(self._lost_lanes)
        seen = set(self.tally.findings)
        for occurrence in result.occurrences:
            signature = occurrence.fault.signature
            if signature not in seen:
                seen.add(signature)
                record.causes.append(self._cause(occurrence))
            record.found.append((signature, occurrence.index))
        kept = set(self.tally.oddities)
        for odd in result.odd:
            if odd.oddity not in kept:
                kept.add(odd.oddity)
                folder = oddities.keep(self.settings.out, odd, self.settings.facts, self._name)
                record.kept.append((odd.oddity, folder))
            record.odd.append((odd.oddity, odd.index))
        if self._run is not None:
            self._run.journal.block(record)
        self.tally.take(record)
        self._lost_lanes.clear()
        if self._beside is not None:
            for cause in record.causes:
                self._beside.add(cause)

    def _cause(self, occurrence: Occurrence) -> Cause:
        """The finding that an occurrence is, its folder written."""
        fault = occurrence.fault
        assert occurrence.text is not None, "the first occurrence carries its program"
        known = self._known.get(fault.signature)
        if known is not None:
            state = State.KNOWN
        else:
            assert occurrence.confirmation is not None, "only what is known has none yet"
            state = State.NEW if occurrence.confirmation.confirmed else State.MODEL
        finding = Finding(
            fault=fault,
            state=state,
            level=occurrence.level,
            first_seed=occurrence.index,
            text=occurrence.text,
            ops=occurrence.ops,
            known=known,
            confirmation=occurrence.confirmation,
            level_reason=occurrence.level_reason,
            higher=occurrence.higher,
        )
        folder = self._folder.record(finding, self.settings.facts, self._name)
        return Cause(
            signature=fault.signature,
            check=fault.check,
            verdict=fault.verdict.value,
            stage=fault.stage,
            state=state,
            level=occurrence.level,
            ops=occurrence.ops,
            known=known,
            folder=folder.name,
        )

    @property
    def _name(self) -> str:
        return "" if self._run is None else self._run.name

    def _elapsed(self) -> float:
        """Seconds at work, those of earlier sessions too."""
        return self._before + time.monotonic() - self._started
