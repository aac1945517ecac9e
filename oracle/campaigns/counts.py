"""What is counted over programs: in a block, and over a whole run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from oracle.verdict import State


class Oddity(NamedTuple):
    """Why a program, or part of it, was not judged; `words` hold for every program with that cause.

    `unsupported`: the model does not know a construct, so `check` has no answer. `invalid`: the
    compiler says that the program is none; `check` is empty. `mishap`: crosscurrent itself went
    wrong in `check`, or outside any.
    """

    kind: Literal["unsupported", "invalid", "mishap"]
    check: str
    words: str


@dataclass(slots=True)
class Counts:
    """Counts over programs. `verdicts` is by (check, verdict), `restarts` by why a process was
    lost, `cells` by what of the language was covered; `invalid`, `unsupported` and `mishaps` are
    programs."""

    programs: int = 0
    invalid: int = 0
    unsupported: int = 0
    mishaps: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    restarts: Counter[str] = field(default_factory=Counter)
    cells: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Adds what another counted."""
        self.programs += other.programs
        self.invalid += other.invalid
        self.unsupported += other.unsupported
        self.mishaps += other.mishaps
        self.verdicts.update(other.verdicts)
        self.unanswered.update(other.unanswered)
        self.restarts.update(other.restarts)
        self.cells.update(other.cells)


@dataclass(frozen=True, slots=True)
class Cause:
    """What a run remembers of a finding: its folder under `findings/` holds all the rest."""

    signature: str
    check: str
    verdict: str
    stage: str
    state: State
    level: str
    ops: int
    known: str | None
    folder: str


@dataclass(slots=True)
class BlockRecord(Counts):
    """What one finished block adds to a run. `at` is in seconds since the run began.

    `found` and `odd` name the program of each occurrence; `causes` are the findings, and `kept` the
    folders of oddities, that the run met here for the first time.
    """

    shard: int = 1
    block: int = 0
    at: float = 0.0
    found: list[tuple[str, int]] = field(default_factory=list)
    odd: list[tuple[Oddity, int]] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    kept: list[tuple[Oddity, str]] = field(default_factory=list)


@dataclass(slots=True)
class FindingCount:
    """One signature: what it is, how often it was met, and the number of its first program."""

    finding: Cause
    count: int = 0
    first_seed: int = 0


@dataclass(slots=True)
class OddityCount:
    """One oddity: its folder below the run's, how many programs have it, the first one's number."""

    folder: str = ""
    count: int = 0
    first_seed: int = 0


@dataclass(slots=True)
class Tally(Counts):
    """Everything counted so far in a run."""

    findings: dict[str, FindingCount] = field(default_factory=dict)
    oddities: dict[Oddity, OddityCount] = field(default_factory=dict)
    seconds: float = 0.0
    """For how long the run was at work, over all its sessions."""
    first_verdict_seconds: float | None = None
    curve: list[tuple[float, int]] = field(default_factory=list)
    """How many programs were done at which second: a point a block."""
    interrupted: bool = False
    failed: str | None = None
    """Why the run ended before its end, None when it did not."""
    reduced: int = 0
    to_reduce: int = 0
    """How many findings are reduced, and how many are to be, those included."""

    @property
    def rate(self) -> float:
        """Programs per second since the start."""
        return self.programs / self.seconds if self.seconds else 0.0

    def states(self) -> Counter[State]:
        """How many signatures there are of each state."""
        return Counter(count.finding.state for count in self.findings.values())

    def take(self, record: BlockRecord) -> None:
        """Counts a finished block."""
        self.add(record)
        self.seconds = max(self.seconds, record.at)
        self.curve.append((record.at, self.programs))
        if self.first_verdict_seconds is None:
            self.first_verdict_seconds = record.at
        for cause in record.causes:
            self.findings.setdefault(cause.signature, FindingCount(cause))
        for signature, index in record.found:
            found = self.findings[signature]
            found.first_seed = min(found.first_seed, index) if found.count else index
            found.count += 1
        for oddity, folder in record.kept:
            self.oddities.setdefault(oddity, OddityCount(folder))
        for oddity, index in record.odd:
            odd = self.oddities[oddity]
            odd.first_seed = min(odd.first_seed, index) if odd.count else index
            odd.count += 1
