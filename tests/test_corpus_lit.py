"""The corpus is a lit test suite that needs nothing of this project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.corpus import default_corpus

BIN = Path(sys.executable).parent
LIT = BIN / "lit"


def run_lit(folder: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(BIN), os.environ.get("PATH", "")))
    return subprocess.run(
        [LIT, "-j1", "-v", "--param", f"out={tmp_path}", folder],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": path},
    )  # fmt: skip


@pytest.mark.skipif(not LIT.exists(), reason="lit is not installed")
def test_the_run_lines_of_every_entry_pass(tmp_path: Path) -> None:
    run = run_lit(default_corpus(), tmp_path)
    assert run.returncode == 0, run.stdout[-4000:]
    assert "Failed" not in run.stdout
    passed = re.search(r"Passed *: *(\d+)", run.stdout)
    assert passed is not None
    assert int(passed[1]) > 0


@pytest.mark.skipif(not LIT.exists(), reason="lit is not installed")
def test_a_run_line_that_says_what_is_not_so_fails(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "lit.cfg.py").write_text((default_corpus() / "lit.cfg.py").read_text())
    text = "// RUN: iree-opt %s | filecheck %s\n// CHECK: util.func public @other\n"
    (folder / "wrong.mlir").write_text(f"{text}util.func public @main() {{\n  util.return\n}}\n")
    run = run_lit(folder, tmp_path / "out")
    assert run.returncode == 1
    assert re.search(r"Failed *: *1", run.stdout)
