"""`meddling_worker.py` for programs of the command level.

``// plant: NAME`` asks for an edit of the text behind one pass, as there.
"""

from __future__ import annotations

from lying_worker import LIES, Lie, main
from meddling_worker import after

from benchmarks.planted.edits import both, everywhere, host_not_waiting, replaced

_ALLOCATED = "iree-stream-schedule-allocation"


def _allocated(pattern: str, text: str, which: int = 0) -> Lie:
    return after(_ALLOCATED, replaced(pattern, text), which)


_NOT_AWAITING = replaced(r"(cmd\.execute .*)await\(%\w+\) => ", r"\1")

LIES.update(
    {
        "await-dropped": after(_ALLOCATED, _NOT_AWAITING, -1),
        "await-dropped-late": after("iree-stream-elide-timepoints", _NOT_AWAITING, -1),
        "await-dropped-by-counting": after(
            "iree-stream-automatic-reference-counting", _NOT_AWAITING, -1
        ),
        "producer-not-awaited": after(
            _ALLOCATED,
            both(
                everywhere(r"(resource\.alloca .*)await\(%\w+\) =>", r"\1:"),
                replaced(
                    r"max\(%\w+, (%result_timepoint_\w+, %result_timepoint_\w+)\)", r"max(\1)"
                ),
            ),
        ),
        "copy-shifted": _allocated(r"(cmd\.copy .*)\[%c0\w*\], %c16", r"\1[%c4], %c16"),
        "another-kernel": _allocated(r"@ex::@c_r_n", "@ex::@d_r_n"),
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
        "host-not-waiting": after(_ALLOCATED, host_not_waiting),
        "caller-not-told": after(_ALLOCATED, host_not_waiting, -1),
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
