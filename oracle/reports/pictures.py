"""The timelines of findings, drawn anew: the compiler is asked how it schedules each program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import TracebackType

from oracle.compiling.compiler import CompilerUnavailable
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.explain.explanation import at_fault
from oracle.explain.picture import picture
from oracle.explain.schedules import schedules
from oracle.explain.views import Around, around
from oracle.files import subject_from_text
from oracle.reports.findings import ReportedFinding
from oracle.verdict import Fault, Verdict
from reference.releases import Release

_LOST = frozenset({Verdict.CRASH.value, Verdict.HANG.value})
_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_QUOTED_PIPELINE = re.compile(r"--pass-pipeline=[^'\"\s]+")


class Painter:
    """Draws findings with one compiler. Close it when done."""

    def __init__(self, settings: ExaminerSettings, release: Release) -> None:
        self._examiner = Examiner(settings, [])
        self._release = release

    def __enter__(self) -> Painter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._examiner.close()

    def draw(self, finding: ReportedFinding, prefix: str) -> tuple[str | None, str]:
        """A finding's picture as SVG, and what is to be said of it; None where there is none.

        `prefix` begins the ids in the picture.
        """
        if finding.program is None:
            return None, "the program is lost"
        try:
            return self._drawn(finding, finding.program, prefix)
        except (ExaminerError, CompilerUnavailable) as error:
            return None, str(error)

    def _drawn(self, finding: ReportedFinding, program: str, prefix: str) -> tuple[str | None, str]:
        read = subject_from_text(self._examiner, program, self._release, self._release)
        if read is None or read.subject is None:
            return None, "this compiler does not read the program"
        compiler = self._examiner.process()
        found = schedules(compiler, read.subject)
        fault = _fault(finding)
        arounds: Sequence[Around] = ()
        if finding.verdict not in _LOST:
            looked = around(compiler, read.subject, fault)
            arounds = [looked] if isinstance(looked, Around) else ()
        panels = found.panels(arounds)
        notes = [*_notes(found.expected_note, found.actual_note)]
        if not panels:
            return None, "; ".join(notes) or "nothing is submitted to a device"
        marked = at_fault(fault, finding.rows, read.subject, arounds)
        return picture(panels, marked, prefix), "; ".join(notes)


def _notes(expected: str | None, actual: str | None) -> Iterator[str]:
    if expected:
        yield f"by the rules: {expected}"
    if actual:
        yield f"by the compiler: {actual}"


def _fault(finding: ReportedFinding) -> Fault:
    """The fault of a finding, as far as its folder tells it."""
    verdict = finding.verdict if finding.verdict in _VERDICTS else Verdict.DISAGREE.value
    return Fault(
        check=finding.check,
        verdict=Verdict(verdict),
        stage=finding.stage,
        shape=(),
        message=finding.message,
        expected=finding.expected,
        actual=finding.actual,
        stock_arguments=tuple(_QUOTED_PIPELINE.findall(finding.commands)),
    )
