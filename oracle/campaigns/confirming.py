"""A known finding confirmed: what stock tools say of it, and the highest level at which it shows.

A lane does not ask that of what the corpus explains. It is done once a run, beside the lanes.
`verdict.json` says it last: where it does not, a finding has still to be confirmed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from oracle.campaigns.candidates import found_again, recorded_in, rules_of
from oracle.campaigns.findings import (
    CONFIRMED,
    VERDICT,
    Higher,
    shown_by,
    verdict_of,
    write_atomically,
)
from oracle.campaigns.lane import higher_of, written_at
from oracle.campaigns.tasks import FindingTask
from oracle.checks import CHECKS
from oracle.checks.base import Confirmation
from oracle.examiner import Examiner, ExaminerError
from oracle.files import subject_from_text
from oracle.raising import raised
from oracle.verdict import State


def is_known(folder: Path) -> bool:
    """Whether the corpus explains the finding. Raises OSError, ValueError where it is damaged."""
    return verdict_of(folder).get("state") == State.KNOWN


def confirm_finding(task: FindingTask) -> None:
    """Asks the stock tools about a finding and writes down what they said. Raises OSError, and
    ValueError where its folder is damaged."""
    finding = recorded_in(task.folder)
    try:
        with Examiner(task.settings, [CHECKS[finding.check]]) as examiner:
            compiler = rules_of(task.version)
            read = subject_from_text(examiner, finding.text, task.rules, compiler)
            subject = None if read is None else read.subject
            fault = None if subject is None else found_again(examiner, subject, finding)
            if subject is None or fault is None:
                not_confirmed(task, "it does not show again")
                return
            confirmation = examiner.confirm(subject, fault)
            if fault.text is not None:
                _write(task, confirmation)
                return
            highest = raised(examiner, subject, fault, written_at(subject))
    except ExaminerError as error:
        not_confirmed(task, str(error))
        return
    level: dict[str, object] = {"level": highest.level.value, "level_reason": highest.why_not}
    _write(task, confirmation, higher_of(highest), level)


def not_confirmed(task: FindingTask, why: str) -> None:
    """Writes down that stock tools were not asked, and why. Raises OSError, ValueError."""
    _write(task, Confirmation(False, (), why))


def _write(
    task: FindingTask,
    confirmation: Confirmation,
    higher: Higher | None = None,
    level: Mapping[str, object] | None = None,
) -> None:
    for name, content in shown_by(confirmation, higher, task.facts).items():
        path = task.folder / name
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, content, task.run)
        if name.endswith(".sh"):
            path.chmod(0o755)
    told = {
        **verdict_of(task.folder),
        **(level or {}),
        CONFIRMED: confirmation.confirmed,
    }
    write_atomically(task.folder / VERDICT, json.dumps(told, indent=2) + "\n", task.run)
