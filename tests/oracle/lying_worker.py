"""`oracle/compiling/worker.py` with replies edited where a program asks for it: ``// plant: NAME``.

The compiler behind it is the real one, so each lie is a fault that only the checks can notice and
that the stock tools do not confirm.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = Any
Reply = dict[str, Json]
Answerer = Callable[[Reply, Callable[[int], None]], Reply]
Lie = Callable[[Answerer, Reply, Callable[[int], None]], Reply]

OTHER_DEVICE = "#hal.device.affinity<@elsewhere>"
REFUSAL = "'stream.async.transfer' op does not please %7 of @main"
SECOND_PRINT = "  stream.async.second_print\n"
_PLANT = re.compile(r"// plant: ([\w-]+)")
_FIRST = re.compile(r"// first: (\S+)")
_PLACEMENT = "iree-stream-place-transfer-executions"
_asked: Counter[str] = Counter()


def _skip_placement(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """The placement pass does nothing."""
    steps = [["verify"] if _PLACEMENT in str(step) else step for step in request["steps"]]
    return real({**request, "steps": steps}, note_step)


def _wrong_device(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """The last transfer executes on a device that nobody named."""
    reply = real(request, note_step)
    found = reply["results"][-1]
    if isinstance(found, list):
        found[-1]["attributes"]["execution_affinity"] = {"text": OTHER_DEVICE}
    return reply


def _drift(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """A module printed a second time has an op more."""
    reply = real(request, note_step)
    texts = [place for place, result in enumerate(reply["results"]) if isinstance(result, str)]
    for place in texts[1:]:
        reply["results"][place] += SECOND_PRINT
    return reply


def _unstable(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """Every other answer's last text has a line more."""
    reply = real(request, note_step)
    _asked["unstable"] += 1
    if _asked["unstable"] % 2 == 0:
        reply["results"][-1] += "  stream.async.unstable\n"
    return reply


def _unstable_digest(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """Every other answer's first digest is another."""
    reply = real(request, note_step)
    _asked["unstable-digest"] += 1
    digests = [place for place, step in enumerate(request["steps"]) if step[0] == "digest"]
    if _asked["unstable-digest"] % 2 == 0 and digests:
        reply["results"][digests[0]] = "0" * 64
    return reply


def _other_process(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """Only the process that comes first tells the truth."""
    reply = real(request, note_step)
    first = _FIRST.search(request["text"])
    assert first is not None
    file = Path(first[1])
    if not file.exists():
        file.write_text(str(os.getpid()))
    if file.read_text() != str(os.getpid()):
        reply["results"][-1] += "  stream.async.elsewhere\n"
    return reply


def _roundtrip(lie: Reply, ordinal: int) -> Lie:
    """The round trip of that ordinal ends in `lie`."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        trips = [place for place, step in enumerate(request["steps"]) if step[0] == "roundtrip"]
        if trips:
            reply["results"][trips[ordinal]] = lie
        return reply

    return told


def _refuse(needle: str) -> Lie:
    """The first step that runs this pass fails."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        reply = real(request, note_step)
        for place, step in enumerate(request["steps"]):
            if step[0] == "run" and needle in str(step):
                note: Json = {
                    "severity": "error",
                    "message": REFUSAL,
                    "location": None,
                    "notes": [],
                }
                failure: Json = {"step": place, "kind": "pass", "diagnostics": [note]}
                return {**reply, "results": reply["results"][:place], "failure": failure}
        return reply

    return told


def _abort(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
    """The process dies in the last step."""
    note_step(len(request["steps"]) - 1)
    os.abort()


_UNREADABLE: Json = [{"severity": "error", "message": "unknown op 'x'", "location": None}]

LIES: dict[str, Lie] = {
    "skip-placement": _skip_placement,
    "wrong-device": _wrong_device,
    "drift": _drift,
    "unstable": _unstable,
    "unstable-digest": _unstable_digest,
    "other-process": _other_process,
    "reads-back-otherwise": _roundtrip({"before": "module {}", "after": "module { }"}, 3),
    "input-reads-back-otherwise": _roundtrip({"before": "module {}", "after": "module { }"}, 0),
    "does-not-read-back": _roundtrip({"before": "module {}", "diagnostics": _UNREADABLE}, -1),
    "refuse-scheduling": _refuse("iree-stream-schedule-execution"),
    "refuse-placement": _refuse(_PLACEMENT),
    "refuse-canonicalize": _refuse("util.func(canonicalize)"),
    "refuse-input": _refuse("iree-stream-verify-async-access-ranges"),
    "abort": _abort,
}


def real_worker() -> Any:
    """The module `oracle/compiling/worker.py`, for an interpreter that need not know of it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    return importlib.import_module("oracle.compiling.worker")


def main() -> None:
    """Serves as the real worker does, but for planted lies."""
    worker = real_worker()
    real: Answerer = worker.make_answerer()

    def answer(request: Reply, note_step: Callable[[int], None]) -> Reply:
        plant = _PLANT.search(str(request["text"]))
        return (
            real(request, note_step) if plant is None else LIES[plant[1]](real, request, note_step)
        )

    worker.serve(answer)


if __name__ == "__main__":
    main()
