"""`lying_worker.py` that changes the program itself behind the compiler's back.

``// plant: NAME`` asks for it. The text behind one pass is edited, and the passes that follow go on
from there: what they answer with is true of a program that is not the one asked about.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from lying_worker import LIES, Answerer, Lie, Reply, main

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.planted.edits import Edit, changed, replaced, swapped, without


def after(needle: str, edit: Edit, which: int = 0) -> Lie:
    """The first step that runs this pass leaves another program than it made: the edit is made at
    place number `which` of those where it can be."""

    def told(real: Answerer, request: Reply, note_step: Callable[[int], None]) -> Reply:
        steps = request["steps"]
        ran = (place for place, step in enumerate(steps) if step[0] == "run" and needle in step[1])
        cut = next(ran, None)
        if cut is None:
            return real(request, note_step)
        head = real({**request, "steps": [*steps[: cut + 1], ["print", True]]}, note_step)
        if head["failure"] is not None:
            return head
        *results, text = head["results"]
        edited = edit(text, which)
        assert edited not in (None, text), text
        rest = {**request, "text": edited, "steps": [["parse"], *steps[cut + 1 :]]}
        tail = real(rest, note_step)
        assert tail["failure"] is None, tail["failure"]
        return {**tail, "results": [*results, *tail["results"][1:]]}

    return told


_PLACED = "iree-stream-place-transfer-executions"
_SCHEDULED = "iree-stream-schedule-execution"

_FILL, _READER = "stream.async.fill", "@c_rr_n"
_OTHER_BYTES = changed(_FILL, "[%c0 to %c4 for %c4]", "[%c4 to %c8 for %c4]")

LIES.update(
    {
        "read-after-write": after(_PLACED, swapped(_READER, _FILL)),
        "no-copy-before-write": after(_PLACED, without("stream.async.clone")),
        "other-range": after(_PLACED, changed("stream.async.copy", "[%c0 to %c4]", "[%c4 to %c8]")),
        "other-bytes": after(_PLACED, _OTHER_BYTES),
        "other-kernel": after(_PLACED, changed("@a_wr_t", "@a_wr_t", "@b_wr_t")),
        "beyond-the-end": after(_PLACED, changed(_FILL, "%c4 for", "%c8 for")),
        "lost-wait": after(
            "iree-stream-propagate-timepoints", replaced(r"await\(%[\w#]+\) => ", ""), -1
        ),
        "region-not-ordered": after(_SCHEDULED, swapped(_READER, _FILL)),
        "canonical-otherwise": after("util.func(canonicalize)", _OTHER_BYTES),
    }
)

if __name__ == "__main__":
    main()
