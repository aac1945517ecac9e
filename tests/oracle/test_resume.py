"""Runs that are killed, that run out of disk, or that are taken up in the wrong way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.kills import TOOL, half_written, kill_and_resume, told
from oracle.campaigns.journal import Journal, read_journal
from oracle.campaigns.run_folder import JOURNAL, run_paths
from oracle.commands.fuzz import fuzz as fuzz_command

FUZZ = (
    "--profile", "placement", "--checks", "placement", "--rules", "3.11", "--workers", "1",
)  # fmt: skip
"""A run of the rules of a release before the compiler's, so that there is something to find."""


def fuzz(*arguments: object, code: int) -> subprocess.CompletedProcess[str]:
    """Runs `crosscurrent fuzz`, which is to end with that exit code."""
    done = subprocess.run(
        [TOOL, "fuzz", "--no-reduce", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def refused(*arguments: object, code: int = 2) -> str:
    """What `crosscurrent fuzz` says before it ends, with that exit code, without running."""
    done = CliRunner().invoke(fuzz_command, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that came to its end."""
    out = tmp_path_factory.mktemp("finished")
    fuzz(*FUZZ, "--seed", "5", "--examples", "16", "--out", out, code=1)
    return out


@pytest.fixture
def cut(finished: Path, tmp_path: Path) -> Path:
    """The same run, killed while it wrote its second block's line."""
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    (run,) = run_paths(out)
    lines = (run / JOURNAL).read_bytes().splitlines(keepends=True)
    (run / JOURNAL).write_bytes(b"".join(lines[:1]) + lines[1][:50])
    (run / "summary.json").unlink()
    return out


def test_a_run_that_is_killed_again_and_again_is_the_run_undisturbed(tmp_path: Path) -> None:
    arguments = ("--no-reduce", *FUZZ, "--examples", "24")
    done = kill_and_resume(arguments, 5, 2, 2.0, tmp_path)
    assert done.problems == []
    assert done.programs == 24
    assert done.findings > 0


def test_a_torn_journal_is_gone_on_with(finished: Path, cut: Path) -> None:
    # What it was asked for anyway contradicts nothing.
    same = ("--seed", "5", "--checks", "placement", "--out", cut)
    ended = fuzz("--resume", cut, "--workers", "2", *same, code=1)
    assert "8 programs done before" in ended.stderr
    assert told(cut) == told(finished)
    # A run at its end has nothing left to do, and says again what it found.
    again = fuzz("--resume", cut, code=1)
    assert again.stdout == ended.stdout


def test_what_another_run_is_asked_for_contradicts(cut: Path, tmp_path: Path) -> None:
    said = refused("--resume", cut, "--seed", "6", "--checks", "accept", "--out", tmp_path)
    assert "--seed 6: the run has 5" in said
    assert "--checks accept: the run has placement" in said
    assert f"--out {tmp_path}: the run has {cut}" in said
    said = refused("--resume", cut, "--shard", "1/2", "--time", "9s", "--profile", "nightly")
    assert "--shard 1/2: the run has 1/1" in said
    assert "--time 9.0: the run has None" in said
    assert "--profile nightly: the run has placement" in said


def test_another_generator_or_compiler_is_refused(cut: Path) -> None:
    (run,) = run_paths(cut)
    real: dict[str, Any] = json.loads((run / "settings.json").read_text())
    for change, said in (
        ({"programs": "other"}, "makes other programs"),
        ({"compiler": {**real["compiler"], "release": "3.9.0"}}, "3.9.0"),
        ({"profile": "gone"}, "profile gone"),
    ):
        (run / "settings.json").write_text(json.dumps({**real, **change}))
        assert said in refused("--resume", cut)


def test_a_run_under_way_is_left_alone(cut: Path) -> None:
    (run,) = run_paths(cut)
    journal = Journal(run / JOURNAL)
    assert "under way" in refused("--resume", cut)
    journal.close()


def test_nothing_to_go_on_with(tmp_path: Path) -> None:
    assert "no run" in refused("--resume", tmp_path)


@pytest.mark.parametrize("file", [JOURNAL, "settings.json"])
def test_damaged_state_is_told_and_left_alone(cut: Path, file: str) -> None:
    (run,) = run_paths(cut)
    damaged = bytearray((run / file).read_bytes())
    damaged[20] ^= 0xFF
    (run / file).write_bytes(damaged)
    said = refused("--resume", cut, code=3)
    assert str(run / file) in said
    assert "Nothing was changed" in said
    assert (run / file).read_bytes() == damaged
    assert half_written_but(cut, file) == []


def half_written_but(out: Path, file: str) -> list[str]:
    return [problem for problem in half_written(out) if file not in problem]


def can_mount() -> bool:
    tool = shutil.which("unshare")
    if tool is None:
        return False
    asked = [tool, "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


ON_A_FULL_DISK = """\
set -u
mount -t tmpfs -o size=160k none "$DISK"
"$TOOL" fuzz "$@" --out "$DISK/out"
echo "full: $?"
run=$(echo "$DISK"/out/runs/*)
mount -o remount,ro "$DISK"
"$TOOL" fuzz --no-reduce --resume "$run"
echo "read-only: $?"
mount -o remount,rw,size=20m "$DISK"
"$TOOL" fuzz --no-reduce --resume "$run"
echo "resumed: $?"
cp -r "$DISK/out" "$KEPT"
"""


@pytest.mark.skipif(not can_mount(), reason="this machine lets nobody mount a small disk")
def test_a_full_disk_and_one_that_is_read_only(tmp_path: Path, finished: Path) -> None:
    """Both are told; with room again the run goes on, and nothing is lost."""
    disk = tmp_path / "disk"
    disk.mkdir()
    arguments = ("--no-reduce", *FUZZ, "--seed", "5", "--examples", "16")
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", ON_A_FULL_DISK, "bash", *arguments],
        env={**os.environ, "DISK": str(disk), "KEPT": str(tmp_path / "kept"), "TOOL": str(TOOL)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "full: 3" in done.stdout, said
    assert "No space left on device" in done.stderr
    assert "read-only: 3" in done.stdout, said
    assert "Read-only file system" in done.stderr
    assert "resumed: 1" in done.stdout, said
    assert "Traceback" not in done.stderr
    assert told(tmp_path / "kept") == told(finished)
    assert list(half_written(tmp_path / "kept")) == []


def test_two_runs_share_a_folder(finished: Path, tmp_path: Path) -> None:
    """At once: each has its own record, and of a finding that both have there is one folder."""
    out = tmp_path / "out"
    command = [TOOL, "fuzz", "--no-reduce", *FUZZ, "--seed", "5", "--examples", "16", "--out", out]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    pair = [subprocess.Popen(command, **quiet) for _ in range(2)]
    assert [one.wait() for one in pair] == [1, 1]
    runs = run_paths(out)
    assert len(runs) == 2
    names = {path.name for path in (finished / "findings").iterdir()}
    assert {path.name for path in (out / "findings").iterdir()} == names
    assert all(read_journal(run / JOURNAL).complete for run in runs)
    assert "2 runs, none unfinished" in refused("--resume", out)
