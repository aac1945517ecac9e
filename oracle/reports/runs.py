"""What the folder of a run says, read with care: older, unfinished and damaged ones too.

What is not there is None or empty and told as "not recorded"; what is damaged is named in
`problems`, and all else is still read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracle.campaigns.counts import Tally
from oracle.campaigns.journal import JournalContents, JournalError, read_journal
from oracle.campaigns.run_folder import JOURNAL, SETTINGS, SUMMARY, settings_of, tally_of
from oracle.campaigns.summary import summary
from oracle.verdict import Verdict

_WORST_FIRST = (
    Verdict.CRASH, Verdict.HANG, Verdict.REJECTED, Verdict.WRONG_VALUE, Verdict.BROKEN_CONTRACT,
    Verdict.DISAGREE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FirstSeen:
    """When a run met a cause for the first time: seconds since it began, None if not recorded."""

    program: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class RunData:
    """One run. `summary` is what `fuzz --json` writes; `finished` is None where nobody says.

    `programs_by_verdict` counts each program once, by the worst that was found; None where the run
    does not say which programs had which fault. `first_seen` is by signature.
    """

    name: str
    summary: Mapping[str, Any]
    finished: bool | None
    programs_by_verdict: Mapping[str, int] | None
    first_seen: Mapping[str, FirstSeen]

    @property
    def programs(self) -> int:
        """How many programs were examined."""
        return whole(self.summary.get("programs"))

    @property
    def seconds(self) -> float:
        """For how long the run was at work."""
        return number(self.summary.get("seconds"))

    @property
    def curve(self) -> list[tuple[float, int]] | None:
        """(seconds, programs done) in order; None if not recorded."""
        points = self.summary.get("curve")
        if not isinstance(points, Sequence) or isinstance(points, str):
            return None
        return sorted(
            (number(point[0]), whole(point[1]))
            for point in points
            if isinstance(point, Sequence) and len(point) == 2
        )

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """The summary's findings."""
        return [one for one in entries(self.summary.get("findings")) if text(one.get("signature"))]

    @property
    def compiler(self) -> Mapping[str, Any]:
        """Spec, release and revision of the compiler, as far as they are told."""
        told = self.summary.get("compiler")
        return told if isinstance(told, Mapping) else {}


@dataclass(slots=True)
class Runs:
    """The runs that a folder holds. `out` is the folder that they share with their findings."""

    out: Path
    runs: list[RunData] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_runs(folder: Path) -> Runs:
    """The runs of OUT, or the one of OUT/runs/NAME, oldest first."""
    if (folder / SETTINGS).is_file() or (folder / JOURNAL).is_file():
        found = Runs(folder.resolve().parent.parent)
        paths = [folder]
    else:
        found = Runs(folder)
        held = folder / "runs"
        paths = sorted(held.iterdir()) if held.is_dir() else []
    for path in paths:
        if path.name.startswith("."):
            continue
        try:
            run = _run(path, found)
        except OSError as error:
            found.problems.append(f"{path}: {error.strerror or error}")
            continue
        if run is not None:
            found.runs.append(run)
    return found


def _run(path: Path, into: Runs) -> RunData | None:
    if path.is_file():
        # Before runs had folders of their own, one summary was all that was left of each.
        told = _summary(path, into) if path.suffix == ".json" else None
        return None if told is None else RunData(path.stem, told, None, None, _firsts(told))
    contents, tally = _journal(path, into)
    if tally is not None:
        try:
            settings = settings_of(path)
        except (JournalError, OSError) as error:
            into.problems.append(str(error))
        else:
            facts = {**settings.facts(), "run": path.name}
            told = summary(tally, facts, settings.checks, into.out)
            ended = _summary(path / SUMMARY, into) if (path / SUMMARY).is_file() else {}
            for name in ("interrupted", "failed"):
                told[name] = (ended or {}).get(name, told[name])
            return _of_journal(path.name, told, contents, tally)
    told = _summary(path / SUMMARY, into) if (path / SUMMARY).is_file() else None
    if told is None:
        if not any(path.iterdir()):
            into.problems.append(f"{path} is empty: the run was ended before it began")
        elif tally is None and not (path / JOURNAL).is_file():
            into.problems.append(f"{path} holds neither {JOURNAL} nor {SUMMARY}: not a whole run")
        return None
    return RunData(path.name, told, None, None, _firsts(told))


def _journal(path: Path, into: Runs) -> tuple[JournalContents, Tally | None]:
    empty = JournalContents()
    if not (path / JOURNAL).is_file():
        return empty, None
    try:
        contents = read_journal(path / JOURNAL)
        return contents, tally_of(path, contents)
    except (JournalError, OSError) as error:
        into.problems.append(str(error))
        return empty, None


def _of_journal(
    name: str, told: Mapping[str, Any], contents: JournalContents, tally: Tally
) -> RunData:
    seconds: dict[str, float] = {}
    worst: dict[int, int] = {}
    # Shards that were put together worked at the same time.
    records = sorted(contents.records, key=lambda record: record.at)
    done, curve = 0, []
    for record in records:
        done += record.programs
        curve.append([record.at, done])
        for signature, index in record.found:
            seconds.setdefault(signature, record.at)
            verdict = tally.findings[signature].finding.verdict
            rank = next((n for n, one in enumerate(_WORST_FIRST) if one == verdict), 99)
            worst[index] = min(worst.get(index, 99), rank)
    counts = Counter(
        _WORST_FIRST[rank].value if rank < len(_WORST_FIRST) else "other" for rank in worst.values()
    )
    mishaps = {index for one in records for odd, index in one.odd if odd.kind == "mishap"}
    counts[Verdict.MISHAP.value] = len(mishaps - worst.keys())
    counts[Verdict.INVALID.value] = tally.invalid
    counts[Verdict.AGREE.value] = tally.programs - sum(counts.values())
    first = {
        signature: FirstSeen(counted.first_seed, seconds.get(signature))
        for signature, counted in tally.findings.items()
    }
    by_verdict = {verdict: count for verdict, count in counts.items() if count}
    return RunData(name, {**told, "curve": curve}, contents.complete, by_verdict, first)


def _firsts(told: Mapping[str, Any]) -> dict[str, FirstSeen]:
    return {
        text(one["signature"]): FirstSeen(_program(one), None)
        for one in entries(told.get("findings"))
        if text(one.get("signature"))
    }


def _program(finding: Mapping[str, Any]) -> int | None:
    seed = finding.get("first_seed")
    return seed if isinstance(seed, int) else None


def _summary(path: Path, into: Runs) -> dict[str, Any] | None:
    told = read_object(path, into.problems)
    if told is not None and "programs" not in told:
        into.problems.append(f"{path} is no summary of a run: it does not say how many programs")
        return None
    return told


def read_object(path: Path, problems: list[str]) -> dict[str, Any] | None:
    """The JSON object of a file; None, and a problem more, where there is none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problems.append(f"{path}: {error.strerror or error}")
        return None
    except ValueError as error:
        problems.append(f"{path} is damaged: {error}")
        return None
    if not isinstance(told, dict):
        problems.append(f"{path} is damaged: no JSON object")
        return None
    return told


def entries(told: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list that came from a file."""
    if isinstance(told, list):
        yield from (one for one in told if isinstance(one, Mapping))


def text(told: object) -> str:
    """What came from a file as text; nothing for anything else."""
    return told if isinstance(told, str) else ""


def number(told: object) -> float:
    """What came from a file as a number, 0 for anything else."""
    return float(told) if isinstance(told, int | float) else 0.0


def whole(told: object) -> int:
    """What came from a file as a whole number, 0 for anything else."""
    return told if isinstance(told, int) else 0
