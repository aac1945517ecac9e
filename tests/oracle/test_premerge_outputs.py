"""What a pre-merge run writes: the screen, the files, the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from oracle.compiling.stock import StockRun
from oracle.premerge import exchange, terminal
from oracle.premerge.expectations import Expectations, ExpectationsError, load
from oracle.premerge.finish import Finished, Shown, why_left_out
from oracle.premerge.lane import Met
from oracle.premerge.programs import Offered
from oracle.premerge.report import Context, report, write_difference
from oracle.premerge.run import Counted, Results, told
from oracle.premerge.sorting import Difference, Kind
from oracle.premerge.timing import Slower
from oracle.verdict import Fault, Verdict

PROGRAM = "module {\n}\n"
FAULT = Fault(
    check="value",
    verdict=Verdict.WRONG_VALUE,
    stage="copy-on-write",
    shape=("lost",),
    message="result 0 is another",
    expected="a",
    actual="b",
    stock_arguments=(),
)


def crosscurrent(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(

        [str(Path(sys.executable).parent / "crosscurrent"), *arguments],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def counted(kind: Kind, number: int, confirmed: bool = True) -> Counted:
    fault = replace(FAULT, shape=("lost", f"shape{number}"))
    worse = kind is Kind.REGRESSED
    difference = Difference(
        kind, fault.signature, "value", fault, ("value",),
        *(("kept", "broken") if worse else ("broken", "kept")),
    )  # fmt: skip
    shows = Shown(("iree-opt program.mlir",), "b", confirmed)
    keeps = Shown(("iree-opt program.mlir",), "a", False)
    finished = Finished(
        True, fault, PROGRAM, 3, True,
        baseline=keeps if worse else shows, candidate=shows if worse else keeps,
        confirmed=confirmed,
    )  # fmt: skip
    return Counted(Met(difference, Offered(f"seed 1 #{number}", PROGRAM), 9), number, 1,
                   finished=finished)  # fmt: skip


def changed(number: int) -> Counted:
    signature = f"changed/placement/shape{number}"
    difference = Difference(Kind.CHANGED, signature, "placement", None, (), "on a", "on b")
    return Counted(Met(difference, Offered("seed 1 #0", PROGRAM), 9), number)


def results(*found: Counted) -> Results:
    made = Results(corpus=3, fresh=40, compared=42, measured=40, seconds=12.34)
    for one in found:
        made.differences[one.met.difference.kind, one.met.difference.signature] = one
    return made


def context(folder: Path, expected: tuple[str, ...] = ()) -> Context:
    side = {"spec": "3.11.0", "release": "3.11.0", "revision": None, "rules": "3.11"}
    facts: dict[str, object] = {
        "crosscurrent": "0", "seed": 1, "profile": "nightly", "checks": ["accept", "value"],
        "baseline": side, "candidate": {**side, "spec": "3.12.0"},
    }  # fmt: skip
    return Context(facts, folder, {}, Expectations(expected))


def many() -> Results:
    every = [counted(kind, number) for kind in (Kind.REGRESSED, Kind.FIXED)
             for number in range(1, 9)]  # fmt: skip
    made = results(*every, *map(changed, range(1, 9)))
    made.slower = [Slower(f"pass {n}", 36, 1e-3, 2e-3, 2.0, 1.8, 2.2, 1e-9) for n in range(5)]
    made.unparsed["baseline"] = 3
    made.invalid = [("seed 1 #1", "why")]
    return made


def test_the_summary_is_one_screen_with_the_answer_last(tmp_path: Path) -> None:
    made = report(many(), context(tmp_path, ("never",)))
    lines = terminal.told(made).splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 100 for line in lines)
    assert lines[-1] == "8 regressed: the candidate breaks what the baseline keeps."
    assert "expected, but not met: never" in lines
    assert made["exit_code"] == 1


def test_why_the_rest_of_the_corpus_is_left_out(tmp_path: Path) -> None:
    results = many()
    results.corpus_left = 4
    assert "4 corpus entries for want of time" in terminal.told(report(results, context(tmp_path)))
    results.interrupted = True
    told = terminal.told(report(results, context(tmp_path)))
    assert "4 corpus entries since the run was interrupted" in told


def test_the_order_is_always_the_same(tmp_path: Path) -> None:
    one, other = many(), many()
    other.differences = dict(reversed(other.differences.items()))
    assert report(one, context(tmp_path)) == report(other, context(tmp_path))


@pytest.mark.parametrize(
    ("found", "expected", "code"),
    [
        ((Kind.REGRESSED,), (), 1),
        ((Kind.REGRESSED,), ("value/*",), 0),
        ((Kind.REGRESSED,), ("value/copy-on-write/lost/shape2",), 1),
        ((Kind.FIXED,), (), 0),
        ((), (), 0),
    ],
)
def test_only_what_regressed_and_was_not_expected_is_a_reason_not_to_merge(
    found: tuple[Kind, ...], expected: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    made = report(results(*(counted(kind, 1) for kind in found), changed(1)),
                  context(tmp_path, expected))  # fmt: skip
    assert made["exit_code"] == code


def test_what_is_not_confirmed_is_said_and_counts(tmp_path: Path) -> None:
    made = report(results(counted(Kind.REGRESSED, 1, confirmed=False)), context(tmp_path))
    assert made["exit_code"] == 1
    assert "NOT shown by stock tools" in terminal.told(made)


def test_what_did_not_come_again_is_no_difference(tmp_path: Path) -> None:
    one = counted(Kind.REGRESSED, 1)
    assert one.finished is not None
    one.finished = replace(one.finished, steady=False, note="it shows on both")
    made = report(results(one), context(tmp_path))
    assert made["differences"] == []
    assert made["exit_code"] == 0
    assert [each["note"] for each in made["unsteady"]] == ["it shows on both"]


def test_junit(tmp_path: Path) -> None:
    made = report(many(), context(tmp_path, ("value/copy-on-write/lost/shape1",)))
    xml = JUnitXml.fromstring(exchange.junit(made).encode())
    assert (xml.tests, xml.failures, xml.errors) == (3, 7, 0)
    nothing = JUnitXml.fromstring(exchange.junit(report(results(), context(tmp_path))).encode())
    assert (nothing.tests, nothing.failures) == (3, 0)


def test_sarif(tmp_path: Path) -> None:
    made = report(many(), context(tmp_path, ("value/copy-on-write/lost/shape1",)))
    told_ = json.loads(exchange.sarif(made))
    (run,) = told_["runs"]
    assert told_["version"] == "2.1.0"
    ids = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {one["ruleId"] for one in run["results"]} <= ids
    levels = [one["level"] for one in run["results"] if "suppressions" not in one]
    assert levels.count("error") == 7
    assert levels.count("note") == 7  # One signature is expected whatever its kind.


def test_markdown_holds_program_sides_and_commands(tmp_path: Path) -> None:
    made = report(results(counted(Kind.REGRESSED, 1), changed(2)), context(tmp_path))
    text = exchange.markdown(made, "1 regressed")
    assert text.startswith("### crosscurrent premerge: 1 regressed\n")
    for part in (PROGRAM.strip(), "kept", "broken", "$ iree-opt program.mlir", "on a", "on b"):
        assert part in text
    assert len(exchange.markdown(report(many(), context(tmp_path)), "")) < 65536


def test_the_folder_of_a_difference(tmp_path: Path) -> None:
    folder = write_difference(told(counted(Kind.REGRESSED, 1)), context(tmp_path))
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "original.mlir", "program.mlir", "baseline.txt", "candidate.txt", "reproduce.sh",
        "difference.json",
    }  # fmt: skip
    tools = tmp_path / "bin"
    tools.mkdir()
    tool = tools / "iree-opt"
    tool.write_text('#!/bin/sh\necho "asked about $1"\n')
    tool.chmod(0o755)
    variables = {"BASELINE_BIN": str(tools), "CANDIDATE_BIN": str(tools), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [str(folder / "reproduce.sh")], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("asked about program.mlir") == 2


def test_expectations(tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_text("# intended\nchanged/placement/*  # pushed by the source now\n\nvalue/x\n")
    found = load(file)
    assert found.accepts("changed/placement/any/cross-device") == "changed/placement/*"
    assert found.accepts("changed/schedule/x") is None
    assert found.unused(["value/x"]) == ("changed/placement/*",)


@pytest.mark.parametrize(("text", "said"), [("*\n", "everything"), ("a b\n", "more than one")])
def test_expectations_that_cannot_be_used(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "expected.txt"
    file.write_text(text)
    with pytest.raises(ExpectationsError, match=said):
        load(file)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus" / "known").mkdir(parents=True)
    return tmp_path / "corpus"


def test_a_compiler_against_itself_on_the_command_line(tmp_path: Path, corpus: Path) -> None:
    pytest.importorskip("iree.compiler")
    made = tmp_path / "made.json"
    done = crosscurrent(
        "premerge", "--baseline", "installed", "--candidate", sys.executable, "--examples", "4",
        "--checks", "accept,placement", "--workers", "1", "--corpus", str(corpus),
        "--out", str(tmp_path / "out"), "--json", str(made),
        "--junit", str(tmp_path / "j.xml"), "--markdown", str(tmp_path / "m.md"),
        "--sarif", str(tmp_path / "s.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "Nothing regressed."
    told_: dict[str, Any] = json.loads(made.read_text())
    assert told_["programs"]["compared"] == 4
    assert told_["differences"] == []
    assert {path.name for path in tmp_path.iterdir()} >= {"j.xml", "m.md", "s.json"}


@pytest.mark.parametrize(
    ("baseline", "candidate", "extra", "said"),
    [
        ("no/such/compiler", "installed", (), "baseline: no/such/compiler is not"),
        ("installed", "", (), "candidate: --compiler names nothing"),
        ("installed", "installed", ("--checks", "nonsense"), "nonsense is not a check"),
        ("installed", "installed", ("--expect", "no/such/file"), "No such file"),
        ("installed", "installed", ("--json", "no/such/folder/x"), "there is no folder"),
        ("installed", "installed", ("--corpus", "no/such/folder"), "is no corpus"),
    ],
)
def test_a_wrong_call(baseline: str, candidate: str, extra: tuple[str, ...], said: str) -> None:
    done = crosscurrent("premerge", "--baseline", baseline, "--candidate", candidate, *extra)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_compared_is_no_success(tmp_path: Path, corpus: Path) -> None:
    pytest.importorskip("iree.compiler")
    done = crosscurrent(
        "premerge", "--baseline", "installed", "--candidate", "installed", "--examples", "0",
        "--corpus", str(corpus), "--out", str(tmp_path / "out"), "--checks", "accept",
    )  # fmt: skip
    assert done.returncode == 3
    assert "no program could be compared" in done.stderr


@pytest.mark.parametrize(
    ("check", "shown", "kept", "reason"),
    [
        ("value", Shown(("iree-opt",), "", False), Shown((), "", False), ""),
        ("run", Shown(("iree-run-module",), "", True), Shown((), "", False), ""),
        ("run", Shown((), "no iree-opt", False), Shown((), "", False), ""),
        ("run", Shown(("iree-run-module",), "", False), Shown((), "", False), "do not show it"),
        (
            "value",
            Shown(("iree-opt",), "", True),
            Shown(("iree-opt",), "", False, StockRun("iree-opt", "SIGSEGV", "", "")),
            "the other side's tools: iree-opt: SIGSEGV",
        ),
    ],
)
def test_what_only_our_way_to_bytecode_shows_is_left_out(
    check: str, shown: Shown, kept: Shown, reason: str
) -> None:
    told = why_left_out(check, shown, kept)
    assert reason in told
    assert bool(told) == bool(reason)
