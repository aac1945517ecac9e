"""A predicate in several processes, so that several candidates are tried at once."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

from oracle.campaigns.pools import no_interrupt
from oracle.checks import CHECKS
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reduction.predicate import ShowsFault
from reference.releases import Release
from reference.verifier.problems import Level


@dataclass(frozen=True, slots=True)
class Asking:
    """All that a process needs to know to tell whether a text shows a fault."""

    settings: ExaminerSettings
    checks: tuple[str, ...]
    signature: str
    rules: Release
    compiler: Release
    level: Level | None
    tries: int

    def predicate(self, examiner: Examiner) -> ShowsFault:
        """The predicate, asked through `examiner`."""
        return ShowsFault(
            examiner, self.signature, self.rules, self.compiler, self.level, self.tries
        )

    def examiner(self) -> Examiner:
        """A compiler for it; close it when done."""
        return Examiner(self.settings, [CHECKS[name] for name in self.checks])


class SeveralAtOnce:
    """Asks about several texts at once, one a process; close it when done.

    A process of the pool that is lost makes the pool useless: `concurrent.futures` raises.
    """

    def __init__(self, asking: Asking, processes: int) -> None:
        self._pool = ProcessPoolExecutor(
            processes,
            multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(asking,),
        )

    def __enter__(self) -> SeveralAtOnce:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What is still asked about when somebody interrupts is of no interest any more.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __call__(self, texts: Sequence[str]) -> list[bool]:
        """Of each text whether it shows the fault."""
        # The first texts start the processes.
        with no_interrupt():
            told = self._pool.map(_shows, texts)
        return list(told)


_predicate: ShowsFault | None = None
_kept = ExitStack()


def _start(asking: Asking) -> None:
    """Initializer of a process of the pool. Ctrl-C is the parent's to handle."""
    global _predicate
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _predicate = asking.predicate(_kept.enter_context(asking.examiner()))


def _shows(text: str) -> bool:
    assert _predicate is not None, "the pool starts its processes with _start"
    return _predicate(text)
