"""`oracle/compiling/worker.py` that misbehaves where a program says so: ``// plant: segv``."""

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable

from lying_worker import real_worker

_PLANT = re.compile(r"// plant: (\w+)")
_CHUNK = 32 << 20


def _hang() -> None:
    while True:
        time.sleep(60)


def _compute() -> None:
    while True:
        pass


def _eat_memory() -> None:
    eaten = []
    while True:
        eaten.append(b"\xff" * _CHUNK)
        time.sleep(0.01)


def _exit() -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"about to leave\n")
    os._exit(7)


def _noise() -> None:
    os.write(1, b"noise on standard output\n" * 1000)


_FAULTS: dict[str, Callable[[], None]] = {
    "abort": os.abort,
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "hang": _hang,
    "compute": _compute,
    "memory": _eat_memory,
    "exit": _exit,
    "noise": _noise,
}


def main() -> None:
    """Serves as the real worker does, but for planted faults: at step 1 of the request."""
    worker = real_worker()
    real = worker.make_answerer()

    def answer(request: dict[str, object], note_step: Callable[[int], None]) -> object:
        plant = _PLANT.search(str(request["text"]))
        if plant is not None:
            note_step(1)
            _FAULTS[plant[1]]()
        return real(request, note_step)

    worker.serve(answer)


if __name__ == "__main__":
    main()
