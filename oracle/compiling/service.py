"""What every worker process does alike: it answers requests on a socket and ends with its parent.

Worker scripts run under the interpreter of the release under test, so this and what it imports
need the standard library only. The protocol is described in `oracle/compiling/worker.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import itertools
import json
import marshal
import mmap
import os
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

from oracle.compiling.answers import Json

JsonObject: TypeAlias = dict[str, Json]
NoteStep: TypeAlias = Callable[[int], None]
"""Notes the step under way."""
Answerer: TypeAlias = Callable[[JsonObject, NoteStep], JsonObject]
"""From a request to the reply."""
WhenWarm: TypeAlias = Callable[[Connection, mmap.mmap], None]
"""Given the socket, and the file in which the step under way is noted."""

IDLE = -1
"""Noted as the step when none is under way."""
PROGRESS_BYTES = 16
"""Of the file in which a process notes the step under way, and who answers."""
ANSWERING = 8
"""The place in it of the process that answers."""
MARSHAL_VERSION = 4
"""Written and read by every Python since 3.4."""
# Of the requests that make a process warm: then all passes that are asked for have been made.
WARM_AFTER = 64
# Objects made before the collector looks for garbage: a reply is thousands of them, and no cycle.
_COLLECTED_AFTER = 100_000
_PR_SET_PDEATHSIG = 1


class StepError(Exception):
    """A step did not succeed: the kind of failure and its diagnostics."""

    def __init__(self, kind: str, diagnostics: Sequence[Json]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.diagnostics = list(diagnostics)


def message(text: str) -> JsonObject:
    """A diagnostic that is nowhere in particular."""
    return {"severity": "error", "message": text, "location": None, "notes": []}


def failure(error: Exception, step: int) -> JsonObject:
    """What is told of the error, just caught, that `step` ended in."""
    if isinstance(error, StepError):
        return {"kind": error.kind, "diagnostics": error.diagnostics, "step": step}
    # Whatever the bindings raise is an answer; only a death is the parent's to notice.
    return {"kind": "internal", "diagnostics": [message(traceback.format_exc())], "step": step}


def die_with_parent() -> None:
    """A process that hangs never reads the end of file that a dead parent leaves behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def serve(hello: JsonObject, answer: Answerer, when_warm: WhenWarm | None = None) -> None:
    """Answers requests until the peer closes, then ends the process.

    The script's arguments are the socket and the file that the step under way is noted in.
    `when_warm` is called once, between two requests.
    """
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    connection = Connection(int(sys.argv[1]))
    progress = mmap.mmap(int(sys.argv[2]) if len(sys.argv) > 2 else -1, PROGRESS_BYTES)

    def note_step(index: int) -> None:
        struct.pack_into("<q", progress, 0, index)

    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(json.dumps(hello).encode())
        gc.freeze()
        gc.set_threshold(_COLLECTED_AFTER)
        for number in itertools.count(1):
            reply = answer(json.loads(connection.recv_bytes()), note_step)
            note_step(IDLE)
            connection.send_bytes(_encoded(reply))
            if number == WARM_AFTER and when_warm is not None:
                when_warm(connection, progress)
    # Destructors of the bindings are not worth waiting for, nor to be trusted.
    os._exit(0)


def _encoded(reply: JsonObject) -> bytes:
    try:
        return marshal.dumps(reply, MARSHAL_VERSION)
    except ValueError as error:
        # A result that no message can hold is a mistake of ours like any other.
        told: JsonObject = {**reply, "results": [], "failure": failure(error, step=0)}
        return marshal.dumps(told, MARSHAL_VERSION)
