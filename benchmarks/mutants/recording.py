"""What the real compiler answered to a number of programs, recorded once and asked often.

The compiler's answers do not depend on the model, so a changed model can be judged without asking
again. A recording is a file of pickles, one a program: its own output, never read from elsewhere.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from oracle.checks.base import Subject
from oracle.compiling.answers import Answer, Request, encode
from oracle.compiling.compiler import Restarts
from oracle.examination import Examination
from oracle.examiner import Compiler, Examiner, ExaminerSettings, start_process

Flags = tuple[str, ...]
"""Of the compiler."""

Answers = dict[tuple[Flags, bytes], bytes]
"""Answers to requests, by the flags of the compiler that was asked and the request; as pickles."""

Told = tuple[tuple[str, str, tuple[str, ...]], ...]
"""What the checks say of a program: (check, verdict, signatures of its faults)."""


@dataclass(frozen=True, slots=True)
class Record:
    """A program, what the compiler answered to every question, and what the model then says."""

    subject: Subject
    answers: Answers
    told: Told


class UnrecordedError(Exception):
    """A changed model asks what the model itself does not ask."""


@dataclass(slots=True)
class _Recorder:
    """A compiler that remembers what it is asked."""

    inner: Compiler
    flags: Flags
    heard: Answers = field(default_factory=dict)

    @property
    def restarts(self) -> Restarts:
        return self.inner.restarts

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        for request, answer in zip(requests, self.inner.ask(requests), strict=True):
            # At once: a check may take off what it has read.
            self.heard[self.flags, encode(0, request)] = pickle.dumps(answer, protocol=5)
            yield answer

    def __enter__(self) -> _Recorder:
        self.inner.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.inner.__exit__(kind, error, trace)


@dataclass(slots=True)
class Replayer:
    """A compiler that answers from a record."""

    answers: Answers = field(default_factory=dict)
    flags: Flags = ()
    restarts: Restarts = field(default_factory=Restarts)

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """The recorded answers. Raises UnrecordedError for a question that was not recorded."""
        for request in requests:
            answer = self.answers.get((self.flags, encode(0, request)))
            if answer is None:
                raise UnrecordedError
            yield pickle.loads(answer)

    def __enter__(self) -> Replayer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


def record(
    subjects: Iterator[Subject], settings: ExaminerSettings, examiner: Examiner, file: BinaryIO
) -> None:
    """Asks the real compiler about every subject and writes a record of each."""
    recorders: list[_Recorder] = []

    def start(chosen: ExaminerSettings, flags: Flags) -> Compiler:
        recorders.append(_Recorder(start_process(chosen, flags), flags))
        return recorders[-1]

    with Examiner(settings, examiner.checks, start) as asking:
        for subject in subjects:
            for recorder in recorders:
                recorder.heard.clear()
            (examination,) = asking.examine([subject])
            answers = {key: one for each in recorders for key, one in each.heard.items()}
            pickle.dump(Record(subject, answers, told(examination)), file, protocol=5)


def offsets(file: Path) -> list[int]:
    """Where the records of a file begin, in order."""
    places = []
    with file.open("rb") as stream:
        while True:
            place = stream.tell()
            try:
                pickle.load(stream)
            except EOFError:
                return places
            places.append(place)


def record_at(file: Path, place: int) -> Record:
    """The record that begins at that place of the file."""
    with file.open("rb") as stream:
        stream.seek(place)
        record: Record = pickle.load(stream)
        return record


def told(examination: Examination) -> Told:
    """What the checks say of a program, in a form that can be compared."""
    return tuple(
        (one.check, one.verdict.value, tuple(sorted(fault.signature for fault in one.faults)))
        for one in examination.judgements
    )
