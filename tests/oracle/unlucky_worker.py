"""`oracle/compiling/worker.py` that dies, hangs or grows on some programs, by a hash of their text.

The folder in `CROSSCURRENT_UNLUCKY` remembers what happened across processes: programs that fail
only the first time they are seen, and programs that were asked about before they were on disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lying_worker import real_worker

FOLDER = "CROSSCURRENT_UNLUCKY"
IN_FLIGHT = "CROSSCURRENT_UNLUCKY_IN_FLIGHT"
Kind = Literal["abort", "segv", "kill", "hang", "memory"]
KINDS: tuple[Kind, ...] = ("abort", "segv", "kill", "hang", "memory")
_ONE_IN = 11
_CHUNK = 64 << 20


class Fate(NamedTuple):
    """How a program misbehaves, and whether it does so every time or only the first."""

    kind: Kind
    always: bool


def fate(text: str) -> Fate | None:
    """What happens when this program is asked about; None for most."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    if number % _ONE_IN:
        return None
    return Fate(KINDS[number // _ONE_IN % len(KINDS)], number // _ONE_IN // len(KINDS) % 2 == 0)


def _first_time(folder: Path, text: str) -> bool:
    mark = folder / f"seen-{hashlib.sha256(text.encode()).hexdigest()}"
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _note_if_not_on_disk(folder: Path, text: str) -> None:
    in_flight = os.environ.get(IN_FLIGHT)
    if in_flight is None:
        return
    for file in Path(in_flight).rglob("*.json"):
        if text in json.loads(file.read_text())["programs"].values():
            (folder / "on-disk").touch()
            return
    (folder / "not-on-disk").write_text(text)


def _misbehave(kind: Kind) -> None:
    if kind == "abort":
        os.abort()
    elif kind == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    eaten = []
    while True:
        if kind == "memory":
            eaten.append(b"\xff" * _CHUNK)
        time.sleep(0.01)


def main() -> None:
    """Serves as the real worker does, but for programs with a fate."""
    worker = real_worker()
    real = worker.make_answerer()
    folder = Path(os.environ[FOLDER])

    def answer(request: dict[str, Any], note_step: Callable[[int], None]) -> object:
        text = str(request["text"])
        ahead = fate(text)
        # Stock tools' output is read back through the worker too: only what is asked to run a pass
        # is a program of the campaign.
        if any(step[0] == "run" for step in request["steps"]):
            _note_if_not_on_disk(folder, text)
            if ahead is not None and (_first_time(folder, text) or ahead.always):
                note_step(1)
                _misbehave(ahead.kind)
        return real(request, note_step)

    worker.serve(answer)


if __name__ == "__main__":
    main()
