"""`lying_worker.py` that changes the program itself behind the compiler's back.

``// plant: NAME`` asks for it. The text behind one pass is edited, and the passes that follow go on
from there: what they answer with is true of a program that is not the one asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lying_worker import LIES, Answerer, Lie, Reply, main

Edit = Callable[[str], str]

_NAMES = re.compile(r"%[\w#:]+")


def _after(needle: str, edit: Edit) -> Lie:
    """The first step that runs this pass leaves another program than it made."""

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
        edited = edit(text)
        assert edited != text, text
        rest = {**request, "text": edited, "steps": [["parse"], *steps[cut + 1 :]]}
        tail = real(rest, note_step)
        assert tail["failure"] is None, tail["failure"]
        return {**tail, "results": [*results, *tail["results"]]}

    return told


def _line(text: str, needle: str) -> int:
    return next(place for place, line in enumerate(text.splitlines()) if needle in line)


def _swapped(first: str, second: str) -> Edit:
    """The first op with `second` in it stands before the first with `first`."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        there, here = _line(text, second), _line(text, first)
        lines.insert(here, lines.pop(there))
        return "\n".join(lines)

    return edit


def _without(needle: str) -> Edit:
    """The op is gone: its result is its first operand."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        gone = lines.pop(_line(text, needle))
        result, operand, *_ = _NAMES.findall(gone)
        return re.sub(rf"{re.escape(result)}\b", operand, "\n".join(lines))

    return edit


def _changed(needle: str, old: str, new: str) -> Edit:
    """One op says something else."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        place = _line(text, needle)
        lines[place] = lines[place].replace(old, new, 1)
        return "\n".join(lines)

    return edit


def _not_awaiting(text: str) -> str:
    """The last region that waits does not."""
    found = list(re.finditer(r"await\(%[\w#]+\) => ", text))
    return text[: found[-1].start()] + text[found[-1].end() :]


_PLACED = "iree-stream-place-transfer-executions"
_SCHEDULED = "iree-stream-schedule-execution"

_FILL, _READER = "stream.async.fill", "@c_rr_n"
_OTHER_BYTES = _changed(_FILL, "[%c0 to %c4 for %c4]", "[%c4 to %c8 for %c4]")

LIES.update(
    {
        "read-after-write": _after(_PLACED, _swapped(_READER, _FILL)),
        "no-copy-before-write": _after(_PLACED, _without("stream.async.clone")),
        "other-range": _after(
            _PLACED, _changed("stream.async.copy", "[%c0 to %c4]", "[%c4 to %c8]")
        ),
        "other-bytes": _after(_PLACED, _OTHER_BYTES),
        "other-kernel": _after(_PLACED, _changed("@a_wr_t", "@a_wr_t", "@b_wr_t")),
        "beyond-the-end": _after(_PLACED, _changed(_FILL, "%c4 for", "%c8 for")),
        "lost-wait": _after("iree-stream-propagate-timepoints", _not_awaiting),
        "region-not-ordered": _after(_SCHEDULED, _swapped(_READER, _FILL)),
        "canonical-otherwise": _after("util.func(canonicalize)", _OTHER_BYTES),
    }
)

if __name__ == "__main__":
    main()
