"""A worker process as its parent holds it: what it was sent, what it answers, how it was lost."""

from __future__ import annotations

import contextlib
import marshal
import mmap
import os
import signal
import struct
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import IO

import psutil

from oracle.compiling.answers import Answer, Outcome, decode
from oracle.compiling.service import ANSWERING

_TOLD_SECONDS = 5.0
"""How long the end of a copy may take to be told."""
STDERR_TAIL = 4096
"""Bytes of the process's standard error that an answer keeps."""


@dataclass(slots=True)
class Sent:
    """A request under way: its job number and its size in bytes."""

    job: int
    size: int


@dataclass(slots=True)
class WorkerProcess:
    """A running worker process and what the parent holds of it."""

    process: subprocess.Popen[bytes]
    connection: Connection
    progress: mmap.mmap
    errors: IO[bytes]
    """The file that its standard error goes to."""
    under_way: deque[Sent] = field(default_factory=deque)
    last_reply: float = 0.0
    errors_before: int = 0
    """Bytes of standard error when the last reply came."""
    next_look: float = 0.0
    """When its memory is looked at again."""

    _answering: psutil.Process | None = None

    @property
    def kept(self) -> bool:
        """Whether a copy of the process answers, so that the loss of one is not that of all."""
        return self._answering_pid() != self.process.pid

    @property
    def answering(self) -> psutil.Process:
        """The process that answers. Raises psutil.Error when it has ended."""
        pid = self._answering_pid()
        if self._answering is None or self._answering.pid != pid:
            self._answering = psutil.Process(pid)
        return self._answering

    def _answering_pid(self) -> int:
        (pid,) = struct.unpack_from("<q", self.progress, ANSWERING)
        return int(pid) or self.process.pid

    def end(self) -> int:
        """Kills the process if it lives, reaps it and returns `Popen`'s return code."""
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()

    def release(self) -> None:
        """Lets go of all that the parent holds; the process has ended."""
        self.connection.close()
        self.progress.close()
        self.errors.close()

    def computed(self) -> tuple[int, float]:
        """The process that answers, and the seconds of processor time that it has used."""
        try:
            times = self.answering.cpu_times()
            return self.answering.pid, float(times.user + times.system)
        except psutil.Error:
            return 0, 0.0  # It has ended, which the connection is about to tell.

    def sleeps(self) -> bool:
        """Whether it waits for something else than a core or a page of a file."""
        try:
            return self.answering.status() not in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        except psutil.Error:
            return True

    def step(self) -> int:
        """The step that the process noted last; 0 before the first."""
        (index,) = struct.unpack_from("<q", self.progress, 0)
        return max(0, int(index))

    def tail(self) -> str:
        """The end of its standard error since the last reply."""
        size = os.fstat(self.errors.fileno()).st_size
        start = max(size - STDERR_TAIL, self.errors_before if self.errors_before <= size else 0)
        return os.pread(self.errors.fileno(), STDERR_TAIL, start).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class End:
    """How a process ended: `Popen`'s return code, and the step that was under way."""

    code: int
    step: int


class Lost(Exception):  # noqa: N818 - internal: the process is gone, and why
    """`end` is that of a copy, as it was told: then another one answers already."""

    def __init__(self, outcome: Outcome, computing: bool = False, end: End | None = None) -> None:
        super().__init__(outcome.value)
        self.outcome = outcome
        self.computing = computing
        self.end = end


def accept(worker: WorkerProcess, message: bytes) -> Answer:
    """The answer in a message from the worker, whose oldest request is thereby done. Raises Lost
    where the message is that there is none."""
    reply = marshal.loads(message)
    if "lost" in reply:
        raise Lost(Outcome.CRASH, end=End(reply["lost"], reply["step"]))
    _done(worker, reply["job"])
    return decode(reply)


def _done(worker: WorkerProcess, job: int | None = None) -> None:
    sent = worker.under_way.popleft()
    if job not in (None, sent.job):
        raise RuntimeError(f"the worker answered job {job}, not {sent.job}")
    worker.last_reply = time.monotonic()
    worker.errors_before = os.fstat(worker.errors.fileno()).st_size


@dataclass(frozen=True, slots=True)
class Remains:
    """What a process that was lost leaves: its last answers, that of its loss among them, and
    whether a copy of it goes on with what is under way."""

    answers: list[Answer]
    survived: bool


def bury(worker: WorkerProcess, lost: Lost) -> Remains:
    """Ends what is lost: a copy where there is one, else the process, which is to be released."""
    answers: list[Answer] = []
    end = lost.end
    if end is None and worker.kept:
        with contextlib.suppress(psutil.Error):
            worker.answering.kill()
        end = _told(worker, answers)
    survived = end is not None and not answers
    if not survived:
        code = worker.end()
        if end is None:
            _told(worker, answers, seconds=0)
        end = End(code, worker.step())
    # What answered before it was ended was no hang, and whose turn it was then is not to blame.
    if worker.under_way and (lost.outcome is Outcome.CRASH or not answers):
        assert end is not None
        answers.append(loss(worker, lost, end))
        if survived:
            _done(worker)
    return Remains(answers, survived)


def _told(
    worker: WorkerProcess, answers: list[Answer], seconds: float = _TOLD_SECONDS
) -> End | None:
    """Takes what comes: answers that were given before the end, and the end of a copy. None where
    that is not told within `seconds`."""
    try:
        while worker.connection.poll(seconds):
            answers.append(accept(worker, worker.connection.recv_bytes()))
    except Lost as lost:
        return lost.end
    except (EOFError, OSError):
        pass
    return None


def loss(worker: WorkerProcess, lost: Lost, end: End) -> Answer:
    """The answer to the request that a process was lost with."""
    name: str | None = None
    if end.code < 0:
        try:
            name = signal.Signals(-end.code).name
        except ValueError:
            name = f"signal {-end.code}"
    return Answer(
        lost.outcome,
        step=end.step,
        seconds=time.monotonic() - worker.last_reply,
        signal=name if lost.outcome is Outcome.CRASH else None,
        exit_code=end.code if end.code >= 0 else None,
        stderr=worker.tail(),
        computing=lost.computing,
    )
