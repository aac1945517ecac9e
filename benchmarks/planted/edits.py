"""Edits of a module's text that make it another program.

An edit is given the text that a pass left and a number that chooses among the places where it can
be made. It returns the edited text, None where there is no such place. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Edit = Callable[[str, int], str | None]

_OPERATION = re.compile(r" *(?:%[\w:]+(?:, %[\w:]+)* = )?[\w.]+ .*")
_RANGE = re.compile(r"\[%c(?P<start>\d+)(?:_\d+)?(?: to %c(?P<end>\d+)(?:_\d+)?)?(?=\]| for)")
_NAMES = re.compile(r"%[\w#]+")
_TIED = re.compile(r"(%[\w#]+)(?=\{| as )")
"""A result that is written over an operand, as what is behind an op's arrow names it."""


def replaced(pattern: str, text: str) -> Edit:
    """A match of a pattern is replaced; `text` may name its groups."""

    def edit(before: str, choice: int) -> str | None:
        found = list(re.finditer(pattern, before))
        if not found:
            return None
        match = found[choice % len(found)]
        return before[: match.start()] + match.expand(text) + before[match.end() :]

    return edit


def everywhere(pattern: str, text: str) -> Edit:
    """Every match of a pattern is replaced."""

    def edit(before: str, choice: int) -> str | None:
        after = re.sub(pattern, text, before)
        return None if after == before else after

    return edit


def both(first: Edit, second: Edit) -> Edit:
    """One edit, then another on what it left."""

    def edit(before: str, choice: int) -> str | None:
        between = first(before, choice)
        return None if between is None else second(between, choice)

    return edit


def without(needle: str, operand: int = 0) -> Edit:
    """An op is gone: its result is one of its operands."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        places = [place for place, line in enumerate(lines) if needle in line and " = " in line]
        if not places:
            return None
        gone = lines.pop(places[choice % len(places)])
        result, *operands = _NAMES.findall(gone)
        if operand >= len(operands):
            return None
        return re.sub(rf"{re.escape(result)}\b(?![#:])", operands[operand], "\n".join(lines))

    return edit


def swapped(first: str, second: str) -> Edit:
    """The first op with `second` in it stands before the first with `first`."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        places = [
            next((n for n, line in enumerate(lines) if one in line), None)
            for one in (first, second)
        ]
        if None in places:
            return None
        here, there = places
        assert here is not None
        assert there is not None
        lines.insert(here, lines.pop(there))
        return "\n".join(lines)

    return edit


def changed(needle: str, old: str, new: str) -> Edit:
    """One op says something else."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        for place in _chosen([n for n, line in enumerate(lines) if needle in line], choice):
            if old in lines[place]:
                lines[place] = lines[place].replace(old, new, 1)
                return "\n".join(lines)
        return None

    return edit


def moved_up(needle: str) -> Edit:
    """An op that writes in place stands before the op in front of it that reads the same value."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        for place in _chosen([n for n, line in enumerate(lines) if needle in line], choice):
            mine = _NAMES.findall(lines[place].partition(" = ")[2] or lines[place])
            written = set(_TIED.findall(lines[place].rpartition(" -> ")[2]))
            for earlier in range(place - 1, 0, -1):
                line = lines[earlier]
                if not _OPERATION.match(line) or line.rstrip().endswith("{"):
                    break
                made, _, takes = line.partition(" = ")
                if set(_NAMES.findall(made if takes else "")) & set(mine):
                    break
                if set(_NAMES.findall(takes)) & written and "stream.async" in line:
                    lines.insert(earlier, lines.pop(place))
                    return "\n".join(lines)
        return None

    return edit


def shifted(needle: str) -> Edit:
    """A range `[%c8 to %c12` or an offset `[%c8]` or `[%c8 for` of an op begins 4 bytes earlier, or
    4 bytes later where it begins at 0."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        for place in _chosen([n for n, line in enumerate(lines) if needle in line], choice):
            match = _RANGE.search(lines[place])
            if match is None:
                continue
            start, end = int(match["start"]), match["end"]
            by = -4 if start >= 4 else 4
            indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
            made = [f"{indent}%planted_start = arith.constant {start + by} : index"]
            told = "[%planted_start"
            if end is not None:
                made.append(f"{indent}%planted_end = arith.constant {int(end) + by} : index")
                told += " to %planted_end"
            line = lines[place]
            lines[place] = line[: match.start()] + told + line[match.end() :]
            return "\n".join([*_before_region(lines, place, made)])
        return None

    return edit


def _before_region(lines: list[str], place: int, made: list[str]) -> list[str]:
    """Lines put before an op; before the region of commands that the op may be in, since a region
    holds no ops of the host but takes what is around it."""
    while place and lines[place].startswith("      "):
        place -= 1
    return [*lines[:place], *made, *lines[place:]]


def host_not_waiting(before: str, choice: int) -> str | None:
    """The host takes what it waits for as it is."""
    pattern = r" *(%\w+) = stream\.timepoint\.await %[\w#]+ => (%[\w#]+) : .*\n"
    found = list(re.finditer(pattern, before))
    if not found:
        return None
    gone = found[choice % len(found)]
    rest = re.sub(rf"{re.escape(gone[1])}\b(?![#:])", gone[2], before[gone.end() :])
    return before[: gone.start()] + rest


def swapped_operands(needle: str, group: str) -> Edit:
    """Two neighbours in a list of an op's operands change places; `group` is a pattern with the two
    as its groups."""

    def edit(before: str, choice: int) -> str | None:
        lines = before.splitlines()
        for place in _chosen([n for n, line in enumerate(lines) if needle in line], choice):
            match = re.search(group, lines[place])
            if match is not None and match[1] != match[2]:
                (start, middle), (then, end) = match.span(1), match.span(2)
                line = lines[place]
                lines[place] = line[:start] + match[2] + line[middle:then] + match[1] + line[end:]
                return "\n".join(lines)
        return None

    return edit


def _chosen(places: list[int], choice: int) -> list[int]:
    """The places, beginning with the chosen one."""
    if not places:
        return []
    first = choice % len(places)
    return [*places[first:], *places[:first]]
