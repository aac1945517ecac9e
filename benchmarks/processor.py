"""Processor time: what a busy machine does not change."""

from __future__ import annotations

import psutil


def processor_seconds() -> float:
    """Seconds of processor time of this process and its children so far, of dead ones too."""
    own = psutil.Process()
    times = own.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in own.children(recursive=True):
        try:
            used = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += used.user + used.system
    return total
