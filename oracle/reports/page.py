"""A report as one HTML file that needs nothing else: no network, no other file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from oracle.reports import plots
from oracle.reports.content import Report, ended, first_told, seconds_told
from oracle.reports.covering import COLUMNS, coverage_map, recorded_cells
from oracle.reports.findings import ReportedFinding
from oracle.reports.runs import FirstSeen, text
from oracle.verdict import State
from reference.releases import Release

_STATE_ORDER = {state.value: place for place, state in enumerate(
    (State.NEW, State.MODEL, State.KNOWN, State.BY_DESIGN))}  # fmt: skip
_FILTERS = ("state", "check", "verdict", "stage")
_MOST_PLOTS = 8
"""Runs whose curves are drawn: the last ones."""
_LONGEST = 60_000
"""Characters of a program, or of what a tool printed, that the page holds."""

Draw = Callable[[ReportedFinding, str], tuple[str | None, str]]
"""From a finding and a prefix for ids to its picture as SVG, or None, and a note."""


def html(report: Report, release: Release, draw: Draw) -> str:
    """The page. `release` says which cells there are; `draw` makes the findings' pictures."""
    environment = _environment()
    return environment.get_template("report.html.jinja").render(
        report=_report(report, release, draw),
        # Both are the package's own files.
        style=Markup(_source("report.css")),
        script=Markup(_source("report.js")),
    )


def not_drawn(reason: str) -> Draw:
    """No pictures, and why."""
    return lambda _finding, _prefix: (None, reason)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("oracle.reports"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _report(report: Report, release: Release, draw: Draw) -> dict[str, Any]:
    matrix = report.matrix
    stages = plots.stages(report.stages)
    return {
        "title": report.title,
        "subtitle": report.subtitle,
        "verdict": report.verdict,
        "problems": report.problems,
        "cards": _cards(report),
        "runs": [
            {
                "name": run.name,
                "profile": text(run.summary.get("profile")),
                "seed": run.summary.get("seed"),
                "release": text(run.compiler.get("release")),
                "programs": run.programs,
                "seconds": f"{run.seconds:.0f}",
                "rate": f"{run.programs / run.seconds:.1f}" if run.seconds else "",
                "ended": ended(run),
            }
            for run in report.runs
        ],
        "plots": [
            {"title": run.name, "svg": Markup(svg)}
            for run in report.runs[-_MOST_PLOTS:]
            if (svg := plots.rate_and_causes(run)) is not None
        ],
        "verdicts": None
        if report.by_verdict is None
        else [
            {"name": name, "count": count, "share": _share(count, report.programs)}
            for name, count in report.by_verdict
        ],
        "checks": report.checks,
        "matrix": {
            "columns": report.verdicts,
            "rows": [
                {
                    "name": stage,
                    "cells": [
                        dict(zip(("causes", "count"), row.get(name, (0, None)), strict=True))
                        for name in report.verdicts
                    ],
                }
                for stage, row in matrix.items()
            ],
        },
        "stages": None if stages is None else Markup(stages),
        "odd": report.odd,
        "filters": [
            {
                "name": name,
                "options": sorted(filter(None, {getattr(one, name) for one in report.findings})),
            }
            for name in _FILTERS
        ],
        "findings": [_finding(place, one, draw) for place, one in enumerate(report.findings, 1)],
        "coverage": _coverage(report, release),
    }


def _cards(report: Report) -> list[Mapping[str, object]]:
    rate = report.programs / report.seconds if report.seconds else None
    states = report.states
    restarts = report.restarts()
    told = [
        ("programs", f"{report.programs:,}"),
        ("time", seconds_told(report.seconds)),
        ("programs a second", "not recorded" if rate is None else f"{rate:.1f}"),
        ("new", states[State.NEW.value]),
        ("model", states[State.MODEL.value]),
        ("known", states[State.KNOWN.value]),
        ("not valid", report.total("invalid")),
        ("partly unknown to the model", report.total("unsupported")),
        ("mishaps of ours", report.total("mishaps")),
        ("processes lost", "not recorded" if restarts is None else restarts),
    ]
    return [{"label": label, "value": value} for label, value in told]


def _finding(place: int, finding: ReportedFinding, draw: Draw) -> dict[str, object]:
    identity = f"finding-{place}"
    drawn, note = draw(finding, identity)
    issue = finding.issue
    return {
        "id": identity,
        "state": finding.state,
        "state_class": finding.state if finding.state in _STATE_ORDER else "known",
        "state_order": _STATE_ORDER.get(finding.state, len(_STATE_ORDER)),
        "check": finding.check,
        "verdict": finding.verdict,
        "stage": finding.stage,
        "signature": finding.signature,
        "level": finding.level,
        "message": finding.message,
        "count": finding.count,
        "count_key": _key(finding.count),
        "share": None if finding.share is None else f"{100 * finding.share:.2f} %",
        "share_key": _key(finding.share),
        "first": first_told(finding.first_seen),
        "first_key": _key(_first_key(finding.first_seen)),
        "ops": finding.ops,
        "ops_key": _key(finding.ops),
        "releases": ", ".join(f"{name} {word}" for name, word in finding.releases.items()),
        "known": finding.known,
        "issue": issue,
        # A link from a file may be a script.
        "issue_is_link": issue is not None and urlsplit(issue).scheme in ("http", "https"),
        "confirmed": {True: "show it alone", False: "do not show it", None: "not recorded"}[
            finding.confirmed
        ],
        "folder": "" if finding.folder is None else str(finding.folder),
        "program_title": _program_title(finding),
        "program": None if finding.program is None else _cut(finding.program),
        "rows": finding.rows,
        "picture": None if drawn is None else Markup(drawn),
        "picture_note": note,
        "commands": finding.commands,
        "stock": _cut(finding.stock),
        "draft": finding.draft,
    }


def _first_key(first: FirstSeen) -> float | None:
    return first.seconds if first.seconds is not None else first.program


def _program_title(finding: ReportedFinding) -> str:
    if finding.reduced:
        ops = "" if finding.ops is None else f" to {finding.ops} ops"
        return f"The program, reduced{ops}"
    why = f" ({finding.reduction})" if finding.reduction else ""
    return f"The program as it was met, not reduced{why}"


def _coverage(report: Report, release: Release) -> dict[str, object] | None:
    counts = recorded_cells(report.runs)
    if counts is None:
        return None
    found = coverage_map(counts, release)
    return {
        "touched": found.touched,
        "cells": found.cells,
        "share": _share(found.touched, found.cells),
        "columns": [" ".join(column) for column in COLUMNS],
        "ops": [
            {
                "op": one.op,
                "touched": one.touched,
                "cells": one.cells,
                "hits": one.hits,
                "percent": f"{100 * one.share:.1f}",
                "rows": one.rows,
            }
            for one in found.ops
        ],
        "unknown": len(found.unknown),
    }


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.2f} %" if total else "0 %"


def _key(value: float | None) -> str:
    return "" if value is None else str(value)


def _cut(told: str) -> str:
    if len(told) <= _LONGEST:
        return told
    return f"{told[:_LONGEST]}\n… {len(told) - _LONGEST} characters more are in the folder"
