"""IREE's own command-line tools: what decides whether a finding is the compiler's."""

from __future__ import annotations

import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path


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


@dataclass(frozen=True, slots=True)
class StockTools:
    """The tools beside one interpreter. `timeout` is in seconds for each process."""

    directory: Path
    timeout: float = 60.0

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
            try:
                done = subprocess.run(
                    [self.directory / "iree-opt", *arguments, file.name],
                    capture_output=True,
                    text=True,
                    timeout=self.timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return StockRun(command, "hang", "", f"no end in {self.timeout:g} s")
            return StockRun(
                command,
                _outcome(done.returncode),
                done.stdout,
                done.stderr.replace(file.name, "program.mlir"),
            )


def _outcome(code: int) -> str:
    """A process's end in words. IREE's tools are started by Python scripts, which pass a signal on
    as exit code 256 - N, a shell as 128 + N."""
    number = -code if code < 0 else 256 - code if code > 192 else code - 128
    if code < 0 or code > 128:
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return f"exit {code}"
