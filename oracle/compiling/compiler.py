"""The compiler under test as a process of its own: programs in, answers out, in order.

A compiler that crashes, hangs or eats the machine's memory is an answer like any other: the process
is started again and the programs behind the culprit are sent anew. What is spoken with the process
is described in `oracle/compiling/worker.py`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType

import psutil

from oracle.compiling.answers import Answer, Diagnostic, Location, Outcome, Request, encode
from oracle.compiling.service import PROGRESS_BYTES
from oracle.compiling.worker_process import Lost, Sent, WorkerProcess, accept, bury

__all__ = [
    "Answer",
    "CompilerProcess",
    "CompilerUnavailable",
    "Diagnostic",
    "Location",
    "Outcome",
    "Request",
    "Restarts",
]

WORKER_SCRIPT = Path(__file__).with_name("worker.py")
_HELLO_SECONDS = 60.0
_POLL_SECONDS = 0.1
_STARVED_SECONDS = 120.0
"""So long by the clock, at least, may a process be kept from its core."""
_CLOSE_SECONDS = 2.0
# Requests under way are bounded so that they fit into the socket's buffer: a parent that blocks in
# sending while the worker blocks in replying would wait for ever.
_WINDOW_REQUESTS = 8
_WINDOW_BYTES = 32 << 10
_STDERR_LIMIT = 16 << 20


class CompilerUnavailable(Exception):  # noqa: N818 - it is a state of the machine, told to people
    """There is no compiler to ask; the message tells people why."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """How often a process was lost, by why."""

    crash: int = 0
    hang: int = 0
    memory: int = 0


class CompilerProcess:
    """A compiler to ask, in a process that is started at once and again after each loss.

    `interpreter` is a Python that can import `iree.compiler` (default: this one), `timeout` the
    seconds that a request may compute or sleep, `memory_limit` the bytes of resident memory the
    process may have, `flags` the compiler's own flags, which the process exits on when they are
    wrong, `environment` the process's environment variables (default: this process's). Raises
    `CompilerUnavailable`. Use it as a context manager, from one thread: on Linux the process also
    dies with the thread that started it.
    """

    def __init__(
        self,
        interpreter: Path | None = None,
        worker_script: Path | None = None,
        timeout: float = 10.0,
        memory_limit: int = 4 << 30,
        environment: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        self._command = [str(interpreter or sys.executable), str(worker_script or WORKER_SCRIPT)]
        self._flags = tuple(flags)
        self._timeout = timeout
        self._memory_limit = memory_limit
        self._environment = None if environment is None else dict(environment)
        self._asking = False
        self._closed = False
        self.restarts = Restarts()
        self.release: str | None = None
        """IREE's release, such as `3.13.0`; None for a build without package metadata."""
        self.revision: str | None = None
        """IREE's source revision, where the build tells it."""
        self._worker: WorkerProcess | None = self._start()

    def __enter__(self) -> CompilerProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process's id, None while there is none."""
        return None if self._worker is None else self._worker.process.pid

    def close(self) -> None:
        """Ends the process; harmless when done twice."""
        self._closed = True
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.connection.close()
        try:
            worker.process.wait(_CLOSE_SECONDS if not worker.under_way else 0)
        except subprocess.TimeoutExpired:
            worker.end()
        worker.release()

    def ask(self, requests: Sequence[Request]) -> Generator[Answer, None, None]:
        """An answer for each request, in order, as they come.

        Raises `CompilerUnavailable` when a lost process cannot be started again, RuntimeError when
        closed or when another call's answers have not all been taken. Answers that are not taken to
        the end cost a restart, which is not counted.
        """
        if self._closed or self._asking:
            raise RuntimeError("the compiler is closed" if self._closed else "ask() is under way")
        if self._worker is not None and self._worker.process.poll() is not None:
            # It was ended while nobody asked anything: no request is to blame.
            self._count(Outcome.CRASH)
            self._discard()
        self._asking = True
        try:
            yield from self._answers([encode(job, item) for job, item in enumerate(requests)])
        finally:
            self._asking = False
            if self._worker is not None and self._worker.under_way:
                self._discard()

    def _answers(self, messages: Sequence[bytes]) -> Iterator[Answer]:
        answered = sent = 0
        while answered < len(messages):
            if self._closed:
                raise RuntimeError("the compiler was closed while it was asked")
            if self._worker is None:
                self._worker, sent = self._start(), answered
            worker = self._worker
            try:
                sent = self._send(worker, messages, sent)
                answer = self._receive(worker)
                answered += 1
            except Lost as lost:
                remains = bury(worker, lost)
                self._count(lost.outcome)
                if not remains.survived:
                    self._discard()
                answered += len(remains.answers)
                yield from remains.answers
            else:
                if worker.next_look < time.monotonic() and self._outgrown(worker):
                    # The request that was just answered may be to blame, or any before it: none is.
                    self._count(Outcome.MEMORY)
                    self._discard()
                yield answer

    def _send(self, worker: WorkerProcess, messages: Sequence[bytes], sent: int) -> int:
        """Sends what the window has room for; returns the number of messages sent so far."""
        while sent < len(messages):
            size = len(messages[sent])
            in_flight = sum(item.size for item in worker.under_way)
            full = len(worker.under_way) >= _WINDOW_REQUESTS or in_flight + size > _WINDOW_BYTES
            if worker.under_way and full:
                break
            if not worker.under_way:
                worker.last_reply = time.monotonic()
            worker.under_way.append(Sent(sent, size))
            try:
                worker.connection.send_bytes(messages[sent])
            except BlockingIOError:
                raise Lost(Outcome.HANG) from None
            except OSError:
                raise Lost(Outcome.CRASH) from None
            sent += 1
        return sent

    def _receive(self, worker: WorkerProcess) -> Answer:
        """The next answer; `Lost` when there will be none.

        Time is what the process computes, so that a busy machine makes no hang. By the clock a
        process may take as much only when it sleeps.
        """
        started = time.monotonic()
        computed: tuple[int, float] | None = None
        try:
            while not worker.connection.poll(_POLL_SECONDS):
                if self._outgrown(worker):
                    raise Lost(Outcome.MEMORY)
                now = worker.computed()
                if computed is None or now[0] != computed[0]:
                    computed = now
                if now[1] - computed[1] > self._timeout:
                    raise Lost(Outcome.HANG, computing=True)
                limit = self._timeout
                if not worker.sleeps():
                    limit = max(limit, _STARVED_SECONDS)
                if time.monotonic() - started > limit:
                    raise Lost(Outcome.HANG)
            message = worker.connection.recv_bytes()
        except BlockingIOError:
            raise Lost(Outcome.HANG) from None
        except (EOFError, OSError):
            raise Lost(Outcome.CRASH) from None
        return accept(worker, message)

    def _outgrown(self, worker: WorkerProcess) -> bool:
        """Whether the process passed its memory limit; also cuts a long standard error."""
        worker.next_look = time.monotonic() + _POLL_SECONDS
        if os.fstat(worker.errors.fileno()).st_size > _STDERR_LIMIT:
            os.ftruncate(worker.errors.fileno(), 0)
        try:
            return int(worker.answering.memory_info().rss) > self._memory_limit
        except psutil.Error:
            return False  # It has ended, which the connection is about to tell.

    def _count(self, outcome: Outcome) -> None:
        old = self.restarts
        self.restarts = Restarts(
            crash=old.crash + (outcome is Outcome.CRASH),
            hang=old.hang + (outcome is Outcome.HANG),
            memory=old.memory + (outcome is Outcome.MEMORY),
        )

    def _discard(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()
            worker.release()

    def _start(self) -> WorkerProcess:
        with contextlib.ExitStack() as kept:
            errors = kept.enter_context(tempfile.TemporaryFile())
            # Appending, so that the parent may cut the file while the worker writes.
            fcntl.fcntl(errors, fcntl.F_SETFL, fcntl.fcntl(errors, fcntl.F_GETFL) | os.O_APPEND)
            near, far = socket.socketpair()
            kept.enter_context(near)
            # A worker that stops in the middle of a message must not stop the parent.
            limit = struct.pack("ll", int(self._timeout) + 1, 0)
            near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            near.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
            with far, tempfile.TemporaryFile() as progress_file:
                progress_file.truncate(PROGRESS_BYTES)
                progress = kept.enter_context(mmap.mmap(progress_file.fileno(), PROGRESS_BYTES))
                fds = (far.fileno(), progress_file.fileno())
                try:
                    process = subprocess.Popen(
                        [*self._command, *map(str, fds), *self._flags],
                        stdin=subprocess.DEVNULL,
                        stdout=errors,
                        stderr=errors,
                        pass_fds=fds,
                        env=self._environment,
                        start_new_session=True,
                    )
                except OSError as error:
                    text = f"cannot run {self._command[0]}: {error.strerror}"
                    raise CompilerUnavailable(text) from None
            kept.pop_all()
        worker = WorkerProcess(process, Connection(near.detach()), progress, errors)
        try:
            self._greet(worker)
        except BaseException:
            worker.end()
            worker.release()
            raise
        return worker

    def _greet(self, worker: WorkerProcess) -> None:
        """Takes the hello, or raises `CompilerUnavailable`."""
        try:
            if not worker.connection.poll(_HELLO_SECONDS):
                raise CompilerUnavailable(
                    f"{self._command[0]} did not start a compiler in {_HELLO_SECONDS:g} s"
                )
            hello = json.loads(worker.connection.recv_bytes())
        except (EOFError, OSError):
            code = worker.end()
            said = (worker.tail().strip().splitlines() or ["it said nothing"])[-1]
            raise CompilerUnavailable(
                f"{self._command[0]} cannot import iree.compiler (exit code {code}): {said}"
            ) from None
        self.release, self.revision = hello["release"], hello["revision"]
