"""What commands say of a wrong call, a closed stream and an interrupt, and that nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_checks import barriers_in_a_row
from test_cli import SCRIPT, Ended, call, written

import oracle.commands.reduce
from oracle.commands import commands
from oracle.corpus import default_corpus, load_entry
from oracle.premerge.bisection import Row
from oracle.reduction.reducing import Reduction, reduce_text
from oracle.wording import counted
from reference.text import print_program

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="crosscurrent is not installed")

REJECTED = ("--checks", "accept", "--workers", "1")


def faulty(folder: Path) -> Path:
    """A module that the compiler does not take."""
    return written(folder, print_program(barriers_in_a_row()))


@pytest.mark.parametrize("output", ["none/small.mlir", "file/small.mlir", "folder"])
def test_reduce_looks_at_its_output_first(tmp_path: Path, output: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    # The input is not there either: what comes first is told.
    arguments = ["reduce", "none.mlir", "-o", str(tmp_path / output)]
    ended = CliRunner().invoke(commands, arguments)
    assert (ended.exit_code, "--output" in ended.output) == (2, True), ended.output


@pytest.mark.parametrize("writable", [True, False])
def test_an_interrupted_reduction_keeps_the_smallest_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writable: bool
) -> None:
    steps: list[str] = []

    def interrupted(*arguments: Any) -> Reduction:
        kept = arguments[-1]

        def keep(text: str) -> None:
            kept(text)
            steps.append(text)
            if len(steps) == 3:
                os.kill(os.getpid(), signal.SIGINT)

        return reduce_text(*arguments[:-1], keep)

    monkeypatch.setattr(oracle.commands.reduce, "reduce_text", interrupted)
    # Another test may have left it as a lane has it, ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # Of the two a folder that nobody may write to, the superuser included.
    file, small = faulty(tmp_path), (tmp_path if writable else Path("/proc")) / "small.mlir"
    try:
        ended = CliRunner().invoke(commands, ["reduce", str(file), *REJECTED, "-o", str(small)])
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.exit_code == (130 if writable else 3), ended.output
    said = "interrupted after 2 steps" if writable else f"cannot write {small}"
    assert said in ended.stderr
    text = small.read_text() if writable else ended.stdout
    assert text.startswith("module {")
    assert len(text) < len(file.read_text())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_a_command_reads_that_it_was_interrupted(number: signal.Signals) -> None:
    command = [str(SCRIPT), "replay", "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests under `nohup` has them ignore one of the two.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as replaying:
        assert replaying.stdout is not None
        replaying.stdout.readline()
        replaying.send_signal(number)
        _, said = replaying.communicate(timeout=60)
    assert (replaying.returncode, said.splitlines()[-1]) == (130, "interrupted")


def test_a_mark_of_the_encoding_is_no_part_of_a_module(tmp_path: Path) -> None:
    file = tmp_path / "marked.mlir"
    file.write_text(print_program(barriers_in_a_row()), encoding="utf-8-sig")
    ended = call("check", "--checks", "roundtrip", str(file))
    assert ended.code == 0, ended


def test_reduce_says_why_a_module_is_not_valid(tmp_path: Path) -> None:
    bad = written(tmp_path, "module {\n  stream.nonsense\n}\n", "bad.mlir")
    ended = call("reduce", bad, *REJECTED)
    assert ended.code == 2
    assert f"{bad}:2:" in ended.errors
    assert "stream.nonsense" in ended.errors


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [(">&-", 3, "standard output is closed"), (">&- 2>&-", 3, ""), ("2>&-", 0, ""), ("<&-", 0, "")],
)
def test_closed_streams(closed: str, code: int, said: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" generate --help {closed}', str(SCRIPT)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    ended = Ended(done.returncode, done.stdout, done.stderr)
    assert (ended.code, "Traceback" in ended.errors) == (code, False), ended.errors
    assert said in ended.errors
    assert ("Usage" in ended.output) is (code == 0)


@pytest.mark.parametrize("out", ["file", "file/below", "file/far/below"])
@pytest.mark.parametrize(
    "command",
    [("fuzz",), ("generate", "--count", "1"), ("premerge", "a", "b"), ("merge", "."),
     ("triage", ".")],
)  # fmt: skip
def test_a_file_on_the_way_to_a_folder(tmp_path: Path, command: tuple[str, ...], out: str) -> None:
    (tmp_path / "file").write_text("")
    name = "-o" if command[0] == "triage" else "--out"
    arguments = [*command, name, str(tmp_path / out)]
    ended = CliRunner().invoke(commands, arguments)
    assert ended.exit_code == 2, ended.output
    assert f"{tmp_path / 'file'} is a file, not a folder" in ended.output.replace("\n", " ")


def recorded(folder: Path, state: str) -> Path:
    """A run's folder with one finding."""
    finding = folder / "findings" / "one"
    finding.mkdir(parents=True)
    (finding / "program.mlir").write_text("module {}")
    (finding / "verdict.json").write_text(
        f'{{"signature": "accept/x", "check": "accept", "state": "{state}"}}'
    )
    return folder


def test_triage_of_what_is_all_known(tmp_path: Path) -> None:
    ended = call("triage", recorded(tmp_path, "known"))
    assert ended.code == 0, ended.errors
    assert "1 finding, all known; --known takes them too" in ended.output
    assert not (tmp_path / "candidates").exists()


def test_triage_of_nothing(tmp_path: Path) -> None:
    ended = call("triage", tmp_path)
    assert (ended.code, "holds no finding" in ended.errors) == (2, True)


def test_triage_names_a_compiler_that_is_not_there_first(tmp_path: Path) -> None:
    ended = call("triage", tmp_path, "--also", "no/such/compiler")
    assert (ended.code, "no/such/compiler" in ended.errors) == (2, True), ended.errors


@pytest.mark.parametrize("command", ["triage", "reduce", "bisect", "replay"])
def test_times_have_a_unit(tmp_path: Path, command: str) -> None:
    ended = CliRunner().invoke(commands, [command, str(tmp_path), "--timeout", "soon"])
    assert (ended.exit_code, "'soon' is not a time such as 90s" in ended.output) == (2, True)


def test_bisect_needs_two_compilers(tmp_path: Path) -> None:
    ended = CliRunner().invoke(commands, ["bisect", str(tmp_path), "--compilers", "installed"])
    assert (ended.exit_code, "needs two compilers" in ended.output) == (2, True)


def test_bisect_of_what_the_oldest_shows_already() -> None:
    entry = next((default_corpus() / "known").glob("region-of-nothing-but-a-barrier*.mlir"))
    check = load_entry(entry).check
    ended = call(
        "bisect", entry, "--compilers", "installed,installed", "--checks", f"accept,{check}"
    )
    assert "first shown by: installed (already in the oldest asked)" in ended.output, ended.output
    assert "first not shown by: none (in all that were asked)" in ended.output


def test_the_oldest_is_the_oldest_that_runs() -> None:
    row = Row("a", (None, "shows", "shows"))
    assert (row.oldest, row.first_shows, row.always) == (1, 1, True)
    assert not Row("a", ("unparsed", "shows")).always
    assert not Row("a", (None, None)).always


def test_generate_has_a_seed_by_default(tmp_path: Path) -> None:
    given = CliRunner().invoke(
        commands, ["generate", "--count", "1", "--out", str(tmp_path / "given"), "--seed", "1"]
    )
    default = CliRunner().invoke(
        commands, ["generate", "--count", "1", "--out", str(tmp_path / "default")]
    )
    assert default.output.startswith("1 program of")
    assert given.exit_code == default.exit_code == 0
    (one,), (other,) = ([*(tmp_path / name).iterdir()] for name in ("given", "default"))
    assert one.read_bytes() == other.read_bytes()


def test_numbers_have_their_noun() -> None:
    assert [counted(number, "op") for number in (0, 1, 2)] == ["0 ops", "1 op", "2 ops"]
