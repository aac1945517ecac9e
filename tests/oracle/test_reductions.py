"""Findings reduced while fuzzing goes on, and what is said of those that are not."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kills import TOOL
from oracle.campaigns.candidates import Candidate, recorded_in
from oracle.campaigns.counts import Cause, Tally
from oracle.campaigns.entries import default_title, entry_path, entry_text
from oracle.campaigns.findings import Finding, FindingsFolder
from oracle.campaigns.reducing import keep_candidate, reduce_finding
from oracle.campaigns.reductions import Reductions
from oracle.campaigns.run_folder import run_paths
from oracle.campaigns.tasks import FindingTask
from oracle.campaigns.upstream import upstream_report
from oracle.checks.base import Confirmation
from oracle.corpus import load_entry
from oracle.examiner import ExaminerSettings
from oracle.verdict import Fault, State, Verdict
from reference.releases import release_rules

FAULT = Fault(
    check="accept", verdict=Verdict.REJECTED, stage="schedule-execution", shape=("a", "b"),
    message="said no", expected="yes", actual="no\n```\nno", stock_arguments=("--x",),
)  # fmt: skip
CONFIRMED = Confirmation(True, ("iree-opt --x program.mlir",), "program.mlir:1:1: error: no")
CANDIDATE = Candidate(
    FAULT.signature, "accept", "module {\n}\n", 0, {"3.12.0": "not", "3.13.0": "shows"}, FAULT,
    CONFIRMED, shown=(FAULT.signature,),
)  # fmt: skip
FINDING = Finding(
    fault=FAULT, state=State.NEW, level="resolved", first_seed=7, text="module {\n}\n", ops=0,
    known=None, confirmation=CONFIRMED,
)  # fmt: skip
EMPTY = "util.func public @f() {\n  util.return\n}\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose findings were reduced; the model's rules are not the compiler's."""
    out = tmp_path_factory.mktemp("run")
    fuzz(out, "--profile", "placement", "--checks", "placement", "--rules", "3.11", "--seed", "5",
         "--workers", "2", "--examples", "3", "--out", out)  # fmt: skip
    return out


def fuzz(out: Path, *arguments: object) -> str:
    command = [TOOL, "fuzz", "--reduce-time", "3m", "--json", out / "summary.json", *arguments]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_what_is_found_is_reduced_and_drafted(run: Path) -> None:
    summary: Any = json.loads((run / "summary.json").read_text())
    assert summary["findings"]
    for finding in summary["findings"]:
        folder = Path(finding["program"]).parent
        reduction = finding["reduction"]
        assert (reduction["agrees"], reduction["why"]) == (True, None)
        assert finding["state"] == "new"
        reduced = Path(finding["reduced"])
        assert reduced == folder / "reduced.mlir"
        assert 0 < reduction["ops"] < finding["ops"]
        text = reduced.read_text()
        assert reduction["lines"] == len(text.splitlines())
        report = (folder / "report.md").read_text()
        assert text in report
        assert "iree-opt '--pass-pipeline" in report
        assert "reduced.mlir" in report
    entries = [load_entry(path) for path in (run / "candidates").glob("*.mlir")]
    assert {one.signature for one in entries} == {one["signature"] for one in summary["findings"]}


def test_a_resumed_run_does_what_is_missing_and_no_more(run: Path) -> None:
    """As if it had been killed before the last word on one of them."""
    before = (run / "summary.json").read_text()
    verdicts = sorted((run / "findings").glob("*/verdict.json"))
    told = {path: path.read_text() for path in verdicts}
    first = verdicts[0]
    verdict = json.loads(told[first])
    reduction = verdict.pop("reduction")
    del verdict["reduced"]
    first.write_text(json.dumps(verdict))
    times = {path: path.stat().st_mtime_ns for path in verdicts}
    (path,) = run_paths(run)
    fuzz(run, "--resume", path)
    again = json.loads(first.read_text())
    again["reduction"]["seconds"] = reduction["seconds"]
    assert again == json.loads(told[first])
    touched = [path for path in verdicts if path.stat().st_mtime_ns != times[path]]
    assert touched == [first]
    ours, theirs = json.loads(before), json.loads((run / "summary.json").read_text())
    for one in (*ours["findings"], *theirs["findings"]):
        del one["reduction"]["seconds"]
    assert ours == theirs


def task(folder: Path, **changes: Any) -> FindingTask:
    rules, _ = release_rules("3.13.0")
    settings = ExaminerSettings(Path(sys.executable), timeout=1.0)
    made = FindingTask(folder, "run", rules.version, settings, rules, ("accept",), 60.0, {})
    return replace(made, **changes)


def test_what_does_not_show_again_says_so(tmp_path: Path) -> None:
    finding = replace(FINDING, text=EMPTY)
    folder = FindingsFolder(tmp_path).record(finding, {})
    reduce_finding(task(folder))
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["reduced"] is None
    assert verdict["reduction"]["why"] == "it does not show again"
    # The same finding of another run is still this one.
    assert FindingsFolder(tmp_path).record(finding, {}) == folder


def test_a_reduced_program_under_another_name_says_why(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path).record(FINDING, {})
    other = replace(CANDIDATE, shown=("accept/fold/other",))
    told = keep_candidate(recorded_in(folder), other, tmp_path, {})
    assert told["agrees"] is False
    assert "accept/fold/other" in str(told["why"])
    whole = keep_candidate(recorded_in(folder), CANDIDATE, tmp_path, {})
    assert (whole["agrees"], whole["why"]) == (True, None)


def test_only_what_stock_tools_show_is_drafted(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path).record(FINDING, {})
    ours = replace(CANDIDATE, confirmation=Confirmation(False, (), ""))
    keep_candidate(recorded_in(folder), ours, tmp_path, {})
    assert (folder / "reduced.mlir").exists()
    assert not (folder / "report.md").exists()
    assert not (tmp_path / "candidates").exists()


def test_a_report_is_whole_whatever_the_compiler_prints() -> None:
    report = upstream_report(CANDIDATE, "a title", {"seed": 3, "profile": "nightly"})
    assert report.startswith("# a title\n")
    # The text's own fence does not end the block.
    assert "````\nno\n```\nno\n````" in report
    for said in ("yes", "iree-opt --x reduced.mlir", "3.12.0: does not show", "3.13.0: shows",
                 "iree-base-compiler==3.13.0", "`schedule-execution`", "error: no"):  # fmt: skip
        assert said in report


def test_two_causes_of_one_title_are_two_entries(tmp_path: Path) -> None:
    other = replace(FAULT, check="value", shape=("a b",))
    assert default_title(other) == default_title(FAULT)
    twin = replace(CANDIDATE, signature=other.signature, fault=other)
    paths = []
    for one in (CANDIDATE, twin, CANDIDATE):
        path = entry_path(tmp_path, one)
        path.write_text(entry_text(one, default_title(one.fault)))
        paths.append(path)
    assert paths[0] == paths[2] != paths[1]
    assert {load_entry(path).signature for path in paths} == {CANDIDATE.signature, other.signature}


CAUSE = Cause(
    FAULT.signature, "accept", "rejected", FAULT.stage, State.NEW, "resolved", 0, None,
    FINDING.folder_name,
)  # fmt: skip


@pytest.fixture
def hung(tmp_path: Path) -> FindingTask:
    """A reduction that does not come to its end: its compiler never says a word."""
    interpreter = tmp_path / "python"
    interpreter.write_text("#!/bin/sh\nexec sleep 60\n")
    interpreter.chmod(0o755)
    folder = FindingsFolder(tmp_path).record(replace(FINDING, text=EMPTY), {})
    return task(folder, settings=ExaminerSettings(interpreter))


def finish(reductions: Reductions) -> Tally:
    tally = Tally()
    try:
        reductions.finish(tally, lambda told: None)
    finally:
        reductions.close()
    return tally


def test_one_that_takes_too_long_is_ended_and_says_so(tmp_path: Path, hung: FindingTask) -> None:
    late = replace(hung, seconds=1.0)
    reductions = Reductions(tmp_path, lambda cause: late, at_once=1, seconds=30.0)
    reductions.add(CAUSE)
    tally = finish(reductions)
    assert (tally.reduced, tally.to_reduce) == (1, 1)
    verdict = json.loads((hung.folder / "verdict.json").read_text())
    assert verdict["reduction"]["why"] == "no end in 1 s"
    assert verdict["reduced"] is None


def test_the_time_for_what_is_left_is_bounded(tmp_path: Path, hung: FindingTask) -> None:
    reductions = Reductions(tmp_path, lambda cause: hung, at_once=2, seconds=0.5)
    for state in (State.NEW, State.KNOWN, State.MODEL):
        reductions.add(replace(CAUSE, state=state))
    started = time.monotonic()
    tally = finish(reductions)
    assert time.monotonic() - started < 20
    # A known finding has its entry in the corpus.
    assert (tally.reduced, tally.to_reduce) == (0, 2)
    assert multiprocessing.active_children() == []
