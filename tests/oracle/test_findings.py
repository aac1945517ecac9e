"""Findings on disk: whole or not at all, and the first writer keeps them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from oracle.campaigns import findings
from oracle.campaigns.findings import Finding, FindingsFolder, Higher, write_atomically
from oracle.checks.base import Confirmation
from oracle.verdict import Fault, State, Verdict

FAULT = Fault(
    check="accept", verdict=Verdict.REJECTED, stage="schedule-execution", shape=("a", "b"),
    message="said no", expected="yes", actual="no", stock_arguments=("--x",),
)  # fmt: skip
FINDING = Finding(
    fault=FAULT, state=State.NEW, level="resolved", first_seed=7, text="module {}\n", ops=0,
    known=None, confirmation=Confirmation(True, ("iree-opt --x program.mlir",), "error: no"),
)  # fmt: skip
FILES = {
    "program.mlir", "verdict.json", "expected.txt", "actual.txt", "reproduce.sh", "stock.txt",
}  # fmt: skip


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_finding_is_a_folder(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path).record(FINDING, {"seed": 3})
    assert folder.parent == tmp_path / "findings"
    assert names(folder) == FILES
    assert (folder / "program.mlir").read_text() == FINDING.text
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["signature"] == FAULT.signature
    assert (verdict["state"], verdict["seed"], verdict["first_seed"]) == ("new", 3, 7)
    assert verdict["confirmed_by_stock_tools"] is True
    assert names(tmp_path / "findings") == {folder.name}


def test_the_reproducer_runs_from_anywhere(tmp_path: Path) -> None:
    commands = ("cat program.mlir",)
    confirmed = replace(FINDING, confirmation=Confirmation(True, commands, ""))
    folder = FindingsFolder(tmp_path).record(confirmed, {})
    assert os.access(folder / "reproduce.sh", os.X_OK)
    script, tools = folder / "reproduce.sh", str(Path(sys.executable).parent)
    environment = {**os.environ, "IREE_BIN": tools}
    done = subprocess.run([script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == FINDING.text


def test_the_reproducer_says_that_it_needs_the_tools(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path).record(FINDING, {"compiler": {"release": "3.12.0"}})
    script = folder / "reproduce.sh"
    assert "IREE 3.12.0" in script.read_text()
    environment = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run([script], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert "set IREE_BIN" in done.stderr


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path)
    first = folder.record(FINDING, {})
    second = folder.record(FINDING, {})
    assert first == second
    other = folder.record(FINDING, {"seed": 2})
    assert other.name == f"{FINDING.folder_name}~2"
    assert (first / "program.mlir").read_text() == FINDING.text


def test_a_failure_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = findings._write, []

    def full_disk(path: Path, content: str) -> None:
        written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        real(path, content)

    monkeypatch.setattr(findings, "_write", full_disk)
    folder = FindingsFolder(tmp_path)
    with pytest.raises(OSError, match="No space"):
        folder.record(FINDING, {})
    assert names(folder.path) == set()
    monkeypatch.undo()
    assert names(folder.record(FINDING, {})) == FILES


def test_a_process_killed_in_the_middle_leaves_no_half_finding(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[2]);"
        "from pathlib import Path; import test_findings as t;"
        "from oracle.campaigns import findings as f;"
        "real = f._write;"
        "f._write = lambda p, c: real(p, c) if p.name != 'actual.txt'"
        " else os.kill(os.getpid(), signal.SIGKILL);"
        "f.FindingsFolder(Path(sys.argv[1])).record(t.FINDING, {})"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path), here], check=False)
    assert done.returncode == -signal.SIGKILL
    whole = [name for name in names(tmp_path / "findings") if not name.startswith(".")]
    assert whole == []
    assert names(FindingsFolder(tmp_path).record(FINDING, {})) == FILES


def test_two_writers_of_one_finding(tmp_path: Path) -> None:
    folder = FindingsFolder(tmp_path)
    gate = threading.Barrier(8)
    failures: list[BaseException] = []

    def write(number: int) -> None:
        gate.wait()
        try:
            folder.record(replace(FINDING, text=f"module {{}} // {number}\n"), {"seed": number})
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    assert len(names(folder.path)) == 8
    seeds = set()
    for final in folder.path.iterdir():
        seed = json.loads((final / "verdict.json").read_text())["seed"]
        assert (final / "program.mlir").read_text().strip().endswith(str(seed))
        seeds.add(seed)
    assert seeds == set(range(8))


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    write_atomically(file, "old")
    write_atomically(file, "new")
    assert file.read_text() == "new"
    with pytest.raises(UnicodeEncodeError):
        write_atomically(file, "\ud800")
    assert file.read_text() == "new"
    assert names(tmp_path) == {"summary.json"}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OSError, match="out"):
        FindingsFolder(tmp_path / "out")


def test_what_a_killed_run_had_begun_to_write_is_removed(tmp_path: Path) -> None:
    """Its own, not that of another run that is at work in the same folder."""
    finding = FindingsFolder(tmp_path).record(FINDING, {}, "run1")
    begun, others = [], []
    for run, paths in (("run1", begun), ("run12", others)):
        for path in (
            tmp_path / "findings" / f".unfinished-{run}-x" / "program.mlir",
            tmp_path / "unsupported" / f".unfinished-{run}-x" / "why.json",
            finding / f".{run}~verdict.json-x",
            tmp_path / "candidates" / f".{run}~an-entry.mlir-x",
            tmp_path / "runs" / run / f".{run}~summary.json-x",
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("half")
            paths.append(path)
    findings.clear(tmp_path, "run1")
    assert not [path for path in begun if path.exists()]
    assert all(path.exists() for path in others)
    assert names(finding) >= FILES


def test_what_shows_on_tensors_too_is_kept_beside(tmp_path: Path) -> None:
    higher = Higher("module { } // tensors\n", Confirmation(True, ("cat program.mlir",), "said"))
    raised = replace(FINDING, level="tensor", higher=higher)
    folder = FindingsFolder(tmp_path).record(raised, {})
    assert names(folder) == {*FILES, "tensor"}
    assert names(folder / "tensor") == {"program.mlir", "reproduce.sh", "stock.txt"}
    environment = {**os.environ, "IREE_BIN": str(Path(sys.executable).parent)}
    script = folder / "tensor" / "reproduce.sh"
    done = subprocess.run([script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == higher.text
    verdict = json.loads((folder / "verdict.json").read_text())
    assert (verdict["level"], verdict["level_reason"]) == ("tensor", None)


def test_why_a_finding_is_of_no_higher_level_is_told(tmp_path: Path) -> None:
    lower = replace(FINDING, level_reason="not expressible on tensors: on(…)")
    folder = FindingsFolder(tmp_path).record(lower, {})
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["level_reason"] == lower.level_reason


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe, target, link = tmp_path / "pipe", tmp_path / "target", tmp_path / "link"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "a text")
    reader.join()
    assert heard == ["a text"]
    assert pipe.is_fifo()
    target.write_text("before")
    link.symlink_to(target)
    write_atomically(link, "after")
    assert link.is_symlink()
    assert target.read_text() == "after"
