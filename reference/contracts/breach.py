"""A promise that did not hold, in the contracts' own words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.ir import Operation

Origin = Callable[[str], str]
"""From an op's identity to the location that it comes from: passes copy ops with their locations,
so several ops of one program may have one origin."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One broken promise: of the op or region at `origin`.

    `shape` says what is wrong in words that hold for any program with the same cause; `message`
    says it of this program. `before` is whether it was broken before the pass that schedules; then
    `affinity` is what was lost, and `became` the kind of op that it was lost by becoming, None
    where all copies of the op lost it.
    """

    origin: str
    shape: tuple[str, ...]
    message: str
    before: bool = False
    affinity: AnyAffinity | None = None
    became: str | None = None


def places(operation: Operation, origin: Origin) -> tuple[str, ...]:
    """The locations that an op comes from: folding two ops into one joins theirs."""
    return tuple(origin(operation.identity).split("+"))


def said(operation: Operation, origin: Origin) -> str:
    """An op as messages name it."""
    return f"{origin(operation.identity)} ({operation.mnemonic})"
