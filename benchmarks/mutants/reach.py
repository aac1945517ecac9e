"""Which programs of a recording come past which lines of the model.

A changed line makes a difference to those programs only, so that a mutant is put to no others. What
a program left in a cache for the next one counts for the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage

from benchmarks.mutants.recording import (
    Answers,
    Flags,
    Replayer,
    UnrecordedError,
    offsets,
    record_at,
    told,
)
from oracle.campaigns.lane import spare_the_collector
from oracle.checks import CHECKS
from oracle.examiner import Examiner, ExaminerSettings

FEW = 100
"""Programs that stand for all."""


class StaleRecordingError(Exception):
    """The model as it is says something else of a program than the recording does."""


@dataclass(frozen=True, slots=True)
class Reach:
    """`starts` are the places of the records in their file; `lines` are, by file and line, the
    programs that came past, numbered from 1."""

    starts: Sequence[int]
    lines: Mapping[str, Mapping[int, frozenset[int]]]

    def of(self, file: Path, span: tuple[int, int] | None) -> list[tuple[int, int]]:
        """(number, place in the file) of the programs that come past a span of lines, in order.

        Without a span, which stands for what is run when the module is imported, all of them.
        """
        if span is None:
            numbers = list(range(1, len(self.starts) + 1))
        else:
            lines = self.lines.get(str(file), {})
            past = (lines.get(line, frozenset()) for line in range(span[0], span[1] + 1))
            numbers = sorted(frozenset[int]().union(*past))
        return [(number, self.starts[number - 1]) for number in numbers]

    def some(self) -> list[tuple[int, int]]:
        """As `of`, the first programs: for a line that none is seen to come past. What an import
        calls is run before the watch begins, and what that makes is there for every program."""
        return [*enumerate(self.starts[:FEW], start=1)]


def reach(recording: Path, checks: Sequence[str], interpreter: Path, model: Path) -> Reach:
    """Puts the whole recording to the model as it is, the folder `model`, and watches.

    Raises StaleRecordingError where the model says something else than was recorded.
    """
    answers: Answers = {}
    starts = offsets(recording)

    def start(_settings: ExaminerSettings, flags: Flags) -> Replayer:
        return Replayer(answers, flags)

    watch = Coverage(data_file=None, config_file=False, branch=False, source=[str(model)])
    spare_the_collector()
    settings = ExaminerSettings(interpreter)
    with (
        Examiner(settings, [CHECKS[name] for name in checks], start) as examiner,
        watch.collect(),
    ):
        for number, place in enumerate(starts, start=1):
            watch.switch_context(str(number))
            record = record_at(recording, place)
            answers.clear()
            answers.update(record.answers)
            try:
                (examination,) = examiner.examine([record.subject])
            except UnrecordedError:
                raise StaleRecordingError(f"program {number}: another question") from None
            if told(examination) != record.told:
                raise StaleRecordingError(f"program {number}: another answer")
    data = watch.get_data()
    everyone = frozenset(range(1, len(starts) + 1))
    return Reach(starts, {file: _programs(data.contexts_by_lineno(file), everyone)
                          for file in data.measured_files()})  # fmt: skip


def _programs(
    contexts: Mapping[int, list[str]], everyone: frozenset[int]
) -> dict[int, frozenset[int]]:
    """The programs that come past each line: all, where it was run before the first of them."""
    return {
        line: everyone if "" in names else frozenset(map(int, names))
        for line, names in contexts.items()
    }
