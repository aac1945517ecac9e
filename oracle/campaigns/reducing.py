"""One finding reduced, in a process of its own that gives way to the lanes.

What comes of it goes into the finding's folder: `reduced.mlir`, and for a fault of the compiler's
`report.md` and an entry under `OUT/candidates/`. `verdict.json` says so last: a finding whose
verdict says nothing of a reduction has still to be reduced, whenever a process was killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.campaigns.candidates import (
    Candidate,
    NotReducedError,
    RecordedFinding,
    Triage,
    recorded_in,
)
from oracle.campaigns.entries import default_title, entry_path, entry_text
from oracle.campaigns.findings import VERDICT, write_atomically
from oracle.campaigns.lane import end_with_parent
from oracle.campaigns.upstream import upstream_report
from oracle.examiner import ExaminerError, ExaminerSettings
from reference.releases import Release

REDUCED, REPORT = "reduced.mlir", "report.md"

_NICE = 10
"""How far it gives way to the lanes."""


@dataclass(frozen=True, slots=True)
class ReductionTask:
    """What the process must know. `version` is the compiler's, `seconds` the longest that it may
    take, `facts` are the run's."""

    folder: Path
    run: str
    version: str
    settings: ExaminerSettings
    rules: Release
    checks: tuple[str, ...]
    seconds: float
    facts: Mapping[str, object]


def work(task: ReductionTask, gives_way: bool) -> None:
    """Main of the process, which `gives_way` to the lanes. Ctrl-C is the campaign's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if gives_way:
        os.nice(_NICE)
    try:
        reduce_finding(task)
    except (OSError, ValueError) as error:
        sys.exit(f"{task.folder.name} is not reduced: {error}")


def reduce_finding(task: ReductionTask) -> None:
    """Reduces the finding and writes down what came of it. Raises OSError, and ValueError where its
    folder is damaged."""
    started = time.monotonic()
    triage = Triage({task.version: task.settings}, task.rules, task.checks)
    finding = recorded_in(task.folder)
    try:
        candidate = triage.candidate(finding)
    except (NotReducedError, ExaminerError) as error:
        told: dict[str, object] = {"ops": None, "agrees": False, "why": str(error)}
    else:
        told = keep_candidate(finding, candidate, task.folder.parent.parent, task.facts, task.run)
    told["seconds"] = round(time.monotonic() - started, 1)
    add_to_verdict(task.folder, told, task.run)


def keep_candidate(
    finding: RecordedFinding,
    candidate: Candidate,
    out: Path,
    facts: Mapping[str, object],
    run: str = "",
    candidates: Path | None = None,
) -> dict[str, object]:
    """Writes a reduced finding down, in its folder and, for a fault of the compiler's, as an entry
    of `candidates` (by default, `out`'s). Returns what `verdict.json` is to say of it."""
    write_atomically(finding.folder / REDUCED, candidate.text, run)
    if candidate.confirmation.confirmed:
        title = default_title(candidate.fault)
        report = upstream_report(candidate, title, facts)
        write_atomically(finding.folder / REPORT, report, run)
        folder = candidates or out / "candidates"
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(entry_path(folder, candidate), entry_text(candidate, title), run)
    return {
        "ops": candidate.ops,
        "lines": len(candidate.text.splitlines()),
        "agrees": candidate.agrees,
        "why": _why(candidate),
        "also_shows": [one for one in candidate.shown if one != candidate.signature],
        "confirmed_by_stock_tools": candidate.confirmation.confirmed,
        "releases": dict(candidate.effects),
    }


def _why(candidate: Candidate) -> str | None:
    """Why the reduced program is not called as the finding is."""
    if candidate.agrees:
        return None
    shown = ", ".join(candidate.shown) or "nothing"
    return f"asked all checks, it shows {shown}; by {candidate.asked_by} alone it shows this"


def give_up(task: ReductionTask) -> None:
    """Says that a finding's reduction took too long. Raises OSError, ValueError."""
    why = f"no end in {task.seconds:.0f} s"
    told = {"ops": None, "agrees": False, "why": why, "seconds": task.seconds}
    add_to_verdict(task.folder, told, task.run)


def verdict_of(folder: Path) -> dict[str, object]:
    """A finding's `verdict.json`. Raises OSError, ValueError where it is damaged."""
    verdict = json.loads((folder / VERDICT).read_text(encoding="utf-8"))
    if not isinstance(verdict, dict):
        raise ValueError(f"{folder / VERDICT} is damaged")
    return verdict


def add_to_verdict(folder: Path, told: Mapping[str, object], run: str = "") -> None:
    """Says in a finding's `verdict.json` what became of its reduction. Raises OSError, ValueError
    where it is damaged."""
    verdict = verdict_of(folder)
    verdict["reduced"] = REDUCED if told["ops"] is not None else None
    verdict["reduction"] = dict(told)
    write_atomically(folder / VERDICT, json.dumps(verdict, indent=2) + "\n", run)
