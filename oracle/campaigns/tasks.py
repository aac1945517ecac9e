"""What is to be done about one finding beside the lanes, in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.examiner import ExaminerSettings
from reference.releases import Release


@dataclass(frozen=True, slots=True)
class FindingTask:
    """What the process must know. `folder` is the finding's, `version` the compiler's, `seconds`
    the longest that it may take, `facts` are the run's."""

    folder: Path
    run: str
    version: str
    settings: ExaminerSettings
    rules: Release
    checks: tuple[str, ...]
    seconds: float
    facts: Mapping[str, object]
