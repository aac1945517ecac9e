"""What a bare `iree-opt` is and can do, found out by asking it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from oracle.compiling import stages
from oracle.compiling.answers import Outcome, Request
from oracle.compiling.bare import BareCompiler
from oracle.compiling.compiler import CompilerUnavailable

_SECONDS = 30.0
_VERSION = re.compile(r"IREE compiler version (?P<release>\d+\.\d+\S*)(?: @ (?P<revision>\w+))?")

_PROBE = """\
module {
  util.global private @device : !hal.device
  util.func public @probe(%value: !stream.resource<transient>) -> !stream.resource<transient> {
    %size = arith.constant 8 : index
    %moved = stream.async.transfer %value : !stream.resource<transient>{%size} from(#hal.device.affinity<@device>) -> to(#hal.device.affinity<@device>) !stream.resource<transient>{%size}
    util.return %moved : !stream.resource<transient>
  }
}
"""  # noqa: E501 - a line that IREE prints


@dataclass(frozen=True, slots=True)
class Probe:
    """What a tool said: its release and revision, where the `iree-compile` beside it tells them;
    whether it has the placement pass, which 3.12 brought; and why the installed bindings cannot
    read what it prints, empty where they can."""

    release: str | None
    revision: str | None
    places: bool
    unread: str


def probe(tool: Path, reader: Path) -> Probe:
    """Asks the tool. Raises CompilerUnavailable where it is none that can be asked."""
    release, revision = _version(tool.with_name("iree-compile"))
    with BareCompiler(tool, reader) as compiler:
        requests = [
            Request(_PROBE, (("parse",), ("run", stages.VALIDATION.pipeline))),
            Request(_PROBE, (("parse",), ("run", _placement()))),
            Request(_PROBE, (("parse",), ("read",))),
        ]
        valid, placed, read = compiler.ask(requests)
    if valid.outcome is not Outcome.OK:
        raise CompilerUnavailable(f"{tool} is no iree-opt that can be asked: {valid.describe()}")
    return Probe(
        release,
        revision,
        places=placed.kind != "unknown-pass",
        unread="" if read.outcome is Outcome.OK else read.message,
    )


def _placement() -> str:
    placed = stages.placement("999.0")
    assert placed is not None, "the newest release has the pass"
    return placed.pipeline


def _version(compile_tool: Path) -> tuple[str | None, str | None]:
    """What the `iree-compile` beside the tool says it is; `iree-opt` does not say."""
    found = _VERSION.search(_printed([str(compile_tool), "--version"]))
    return (None, None) if found is None else (found["release"], found["revision"])


def _printed(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
