"""The findings of a run's folder, with all that is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracle.campaigns.findings import VERDICT
from oracle.corpus import CorpusError, Entry, load_entry
from oracle.explain.comparison import Row, compared
from oracle.reports.runs import FirstSeen, Runs, read_object, text, whole

_NEVER = FirstSeen(None, None)
_STATES = ("new", "model", "known", "by-design")
"""In the order in which people want to see them."""


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """One cause. `count`, `share` and `first_seen` are None where no run counted it.

    `releases` are releases that were tried, with what each shows (`shows`, `not`, `unparsed`).
    `program` is the reduced one where `reduced`, else as it was met; None if it is lost.
    """

    signature: str
    check: str
    verdict: str
    stage: str
    state: str
    level: str
    message: str
    count: int | None
    share: float | None
    first_seen: FirstSeen
    ops: int | None
    known: str | None
    issue: str | None
    releases: Mapping[str, str]
    folder: Path | None
    program: str | None
    reduced: bool
    reduction: str | None
    expected: str
    actual: str
    commands: str
    stock: str
    draft: str | None
    """The beginnings of a report upstream, None where there is none."""
    confirmed: bool | None

    @property
    def rows(self) -> tuple[Row, ...]:
        """Expected beside actual."""
        return compared(self.expected, self.actual)


@dataclass(slots=True)
class _Counted:
    count: int = 0
    first: FirstSeen = _NEVER
    said: Mapping[str, Any] = field(default_factory=dict)


def reported(runs: Runs, corpus: Path) -> list[ReportedFinding]:
    """All findings of the runs, those that matter most first. Damaged ones add to the problems."""
    counted = _counted(runs)
    total = sum(run.programs for run in runs.runs)
    folders = _folders(runs)
    known = _entries(corpus / "known", runs.problems)
    drafts = _entries(runs.out / "candidates", runs.problems)
    found = []
    for signature in {**counted, **folders}:
        entry = known.get(signature) or drafts.get(signature)
        of_run = counted.get(signature)
        found.append(_finding(signature, of_run, folders.get(signature), entry, total, runs))
    order = {state: place for place, state in enumerate(_STATES)}
    return sorted(
        found, key=lambda one: (order.get(one.state, len(order)), -(one.count or 0), one.signature)
    )


def _counted(runs: Runs) -> dict[str, _Counted]:
    """The findings of all summaries, put together by signature."""
    found: dict[str, _Counted] = {}
    for run in runs.runs:
        for said in run.findings:
            signature = text(said.get("signature"))
            counted = found.setdefault(signature, _Counted(said=said))
            first = run.first_seen.get(signature, _NEVER)
            if not counted.count:
                counted.first = first
            counted.count += whole(said.get("count"))
    return found


def _folders(runs: Runs) -> dict[str, list[tuple[Path, dict[str, Any]]]]:
    """The folders of findings by signature, with their verdicts: those of these runs first."""
    found: dict[str, list[tuple[Path, dict[str, Any]]]] = {}
    held = runs.out / "findings"
    for folder in sorted(held.glob("[!.]*")) if held.is_dir() else ():
        verdict = read_object(folder / VERDICT, runs.problems)
        if verdict is None:
            continue
        signature = text(verdict.get("signature"))
        if not signature:
            runs.problems.append(f"{folder / VERDICT} is damaged: it has no signature")
            continue
        found.setdefault(signature, []).append((folder, verdict))
    names = Counter(
        Path(text(said.get("program"))).parent.name for run in runs.runs for said in run.findings
    )
    for folders in found.values():
        folders.sort(key=lambda pair: (-names[pair[0].name], pair[0].name))
    return found


def _entries(folder: Path, problems: list[str]) -> dict[str, Entry]:
    """Corpus entries by signature; what cannot be read is left out."""
    found: dict[str, Entry] = {}
    for path in sorted(folder.glob("*.mlir")) if folder.is_dir() else ():
        try:
            entry = load_entry(path)
        except CorpusError as error:
            problems.append(str(error))
            continue
        found.setdefault(entry.signature, entry)
    return found


def _finding(
    signature: str,
    counted: _Counted | None,
    folders: Iterable[tuple[Path, dict[str, Any]]] | None,
    entry: Entry | None,
    total: int,
    runs: Runs,
) -> ReportedFinding:
    folder, verdict = next(iter(folders or ()), (None, {}))
    said = {**verdict, **(counted.said if counted is not None else {})}
    if folder is None:
        runs.problems.append(f"the folder of a finding is gone or damaged: {signature}")
    small = _read(folder, "reduced.mlir")
    reduction = verdict.get("reduction")
    reduction = reduction if isinstance(reduction, Mapping) else {}
    ops = reduction.get("ops") if small is not None else said.get("ops")
    return ReportedFinding(
        signature=signature,
        check=text(said.get("check")),
        verdict=text(said.get("verdict")),
        stage=text(said.get("stage")),
        state=text(said.get("state")) or "unknown",
        level=text(said.get("level")),
        message=text(verdict.get("message")),
        count=None if counted is None else counted.count,
        share=counted.count / total if counted is not None and total else None,
        first_seen=counted.first if counted is not None else _NEVER,
        ops=ops if isinstance(ops, int) else None,
        known=text(said.get("known")) or None,
        issue=None if entry is None else entry.header.get("issue"),
        releases=_releases(entry, reduction, verdict),
        folder=folder,
        program=small if small is not None else _read(folder, "program.mlir"),
        reduced=small is not None,
        reduction=text(reduction.get("why")) or None,
        expected=_read(folder, "expected.txt") or "",
        actual=_read(folder, "actual.txt") or "",
        commands=_commands(folder),
        stock=_read(folder, "stock.txt") or "",
        draft=_read(folder, "report.md"),
        confirmed=_flag(verdict.get("confirmed_by_stock_tools")),
    )


def _releases(
    entry: Entry | None, reduction: Mapping[str, Any], verdict: Mapping[str, Any]
) -> Mapping[str, str]:
    """What was tried: by the corpus, else with the reduced program, else by the run itself."""
    if entry is not None:
        return entry.affects
    tried = reduction.get("releases")
    if isinstance(tried, Mapping) and tried:
        return {str(release): str(effect) for release, effect in tried.items()}
    compiler = verdict.get("compiler")
    release = compiler.get("release") if isinstance(compiler, Mapping) else None
    return {str(release): "shows"} if release else {}


def _commands(folder: Path | None) -> str:
    """The commands of the script that shows a finding, without what makes it a script."""
    script = _read(folder, "reproduce.sh") or ""
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    kept = [
        line
        for line in lines
        if not line.startswith(("PATH=", "cd ", "command -v ", "set ", "export "))
    ]
    return "\n".join(kept or lines)


def _flag(told: object) -> bool | None:
    return told if isinstance(told, bool) else None


def _read(folder: Path | None, name: str) -> str | None:
    if folder is None:
        return None
    try:
        return (folder / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
