"""What is wrong with a program, in words for people."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reference.ir import Function, Operation


class Level(enum.Enum):
    """How far a program can be trusted to accuse a compiler."""

    VALID = "valid"
    WELL_FORMED = "well-formed"


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule: the op and function it shows at, if any, and the level that it costs."""

    identity: str | None
    function: str | None
    rule: str
    message: str
    level: Level

    def __str__(self) -> str:
        place = f"@{self.function}: " if self.function else ""
        return f"{place}{self.message} [{self.rule}]"


Rule = Callable[[Function], Iterator[tuple[str | None, str]]]
"""Yields (identity, message) for each breach; its name, with hyphens, is the rule's."""


def where(op: Operation) -> str:
    """An op as messages name it: `op17 (stream.async.clone)`."""
    return f"{op.identity} ({op.mnemonic})"
