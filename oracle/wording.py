"""Words that several outputs share."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 program`, `2 programs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
