"""A lane on another machine: what runs in a worker process of a cluster.

A worker process has one lane, in one thread that lasts as long as the process: its compilers end
with the thread that started them. Module state lives only there.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from oracle.campaigns.lane import BlockResult, Lane, LaneSettings, spare_the_collector
from oracle.campaigns.source import fingerprint
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable
from oracle.compiling.compilers import CompilerSetupError, CompilerSpecError, resolve
from oracle.examiner import ExaminerError


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """What a lane elsewhere must know. `programs` is the fingerprint of the run's programs,
    `compiler` its spec, `release` and `revision` what that compiler has to be."""

    lane: LaneSettings
    run: str
    programs: str
    compiler: str
    release: str | None
    revision: str | None


class _Node:
    """The lane of this process, and the run that it is for."""

    def __init__(self, settings: NodeSettings) -> None:
        self.settings = settings
        self._in_flight = Path(tempfile.gettempdir()) / f"crosscurrent-{settings.run}"
        self.lane = Lane(_here(settings, self._in_flight))

    def close(self) -> None:
        """Ends the lane's compilers."""
        self.lane.close()
        shutil.rmtree(self._in_flight, ignore_errors=True)


_thread = ThreadPoolExecutor(1, "lane")
_node: _Node | None = None


def run_batch(settings: NodeSettings, blocks: Sequence[range]) -> list[BlockResult]:
    """Blocks in this process's lane, in order. Raises ExaminerError where this machine is not
    equipped as the run needs it."""
    return _thread.submit(_run, settings, blocks).result()


def end_run(run: str) -> None:
    """Ends this process's lane, if it is that run's."""
    _thread.submit(_end, run).result()


def _run(settings: NodeSettings, blocks: Sequence[range]) -> list[BlockResult]:
    global _node
    if _node is None or _node.settings != settings:
        if _node is not None:
            _node.close()
            _node = None
        _node = _Node(settings)
        spare_the_collector()
    return [_node.lane.run(indices) for indices in blocks]


def _end(run: str) -> None:
    global _node
    if _node is not None and _node.settings.run == run:
        _node.close()
        _node = None


def _here(settings: NodeSettings, in_flight: Path) -> LaneSettings:
    """The lane's settings with this machine's own paths. Raises ExaminerError."""
    machine = platform.node() or "a node"
    lane = replace(settings.lane, in_flight=in_flight)
    if fingerprint(lane.source) != settings.programs:
        raise ExaminerError(
            f"{machine} makes other programs from the same seed: "
            "install the same crosscurrent there"
        )
    try:
        interpreter = resolve(settings.compiler).interpreter
        with CompilerProcess(interpreter) as process:
            found = process.release, process.revision
    except (CompilerSpecError, CompilerSetupError, CompilerUnavailable) as error:
        raise ExaminerError(f"{machine}: {error}") from None
    if found != (settings.release, settings.revision):
        raise ExaminerError(
            f"{machine} has IREE {found[0]} ({found[1]}), the run is about "
            f"{settings.release} ({settings.revision})"
        )
    return replace(lane, examiner=replace(lane.examiner, interpreter=interpreter))
