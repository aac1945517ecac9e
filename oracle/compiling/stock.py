"""IREE's own command-line tools: what decides whether a finding is the compiler's."""

from __future__ import annotations

import math
import os
import resource
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HANG = "hang"
"""The outcome of a tool that was ended for its time."""


@dataclass(frozen=True, slots=True)
class StockRun:
    """One finished `iree-opt` process. `outcome` is `exit N`, a signal's name, or `hang`."""

    command: str
    outcome: str
    output: str
    diagnostics: str

    @property
    def succeeded(self) -> bool:
        """Whether the tool ended with exit code 0."""
        return self.outcome == "exit 0"

    @property
    def lost(self) -> bool:
        """Whether the tool crashed or was ended, rather than ended itself."""
        return not self.outcome.startswith("exit ")


@dataclass(frozen=True, slots=True)
class StockTools:
    """The tools beside one interpreter. `timeout` is in seconds for each process."""

    directory: Path
    timeout: float = 30.0

    @property
    def available(self) -> bool:
        """Whether `iree-opt` is there."""
        return (self.directory / "iree-opt").exists()

    def opt(self, text: str, *arguments: str) -> StockRun:
        """Runs `iree-opt` with `arguments` on `text`."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            command = shlex.join(["iree-opt", *arguments, "program.mlir"])
            process = subprocess.Popen(
                [self.directory / "iree-opt", *arguments, file.name],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                # The tool is a Python script that starts the real one: both must end together.
                start_new_session=True,
                preexec_fn=self._limit_time,
            )
            try:
                output, diagnostics = process.communicate(timeout=self.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return StockRun(command, HANG, "", f"no end in {self.timeout:g} s")
            return StockRun(
                command,
                outcome_of(process.returncode),
                output.replace(file.name, "program.mlir"),
                diagnostics.replace(file.name, "program.mlir"),
            )

    def _limit_time(self) -> None:
        """Should crosscurrent itself be killed meanwhile, the kernel ends a tool that hangs."""
        seconds = math.ceil(self.timeout) + 5
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def first_failure(runs: Iterable[StockRun]) -> StockRun | None:
    """The first run that did not end well."""
    return next((run for run in runs if not run.succeeded), None)


def outcome_of(code: int) -> str:
    """A process's end in words. IREE's tools are started by Python scripts, which pass a signal on
    as exit code 256 - N, a shell as 128 + N."""
    number = -code if code < 0 else 256 - code if code > 192 else code - 128
    if code < 0 or code > 128:
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return f"exit {code}"
