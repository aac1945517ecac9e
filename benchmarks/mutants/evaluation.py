"""One mutant put to a recording: `python -m benchmarks.mutants.evaluation`, told by standard input.

A process of its own: the changed module takes the place of the true one before anything imports it.
The answer is a line of JSON, `{"killed": at, "how": "..."}`; `at` is null for a survivor.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

NAME_LENGTH = 80
_MEMORY = 4 << 30
"""Bytes, for a mutant that makes things without end."""


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and gives it another source."""

    def __init__(self, module: str, source: str, file: str) -> None:
        self._module, self._source, self._file = module, source, file

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._module:
            return None
        return importlib.util.spec_from_file_location(fullname, self._file, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, self._file, "exec"), module.__dict__)


def judge(
    recording: Path,
    checks: Sequence[str],
    interpreter: Path,
    places: Sequence[Sequence[int]],
    seconds: float,
) -> tuple[int | None, str]:
    """The number of the first program of which the model says something else, and what.

    `places` are the programs to try: the number of each, and where its record begins.
    One that computes for `seconds` at one program counts as noticed.
    """
    from benchmarks.mutants.recording import (
        Answers,
        Flags,
        Replayer,
        UnrecordedError,
        record_at,
        told,
    )
    from oracle.campaigns.lane import spare_the_collector
    from oracle.checks import CHECKS
    from oracle.examiner import Examiner, ExaminerSettings

    answers: Answers = {}
    settings = ExaminerSettings(interpreter)

    def start(_settings: ExaminerSettings, flags: Flags) -> Replayer:
        return Replayer(answers, flags)

    spare_the_collector()
    with Examiner(settings, [CHECKS[name] for name in checks], start) as examiner:
        for number, place in places:
            record = record_at(recording, place)
            answers.clear()
            answers.update(record.answers)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                (examination,) = examiner.examine([record.subject])
            except UnrecordedError:
                return number, "asks something else"
            except Exception as error:
                # Whatever a changed rule makes of itself shows that the change is seen.
                return number, f"raises {type(error).__name__}"
            now = told(examination)
            if now != record.told:
                other = next(one for one, was in zip(now, record.told, strict=True) if one != was)
                return number, f"{other[0]}: {other[1]}"
    return None, "survives"


def _stop(_signal: int, _frame: object) -> None:
    raise TimeoutError


def main() -> None:
    """Reads what to judge, prints the judgement."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    task = json.load(sys.stdin)
    sys.meta_path.insert(0, _Changed(task["module"], task["source"], task["file"]))
    try:
        number, how = judge(
            Path(task["recording"]),
            task["checks"],
            Path(task["interpreter"]),
            task["places"],
            task["seconds"],
        )
    except Exception as error:
        # A module that cannot even be imported any more.
        number, how = 0, f"raises {type(error).__name__}"
    print(json.dumps({"killed": number, "how": how[:NAME_LENGTH]}))


if __name__ == "__main__":
    main()
