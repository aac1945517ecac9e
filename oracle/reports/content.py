"""What a report says, in words and numbers, whatever form it is told in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracle.checks import CHECKS
from oracle.reports.findings import ReportedFinding, reported
from oracle.reports.runs import FirstSeen, RunData, Runs, entries, text, whole
from oracle.verdict import State, Verdict

_GOOD, _BAD = ("agree", "hold"), ("disagree", "broken")
_MATRIX = tuple(
    verdict.value for verdict in Verdict
    if verdict not in (Verdict.AGREE, Verdict.UNSUPPORTED, Verdict.INVALID)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """One check over all runs; `unanswered` and `unsupported` are None where no run says."""

    name: str
    good: int
    bad: int
    unanswered: int | None
    unsupported: int | None

    @property
    def question(self) -> str:
        """What the check asks, for people."""
        return f"{CHECKS[self.name].question}?" if self.name in CHECKS else ""


@dataclass(frozen=True, slots=True)
class Odd:
    """What kept programs, or a check, from being judged."""

    kind: str
    check: str
    why: str
    count: int


@dataclass(frozen=True, slots=True)
class Report:
    """All runs of a folder together. `problems` are what could not be read."""

    out: Path
    runs: Sequence[RunData]
    findings: Sequence[ReportedFinding]
    problems: Sequence[str]

    @property
    def programs(self) -> int:
        """Programs of all runs."""
        return sum(run.programs for run in self.runs)

    @property
    def seconds(self) -> float:
        """Seconds of all runs, one after the other."""
        return sum(run.seconds for run in self.runs)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to report."""
        return not self.runs and not self.findings

    @property
    def states(self) -> Counter[str]:
        """How many findings there are of each state."""
        return Counter(one.state for one in self.findings)

    @property
    def fresh(self) -> list[ReportedFinding]:
        """The findings that nobody knows yet, whoever's fault they are."""
        return [one for one in self.findings if one.state not in (State.KNOWN, State.BY_DESIGN)]

    @property
    def title(self) -> str:
        """What ran."""
        profiles = _several(text(run.summary.get("profile")) for run in self.runs)
        releases = _several(text(run.compiler.get("release")) for run in self.runs)
        named = f" {profiles}" if profiles else ""
        against = f" against IREE {releases}" if releases else ""
        return f"crosscurrent{named}{against}"

    @property
    def subtitle(self) -> str:
        """Which runs, of which version."""
        versions = _several(text(run.summary.get("crosscurrent")) for run in self.runs)
        names = [run.name for run in self.runs]
        several = f"{len(names)} runs from {names[0]} to {names[-1]}" if len(names) > 1 else ""
        name = several or (f"run {names[0]}" if names else "no run")
        revisions = _several(text(run.compiler.get("revision")) for run in self.runs)
        seeds = _several(str(run.summary.get("seed", "")) for run in self.runs)
        parts = {"seed": seeds, "revision": revisions, "crosscurrent": versions}
        return ", ".join([name, *(f"{word} {told}" for word, told in parts.items() if told)])

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        states = self.states
        parts = [f"{states[state.value]} {state.value}" for state in State if states[state.value]]
        causes = "cause" if len(self.findings) == 1 else "causes"
        found = "Nothing was found"
        if parts:
            found = f"{len(self.findings)} distinct {causes}: {', '.join(parts)}"
        cut = [run.name for run in self.runs if not _came_to_its_end(run)]
        early = f" {len(cut)} of {len(self.runs)} runs did not come to their end." if cut else ""
        return f"{found}.{early}"

    @property
    def by_verdict(self) -> list[tuple[str, int]] | None:
        """Programs by verdict, the most first; None where a run does not say."""
        found: Counter[str] = Counter()
        for run in self.runs:
            if run.programs_by_verdict is None:
                return None
            found.update(run.programs_by_verdict)
        return found.most_common() or None

    @property
    def checks(self) -> list[CheckCounts]:
        """Each check's counts over all runs."""
        found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for run in self.runs:
            told = run.summary.get("checks")
            for name, counts in told.items() if isinstance(told, Mapping) else ():
                if isinstance(counts, Mapping):
                    found[str(name)].append(counts)
        order = {name: place for place, name in enumerate(CHECKS)}
        return [
            CheckCounts(
                name,
                sum(whole(one.get(word)) for one in found[name] for word in _GOOD),
                sum(whole(one.get(word)) for one in found[name] for word in _BAD),
                _sum(found[name], "unanswered"),
                _sum(found[name], "unsupported"),
            )
            for name in sorted(found, key=lambda name: (order.get(name, len(order)), name))
        ]

    @property
    def stages(self) -> Counter[str]:
        """How often programs met findings, by guilty stage."""
        found: Counter[str] = Counter()
        for one in self.findings:
            found[one.stage or "unknown"] += one.count or 0
        return +found

    @property
    def matrix(self) -> dict[str, dict[str, tuple[int, int | None]]]:
        """By stage and verdict: distinct causes, and how often programs met them (None where no run
        counted)."""
        found: dict[str, dict[str, tuple[int, int | None]]] = {}
        for one in self.findings:
            row = found.setdefault(one.stage or "unknown", {})
            causes, count = row.get(one.verdict, (0, None))
            if one.count is not None:
                count = (count or 0) + one.count
            row[one.verdict] = (causes + 1, count)
        return dict(sorted(found.items()))

    @property
    def verdicts(self) -> list[str]:
        """The verdicts among the findings."""
        there = {one.verdict for one in self.findings}
        return [name for name in _MATRIX if name in there] + sorted(there - set(_MATRIX))

    @property
    def odd(self) -> list[Odd]:
        """What was not judged, the most frequent first."""
        found: Counter[tuple[str, str, str]] = Counter()
        for run in self.runs:
            found.update(dict(_odd(run)))
        return [Odd(*key, count) for key, count in found.most_common()]

    def restarts(self) -> int | None:
        """How often processes were lost, None where no run says."""
        told = [run.summary.get("restarts") for run in self.runs]
        counted = [one for one in told if isinstance(one, Mapping)]
        return sum(whole(n) for one in counted for n in one.values()) if counted else None

    def total(self, key: str) -> int:
        """A number of the summaries, over all runs."""
        return sum(whole(run.summary.get(key)) for run in self.runs)


def report_of(runs: Runs, corpus: Path) -> Report:
    """The report of what a folder holds; `corpus` tells what known causes affect."""
    findings = reported(runs, corpus)
    return Report(runs.out, tuple(runs.runs), findings, tuple(dict.fromkeys(runs.problems)))


def ended(run: RunData) -> str:
    """How a run ended, for people."""
    if run.summary.get("failed"):
        return f"failed: {run.summary['failed']}"
    if run.summary.get("interrupted"):
        return "interrupted"
    return {True: "at its end", False: "not yet", None: "at its end or unknown"}[run.finished]


def seconds_told(seconds: float) -> str:
    """A length of time for people: `41 s`, `12 min`, `8.1 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def first_told(first: FirstSeen) -> str | None:
    """When a finding was met first, for people; None where nobody says."""
    if first.program is None:
        return None
    when = "" if first.seconds is None else f" after {seconds_told(first.seconds)}"
    return f"#{first.program}{when}"


def _came_to_its_end(run: RunData) -> bool:
    return run.finished is not False and not (
        run.summary.get("failed") or run.summary.get("interrupted")
    )


def _several(words: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(filter(None, words)))


def _sum(counts: Sequence[Mapping[str, Any]], key: str) -> int | None:
    told = [one[key] for one in counts if key in one]
    return sum(map(whole, told)) if told else None


def _odd(run: RunData) -> Iterator[tuple[tuple[str, str, str], int]]:
    for one in entries(run.summary.get("unsupported_constructs")):
        key = ("unsupported", text(one.get("check")), text(one.get("construct")))
        yield key, whole(one.get("count"))
    for one in entries(run.summary.get("invalid_programs")):
        yield ("invalid", "", text(one.get("refused"))), whole(one.get("count"))
    for one in entries(run.summary.get("mishap_programs")):
        key = ("mishap", text(one.get("check")), text(one.get("went_wrong")))
        yield key, whole(one.get("count"))
