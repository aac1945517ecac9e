"""Where slices go that share memory: an offset each, and how much they need.

Rule: `packStaticSlicesGreedily` in
compiler/src/iree/compiler/Dialect/Stream/Transforms/LayoutSlices.cpp, for slices of any size: each
in turn goes into the smallest gap among those that are alive at the same time, else behind them.
"""

from __future__ import annotations

from collections.abc import Iterable

ALIGNMENT = 64
"""`ResourceConfigAttr`'s defaults for offsets and ranges, bytes."""


def packed(slices: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, ...], int]:
    """The offsets of slices and the bytes for all; a slice is (first, last time alive, bytes)."""
    taken: list[tuple[int, int, int, int]] = []
    offsets: list[int] = []
    total = 0
    for start, end, size in slices:
        length = aligned(size)
        offset = _place([one for one in taken if one[2] <= end and start <= one[3]], length)
        offsets.append(offset)
        taken.append((offset, length, start, end))
        taken.sort()
        total = max(total, offset + length)
    return tuple(offsets), total


def aligned(size: int) -> int:
    """The next multiple of `ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def _place(taken: list[tuple[int, int, int, int]], length: int) -> int:
    place, best, smallest = 0, None, 0
    for offset, size, _, _ in taken:
        gap = offset - place
        if length <= gap and (best is None or gap < smallest):
            best, smallest = place, gap
        place = max(place, offset + size)
    return place if best is None else best
