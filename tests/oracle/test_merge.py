"""Shards merged are the run in one piece; what is no shard of it is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks.kills import TOOL, half_written, told
from oracle.campaigns.journal import read_journal
from oracle.campaigns.merging import MergeError, Shard, check_alike, merge, shard_in
from oracle.campaigns.run_folder import JOURNAL, run_paths, settings_of
from oracle.commands.merge import merge as merge_command

FUZZ = (
    "--profile", "placement", "--checks", "placement", "--rules", "3.11", "--workers", "1",
    "--no-reduce",
)  # fmt: skip
"""A run of the rules of a release before the compiler's, so that there is something to find."""


def merged(*arguments: object, code: int) -> str:
    """What `crosscurrent merge` says before it ends, with that exit code."""
    done = CliRunner().invoke(merge_command, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run whole, and in two shards."""
    folder = tmp_path_factory.mktemp("shards")
    outs = {name: folder / name for name in ("whole", "1", "2")}
    for name, out in outs.items():
        shard = () if name == "whole" else ("--shard", f"{name}/2")
        asked = [TOOL, "fuzz", *FUZZ, *shard, "--seed", "5", "--examples", "20", "--out", out]
        assert subprocess.run(asked, capture_output=True, check=False).returncode == 1
    return outs


def verdicts(out: Path) -> dict[str, Any]:
    """What each finding's folder says, but for the run that wrote it."""
    found = {}
    for file in (out / "findings").glob("*/verdict.json"):
        found[file.parent.name] = {**json.loads(file.read_text()), "run": ""}
    return found


def test_two_shards_merged_are_the_run_in_one_piece(runs: dict[str, Path], tmp_path: Path) -> None:
    before = {name: told(out) for name, out in runs.items()}
    out, file = tmp_path / "merged", tmp_path / "summary.json"
    # In any order.
    ended = merged(runs["2"], runs["1"], "--out", out, "--json", file, code=1)
    assert told(out) == before["whole"]
    assert verdicts(out) == verdicts(runs["whole"])
    assert list(half_written(out)) == []
    assert "20 programs" in ended
    summary = json.loads(file.read_text())
    (run,) = run_paths(out)
    assert summary == json.loads((run / "summary.json").read_text())
    assert all(Path(one["program"]).is_file() for one in summary["findings"])
    assert summary["curve"][-1][1] == 20
    assert {name: told(out) for name, out in runs.items()} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    # Both shards found something first, and something that the other had found: merging decided.
    parts = [set(verdicts(runs[name])) for name in ("1", "2")]
    assert parts[0] - parts[1]
    assert parts[1] - parts[0]


def test_a_part_of_the_shards_says_so(runs: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "merged"
    assert "shard 2/2 is missing" in merged(runs["1"], "--out", out, code=2)
    assert not out.exists()
    merged(runs["1"], "--partial", "--out", out, code=1)
    (run,) = run_paths(out)
    assert json.loads((run / "summary.json").read_text())["missing_shards"] == [2]
    assert settings_of(run).merged


def test_what_is_no_shard_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    one, two = shard_in(runs["1"]), shard_in(runs["2"])

    def alike(**changes: Any) -> None:
        other = Shard(two.path, replace(two.settings, **changes), two.records, two.tally)
        check_alike([one, other], partial=True)

    alike()
    for changes, said in (
        ({"seed": 6}, "seed: 5 and 6"),
        ({"checks": ("accept",)}, "checks: "),
        ({"timeout": 9.0}, "timeout: 0.5 and 9.0"),
        ({"known": {"a": "b"}}, "known: "),
        ({"shard": (2, 3)}, "shards: 2 and 3"),
        ({"shard": (1, 2)}, "the same shard"),
        ({"compiler": {"spec": "x", "release": "3.12.0", "revision": None}}, "3.12.0"),
    ):
        with pytest.raises(MergeError, match=said):
            alike(**changes)
    # The same compiler may lie elsewhere on another machine.
    alike(compiler={**two.settings.compiler, "spec": "/elsewhere/python"})
    with pytest.raises(MergeError, match="exists already"):
        merge([runs["1"], runs["2"]], tmp_path)
    with pytest.raises(MergeError, match="no runs"):
        merge([tmp_path], tmp_path / "merged")


def test_a_shard_that_is_not_at_its_end_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(runs["2"], copy)
    (run,) = run_paths(copy)
    lines = (run / JOURNAL).read_bytes().splitlines(keepends=True)
    (run / JOURNAL).write_bytes(b"".join(lines[:-1]))
    assert not read_journal(run / JOURNAL).complete
    ended = merged(runs["1"], copy, "--out", tmp_path / "merged", code=2)
    assert "is unfinished" in ended
    assert "--resume" in ended
