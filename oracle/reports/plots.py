"""Curves of a run as SVG that takes on the colours of the page around it."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oracle.reports.runs import RunData

_INK, _FIRST, _SECOND = "#010203", "#010204", "#010205"
_COLOURS = {_INK: "currentColor", _FIRST: "var(--series-1)", _SECOND: "var(--series-2)"}
"""Stand-ins, which the picture gets the page's own colours for."""
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "crosscurrent",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_WINDOWS = 60
"""Points of the rate at most: each over an equal part of the run's time."""
_FAMILY = re.compile(r"font: ([\d.]+)px [^;\"]*")
_DECLARATION = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def rate_and_causes(run: RunData) -> str | None:
    """Programs a second, and distinct causes met so far, over the run's time; None where the run
    does not say when what was done."""
    curve = run.curve
    if not curve or len(curve) < 2:
        return None
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(8, 2.6), layout="constrained")
        rate, causes = figure.subplots(1, 2)
        unit, seconds = _unit(curve[-1][0])
        points = _rates(curve)
        _draw(rate, [at / seconds for at, _ in points], [value for _, value in points], _FIRST)
        rate.set(xlabel=unit, ylabel="programs a second")
        when = sorted(seen.seconds for seen in run.first_seen.values() if seen.seconds is not None)
        steps = [0.0, *when, max(curve[-1][0], when[-1] if when else 0.0)]
        heights = [float(n) for n in [*range(len(when) + 1), len(when)]]
        causes.step([at / seconds for at in steps], heights, where="post", color=_SECOND)
        causes.set(xlabel=unit, ylabel="distinct causes met")
        causes.set_ylim(bottom=0)
        return _svg(figure)


def stages(counts: Mapping[str, int]) -> str | None:
    """Programs with a finding by the stage that is to blame, the most first."""
    if not counts:
        return None
    chosen = sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))
    with rc_context(_SETTINGS):
        figure = Figure(figsize=(8, 0.5 + 0.24 * len(chosen)), layout="constrained")
        axes = figure.subplots()
        bars = axes.barh([name for name, _ in chosen], [n for _, n in chosen], color=_FIRST)
        axes.bar_label(bars, padding=3)
        axes.set(xlabel="occurrences")
        return _svg(figure)


def _draw(axes: Axes, across: Sequence[float], up: Sequence[float], colour: str) -> None:
    axes.plot(across, up, color=colour, linewidth=1.6)
    axes.set_ylim(bottom=0)


def _unit(seconds: float) -> tuple[str, float]:
    if seconds > 2 * 3600:
        return "hours", 3600.0
    return ("minutes", 60.0) if seconds > 120 else ("seconds", 1.0)


def _rates(curve: Sequence[tuple[float, int]]) -> list[tuple[float, float]]:
    """(seconds, programs a second since the point before), over windows of about equal length."""
    length = curve[-1][0] / _WINDOWS
    kept = [(0.0, 0)]
    for point in curve:
        if point[0] - kept[-1][0] >= max(length, 1e-3):
            kept.append(point)
    if kept[-1] != curve[-1] and curve[-1][0] > kept[-1][0]:
        kept.append(curve[-1])
    return [
        (after[0], (after[1] - before[1]) / (after[0] - before[0]))
        for before, after in pairwise(kept)
    ]


def _svg(figure: Figure) -> str:
    page = io.StringIO()
    figure.savefig(page, format="svg", facecolor="none", metadata={"Date": None, "Creator": None})
    text = _DECLARATION.sub("", page.getvalue(), count=1)
    for stand_in, colour in _COLOURS.items():
        text = text.replace(stand_in, colour)
    return _FAMILY.sub(r"font: \1px sans-serif", text)
