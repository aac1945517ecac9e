"""Findings reduced, and tried on several releases: what the corpus and a report are made of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracle.campaigns.findings import VERDICT
from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Subject
from oracle.compiling.answers import Request
from oracle.corpus import SHOWS, SOMETIMES
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reduction.pipelines import shortened, shows_the_same
from oracle.reduction.reducer import NotShownError
from oracle.reduction.reducing import TRIES, check_that_shows, reduce_text
from oracle.reduction.tree import size_of, tree_of
from oracle.signature import WHEN_CONCURRENT, shows_by_chance
from oracle.verdict import Fault
from reference.releases import RELEASES, Release, release_rules


class NotReducedError(Exception):
    """A finding that cannot be reduced; the message says why."""


@dataclass(frozen=True, slots=True)
class RecordedFinding:
    """A finding's folder as a run left it. `reduced` is the program that it was reduced to."""

    folder: Path
    signature: str
    check: str
    state: str
    text: str
    reduced: str | None = None


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
    shown: tuple[str, ...] = ()
    """The signatures that the reduced program has on the release that it was reduced on."""
    rules: str | None = None
    """The release whose rules the model followed, where it is not the compiler's own."""

    @property
    def agrees(self) -> bool:
        """Whether the reduced program has the finding's signature when all is asked of it."""
        return self.signature in self.shown


def recorded(out: Path, damaged: list[Path] | None = None) -> Iterator[RecordedFinding]:
    """The findings of a run's folder, by name. What is damaged is left out, and put into
    `damaged`."""
    for folder in sorted((out / "findings").glob("[!.]*")):
        try:
            yield recorded_in(folder)
        except (OSError, ValueError):
            if damaged is not None:
                damaged.append(folder)


def recorded_in(folder: Path) -> RecordedFinding:
    """A finding from its folder. Raises OSError, ValueError where it is damaged."""
    verdict = json.loads((folder / VERDICT).read_text(encoding="utf-8"))
    if not isinstance(verdict, dict) or not {"signature", "check", "state"} <= set(verdict):
        raise ValueError(f"{folder / VERDICT} is damaged")
    text = (folder / "program.mlir").read_text(encoding="utf-8")
    reduced = None
    if verdict.get("reduced"):
        reduced = (folder / str(verdict["reduced"])).read_text(encoding="utf-8")
    return RecordedFinding(
        folder, verdict["signature"], verdict["check"], verdict["state"], text, reduced
    )


def rules_of(version: str) -> Release:
    """The rules of a release; the newest for a build that does not say what it is."""
    try:
        return release_rules(version)[0]
    except ValueError:
        return RELEASES[-1]


class Triage:
    """Reduces findings on one compiler and tries what comes out on several.

    `compilers` says how to reach the releases by version, the one to reduce on first. `rules` are
    the model's; by default each release's own. `checks` are asked of what comes out.
    """

    def __init__(
        self,
        compilers: Mapping[str, ExaminerSettings],
        rules: Release | None = None,
        checks: Sequence[str] = tuple(CHECKS),
    ) -> None:
        self._compilers = dict(compilers)
        own = rules_of(next(iter(self._compilers)))
        self._rules = None if rules == own else rules
        self._checks = tuple(checks)

    def candidate(self, finding: RecordedFinding) -> Candidate:
        """The finding reduced and tried. One that was reduced before is tried only.

        Raises NotReducedError, ExaminerError.
        """
        version, settings = next(iter(self._compilers.items()))
        release = rules_of(version)
        rules = self._rules or release
        text = finding.reduced or finding.text
        try:
            check = check_that_shows(
                text, finding.signature, tuple(CHECKS), settings, rules, release
            )
            if finding.reduced is None:
                text = reduce_text(text, finding.signature, (check,), settings, rules, release).text
        except NotShownError:
            raise NotReducedError("it does not show again") from None
        return self._tried(finding, check, text)

    def _tried(self, finding: RecordedFinding, check: str, text: str) -> Candidate:
        effects: dict[str, str] = {}
        shows: list[tuple[str, Fault]] = []
        for version, settings in sorted(self._compilers.items()):
            with self._asking(check, settings) as examiner:
                subject = self._read(examiner, text, version)
                if subject is None:
                    effects[version] = "unparsed"
                    continue
                fault = found_again(examiner, subject, finding)
                effects[version] = "not" if fault is None else _effect(fault)
                if fault is not None:
                    shows.append((version, fault))
        if not shows:
            raise NotReducedError("what it was reduced to does not show it again")
        last = self._shown_shortly(check, text, shows)
        ops, shown = self._looked_at(finding, text)
        rules = None if self._rules is None else self._rules.version
        # What is run has kernels, without which stock tools cannot compile it.
        text = last[0].text or text
        return Candidate(finding.signature, check, text, ops, effects, *last, shown, rules)

    def _shown_shortly(
        self, check: str, text: str, shows: Sequence[tuple[str, Fault]]
    ) -> tuple[Fault, Confirmation]:
        """The fault of the newest release that shows it, with the shortest options that do on all
        of them, and its confirmation."""
        version, newest = shows[-1]
        with self._asking(check, self._compilers[version]) as examiner:
            subject = self._read(examiner, text, version)
            assert subject is not None
            less = shortened(examiner, subject, newest)
        both = [self._confirmed(check, text, *one, less) for one in shows]
        same = (shows_the_same(fault, *pair) for (_, fault), pair in zip(shows, both, strict=True))
        of_all, of_needed = both[-1]
        return (less, of_needed) if all(same) else (newest, of_all)

    def _confirmed(
        self, check: str, text: str, version: str, fault: Fault, less: Fault
    ) -> tuple[Confirmation, Confirmation]:
        """Whether a release shows a fault, with the options that it has and with another's."""
        with self._asking(check, self._compilers[version]) as examiner:
            subject = self._read(examiner, text, version)
            assert subject is not None
            shown = examiner.confirm(subject, fault)
            if fault.stock_arguments == less.stock_arguments:
                return shown, shown
            other = replace(fault, stock_arguments=less.stock_arguments)
            return shown, examiner.confirm(subject, other)

    def _asking(self, check: str, settings: ExaminerSettings) -> Examiner:
        return Examiner(settings, [CHECKS[check]])

    def _read(self, examiner: Examiner, text: str, version: str) -> Subject | None:
        release = rules_of(version)
        read = subject_from_text(examiner, text, self._rules or release, release)
        return None if read is None else read.subject

    def _looked_at(self, finding: RecordedFinding, text: str) -> tuple[int, tuple[str, ...]]:
        """The size of the reduced program in ops, and its signatures on the first release, all
        checks asked."""
        version, settings = next(iter(self._compilers.items()))
        release = rules_of(version)
        with Examiner(settings, [CHECKS[name] for name in self._checks]) as examiner:
            read = subject_from_text(examiner, text, self._rules or release, release)
            if read is None or read.subject is None:
                raise NotReducedError("what it was reduced to does not parse")
            (answer,) = examiner.process().ask([Request(text, (("parse",), ("read",)))])
            found = examiner.examine([read.subject] * _tries(finding.signature))
        signatures = dict.fromkeys(fault.signature for one in found for fault in one.faults)
        return size_of(tree_of(answer.results[-1])), tuple(signatures)


def found_again(examiner: Examiner, subject: Subject, finding: RecordedFinding) -> Fault | None:
    """The fault of `subject` that has the finding's signature. Raises ExaminerError."""
    for _ in range(_tries(finding.signature)):
        (examination,) = examiner.examine([subject])
        for fault in examination.faults:
            if fault.signature == finding.signature:
                return fault
    return None


def _effect(fault: Fault) -> str:
    return SOMETIMES if WHEN_CONCURRENT in fault.shape else SHOWS


def _tries(signature: str) -> int:
    return TRIES if shows_by_chance(signature) else 1
