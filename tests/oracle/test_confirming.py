"""Known findings confirmed beside the lanes."""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from pathlib import Path

import pytest

from oracle.campaigns import reducing as reducing_module
from oracle.campaigns.candidates import rules_of
from oracle.campaigns.confirming import confirm_finding
from oracle.campaigns.findings import VERDICT, Finding, FindingsFolder
from oracle.campaigns.reducing import give_up, work
from oracle.campaigns.tasks import FindingTask
from oracle.corpus import default_corpus, load_known
from oracle.examiner import ExaminerSettings
from oracle.verdict import Fault, State, Verdict

SIGNATURE = "accept/schedule-execution/circular-dependency-input-operation-uses-partition-output"
HARMLESS = "module {\n  util.func public @main() {\n    util.return\n  }\n}\n"


@pytest.fixture
def task(tmp_path: Path) -> FindingTask:
    """What is to be done about a known finding, as a lane has left it."""
    entry = load_known(default_corpus())[SIGNATURE]
    check, stage, *shape = SIGNATURE.split("/")
    fault = Fault(
        check=check, verdict=Verdict.REJECTED, stage=stage, shape=tuple(shape),
        message="refused", expected="", actual="", stock_arguments=(),
    )  # fmt: skip
    finding = Finding(
        fault=fault, state=State.KNOWN, level="stream", first_seed=3, text=entry.program, ops=5,
        known=entry.identity, confirmation=None,
    )  # fmt: skip
    folder = FindingsFolder(tmp_path).record(finding, {"seed": 1}, "run")
    return FindingTask(
        folder=folder,
        run="run",
        version=metadata.version("iree-base-compiler"),
        settings=ExaminerSettings(Path(sys.executable), timeout=2.0),
        rules=rules_of(metadata.version("iree-base-compiler")),
        checks=("accept",),
        seconds=60.0,
        facts={"seed": 1},
    )


def verdict(task: FindingTask) -> dict[str, object]:
    told = json.loads((task.folder / VERDICT).read_text(encoding="utf-8"))
    assert isinstance(told, dict)
    return told


def test_a_lane_leaves_it_unconfirmed(task: FindingTask) -> None:
    assert verdict(task)["confirmed_by_stock_tools"] is None
    assert not (task.folder / "reproduce.sh").exists()


def test_it_is_confirmed_with_the_commands_that_show_it(task: FindingTask) -> None:
    confirm_finding(task)
    told = verdict(task)
    assert told["confirmed_by_stock_tools"] is True
    assert (told["level"] == "tensor") == (task.folder / "tensor").is_dir()
    assert "iree-opt" in (task.folder / "reproduce.sh").read_text(encoding="utf-8")
    assert os.access(task.folder / "reproduce.sh", os.X_OK)
    assert "error" in (task.folder / "stock.txt").read_text(encoding="utf-8")
    assert "reduction" not in told


def test_one_that_does_not_show_again_says_so(task: FindingTask) -> None:
    (task.folder / "program.mlir").write_text(HARMLESS, encoding="utf-8")
    work(task, gives_way=False)
    assert verdict(task)["confirmed_by_stock_tools"] is False
    assert "does not show again" in (task.folder / "stock.txt").read_text(encoding="utf-8")


def test_one_that_takes_too_long_says_so(task: FindingTask) -> None:
    give_up(task, "no end in 7 s")
    assert verdict(task)["confirmed_by_stock_tools"] is False
    assert "no end in 7 s" in (task.folder / "stock.txt").read_text(encoding="utf-8")
    assert "reduction" not in verdict(task)


def test_one_that_makes_us_go_wrong_says_so(
    task: FindingTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(task: FindingTask) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(reducing_module, "confirm_finding", wrong)
    work(task, gives_way=False)
    assert verdict(task)["confirmed_by_stock_tools"] is False
    said = (task.folder / "stock.txt").read_text(encoding="utf-8")
    assert "crosscurrent itself went wrong: KeyError: 'planted'" in said
