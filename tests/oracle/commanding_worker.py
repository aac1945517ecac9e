"""`meddling_worker.py` for programs of the command level.

``// plant: NAME`` asks for an edit of the text behind one pass, as there.
"""

from __future__ import annotations

import re

from lying_worker import LIES, Lie, main
from meddling_worker import Edit, _after

_ALLOCATED = "iree-stream-schedule-allocation"


def _replaced(pattern: str, text: str, which: int = 0) -> Edit:
    """Match number `which` of a pattern is replaced; `text` may name its groups."""

    def edit(before: str) -> str:
        found = list(re.finditer(pattern, before))[which]
        return before[: found.start()] + found.expand(text) + before[found.end() :]

    return edit


def _both(first: Edit, second: Edit) -> Edit:
    return lambda text: second(first(text))


def _everywhere(pattern: str, text: str) -> Edit:
    """Every match of a pattern is replaced."""
    return lambda before: re.sub(pattern, text, before)


def _not_waiting(which: int) -> Edit:
    """The host does not wait: what it waited for is taken as it is."""

    def edit(text: str) -> str:
        found = list(re.finditer(r" *(%\w+) = stream\.timepoint\.await %\w+ => (%\w+) .*\n", text))
        gone = found[which]
        rest = re.sub(rf"{gone[1]}\b", gone[2], text[gone.end() :])
        return text[: gone.start()] + rest

    return edit


def _allocated(pattern: str, text: str, which: int = 0) -> Lie:
    return _after(_ALLOCATED, _replaced(pattern, text, which))


_NOT_AWAITING = _replaced(r"(cmd\.execute .*)await\(%\w+\) => ", r"\1", -1)

LIES.update(
    {
        "await-dropped": _after(_ALLOCATED, _NOT_AWAITING),
        "await-dropped-late": _after("iree-stream-elide-timepoints", _NOT_AWAITING),
        "await-dropped-by-counting": _after(
            "iree-stream-automatic-reference-counting", _NOT_AWAITING
        ),
        "producer-not-awaited": _after(
            _ALLOCATED,
            _both(
                _everywhere(r"(resource\.alloca .*)await\(%\w+\) =>", r"\1:"),
                _replaced(
                    r"max\(%\w+, (%result_timepoint_\w+, %result_timepoint_\w+)\)", r"max(\1)"
                ),
            ),
        ),
        "copy-shifted": _allocated(r"(cmd\.copy .*)\[%c0\w*\], %c16", r"\1[%c4], %c16"),
        "copy-shortened": _allocated(r"(cmd\.copy .*), %c16", r"\1, %c4"),
        "flush-removed": _allocated(r" *stream\.cmd\.flush to.*\n", ""),
        "host-flush-removed": _allocated(r" *stream\.cmd\.flush %.*\n", ""),
        "invalidate-removed": _allocated(r" *stream\.cmd\.invalidate .*\n", ""),
        "dealloca-not-waiting": _allocated(r"(resource\.dealloca .*)await\(%\w+\) => ", r"\1"),
        "dealloca-moved-up": _allocated(
            r"( *%\w+ = stream\.cmd\.execute (?:.*\n)*?    \}.*\n)"
            r"( *%\w+ = stream\.resource\.dealloca .*)await\(%\w+\) => (.*\n)",
            r"\2\3\1",
        ),
        "dealloca-twice": _allocated(
            r"( *)(%\w+)( = stream\.resource\.dealloca .*\n)", r"\1\2\3\1%again\3"
        ),
        "write-in-a-wave": _allocated(
            r"( *stream\.cmd\.fill .*\n *stream\.cmd\.dispatch (?:.*\n)*?      \}.*\n)",
            "stream.cmd.concurrent {\n\\1}\n",
        ),
        "host-not-waiting": _after(_ALLOCATED, _not_waiting(0)),
        "caller-not-told": _after(_ALLOCATED, _not_waiting(-1)),
        "slices-share": _allocated(r"\[1, 2\] = %c16", "[2, 2] = %c16"),
        "read-moved-up": _allocated(
            r"( *stream\.cmd\.dispatch @ex::@a_r_n (?:.*\n)*?      \}.*\n)"
            r"( *stream\.cmd\.dispatch @ex::@b_rr_n (?:.*\n)*?      \}.*\n)",
            r"\2\1",
        ),
        "memory-narrowed": _allocated(
            r"#hal\.device\.optimal<\[(#hal\.device\.affinity<@dev_a>), .*?\]>", r"\1"
        ),
        "region-moved": _allocated(
            r"(cmd\.execute on\(#hal\.device\.affinity<)@dev_b", r"\1@dev_a"
        ),
        "region-off-the-pin": _allocated(
            r"(cmd\.execute on\(#hal\.device\.affinity<)@dev_a", r"\1@dev_b", -1
        ),
        "region-unplaced": _allocated(r"(cmd\.execute )on\(.*?>\) ", r"\1"),
    }
)

if __name__ == "__main__":
    main()
