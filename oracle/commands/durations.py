"""Times and parts of runs as the command line writes them: `90s`, `10m`, `8h`, `2/5`."""

from __future__ import annotations

import re

import click

_DURATION = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[smh])")
_LONGEST = 1000 * 3600.0
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


class Duration(click.ParamType[float]):
    """A time, converted to seconds."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Seconds from `90s`, `10m` or `8h`; a number is seconds already."""
        if isinstance(value, int | float):
            return float(value)
        match = _DURATION.fullmatch(str(value))
        seconds = float(match["number"]) * _UNITS[match["unit"]] if match else 0.0
        if not 0.0 < seconds <= _LONGEST:
            self.fail(f"{value!r} is not a time such as 90s, 10m or 8h", param, ctx)
        return seconds


class Shard(click.ParamType[tuple[int, int]]):
    """`I/N`: part I of N of a run's programs."""

    name = "i/n"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """(I, N) with 1 ≤ I ≤ N."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d+)/(\d+)", str(value))
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"{value!r} is not a part such as 2/5", param, ctx)
        return int(match[1]), int(match[2])
