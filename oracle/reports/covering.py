"""The coverage map: for each op, what of its cells programs have touched, and the holes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log10

from gen.cell_space import cell_space
from gen.coverage import FAN_OUTS, NAMES, NOTHING, PINNED, REACHES, Cell
from oracle.reports.runs import RunData, whole
from reference.releases import Release

_LEVELS = 5


@dataclass(frozen=True, slots=True)
class Square:
    """One cell of the map: `hits` is None where no valid program can be there. `level` is 0 for a
    hole, else 1 to 5, a step for each factor of ten."""

    name: str
    hits: int | None

    @property
    def level(self) -> int:
        """How dark it is drawn."""
        return min(1 + int(log10(self.hits)), _LEVELS) if self.hits else 0


@dataclass(frozen=True, slots=True)
class MapRow:
    """One pair of lifetimes: `squares` in the order of `COLUMNS`."""

    source: str
    result: str
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class OpMap:
    """One op: how many cells it has, how many were touched, how often in all."""

    op: str
    cells: int
    touched: int
    hits: int
    rows: tuple[MapRow, ...]

    @property
    def share(self) -> float:
        """Touched cells among all."""
        return self.touched / self.cells if self.cells else 1.0


COLUMNS = tuple(
    (pinned, reach, fan_out) for pinned in PINNED for reach in REACHES for fan_out in FAN_OUTS
)
"""Pinned, reach and fan-out of the columns of every map."""


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """All ops. `unknown` are recorded cells that this version does not know, with their hits."""

    ops: tuple[OpMap, ...]
    unknown: Mapping[str, int]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return sum(one.cells for one in self.ops)

    @property
    def touched(self) -> int:
        """How many were touched."""
        return sum(one.touched for one in self.ops)


def recorded_cells(runs: Iterable[RunData]) -> Counter[str] | None:
    """The cells of all runs, by their names; None where no run recorded any."""
    found: Counter[str] = Counter()
    for run in runs:
        told = run.summary.get("coverage")
        if isinstance(told, Mapping):
            found.update({str(name): whole(count) for name, count in told.items()})
    return found or None


def coverage_map(counts: Mapping[str, int], release: Release) -> CoverageMap:
    """The map of what a release's language has, with what was counted by the names of cells."""
    known: dict[Cell, int] = {}
    unknown: dict[str, int] = {}
    space = cell_space(release)
    for name, count in counts.items():
        try:
            cell = Cell.parse(name)
        except ValueError:
            unknown[name] = count
            continue
        if cell in space:
            known[cell] = count
        else:
            unknown[name] = count
    by_op: dict[str, list[Cell]] = defaultdict(list)
    for cell in space:
        by_op[cell.op].append(cell)
    ops = tuple(_op_map(name, by_op[name], known) for name in NAMES.values() if by_op[name])
    return CoverageMap(ops, unknown)


def _op_map(op: str, cells: list[Cell], counts: Mapping[Cell, int]) -> OpMap:
    there = set(cells)
    pairs = sorted({(cell.source, cell.result) for cell in cells}, key=_pair_order)
    rows = []
    for source, result in pairs:
        row = [Cell(op, source, result, *column) for column in COLUMNS]
        rows.append(
            MapRow(
                source,
                result,
                tuple(
                    Square(str(cell), counts.get(cell, 0) if cell in there else None)
                    for cell in row
                ),
            )
        )
    touched = [counts[cell] for cell in cells if counts.get(cell)]
    return OpMap(op, len(cells), len(touched), sum(touched), tuple(rows))


def _pair_order(pair: tuple[str, str]) -> tuple[int, ...]:
    order = (NOTHING, "*", "external", "transient", "variable", "constant", "staging")
    return tuple(order.index(word) for word in pair)
