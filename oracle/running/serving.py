"""What the worker scripts of this folder have in common: how they are spoken with.

They run under the interpreter of the release under test, so this imports the standard library only.
The protocol is that of `oracle/compiling/worker.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.metadata
import json
import marshal
import mmap
import os
import platform
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

Message = dict[str, Any]
Perform = Callable[[list[Any]], Any]
Begin = Callable[[str], Perform]
"""From a request's text to what takes its steps, each a verb and its arguments."""

_IDLE = -1
_MARSHAL_VERSION = 4
_COLLECTED_AFTER = 100_000
_PR_SET_PDEATHSIG = 1


class StepError(Exception):
    """A step did not succeed: the kind of failure and its diagnostics."""

    def __init__(self, kind: str, diagnostics: list[Message]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.diagnostics = diagnostics


def message(text: str) -> Message:
    """A diagnostic that is nowhere in particular."""
    return {"severity": "error", "message": text, "location": None, "notes": []}


def serve(begin: Begin, distribution: str) -> None:
    """Answers requests until the peer closes, then ends the process.

    `distribution` is the package whose version is the release. The script's arguments are the
    socket and the file that the step under way is noted in.
    """
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # A process that hangs never reads the end of file that a dead parent leaves behind.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    connection = Connection(int(sys.argv[1]))
    progress = mmap.mmap(int(sys.argv[2]), 8)
    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(json.dumps(_hello(distribution)).encode())
        gc.freeze()
        gc.set_threshold(_COLLECTED_AFTER)
        while True:
            reply = _reply(begin, json.loads(connection.recv_bytes()), progress)
            struct.pack_into("<q", progress, 0, _IDLE)
            connection.send_bytes(reply)
    # Destructors of the bindings are not worth waiting for, nor to be trusted.
    os._exit(0)


def _hello(distribution: str) -> Message:
    release: str | None = None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        release = importlib.metadata.version(distribution)
    python = platform.python_version()
    return {"release": release, "revision": None, "python": python, "pid": os.getpid()}


def _reply(begin: Begin, request: Message, progress: mmap.mmap) -> bytes:
    results: list[Any] = []
    failure: Message | None = None
    started = time.perf_counter()
    try:
        perform = begin(request["text"])
        for index, step in enumerate(request["steps"]):
            struct.pack_into("<q", progress, 0, index)
            results.append(perform(step))
    except StepError as failed:
        failure = {"kind": failed.kind, "diagnostics": failed.diagnostics}
    except Exception:
        # Whatever the bindings raise is an answer; only a death is the parent's to notice.
        failure = {"kind": "internal", "diagnostics": [message(traceback.format_exc())]}
    if failure is not None:
        failure["step"] = len(results)
    seconds = time.perf_counter() - started
    told = {"job": request["job"], "results": results, "seconds": seconds, "failure": failure}
    try:
        return marshal.dumps(told, _MARSHAL_VERSION)
    except ValueError:
        # A result that no message can hold is a mistake of ours like any other.
        said = [message(traceback.format_exc())]
        failure = {"kind": "internal", "diagnostics": said, "step": 0}
        return marshal.dumps({**told, "results": [], "failure": failure}, _MARSHAL_VERSION)
