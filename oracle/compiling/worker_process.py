"""A worker process as its parent holds it: what it was sent, what it answers, how it was lost."""

from __future__ import annotations

import marshal
import mmap
import os
import signal
import struct
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import IO

import psutil

from oracle.compiling.answers import Answer, Outcome, decode

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
    watched: psutil.Process
    under_way: deque[Sent] = field(default_factory=deque)
    last_reply: float = 0.0
    errors_before: int = 0
    """Bytes of standard error when the last reply came."""
    next_look: float = 0.0
    """When its memory is looked at again."""

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

    def computed(self) -> float:
        """Seconds of processor time that it has used."""
        try:
            times = self.watched.cpu_times()
        except psutil.Error:
            return 0.0  # It has ended, which the connection is about to tell.
        return float(times.user + times.system)

    def sleeps(self) -> bool:
        """Whether it waits for something else than a core or a page of a file."""
        try:
            return self.watched.status() not in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
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


class Lost(Exception):  # noqa: N818 - internal: the process is gone, and why
    def __init__(self, outcome: Outcome, computing: bool = False) -> None:
        super().__init__(outcome.value)
        self.outcome = outcome
        self.computing = computing


def accept(worker: WorkerProcess, message: bytes) -> Answer:
    """The answer in a message from the worker, whose oldest request is thereby done."""
    reply = marshal.loads(message)
    sent = worker.under_way.popleft()
    if reply["job"] != sent.job:
        raise RuntimeError(f"the worker answered job {reply['job']}, not {sent.job}")
    worker.last_reply = time.monotonic()
    worker.errors_before = os.fstat(worker.errors.fileno()).st_size
    return decode(reply)


def leftover(worker: WorkerProcess) -> Iterator[Answer]:
    """The answers that an ended process had still given."""
    while worker.under_way:
        try:
            if not worker.connection.poll(0):
                return
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            return
        yield accept(worker, message)


def loss(worker: WorkerProcess, lost: Lost, code: int) -> Answer:
    """The answer to the request under way in a process that was lost."""
    name: str | None = None
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
    return Answer(
        lost.outcome,
        step=worker.step(),
        seconds=time.monotonic() - worker.last_reply,
        signal=name if lost.outcome is Outcome.CRASH else None,
        exit_code=code if code >= 0 else None,
        stderr=worker.tail(),
        computing=lost.computing,
    )
