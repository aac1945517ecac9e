"""`oracle/running/runtime_worker.py` that misbehaves where a function's name asks for it."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

_REAL = Path(__file__).resolve().parents[2] / "oracle" / "running" / "runtime_worker.py"

SWAPPED, ENDLESS, DEAD, SILENT = "swapped", "endless", "dead", "silent"
RAISING, UNTOLD = "raising", "untold"
"""An exception, and a result that no message can hold: faults of the process itself."""

UNSIGNALED = "unsignaled"
"""Whose fences nobody reaches."""

HASTY, FAILING = "hasty", "failing"
"""Those that go wrong only where a device works beside the host."""


def main() -> None:
    """Serves as the real one does, but for these functions."""
    sys.path.insert(0, str(_REAL.parents[2]))
    spec = importlib.util.spec_from_file_location("runtime_worker", _REAL)
    assert spec is not None
    assert spec.loader is not None
    real = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(real)
    machine = real.Machine()

    def begin(text: str) -> Any:
        perform = machine.begin(text)

        def lying(step: list[Any]) -> Any:
            names = [name for name, _ in step[2]]
            if ENDLESS in names:
                time.sleep(600)
            if UNSIGNALED in names:
                step = [
                    *step[:2],
                    [[name, list(map(_unreached, given))] for name, given in step[2]],
                ]
            if DEAD in names:
                os.kill(os.getpid(), signal.SIGSEGV)
            if RAISING in names:
                raise KeyError("planted")
            told = perform(step)
            if UNTOLD in names:
                told[0][0] = object()
            beside = "local-task" in step[1]
            if FAILING in names and beside:
                raise real.StepError("run", [real.message("FAILED_PRECONDITION; too early")])
            if HASTY in names and beside:
                told[0][0], told[0][1] = told[0][1], told[0][0]
            if SWAPPED in names:
                told[0][0], told[0][1] = told[0][1], told[0][0]
            if SILENT in names:
                del told[0][-1]
            return told

        return lying

    real.serve(begin, "iree-base-runtime")


def _unreached(argument: dict[str, Any]) -> dict[str, Any]:
    return {"fence": 0} if "fence" in argument else argument


if __name__ == "__main__":
    main()
