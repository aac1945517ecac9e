"""How the worker scripts of this folder are spoken with: a request begins with a text.

They run under the interpreter of the release under test, so this imports the standard library and
`oracle/compiling/service.py` only. The protocol is that of `oracle/compiling/worker.py`.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import time
from collections.abc import Callable
from typing import Any

from oracle.compiling import service
from oracle.compiling.service import JsonObject, NoteStep, failure

Perform = Callable[[list[Any]], Any]
Begin = Callable[[str], Perform]
"""From a request's text to what takes its steps, each a verb and its arguments."""


def serve(begin: Begin, distribution: str) -> None:
    """Answers requests until the peer closes, then ends the process.

    `distribution` is the package whose version is the release.
    """

    def answer(request: dict[str, Any], note_step: NoteStep) -> JsonObject:
        results: list[Any] = []
        failed: JsonObject | None = None
        started = time.perf_counter()
        try:
            perform = begin(request["text"])
            for index, step in enumerate(request["steps"]):
                note_step(index)
                results.append(perform(step))
        except Exception as error:
            failed = failure(error, step=len(results))
        seconds = time.perf_counter() - started
        return {"job": request["job"], "results": results, "seconds": seconds, "failure": failed}

    service.serve(_hello(distribution), answer)


def _hello(distribution: str) -> JsonObject:
    release: str | None = None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        release = importlib.metadata.version(distribution)
    python = platform.python_version()
    return {"release": release, "revision": None, "python": python, "pid": os.getpid()}
