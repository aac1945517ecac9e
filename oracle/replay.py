"""The corpus on a compiler: does every entry still do what its header says?"""

from __future__ import annotations

import enum
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.compiling.stock import StockTools
from oracle.corpus import AGREES, SHOWS, SHOWS_NOT, SOMETIMES, UNPARSED, Entry, Shelf
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import UnreadableError, pieces, subject_from_text
from oracle.signature import shows_by_chance
from oracle.verdict import Fault
from reference.releases import Release, release_rules

TRIES = 12
"""How often a fault of `determinism` is looked for: it shows by chance."""


class Standing(enum.StrEnum):
    """How what an entry does compares with what its header says."""

    HOLDS = "holds"
    DRIFTED = "drifted"
    """It does something else than its header says of this release."""
    UNNAMED = "unnamed"
    """Its header says nothing of this release."""
    UNUSABLE = "unusable"
    """It could not be asked about."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of one entry. `expected` is the header's word for the release, None where it has
    none; `effect` what the entry did; `advice` what to do, empty where it holds."""

    entry: Entry
    standing: Standing
    expected: str | None
    effect: str | None
    advice: str
    seconds: float


class RunLineError(Exception):
    """A RUN line that cannot be obeyed here; the message says why."""


class Replay:
    """Replays entries on one compiler; close it when done.

    `release` is what the compiler says it is, `rules` the model's rules for it, `compiler` the
    release under test.
    """

    def __init__(
        self, settings: ExaminerSettings, release: str, rules: Release, compiler: Release
    ) -> None:
        self._settings = settings
        self._release = release
        self._rules = rules
        self._compiler = compiler
        self._examiners: dict[str, Examiner] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Replay:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def entries(self, entries: Sequence[Entry]) -> Iterator[Replayed]:
        """Replays each, in order. An entry that cannot be asked about stops no other."""
        for entry in entries:
            yield self.entry(entry)

    def entry(self, entry: Entry) -> Replayed:
        """Replays one entry."""
        started = time.monotonic()
        expected = entry.affects.get(self._release)
        try:
            effect, told = self._effect(entry)
        except (ExaminerError, RunLineError, UnreadableError) as error:
            effect, told = None, str(error)
        seconds = time.monotonic() - started
        if effect is None:
            advice = f"cannot be asked about: {told}"
            return Replayed(entry, Standing.UNUSABLE, expected, effect, advice, seconds)
        standing, advice = judged(entry, self._release, effect, told)
        return Replayed(entry, standing, expected, effect, advice, seconds)

    def _effect(self, entry: Entry) -> tuple[str, str]:
        """What the entry does here, and what is to be told about it."""
        if entry.check not in CHECKS or entry.asked_by not in CHECKS:
            raise RunLineError(f"there is no check {entry.check} or {entry.asked_by}")
        (piece,) = self._pieces(entry)
        examiner = self._examiner(entry.asked_by)
        rules = entry.header.get("rules")
        told = self._rules if rules is None else release_rules(rules)[0]
        read = subject_from_text(examiner, piece, told, self._compiler)
        if read is None or read.subject is None:
            return UNPARSED, "it does not parse"
        found = self._found(examiner, entry, read.subject)
        if entry.shelf is not Shelf.AGREE:
            if any(fault.signature == entry.signature for fault in found):
                return SHOWS, ""
            return SHOWS_NOT, "".join(f"; it shows {fault.signature}" for fault in found)
        if found:
            return SHOWS_NOT, f": the compiler and the model differ: {found[0].signature}"
        if entry.affects.get(self._release) == SHOWS_NOT:
            # Its recorded answers are another release's; the model's for this one agrees.
            return SHOWS_NOT, ""
        said = next(filter(None, (self._recorded(entry, line) for line in entry.runs)), None)
        return (AGREES, "") if said is None else (SHOWS_NOT, f": {said}")

    def _pieces(self, entry: Entry) -> tuple[str, ...]:
        found = pieces(entry.path)
        if len(found) != 1:
            raise RunLineError(f"it holds {len(found)} modules instead of one")
        return (found[0].text,)

    def _found(self, examiner: Examiner, entry: Entry, subject: Subject) -> list[Fault]:
        for _ in range(TRIES if shows_by_chance(entry.signature) else 1):
            (examination,) = examiner.examine([subject])
            faults = list(examination.faults)
            if any(fault.signature == entry.signature for fault in faults):
                break
        return faults

    def _examiner(self, check: str) -> Examiner:
        if check not in self._examiners:
            made = Examiner(self._settings, [CHECKS[check]])
            self._examiners[check] = self._stack.enter_context(made)
        return self._examiners[check]

    def _recorded(self, entry: Entry, line: str) -> str | None:
        """What differs from the answer recorded for a RUN line; None where nothing does."""
        stock = self._settings.stock
        if not stock.available:
            raise RunLineError(f"no iree-opt in {stock.directory}")
        return run_line(line, entry.path, stock)


def run_line(line: str, file: Path, stock: StockTools) -> str | None:
    """Obeys a RUN line of the form `iree-opt OPTIONS %s | filecheck OPTIONS %s`: what `filecheck`
    or `iree-opt` complained about, None when they did not. Raises RunLineError for other forms.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise RunLineError(f"RUN: {error}: {line}") from None
    bar = words.index("|") if "|" in words else -1
    tool, checker = words[:bar], words[bar + 1 :]
    if bar < 0 or tool[:1] != ["iree-opt"] or "%s" not in tool or checker[:1] != ["filecheck"]:
        raise RunLineError(f"RUN: not of the form `iree-opt … %s | filecheck … %s`: {line}")
    options = [word for word in tool[1:] if word != "%s"]
    run = stock.opt(file.read_text(encoding="utf-8"), *options)
    if not run.succeeded:
        return f"iree-opt: {run.outcome}: {run.diagnostics.strip()[:200]}"
    arguments = [str(file) if word == "%s" else word for word in checker[1:]]
    done = subprocess.run(
        [sys.executable, "-m", "filecheck", *arguments],
        input=run.output, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not done.returncode:
        return None
    if "No module named filecheck" in done.stderr:
        raise RunLineError("recorded answers need the package filecheck: pip install filecheck")
    complaints = (done.stdout + done.stderr).strip().splitlines() or ["filecheck failed"]
    return f"the recorded answer is another: {' '.join(one.strip() for one in complaints[:4])}"


def judged(entry: Entry, release: str, effect: str, told: str) -> tuple[Standing, str]:
    """How an effect compares with the header, and what to do where it does not hold."""
    expected = entry.affects.get(release)
    if entry.shelf is Shelf.FIXED and effect == SHOWS and not entry.still_to_come(release):
        mended = entry.header["fixed-in"]
        advice = f"it is back: fixed in {mended}, and {release} shows it; report it upstream"
        return Standing.DRIFTED, f"{advice}, and move the entry to known/"
    if effect == expected or (expected == SOMETIMES and effect in (SHOWS, SHOWS_NOT)):
        return Standing.HOLDS, ""
    if expected is None:
        if entry.shelf is Shelf.AGREE and effect == SHOWS_NOT:
            return Standing.DRIFTED, f"it agrees no more on {release}{told}"
        return Standing.UNNAMED, f"affects: add `{release} {effect}`{told}"
    said = f"the header says `{release} {expected}`, but there it {_words(effect)}{told}"
    return Standing.DRIFTED, f"{said}. {_remedy(entry, release, effect)}"


def _words(effect: str) -> str:
    return {SHOWS_NOT: "does not", UNPARSED: "does not parse"}.get(effect, effect)


def _remedy(entry: Entry, release: str, effect: str) -> str:
    """What to do about an entry that does `effect`, and not what its header says."""
    narrowed = f"say `{release} {effect}` under affects"
    if entry.shelf is Shelf.AGREE:
        return f"Find out which is wrong, the compiler or the model; if neither, {narrowed}"
    if effect == SHOWS:
        return f"If the fault is the same, {narrowed} and mend REQUIRES"
    if entry.shelf is Shelf.FIXED:
        return narrowed.capitalize()
    return (
        "If the compiler mended it, move the file to corpus/fixed/ with "
        f"`fixed-in: {release}`; if it is still there under another signature, write that one; "
        f"else {narrowed}"
    )
