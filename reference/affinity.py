"""The affinity algebra: where an op runs or a resource lives.

Rules from `DeviceAffinityAttr` in compiler/src/iree/compiler/Dialect/HAL/IR/HALAttrs.cpp and
`AffinityAttr` in compiler/src/iree/compiler/Dialect/Stream/IR/StreamTypes.cpp. An absent affinity
is None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ANY_QUEUE = -1
"""Queue mask of an affinity that names no queues."""

_PRINTED = re.compile(
    r"#hal\.device\.affinity<@(?P<device>[\w.$-]+)(?:, \[(?P<queues>[\d, ]*)\])?>"
)


@dataclass(frozen=True, slots=True)
class Affinity:
    """`#hal.device.affinity<@device, [queues]>`; `queues` is a bit mask, `ANY_QUEUE` for all."""

    device: str
    queues: int = ANY_QUEUE

    def __str__(self) -> str:
        if self.queues == ANY_QUEUE:
            return f"#hal.device.affinity<@{self.device}>"
        bits = ", ".join(str(bit) for bit in range(64) if self.queues >> bit & 1)
        return f"#hal.device.affinity<@{self.device}, [{bits}]>"


def parse_affinity(text: str) -> Affinity | None:
    """The affinity that MLIR prints as `text`; None for any other attribute.

    The bindings give no structure for HAL attributes, so their printed form is read.
    """
    match = _PRINTED.fullmatch(text)
    if match is None:
        return None
    if match["queues"] is None:
        return Affinity(match["device"])
    mask = 0
    for bit in match["queues"].split(","):
        mask |= 1 << int(bit)
    return Affinity(match["device"], mask)


def is_executable_with(left: Affinity, right: Affinity) -> bool:
    """Whether an op on `left` may run where `right` runs: the same device, and a subset of queues.

    Not symmetric: queue 0 is executable with all queues, not the other way round.
    """
    return left.device == right.device and left.queues & right.queues == left.queues


def can_execute_together(left: Affinity | None, right: Affinity | None) -> bool:
    """Whether two ops may share an execution region; an absent affinity goes with any."""
    if left is None or right is None or left == right:
        return True
    return is_executable_with(left, right)


def join_and(left: Affinity, right: Affinity | None) -> Affinity | None:
    """The affinity that satisfies both, None where there is none."""
    if right is None:
        return left
    if not can_execute_together(left, right):
        return None
    return Affinity(left.device, left.queues & right.queues)
