"""The devices that a program is run on: kinds and orders of them, each with every set of inputs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import product

from oracle.running.arming import Armed
from oracle.running.trial import Trial

DRIVERS = ("local-sync", "local-task")

_MIXES = 4
"""Kinds and orders of devices that a program is run on."""


def runs(armed: Armed, tried: Sequence[Trial]) -> Iterator[tuple[tuple[str, ...], Trial]]:
    """The devices and inputs that a program is run with, in order."""
    for drivers in mixes(len(armed.devices), armed.fast_text):
        for trial in tried:
            yield drivers, trial


def mixes(devices: int, text: str) -> tuple[tuple[str, ...], ...]:
    """Kinds and orders of so many devices: all where they are few, else one kind alone each and
    others that the program's text decides."""
    every = list(product(DRIVERS, repeat=devices))
    if len(every) <= _MIXES:
        return tuple(every)
    inner, mark = every[1:-1], zlib.crc32(text.encode())
    chosen = {mark % len(inner), (mark // len(inner)) % len(inner)}
    return (every[0], *(inner[place] for place in sorted(chosen)), every[-1])


def concurrent(drivers: Sequence[str]) -> bool:
    """Whether devices do their work beside the host. It went well, or another fault is told, where
    none did: such devices are tried first."""
    return any(driver != DRIVERS[0] for driver in drivers)
