"""Two texts beside each other, with what differs marked: line by line, then within lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORDS = re.compile(r"[\w.$@%#+~-]+|\s+|.")
_ALIKE = 0.35
"""Lines that are less alike than this differ as a whole: marks within them would tell nothing."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a line; `differs` from the other side's line or not."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A line of either side, None where that side has none that belongs to the other's."""

    expected: tuple[Segment, ...] | None
    actual: tuple[Segment, ...] | None

    @property
    def same(self) -> bool:
        """Whether both sides say the same here."""
        return self.expected == self.actual


def compared(expected: str, actual: str) -> tuple[Row, ...]:
    """The lines of both texts in order, those that belong together in one row."""
    ours, theirs = expected.splitlines(), actual.splitlines()
    rows: list[Row] = []
    for kind, start, end, other, other_end in SequenceMatcher(
        None, ours, theirs, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            rows += [Row(*(_plain(line),) * 2) for line in ours[start:end]]
        else:
            rows += _paired(ours[start:end], theirs[other:other_end])
    return tuple(rows)


def side_by_side(rows: Sequence[Row], width: int) -> list[str]:
    """The rows as lines of text at most `width` wide: in two columns where they fit, else one side
    below the other. What differs in a line is marked below it with `^`."""
    longest = max((len(_text(side)) for row in rows for side in _sides(row)), default=0)
    column = (width - 3) // 2
    if longest <= column:
        lines = [f"{'expected':<{column}} │ actual"]
        for row in rows:
            left, right = (_text(side) for side in (row.expected, row.actual))
            lines.append(f"{left:<{column}} │ {right}".rstrip())
            if not row.same:
                marks = [_marks(side) for side in (row.expected, row.actual)]
                lines.append(f"{marks[0]:<{column}} │ {marks[1]}".rstrip())
        return lines
    return ["(- expected, + actual)", *_stacked(rows)]


def _stacked(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.same:
            yield f"  {_text(row.expected)}".rstrip()
            continue
        for sign, side in (("-", row.expected), ("+", row.actual)):
            if side is not None:
                yield f"{sign} {_text(side)}".rstrip()
                if not all(segment.differs for segment in side):
                    yield f"  {_marks(side)}".rstrip()


def _sides(row: Row) -> Iterator[tuple[Segment, ...]]:
    yield from (side for side in (row.expected, row.actual) if side is not None)


def _text(side: tuple[Segment, ...] | None) -> str:
    return "".join(segment.text for segment in side or ())


def _marks(side: tuple[Segment, ...] | None) -> str:
    """What stands below a line: `^` under all that differs."""
    return "".join(("^" if one.differs else " ") * len(one.text) for one in side or ()).rstrip()


def _paired(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[Row]:
    """Lines that stand at one place on both sides: each with the one that is most like it."""
    place = 0
    for line in ours:
        likeness = [
            (SequenceMatcher(None, line, other, autojunk=False).ratio(), -number)
            for number, other in enumerate(theirs[place:], place)
        ]
        best, number = max(likeness, default=(0.0, 0))
        if best < _ALIKE:
            yield Row(_whole(line), None)
            continue
        yield from (Row(None, _whole(other)) for other in theirs[place:-number])
        yield _words(line, theirs[-number])
        place = -number + 1
    yield from (Row(None, _whole(other)) for other in theirs[place:])


def _words(expected: str, actual: str) -> Row:
    """Two lines that are alike: the words that differ are marked."""
    ours, theirs = (_WORDS.findall(line) for line in (expected, actual))
    sides: tuple[list[Segment], list[Segment]] = ([], [])
    for kind, start, end, other, other_end in SequenceMatcher(
        None, ours, theirs, autojunk=False
    ).get_opcodes():
        for side, words in zip(sides, (ours[start:end], theirs[other:other_end]), strict=True):
            if words:
                side.append(Segment("".join(words), kind != "equal"))
    return Row(tuple(sides[0]), tuple(sides[1]))


def _plain(line: str) -> tuple[Segment, ...]:
    return (Segment(line, False),)


def _whole(line: str) -> tuple[Segment, ...]:
    return (Segment(line, True),)
