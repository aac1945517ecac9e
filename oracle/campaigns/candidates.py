"""Findings as candidates for the corpus: reduced, and tried on several releases."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Subject
from oracle.checks.roundtrip import DOES_NOT_PARSE, ONCE, Roundtrip
from oracle.compiling.answers import Request
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reduction.predicate import ShowsFault
from oracle.reduction.reducer import NotShownError, Reducer
from oracle.reduction.text import readable
from oracle.reduction.tree import text_of, tree_of
from oracle.signature import file_name
from oracle.verdict import Fault
from reference.releases import Release, release_rules

TRIES = 6
"""How often a fault of `determinism` is looked for: it shows by chance."""

_LONGEST_NAME = 60

_ERROR = re.compile(r"error: (?:loc\(.*?\): )?(?P<message>.*)")
_VALUE_OR_ATTRIBUTE = re.compile(r"%\w+ = |%\d+|#hal|\('")


@dataclass(frozen=True, slots=True)
class RecordedFinding:
    """A finding's folder as a run left it."""

    folder: Path
    signature: str
    check: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reduced program and what it does: `effects` by release, as in a corpus header.

    `fault` and `confirmation` are of the newest release that shows it.
    """

    signature: str
    asked_by: str
    """The check whose questions ran into it."""
    text: str
    ops: int
    effects: Mapping[str, str]
    fault: Fault
    confirmation: Confirmation


def recorded(out: Path) -> Iterator[RecordedFinding]:
    """The findings of a run's folder, by name. What is damaged is left out."""
    for folder in sorted((out / "findings").glob("[!.]*")):
        try:
            verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
            text = (folder / "program.mlir").read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        yield RecordedFinding(
            folder, verdict["signature"], verdict["check"], verdict["state"], text
        )


class Triage:
    """Reduces findings on one compiler and tries what comes out on several.

    `interpreters` are the releases to try by version, the one to reduce on first.
    """

    def __init__(self, interpreters: Mapping[str, Path], timeout: float) -> None:
        self._interpreters = dict(interpreters)
        self._timeout = timeout

    def candidate(self, finding: RecordedFinding) -> Candidate | None:
        """The finding reduced and tried; None where it does not show again."""
        version, interpreter = next(iter(self._interpreters.items()))
        release, _ = release_rules(version)
        check = self._check_that_shows(finding, interpreter, release)
        if check is None:
            return None
        with Examiner(self._settings(interpreter), [CHECKS[check]]) as examiner:
            read = subject_from_text(examiner, finding.text, release, release)
            if read is None:
                return None
            shows = ShowsFault(
                examiner, finding.signature, release, release, read.level, _tries(finding.check)
            )
            (answer,) = examiner.process().ask([Request(finding.text, (("parse",), ("read",)))])
            try:
                reduced = Reducer(shows).reduce(tree_of(answer.results[-1]))
            except NotShownError:
                return None
            text = readable(examiner, text_of(reduced.tree), shows)
        return self._tried(finding, check, text, reduced.ops)

    def _check_that_shows(
        self, finding: RecordedFinding, interpreter: Path, release: Release
    ) -> str | None:
        """A check whose questions run into the fault: a pass that stops stops several checks."""
        for name in dict.fromkeys((finding.check, *CHECKS)):
            with Examiner(self._settings(interpreter), [CHECKS[name]]) as examiner:
                read = subject_from_text(examiner, finding.text, release, release)
                if read is None or read.subject is None:
                    return None
                if _found(examiner, read.subject, finding) is not None:
                    return name
        return None

    def _tried(self, finding: RecordedFinding, check: str, text: str, ops: int) -> Candidate | None:
        effects: dict[str, str] = {}
        last: tuple[Fault, Confirmation] | None = None
        for version, interpreter in sorted(self._interpreters.items()):
            release, _ = release_rules(version)
            with Examiner(self._settings(interpreter), [CHECKS[check]]) as examiner:
                read = subject_from_text(examiner, text, release, release)
                if read is None or read.subject is None:
                    effects[version] = "unparsed"
                    continue
                fault = _found(examiner, read.subject, finding)
                effects[version] = "not" if fault is None else "shows"
                if fault is not None:
                    last = fault, examiner.confirm(read.subject, fault)
        if last is None:
            return None
        return Candidate(finding.signature, check, text, ops, effects, *last)

    def _settings(self, interpreter: Path) -> ExaminerSettings:
        return ExaminerSettings(interpreter, timeout=self._timeout)


def entry_text(candidate: Candidate, title: str) -> str:
    """The candidate as a corpus file, `// RUN:` lines first."""
    fault = candidate.fault
    effects = ", ".join(f"{version} {effect}" for version, effect in candidate.effects.items())
    header = {
        "id": identity(title),
        "title": title,
        "signature": candidate.signature,
        "check": fault.check,
        **({} if candidate.asked_by == fault.check else {"asked-by": candidate.asked_by}),
        "verdict": fault.verdict.value,
        "guilty-pass": fault.stage,
        "affects": effects,
        "expected": _line(fault.expected),
        "actual": _line(fault.actual),
        "issue": "unreported",
    }
    lines = [*_run_lines(candidate), *_required(candidate)]
    lines += (f"// {key}: {value}" for key, value in header.items())
    return "\n".join([*lines, *_check_lines(candidate), "", candidate.text])


def default_title(fault: Fault) -> str:
    """A title that a person should better: the pass, and the shape of the fault."""
    return f"{fault.stage}: {' '.join(fault.shape)}".replace("-", " ").replace("/", " ")


def identity(title: str) -> str:
    """The name of an entry, and of its file, from its title."""
    words = file_name(re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"))
    if len(words) <= _LONGEST_NAME:
        return words
    # Two long titles may begin alike.
    return (
        f"{words[: _LONGEST_NAME - 7].strip('-')}-{hashlib.sha256(words.encode()).hexdigest()[:6]}"
    )


def _found(examiner: Examiner, subject: Subject, finding: RecordedFinding) -> Fault | None:
    for _ in range(_tries(finding.check)):
        (examination,) = examiner.examine([subject])
        for fault in examination.faults:
            if fault.signature == finding.signature:
                return fault
    return None


def _tries(check: str) -> int:
    return TRIES if check == "determinism" else 1


def _run_lines(candidate: Candidate) -> Iterator[str]:
    if candidate.fault.check == Roundtrip.name:
        first = candidate.confirmation.commands[0].replace("program.mlir", "%s")
        yield f"// RUN: {first.replace(ONCE, '%t')}"
        parses = candidate.fault.shape[0] != DOES_NOT_PARSE
        yield "// RUN: " + ("iree-opt %t | not diff %t -" if parses else "not iree-opt %t")
        return
    failing = "not " if candidate.fault.check == "accept" else ""
    for number, command in enumerate(candidate.confirmation.commands):
        words = command.replace("program.mlir", "%s")
        both = " 2>&1" if failing else ""
        verified = "" if number or not list(_check_lines(candidate)) else " | filecheck %s"
        yield f"// RUN: {failing}{words}{both}{verified}"


def _required(candidate: Candidate) -> Iterator[str]:
    """The releases on which lit is to run the entry, where they are not all."""
    shows = [version for version, effect in candidate.effects.items() if effect == "shows"]
    if len(shows) < len(candidate.effects):
        releases = " || ".join(f"iree-{version.rpartition('.')[0]}" for version in shows)
        yield f"// REQUIRES: {releases}"


def _check_lines(candidate: Candidate) -> Iterator[str]:
    """What stock tools say, for a program that they refuse."""
    if candidate.fault.check != "accept" or candidate.fault.shape[0] == "hang":
        return
    if candidate.fault.shape[0] == "crash":
        yield "// CHECK: Stack dump"
        return
    found = (_ERROR.search(line) for line in candidate.confirmation.output.splitlines())
    message = next((error["message"] for error in found if error), "")
    if message:
        yield f"// CHECK: error: {{{{.*}}}}{_VALUE_OR_ATTRIBUTE.split(message)[0].strip()}"


def _line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:160]
