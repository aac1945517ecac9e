"""One finding reduced, in a process of its own that gives way to the lanes.

What comes of a reduction goes into the finding's folder: `reduced.mlir`, and for a fault of the
compiler's `report.md` and an entry under `OUT/candidates/`. `verdict.json` says so last: a finding
whose verdict says nothing of a reduction has still to be reduced, whenever a process was killed.
What the corpus explains was reduced long ago: it is only confirmed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from oracle.campaigns.candidates import (
    Candidate,
    NotReducedError,
    RecordedFinding,
    Triage,
    recorded_in,
)
from oracle.campaigns.confirming import confirm_finding, is_known, not_confirmed
from oracle.campaigns.entries import default_title, entry_path, entry_text
from oracle.campaigns.findings import VERDICT, verdict_of, write_atomically
from oracle.campaigns.lane import end_with_parent
from oracle.campaigns.tasks import FindingTask
from oracle.campaigns.upstream import upstream_report
from oracle.examiner import ExaminerError
from oracle.mishaps import attempted
from oracle.verdict import Mishap

REDUCED, REPORT = "reduced.mlir", "report.md"

_NICE = 10
"""How far it gives way to the lanes."""


def work(task: FindingTask, gives_way: bool) -> None:
    """Main of the process: reduces a finding, or confirms a known one.

    It `gives_way` to the lanes. Ctrl-C is the campaign's to handle.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if gives_way:
        os.nice(_NICE)
    try:
        done = attempted(
            partial(confirm_finding if is_known(task.folder) else reduce_finding, task)
        )
        if isinstance(done, Mishap):
            give_up(task, f"crosscurrent itself went wrong: {done.line}")
    except (OSError, ValueError) as error:
        sys.exit(f"{task.folder.name} is not reduced: {error}")


def reduce_finding(task: FindingTask) -> None:
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


def give_up(task: FindingTask, why: str) -> None:
    """Says why there is no reduction of a finding, or no confirmation where it is known. Raises
    OSError, ValueError."""
    if is_known(task.folder):
        not_confirmed(task, why)
        return
    told = {"ops": None, "agrees": False, "why": why, "seconds": task.seconds}
    add_to_verdict(task.folder, told, task.run)


def add_to_verdict(folder: Path, told: Mapping[str, object], run: str = "") -> None:
    """Says in a finding's `verdict.json` what became of its reduction. Raises OSError, ValueError
    where it is damaged."""
    verdict = verdict_of(folder)
    verdict["reduced"] = REDUCED if told["ops"] is not None else None
    verdict["reduction"] = dict(told)
    write_atomically(folder / VERDICT, json.dumps(verdict, indent=2) + "\n", run)
