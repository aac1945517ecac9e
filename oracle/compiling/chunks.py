"""Many modules through one `iree-opt` process: what it printed about each, and how it ended.

The modules are split apart by `// -----` (`--split-input-file`). Between two passes that are asked
about stands a pass that does nothing but have the module printed behind it: MLIR prints the IR
after any pass that is named, whatever IREE's release. The report of `--mlir-timing` marks the end
of a module, since the tool times each for itself; so a module that is refused, with a diagnostic or
without one, is told from the one that follows.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from oracle.compiling.answers import Diagnostic, Location, Outcome

MARKER = "iree-util-dump-module{path=/dev/null}"
"""A pass that leaves the module as it is and stands in no pipeline of IREE's own."""

_OPTIONS = (
    "--split-input-file",
    "--mlir-disable-threading",
    "--mlir-print-ir-after=iree-util-dump-module",
    "--mlir-timing",
    "--mlir-timing-display=list",
    "--mlir-output-format=json",
)
_SPLIT = "// -----"
_BANNER = "// -----// IR Dump After DumpModulePass"
_OTHER_BANNER = "// -----// IR Dump "
_TIMES = '{"wall": '
_DIAGNOSTIC = re.compile(
    r"^(?:loc\((?P<named>.*?)\)|(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+)|<unknown>:0): "
    r"(?P<severity>error|warning|note|remark): (?:loc\(.*?\): )?(?P<message>.*)$"
)
_UNKNOWN_PASS = re.compile(r"'(?P<name>[^']*)' does not refer to a registered pass")
_PIPELINE_ERROR = "MLIR Textual PassPipeline Parser"
_SLICE_SECONDS = 0.1
_STARVED = 10
"""So many times its time by the clock may a module take whose process is kept from its core."""
_TAIL = 64 << 10


class UnknownPassError(Exception):
    """The tool does not know a pass, or a pipeline is none; the message says which."""


class ToolError(Exception):
    """The tool cannot be run as it must; the message says why."""


@dataclass(slots=True)
class Chunk:
    """What became of one module: the text at each marker, how it ended, and what was said."""

    texts: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    """The same as printed: what has no place of its own has one in the file of the batch."""
    outcome: Outcome = Outcome.OK
    diagnostics: tuple[Diagnostic, ...] = ()
    signal: str | None = None
    exit_code: int | None = None
    stderr: str = ""
    seconds: float = 0.0
    computing: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """For each module: `timeout` in seconds of processor time, `memory` in bytes, resident."""

    timeout: float
    memory: int


def run(
    tool: Path,
    arguments: Sequence[str],
    texts: Sequence[str],
    markers: int,
    limits: Limits,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Chunk]:
    """One chunk a text, in order; `markers` is how many a module meets that all goes well with.

    Processes that are lost are started again behind the module they were lost with. Raises
    UnknownPassError and ToolError.
    """
    start = 0
    while start < len(texts):
        found = list(_once(tool, arguments, texts[start:], markers, limits, environment))
        if not found:
            raise ToolError(f"{tool} said nothing about {len(texts) - start} modules")
        yield from found
        start += len(found)


def _once(
    tool: Path,
    arguments: Sequence[str],
    texts: Sequence[str],
    markers: int,
    limits: Limits,
    environment: Mapping[str, str] | None,
) -> Iterator[Chunk]:
    """The chunks of one process: all, or those up to the one it was lost with."""
    with tempfile.TemporaryDirectory(prefix="crosscurrent-") as folder:
        file = Path(folder) / "batch.mlir"
        starts = _write(file, texts)
        reader = _Reader(str(file), starts, markers)
        try:
            process = subprocess.Popen(
                [str(tool), *_OPTIONS, *arguments, str(file), "-o", os.devnull],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=None if environment is None else dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"cannot run {tool}: {error.strerror}") from None
        try:
            lost = _listen(process, reader, limits)
        finally:
            _end(process)
        yield from reader.done
        if len(reader.done) == len(texts):
            return
        reader.close()
        reader.complain_of_pipeline()
        chunk = reader.current
        chunk.computing = lost is Outcome.HANG
        chunk.stderr = reader.tail()
        name, code = _ending(process.returncode)
        if lost is not None:
            chunk.outcome = lost
        elif not reader.done and not chunk.texts and name is None:
            raise ToolError(f"{tool}: {reader.tail().strip() or f'exit code {code}'}")
        else:
            chunk.outcome, chunk.signal = Outcome.CRASH, name
            chunk.exit_code = code if name is None else None
        yield chunk


def _write(file: Path, texts: Sequence[str]) -> list[int]:
    """Writes the modules into one file; returns the line, from 1, at which each starts."""
    starts: list[int] = []
    line = 1
    with file.open("w", encoding="utf-8") as out:
        for place, text in enumerate(texts):
            if place:
                out.write(f"{_SPLIT}\n")
                line += 1
            starts.append(line)
            # A comment in a module must not split it.
            whole = text.replace(_SPLIT, "// ----") + ("" if text.endswith("\n") else "\n")
            out.write(whole)
            line += whole.count("\n")
    return starts


def _listen(process: subprocess.Popen[bytes], reader: _Reader, limits: Limits) -> Outcome | None:
    """Reads until the process has ended; why it was ended by us, None where it ended by itself."""
    assert process.stderr is not None
    descriptor = process.stderr.fileno()
    os.set_blocking(descriptor, False)
    watched = psutil.Process(process.pid)
    finished, began, computed = 0, time.monotonic(), 0.0

    while True:
        ready, _, _ = select.select([descriptor], [], [], _SLICE_SECONDS)
        if ready:
            piece = os.read(descriptor, 1 << 20)
            if not piece:
                process.wait()
                return None
            reader.feed(piece)
        if finished != len(reader.done):
            finished, began, computed = len(reader.done), time.monotonic(), _computed(watched)
        if ready:
            continue
        if _resident(watched) > limits.memory:
            return Outcome.MEMORY
        if _computed(watched) - computed > limits.timeout:
            return Outcome.HANG
        if time.monotonic() - began > limits.timeout * _STARVED:
            return Outcome.HANG


def _end(process: subprocess.Popen[bytes]) -> None:
    """IREE's wheels have scripts that start the tools: all of the group must end."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
    process.wait()
    if process.stderr is not None:
        process.stderr.close()


def _family(watched: psutil.Process) -> list[psutil.Process]:
    try:
        return [watched, *watched.children(recursive=True)]
    except psutil.Error:
        return []


def _computed(watched: psutil.Process) -> float:
    total = 0.0
    for one in _family(watched):
        try:
            times = one.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def _resident(watched: psutil.Process) -> int:
    total = 0
    for one in _family(watched):
        try:
            total += int(one.memory_info().rss)
        except psutil.Error:
            continue
    return total


def _ending(code: int) -> tuple[str | None, int]:
    """The signal that ended a process, where one did, and its code. Scripts pass a signal on as
    exit code 256 - N, a shell as 128 + N."""
    number = -code if code < 0 else 256 - code if code > 192 else code - 128
    if code < 0 or code > 128:
        try:
            return signal.Signals(number).name, code
        except ValueError:
            return f"signal {number}", code
    return None, code


class _Reader:
    """Takes the tool's standard error apart as it comes."""

    def __init__(self, file: str, starts: Sequence[int], markers: int) -> None:
        self.done: list[Chunk] = []
        self.current = Chunk()
        self._file, self._starts, self._markers = file, starts, markers
        self._place = re.compile(rf'"{re.escape(file)}":(\d+):')
        self._rest = b""
        self._text: list[str] | None = None
        self._closed = self._resources = self._timing = False
        self._said: list[str] = []
        self._loose: list[str] = []

    def feed(self, piece: bytes) -> None:
        """Takes what came next."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace"))

    def close(self) -> None:
        """Nothing more comes: what was printed last counts where it is whole."""
        if self._closed:
            self._keep()

    def tail(self) -> str:
        """The end of what was said of the current module, IR apart."""
        rest = self._rest.decode(errors="replace")
        return "\n".join([*self._loose, rest])[-_TAIL:]

    def complain_of_pipeline(self) -> None:
        """Raises UnknownPassError where the tool did not come to run any pass."""
        said = "\n".join(self._loose)
        found = _UNKNOWN_PASS.search(said)
        if found is not None or _PIPELINE_ERROR in said:
            raise UnknownPassError(found["name"] if found else said.strip().splitlines()[0])

    def _line(self, line: str) -> None:
        if self._timing:
            if line == "]":
                self._timing = False
                self._finish()
            return
        if line.startswith(_BANNER):
            self._keep()
            self._text, self._closed = [], False
            return
        if self._text is not None and self._in_text(line):
            self._text.append(line)
            return
        self._keep()
        if line.startswith(_TIMES):
            if self._loose and self._loose[-1] == "[":
                self._loose.pop()
            self._timing = True
            return
        self._loose.append(line)

    def _in_text(self, line: str) -> bool:
        """Whether a line is of the module being printed: up to its end, then aliases and
        resources."""
        if not self._closed:
            # The module's own end is the first line that is not indented and closes.
            self._closed = line.startswith("}")
            return True
        if self._resources:
            self._resources = line != "#-}"
            return True
        if line.startswith("{-#"):
            self._resources = True
            return True
        return line.startswith(("#", "!")) or not line

    def _keep(self) -> None:
        """Puts a whole printed module to the current chunk's."""
        if self._text is not None:
            text = "\n".join(self._text).rstrip("\n") + "\n"
            self.current.raw.append(text)
            self.current.texts.append(self._as_alone(text))
            self._text = None

    def _as_alone(self, text: str) -> str:
        """Lines of the file as lines of the module."""
        first = self._starts[len(self.done)] - 1 if len(self.done) < len(self._starts) else 0

        def place(found: re.Match[str]) -> str:
            return f'"-":{int(found[1]) - first}:'

        return self._place.sub(place, text) if self._file in text else text

    def _finish(self) -> None:
        """The current module is done with."""
        self.complain_of_pipeline()
        chunk = self.current
        chunk.diagnostics = self._diagnostics()
        if len(chunk.texts) < self._markers:
            chunk.outcome = Outcome.FAILED
        self.done.append(chunk)
        self.current, self._loose = Chunk(), []

    def _diagnostics(self) -> tuple[Diagnostic, ...]:
        found: list[Diagnostic] = []
        notes: list[Diagnostic] = []
        first = self._starts[len(self.done)] - 1
        for line in [*self._loose, ""]:
            match = _DIAGNOSTIC.match(line)
            if match is None:
                continue
            if match["line"]:
                location = Location(
                    file="-", line=int(match["line"]) - first, column=int(match["column"])
                )
            elif match["named"] and match["named"].startswith('"'):
                location = Location(name=match["named"].strip('"'))
            else:
                location = Location(text=match["named"] or "unknown")
            one = Diagnostic(match["severity"], match["message"], location)
            if match["severity"] == "note" and found:
                notes.append(one)
                last = found[-1]
                found[-1] = Diagnostic(last.severity, last.message, last.location, tuple(notes))
            else:
                found.append(one)
                notes = []
        return tuple(found)
