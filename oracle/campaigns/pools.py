"""What a campaign deals its blocks to: lanes on this machine, or (`cluster`) on others."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import ClassVar, Protocol

from oracle.campaigns import lane
from oracle.campaigns.lane import BlockResult, LaneSettings
from oracle.machine import cores

BESIDE = "beside-the-lanes"
"""The name of processes of this one that are no lanes."""


class PoolError(Exception):
    """There are no lanes to be had; the message says why."""


class Pool(Protocol):
    """Lanes somewhere. What was submitted and is not done when one is lost has to be run again."""

    @property
    def lost(self) -> tuple[type[BaseException], ...]:
        """What a submission, or its result, raises when a lane was lost."""

    @property
    def blocks(self) -> int:
        """How many blocks to hand out together."""

    def most(self) -> int:
        """How many submissions to have under way."""

    def submit(self, blocks: Sequence[range]) -> Future[list[BlockResult]]:
        """Has blocks run, together and in order."""

    def close(self) -> None:
        """Ends the lanes; what is under way is dropped."""


class LocalPool:
    """Lanes that are processes of this machine."""

    blocks: ClassVar[int] = 1
    lost: ClassVar[tuple[type[BaseException], ...]] = (BrokenProcessPool,)

    def __init__(self, settings: LaneSettings, workers: int) -> None:
        self._workers = workers
        self._others = frozenset(active_children())
        context = get_context("spawn")
        # Only where there is a lane for every core: with fewer, the system knows better.
        whole_machine = sys.platform == "linux" and workers >= cores()
        self._executor = ProcessPoolExecutor(
            workers,
            mp_context=context,
            initializer=lane.start,
            initargs=(settings, context.Value("i", 0) if whole_machine else None),
        )

    def most(self) -> int:
        """One at work and one waiting for each lane."""
        return 2 * self._workers

    def submit(self, blocks: Sequence[range]) -> Future[list[BlockResult]]:
        """Has blocks run, together and in order."""
        with no_interrupt():
            return self._executor.submit(lane.run_blocks, blocks)

    def close(self) -> None:
        """Ends the lanes; what is under way is dropped."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            if process not in self._others and process.name != BESIDE:
                process.terminate()


@contextlib.contextmanager
def no_interrupt() -> Iterator[None]:
    """Holds Ctrl-C back. A process started meanwhile never gets it: the mask is inherited."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
