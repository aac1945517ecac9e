"""The workflows that a fork can use as they are: they are valid, and each command exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from oracle.commands import commands

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPT = "crosscurrent"

_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def jobs(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    found: dict[str, Any] = told["jobs"]
    return found


def scripts(path: Path) -> Iterator[str]:
    """The shell scripts of all steps, expressions replaced by a word."""
    for job in jobs(path).values():
        for step in job["steps"]:
            if "run" in step:
                yield _EXPRESSION.sub("expression", step["run"])


def calls(script: str) -> Iterator[list[str]]:
    """The calls of crosscurrent in a shell script, without its name."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        names = [place for place, word in enumerate(words) if Path(word).name == SCRIPT]
        for place in names:
            rest = words[place + 1 :]
            ends = [at for at, word in enumerate(rest) if word in ("||", "&&", ";", "|", ">", ">>")]
            yield rest[: ends[0]] if ends else rest


def problems(call: list[str]) -> list[str]:
    """What is wrong with a call: no such command, or no such option of it."""
    name, *arguments = call
    command = commands.get_command(click.Context(commands), name)
    if command is None:
        return [f"there is no command {name}"]
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    given = [one.partition("=")[0] for one in arguments if one.startswith("-")]
    return [f"{name} has no option {one}" for one in given if one not in known]


def test_there_are_the_three_workflows() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "nightly", "premerge"]


def test_they_are_valid_by_github_s_own_schema() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows",
         *map(str, WORKFLOWS)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_that_they_call_exists_with_these_options(path: Path) -> None:
    found = [call for script in scripts(path) for call in calls(script)]
    assert [problem for call in found for problem in problems(call)] == []
    assert len(found) == {"ci": 0, "nightly": 4, "premerge": 1}[path.stem]


def test_a_command_that_does_not_exist_is_seen() -> None:
    script = "code=0\n.venv/bin/crosscurrent fuzz --sped 3 \\\n  --out x || code=$?\n"
    (call,) = calls(script)
    assert call == ["fuzz", "--sped", "3", "--out", "x"]
    assert problems(call) == ["fuzz has no option --sped"]
    assert problems(["fuz"]) == ["there is no command fuz"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_scripts_are_whole_and_take_nothing_from_outside_as_code(path: Path) -> None:
    for script in scripts(path):
        done = subprocess.run(["bash", "-n"], input=script, text=True, check=False, timeout=10)
        assert done.returncode == 0, script
        # What somebody typed comes in through the environment.
        assert "expression" not in script


def test_ci_runs_what_must_hold_with_a_browser() -> None:
    (job,) = jobs(ROOT / ".github" / "workflows" / "ci.yml").values()
    run = "\n".join(step.get("run", "") for step in job["steps"])
    assert "bash .ci/run" in run
    assert (ROOT / ".ci" / "run").is_file()
    assert "chromium chromium-driver" in run
    assert job["env"]["CROSSCURRENT_BROWSER"] == "required"


def test_the_nightly_shards_are_all_of_the_run() -> None:
    job = jobs(ROOT / ".github" / "workflows" / "nightly.yml")["fuzz"]
    shards = job["strategy"]["matrix"]["shard"]
    assert shards == list(range(1, len(shards) + 1))
    assert job["env"]["SHARD"].endswith(f"/{len(shards)}")
