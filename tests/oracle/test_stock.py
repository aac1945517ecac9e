"""The stock tools: every end that a process can take, in words."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from oracle.compiling.stock import StockTools

TOOLS = StockTools(Path(sys.executable).parent)


def tool(folder: Path, script: str) -> StockTools:
    """Tools of which `iree-opt` is a Python script that ends as `script` says."""
    file = folder / "iree-opt"
    file.write_text(f"#!{sys.executable}\nimport os, signal, subprocess, sys\n{script}\n")
    file.chmod(0o755)
    return StockTools(folder, timeout=1.0)


def test_the_real_tool_prints_a_module() -> None:
    assert TOOLS.available
    run = TOOLS.opt("module {}", "--mlir-print-debuginfo")
    assert run.succeeded
    assert run.command == "iree-opt --mlir-print-debuginfo program.mlir"
    assert run.output.startswith("module")


def test_the_real_tool_says_what_is_wrong() -> None:
    run = TOOLS.opt("module {\n  util.retrun\n}")
    assert (run.outcome, run.succeeded, run.output) == ("exit 1", False, "")
    assert "program.mlir:2:3: error: " in run.diagnostics


def test_arguments_are_quoted_for_a_shell() -> None:
    run = TOOLS.opt("module {}", "--pass-pipeline=builtin.module(util.func(canonicalize))")
    assert run.succeeded
    assert "'--pass-pipeline=builtin.module(util.func(canonicalize))'" in run.command


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("sys.exit(0)", "exit 0"),
        ("sys.exit(3)", "exit 3"),
        ("os.abort()", "SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("sys.exit(256 - 6)", "SIGABRT"),
        ("sys.exit(256 - 11)", "SIGSEGV"),
        ("sys.exit(128 + 11)", "SIGSEGV"),
        ("sys.exit(128)", "exit 128"),
    ],
)
def test_ends_in_words(tmp_path: Path, script: str, outcome: str) -> None:
    run = tool(tmp_path, script).opt("module {}")
    assert run.outcome == outcome
    assert run.succeeded == (outcome == "exit 0")


def test_a_tool_that_does_not_end_is_a_hang_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """IREE's tools are scripts that start the program proper, which has to end with them."""
    started = tmp_path / "pid"
    script = (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(started)!r}, 'w').write(str(child.pid))\nchild.wait()"
    )
    before = time.monotonic()
    run = tool(tmp_path, script).opt("module {}")
    assert time.monotonic() - before < 10
    assert (run.outcome, run.succeeded) == ("hang", False)
    child = int(started.read_text())
    try:
        process = psutil.Process(child)
    except psutil.NoSuchProcess:
        return
    try:
        _, alive = psutil.wait_procs([process], timeout=3)
        alive = [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
        assert alive == []
    finally:
        if process.is_running():
            process.kill()


def test_no_tools(tmp_path: Path) -> None:
    assert not StockTools(tmp_path).available
