"""`oracle/compiling/worker.py` that raises on some programs, by a hash of their text."""

from __future__ import annotations

import zlib
from typing import Any

from lying_worker import real_worker

_ONE_IN = 9


def raises(text: str) -> bool:
    """Whether the worker raises when it runs a pass over this program."""
    return zlib.crc32(text.encode()) % _ONE_IN == 0


def main() -> None:
    """Serves as the real worker does, but for these programs."""
    worker = real_worker()
    perform = worker.Session.perform

    def raising(session: Any, verb: str, arguments: Any) -> object:
        if verb == "run" and raises(session.text):
            raise LookupError(f"no {len(session.text)} planted")
        return perform(session, verb, arguments)

    worker.Session.perform = raising
    worker.serve(worker.make_answerer())


if __name__ == "__main__":
    main()
