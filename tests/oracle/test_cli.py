"""The command line from outside: the installed script in a process of its own."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from test_checks import barriers_in_a_row, pinned

from reference.releases import release_rules
from reference.text import print_program

SCRIPT = Path(sys.executable).with_name("crosscurrent")
VERSION = importlib.metadata.version("iree-base-compiler")
RELEASE = release_rules(VERSION)[0]
SMALL = ("--profile", "placement", "--checks", "placement", "--workers", "1", "--no-reduce")

pytestmark = [
    pytest.mark.skipif(not SCRIPT.exists(), reason="crosscurrent is not installed as a script"),
    pytest.mark.skipif(
        not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
    ),
]


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished call."""

    code: int
    output: str
    errors: str


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "COLUMNS": "100", **more}


def call(*arguments: str | Path, folder: Path | None = None, **more: str) -> Ended:
    """`crosscurrent ARGUMENTS`; no call may end in a traceback."""
    done = subprocess.run(
        [SCRIPT, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


def written(folder: Path, text: str, name: str = "input.mlir") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_help_and_version() -> None:
    assert call("--version").output.startswith("crosscurrent, version ")
    said = call("--help")
    assert said.code == 0
    for command in ("fuzz", "check", "generate", "doctor"):
        assert command in said.output


def test_fuzz_that_finds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    ended = call("fuzz", *SMALL, "--examples", "24", "--out", tmp_path / "out", "--json", file)
    assert ended.code == 0, ended.output + ended.errors
    assert "24 programs" in ended.output
    assert "Nothing found." in ended.output
    assert "\x1b" not in ended.output + ended.errors
    told = json.loads(file.read_text())
    assert set(told) >= {
        "crosscurrent", "seed", "profile", "compiler", "programs", "seconds",
        "programs_per_second", "invalid", "unsupported", "restarts", "checks", "findings",
    }  # fmt: skip
    assert set(told["compiler"]) == {"spec", "release", "revision"}
    assert told["compiler"]["release"] == VERSION
    assert (told["seed"], told["profile"], told["programs"]) == (1, "placement", 24)
    assert {"crash", "hang"} <= set(told["restarts"])
    assert told["checks"]["placement"]["agree"] == 24
    assert told["checks"]["placement"]["disagree"] == 0
    assert told["findings"] == []


def test_fuzz_that_finds_something(tmp_path: Path) -> None:
    """The rules of before the placement pass are wrong for this compiler."""
    file = tmp_path / "summary.json"
    ended = call(
        "fuzz", *SMALL, "--examples", "12", "--rules", "3.11", "--out", tmp_path / "out",
        "--json", file, folder=tmp_path,
    )  # fmt: skip
    findings = json.loads(file.read_text())["findings"]
    assert findings
    for finding in findings:
        assert set(finding) >= {
            "signature", "check", "verdict", "stage", "state", "level", "count", "first_seed",
            "program", "reduced", "ops", "known",
        }  # fmt: skip
        assert finding["signature"] in ended.output
        program = Path(finding["program"])
        assert (tmp_path / program).is_file()
        assert finding["verdict"] == "disagree"
    # On a machine that is busy enough the stock tools may not answer in time for each of them.
    assert "new" in {finding["state"] for finding in findings}
    assert ended.code == 1, ended.output


def test_known_findings_are_no_failure(tmp_path: Path) -> None:
    common = ("fuzz", *SMALL, "--examples", "8", "--rules", "3.11")
    file = tmp_path / "summary.json"
    call(*common, "--out", tmp_path / "out", "--json", file)
    known = tmp_path / "corpus" / "known"
    known.mkdir(parents=True)
    for number, finding in enumerate(json.loads(file.read_text())["findings"]):
        header = {
            "id": f"entry-{number}", "signature": finding["signature"], "check": "placement",
            "verdict": "disagree", "guilty-pass": "none", "affects": "3.11.0 shows",
            "issue": "unreported",
        }  # fmt: skip
        lines = [f"// {key}: {value}" for key, value in header.items()]
        (known / f"{number}.mlir").write_text("\n".join([*lines, "module {}"]))
    out = tmp_path / "again"
    ended = call(*common, "--out", out, "--corpus", known.parent, "--json", file)
    assert ended.code == 0, ended.output
    assert "known" in ended.output
    assert {one["state"] for one in json.loads(file.read_text())["findings"]} == {"known"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fuzz", "--checks", "nonsense"), "nonsense"),
        (("fuzz", "--checks", ""), "nothing is not a check"),
        (("fuzz", "--profile", "nonsense"), "nonsense"),
        (("fuzz", "--compiler", "nonsense"), "nonsense"),
        (("fuzz", "--compiler", "/bin/true"), "/bin/true"),
        (("fuzz", "--rules", "nonsense"), "nonsense"),
        (("fuzz", "--rules", "1.0"), "1.0"),
        (("fuzz", "--time", "soon"), "soon"),
        (("fuzz", "--shard", "3/2"), "3/2"),
        (("fuzz", "--examples", "0"), "0"),
        (("fuzz", "--examples", "1", "--time", "1s"), "exclude"),
        (("fuzz", "--corpus", "/no/such/folder"), "/no/such/folder"),
        (("check",), "FILE"),
        (("check", "x.mlir", "--checks", "nonsense"), "nonsense"),
        (("generate", "--out", "out"), "--count"),
        (("nonsense",), "nonsense"),
    ],
)
def test_a_wrong_call(tmp_path: Path, arguments: Sequence[str], said: str) -> None:
    ended = call(*arguments, folder=tmp_path)
    assert ended.code == 2
    assert said in ended.errors
    assert ended.output == ""


def test_a_broken_corpus_is_named(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.mkdir()
    (known / "bad.mlir").write_text("module {}")
    ended = call("fuzz", "--corpus", tmp_path, "--out", tmp_path / "out")
    assert (ended.code, "bad.mlir" in ended.errors) == (2, True)


def test_an_out_that_cannot_be_written(tmp_path: Path) -> None:
    """Below a file, since the superuser may write into any folder."""
    (tmp_path / "file").write_text("")
    ended = call("fuzz", *SMALL, "--examples", "8", "--out", tmp_path / "file" / "out")
    assert ended.code == 2
    assert "file" in ended.errors


def test_a_summary_that_cannot_be_written_is_named(
    tmp_path: Path,
) -> None:
    out, file = tmp_path / "out", tmp_path / "none" / "summary.json"
    ended = call("fuzz", *SMALL, "--examples", "8", "--out", out, "--json", file)
    assert ended.code in (2, 3)
    assert str(file.parent) in ended.errors


def test_a_summary_is_told_before_it_is_written(tmp_path: Path) -> None:
    # A folder that nobody may write to, the superuser included.
    file = Path("/proc/summary.json")
    ended = call("fuzz", *SMALL, "--examples", "8", "--out", tmp_path / "out", "--json", file)
    assert ended.code == 3
    assert "8 programs" in ended.output
    assert f"cannot write {file}" in ended.errors


def start(out: Path, file: Path) -> subprocess.Popen[str]:
    """A run without end, in a process group of its own."""
    arguments = ["fuzz", "--profile", "placement", "--checks", "placement", "--workers", "2"]
    return subprocess.Popen(
        [SCRIPT, *arguments, "--time", "5m", "--rules", "3.11", "--out", out, "--json", file],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment(),
    )


def until_working(run: subprocess.Popen[str], out: Path) -> list[psutil.Process]:
    """Waits until something was found, and returns all processes of the run but the first."""
    deadline = time.monotonic() + 60
    while len([*out.glob("findings/placement*/stock.txt")]) < 2:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return psutil.Process(run.pid).children(recursive=True)


def assert_gone(processes: Sequence[psutil.Process]) -> None:
    deadline = time.monotonic() + 10
    alive = list(processes)
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [one for one in alive if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    told = [one.cmdline() for one in alive]
    for one in alive:
        one.kill()
    assert told == [], "left behind"


def test_an_interrupt_keeps_all_and_leaves_nobody_behind(tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "summary.json"
    with start(out, file) as run:
        processes = until_working(run, out)
        os.killpg(run.pid, signal.SIGINT)
        output, errors = run.communicate(timeout=60)
    assert_gone(processes)
    assert "Traceback" not in errors, errors
    told: Any = json.loads(file.read_text())
    assert told["interrupted"] is True
    assert told["programs"] > 0
    assert told["findings"]
    assert "Interrupted" in output
    assert all(finding["signature"] in output for finding in told["findings"])
    assert run.returncode == 130


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5])
def test_an_interrupt_while_lanes_start_has_no_traceback(tmp_path: Path, seconds: float) -> None:
    with start(tmp_path / "out", tmp_path / "summary.json") as run:
        processes = until_lanes_start(run)
        time.sleep(seconds)
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert_gone(processes)
    assert "Traceback" not in errors, errors
    assert run.returncode == 130


def until_lanes_start(run: subprocess.Popen[str]) -> list[psutil.Process]:
    """Waits until the first lane's interpreter is there, and returns the run's processes."""
    deadline = time.monotonic() + 60
    while True:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < deadline
        children = psutil.Process(run.pid).children()
        with contextlib.suppress(psutil.Error):
            if any("spawn_main" in " ".join(child.cmdline()) for child in children):
                return children
        time.sleep(0.01)


def test_a_run_that_is_killed_leaves_nobody_behind_and_its_programs_on_disk(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    with start(out, tmp_path / "summary.json") as run:
        processes = until_working(run, out)
        run.kill()
        assert_gone(processes)
        run.communicate(timeout=60)
    assert [*out.glob("in-flight/*/*.json")]
    for verdict in out.glob("findings/*/verdict.json"):
        if not verdict.parent.name.startswith("."):
            assert (verdict.parent / "program.mlir").exists()


def test_programs_are_the_same_every_time(tmp_path: Path) -> None:
    common = ("generate", "--seed", "4", "--profile", "small")
    for name in ("one", "two"):
        assert call(*common, "--count", "12", "--out", tmp_path / name).code == 0
    assert call(*common, "--first", "5", "--count", "2", "--out", tmp_path / "part").code == 0
    texts = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert len(texts) == 12
    assert texts == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}
    for path in (tmp_path / "part").iterdir():
        assert path.read_bytes() == texts[path.name]


def test_check_a_good_file(tmp_path: Path) -> None:
    file = written(tmp_path, print_program(pinned()))
    ended = call("check", file, "--json")
    assert ended.code == 0, ended.output
    (line,) = ended.output.splitlines()
    told = json.loads(line)
    assert set(told) >= {"file", "verdict", "findings", "unsupported"}
    assert (told["file"], told["verdict"], told["findings"], told["unsupported"]) == (
        str(file), "agree", [], [],
    )  # fmt: skip


def test_check_a_file_that_breaks_the_compiler(tmp_path: Path) -> None:
    file = written(tmp_path, print_program(barriers_in_a_row()))
    ended = call("check", file, "--checks", "accept", "--json")
    (finding,) = json.loads(ended.output)["findings"]
    assert set(finding) >= {"signature", "check", "verdict", "stage", "state", "message"}
    assert (finding["check"], finding["verdict"]) == ("accept", "rejected")
    assert finding["stage"] == "schedule-execution"
    assert finding["state"] in ("new", "known")
    assert ended.code == (1 if finding["state"] == "new" else 0)


def test_check_explains(tmp_path: Path) -> None:
    file = written(tmp_path, print_program(pinned()))
    ended = call("check", file, "--checks", "placement", "--rules", "3.11", "--explain")
    told = [line.strip() for line in ended.output.splitlines() if line.strip()]
    assert "op0  stream.async.splat     on @dev_a  its own on(…)" in told
    assert "guilty pass: place-transfer-executions" in told
    assert "ops at fault: op1" in told
    at = told.index("(- expected, + actual)")
    expected = "op1 executes on no device of its own (no on, or a region without affinity)"
    actual = "op1 executes on #hal.device.affinity<@dev_b>"
    assert [told[at + 1], told[at + 3]] == [f"- {expected}", f"+ {actual}"]
    assert told[-1].startswith("iree-opt '--pass-pipeline=")
    assert told[-1].endswith("program.mlir")
    assert "\x1b" not in ended.output
    assert ended.code == 1


def test_check_what_is_not_valid(tmp_path: Path) -> None:
    file = written(tmp_path, "util.func public @f() {\n  util.retrun\n}\n")
    ended = call("check", file, "--json")
    told = json.loads(ended.output)
    assert told["verdict"] == "invalid"
    assert any(f"{file}:2:3: error" in note for note in told["notes"])
    assert f"{file}:2:3: error" in call("check", file).output
    assert ended.code == 2


def test_check_files_that_cannot_be_read(tmp_path: Path) -> None:
    empty = written(tmp_path, "\n")
    binary = tmp_path / "binary.mlir"
    binary.write_bytes(b"\xff\xfe\x00")
    ended = call("check", empty, binary, tmp_path / "missing.mlir", "--json")
    told = [json.loads(line) for line in ended.output.splitlines()]
    assert [one["verdict"] for one in told] == ["invalid"] * 3
    assert [bool(one["notes"]) for one in told] == [True] * 3
    assert ended.code == 2


def test_check_what_the_model_does_not_know(tmp_path: Path) -> None:
    text = "util.func public @f() {\n  %x = util.null : !stream.resource<*>\n  util.return\n}\n"
    ended = call("check", written(tmp_path, text), "--checks", "placement", "--json")
    told = json.loads(ended.output)
    assert (told["verdict"], told["findings"]) == ("unsupported", [])
    assert any("util.null" in item for item in told["unsupported"])
    assert ended.code == 0


def test_check_a_folder_and_split_files(tmp_path: Path) -> None:
    good = print_program(pinned())
    written(tmp_path, f"{good}// -----\n{good}", "two.mlir")
    written(tmp_path, good, "one.mlir")
    ended = call("check", tmp_path, "--checks", "placement", "--json")
    told = [json.loads(line) for line in ended.output.splitlines()]
    assert [Path(one["file"]).name for one in told] == ["one.mlir", "two.mlir"]
    assert ended.code == 0
    lines = call("check", tmp_path, "--checks", "placement", "--rules", "3.11", "--json").output
    findings = json.loads(lines.splitlines()[1])["findings"]
    assert [one["line"] for one in findings] == [1, good.count("\n") + 1]


def test_a_pass_that_the_compiler_does_not_come_to_is_asked_about_the_file_itself(
    tmp_path: Path,
) -> None:
    # One canonicalize makes a splat of the constant, which takes no float: IREE's fault.
    text = """util.func public @f() -> !stream.resource<external> {
      %size = arith.constant 4 : index
      %x = stream.async.constant : !stream.resource<external>{%size} = dense<1.0> : tensor<f32>
      util.return %x : !stream.resource<external>
    }"""
    file = written(tmp_path, text)
    for check, known in (("affinity", True), ("fold", False)):
        told = json.loads(call("check", file, "--checks", check, "--json").output)
        (function,) = told["functions"]
        assert (function["claimed"], function["agrees"]) == (known, known)
        assert told["verdict"] == "rejected"
        assert [one["check"] for one in told["findings"]] == ["accept"]


def test_check_a_constant_that_the_bindings_have_no_class_for(tmp_path: Path) -> None:
    value = "dense<(1.0,2.0)> : tensor<2xcomplex<f32>>"
    text = f"util.func public @f() attributes {{some.value = {value}}} {{\n  util.return\n}}\n"
    ended = call("check", written(tmp_path, text), "--checks", "fold", "--json")
    assert json.loads(ended.output)["verdict"] == "agree"


def test_doctor(tmp_path: Path) -> None:
    ended = call("doctor", XDG_CACHE_HOME=str(tmp_path))
    assert ended.code == 0, ended.output
    assert f"IREE {VERSION}" in ended.output
    assert "iree-opt: yes" in ended.output
    assert "device drivers" in ended.output
    assert "local-task" in ended.output
    broken = call("doctor", "--compiler", "nonsense", XDG_CACHE_HOME=str(tmp_path))
    assert (broken.code, "nonsense" in broken.output) == (3, True)


def test_no_color_on_a_terminal(tmp_path: Path) -> None:
    """The live line may move the cursor, but it has no colours."""
    pty = pytest.importorskip("pty")
    near, far = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "fuzz", *SMALL, "--examples", "8", "--out", tmp_path],
        stdin=subprocess.DEVNULL,
        stdout=far,
        stderr=far,
        env=environment(NO_COLOR="1", TERM="xterm-256color"),
    ) as run:
        os.close(far)
        told = b""
        while True:
            try:
                part = os.read(near, 4096)
            except OSError:
                break
            if not part:
                break
            told += part
    os.close(near)
    assert run.returncode == 0
    assert b"8 programs" in told
    for colour in (*range(30, 38), *range(90, 98), 38, 48):
        assert f"\x1b[{colour}m".encode() not in told
        assert f"\x1b[{colour};".encode() not in told
