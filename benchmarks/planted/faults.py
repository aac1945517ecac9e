"""The faults: what is edited behind which pass, and which checks have to notice."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.planted.edits import (
    Edit,
    host_not_waiting,
    moved_up,
    replaced,
    shifted,
    swapped_operands,
    without,
)

COPY_ON_WRITE = "iree-stream-materialize-copy-on-write"
EMPLACED = "iree-stream-emplace-allocations"
REFINED = "iree-stream-refine-usage"
PLACED = "iree-stream-place-transfer-executions"
SCHEDULED = "iree-stream-schedule-execution"
WAVES = "iree-stream-schedule-concurrency"
PROPAGATED = "iree-stream-propagate-timepoints"
ALLOCATED = "iree-stream-schedule-allocation"
ELIDED = "iree-stream-elide-timepoints"
COUNTED = "iree-stream-automatic-reference-counting"


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """An edit behind the first step whose pipeline has `behind`; one of `checks` has to notice."""

    name: str
    behind: str
    edit: Edit
    checks: tuple[str, ...]


def _value(name: str, behind: str, edit: Edit) -> PlantedFault:
    return PlantedFault(name, behind, edit, ("value",))


def _hazard(name: str, behind: str, edit: Edit, *others: str) -> PlantedFault:
    return PlantedFault(name, behind, edit, ("hazard", *others))


def _access(name: str, behind: str, edit: Edit) -> PlantedFault:
    return PlantedFault(name, behind, edit, ("access",))


_KERNEL = replaced(r"@ex::@a_", "@ex::@b_")
_NOT_AWAITING = replaced(r"(cmd\.execute .*?)await\(%[\w#]+\) => ", r"\1")
_TWO = r"\((%[\w#]+)(?:\[[^\]]*\])?, (%[\w#]+)(?:\[[^\]]*\])?"
_DEVICE = r"#hal\.device\.affinity<@dev_a>"
_OTHER = "#hal.device.affinity<@dev_b>"

FAULTS: tuple[PlantedFault, ...] = (
    # What ops compute.
    _value(
        "another-pattern-filled",
        PLACED,
        replaced(r"(arith\.constant) -?[1-9]\d* : i8", r"\1 77 : i8"),
    ),
    _value(
        "another-word-filled",
        PLACED,
        replaced(r"(arith\.constant) -?[1-9]\d* : i32", r"\1 77 : i32"),
    ),
    _value("another-kernel", PLACED, _KERNEL),
    _value("another-kernel-early", COPY_ON_WRITE, _KERNEL),
    _value("another-kernel-late", SCHEDULED, _KERNEL),
    _value("kernel-operands-swapped", PLACED, swapped_operands("stream.async.dispatch", _TWO)),
    _value(
        "kernel-reads-less",
        PLACED,
        replaced(r"(async\.dispatch .*?\[%c0) to %c16 for %c16", r"\1 to %c4 for %c4"),
    ),
    _value("kernel-reads-elsewhere", PLACED, shifted("stream.async.dispatch")),
    _value("fill-shifted", PLACED, shifted("stream.async.fill")),
    _value("fill-left-out", PLACED, without("stream.async.fill", 1)),
    _value("copy-reads-elsewhere", PLACED, shifted("stream.async.copy")),
    _value("copy-left-out", PLACED, without("stream.async.copy", 3)),
    _value("update-left-out", PLACED, without("stream.async.update", 1)),
    _value("slice-shifted", PLACED, shifted("stream.async.slice")),
    _value("clone-before-a-write-left-out", PLACED, without("stream.async.clone")),
    _value("clone-before-a-write-left-out-late", WAVES, without("stream.async.clone")),
    _value("write-before-a-read", PLACED, moved_up("stream.async.fill")),
    _value("kernel-in-place-before-a-read", PLACED, moved_up("_t[")),
    _value(
        "results-swapped", PLACED, swapped_operands("util.return", r"return (%[\w#]+), (%[\w#]+)")
    ),
    _value(
        "results-swapped-in-the-end",
        ALLOCATED,
        swapped_operands("util.return", r"return (%[\w#]+), (%[\w#]+)"),
    ),
    _value(
        "region-hands-on-swapped",
        SCHEDULED,
        swapped_operands("stream.yield", r"yield (%[\w#]+), (%[\w#]+)"),
    ),
    _value("another-place-loaded", PLACED, shifted("stream.async.load")),
    _value(
        "constant-of-other-bytes",
        PLACED,
        replaced(r"(async\.constant .*dense<\[*)-?\d+", r"\g<1>3"),
    ),
    # What commands do.
    _value("command-fills-elsewhere", ALLOCATED, shifted("stream.cmd.fill")),
    _value("command-kernel", ALLOCATED, _KERNEL),
    _value("command-copy-reads-elsewhere", ALLOCATED, shifted("stream.cmd.copy")),
    # Order, life and coherence of memory.
    _hazard("await-left-out", ALLOCATED, _NOT_AWAITING),
    _hazard("await-left-out-by-elision", ELIDED, _NOT_AWAITING),
    _hazard("await-left-out-by-counting", COUNTED, _NOT_AWAITING),
    _hazard(
        "join-left-out", ALLOCATED, replaced(r"join max\((%[\w#]+), %[\w#]+\)", r"join max(\1)")
    ),
    _hazard(
        "region-order-lost",
        PROPAGATED,
        replaced(r"(async\.execute .*?)await\(%[\w#]+\) => ", r"\1"),
        "value",
    ),
    _hazard("host-does-not-wait", ALLOCATED, host_not_waiting),
    _hazard("copy-shortened", ALLOCATED, replaced(r"(cmd\.copy .*), %c16 ", r"\1, %c4 "), "value"),
    _hazard(
        "copy-out-of-bounds",
        ALLOCATED,
        replaced(r"(cmd\.copy %\w+)\[%c0\w*\](, %\w+\[\S+\]), %c16 ", r"\1[%c4]\2, %c16 "),
    ),
    _hazard(
        "fill-left-out-of-commands", ALLOCATED, replaced(r" *stream\.cmd\.fill .*\n", ""), "value"
    ),
    _hazard(
        "copy-left-out-of-commands", ALLOCATED, replaced(r" *stream\.cmd\.copy .*\n", ""), "value"
    ),
    _hazard("flush-left-out", ALLOCATED, replaced(r" *stream\.cmd\.flush to.*\n", "")),
    _hazard("invalidate-left-out", ALLOCATED, replaced(r" *stream\.cmd\.invalidate .*\n", "")),
    _hazard(
        "deallocation-does-not-wait",
        ALLOCATED,
        replaced(r"(resource\.dealloca .*?)await\(%[\w#]+\) => ", r"\1"),
    ),
    _hazard(
        "deallocation-before-the-last-use",
        ALLOCATED,
        replaced(
            r"( *%\w+ = stream\.cmd\.execute (?:.*\n)*?    \}.*\n)"
            r"( *%\w+ = stream\.resource\.dealloca .*?)await\(%\w+\) => (.*\n)",
            r"\2\3\1",
        ),
    ),
    _hazard(
        "freed-twice",
        ALLOCATED,
        replaced(r"( *)(%\w+)( = stream\.resource\.dealloca .*\n)", r"\1\2\3\1%again\3"),
    ),
    _hazard("slices-share-bytes", ALLOCATED, replaced(r"\[1, (\d+)\] = ", r"[2, \1] = "), "value"),
    _hazard(
        "writes-at-once",
        ALLOCATED,
        replaced(
            r"( *stream\.cmd\.(?:fill|copy) .*\n *stream\.cmd\.dispatch (?:.*\n)*?      \}.*\n)",
            "stream.cmd.concurrent {\n\\1}\n",
        ),
    ),
    _hazard(
        "writes-at-once-by-scheduling",
        ALLOCATED,
        replaced(
            r"( *stream\.cmd\.(?:fill|copy) .*\n *stream\.cmd\.(?:fill|copy) .*\n)",
            "stream.cmd.concurrent {\n\\1}\n",
        ),
    ),
    _hazard(
        "copy-over-a-constant",
        ALLOCATED,
        replaced(
            r"(cmd\.copy )(%\w+\[[^\]]*\]), (%\w+\[[^\]]*\])(, \S+ : )"
            r"(!stream\.resource<constant>\{[^}]*\}) -> (\S+)",
            r"\1\3, \2\4\6 -> \5",
        ),
    ),
    # Which device touches what.
    _access(
        "memory-for-one-device-only",
        ALLOCATED,
        replaced(
            rf"(alloca uninitialized on\()#hal\.device\.optimal<\[({_DEVICE}), .*?\]>", r"\1\2"
        ),
    ),
    _access(
        "memory-of-another-device",
        ALLOCATED,
        replaced(rf"(alloca uninitialized on\(){_DEVICE}", rf"\1{_OTHER}"),
    ),
    _access(
        "region-on-another-device",
        ALLOCATED,
        replaced(rf"(cmd\.execute on\(){_DEVICE}", rf"\1{_OTHER}"),
    ),
    _access(
        "region-on-no-device",
        ALLOCATED,
        replaced(r"(cmd\.execute )on\(#hal\.device\.affinity<@dev_\w>\) ", r"\1"),
    ),
    _access(
        "region-on-another-device-early",
        SCHEDULED,
        replaced(rf"(async\.execute on\(){_DEVICE}", rf"\1{_OTHER}"),
    ),
    _access(
        "memory-of-no-pin",
        ELIDED,
        replaced(rf"(alloca uninitialized on\(){_DEVICE}(\) .*<external>)", rf"\1{_OTHER}\2"),
    ),
)
