"""`iree-compile` and `iree-run-module`: what decides whether a wrong run is the compiler's."""

from __future__ import annotations

import os
import re
import resource
import shlex
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from oracle.compiling.stock import HANG, StockRun, StockTools, outcome_of
from oracle.running.numeric import Bytes
from oracle.running.trial import Argument, Call, Expected, real, signed
from reference.types import BUFFER_VIEW, F32, F64, FENCE, ScalarType
from reference.values.numbers import bit_width, float_bits, same_number

PROGRAM, BYTECODE, CAPTURE = "program.mlir", "program.vmfb", "program.ireereplay"
FROM_FLOW = ("--compile-from=flow",)
"""Options with which `iree-compile` begins where Stream's own passes do."""

_RESULT = re.compile(r"^result\[\d+\]: (.*)$")
_VIEW = re.compile(r"^(?:\d+x)*(i8|i16|i32|i64|f32|f64)=(.*)$")
_FORMATS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
_MEMORY = 6 << 30


def can_be_made(call: Call) -> bool:
    """Whether the tools can make a call: they have no way to be given a fence."""
    return all(argument.type != FENCE for argument in call.arguments)


@dataclass(frozen=True, slots=True)
class StockProgram:
    """A program that the tools compiled, or tried to, in a folder of its own."""

    tools: StockTools
    folder: Path
    compiled: StockRun

    def run(self, call: Call, drivers: Sequence[str], *options: str) -> StockRun:
        """One call that can be made, in a process of its own, on devices of these kinds."""
        command = [
            "iree-run-module",
            *(f"--device={driver}" for driver in drivers),
            f"--module={BYTECODE}",
            # Constants stay where they are in the file, which nobody may write to.
            "--module_mode=mmap",
            f"--function={call.function}",
            "--output_max_element_count=1048576",
            *options,
            *map(_input, call.arguments),
        ]
        return _run(self.tools, command, self.folder)

    def capture(self, call: Call, drivers: Sequence[str]) -> tuple[StockRun, ...]:
        """A call that records what each device was given to do, and the record as JSON lines.

        From 3.12 on.
        """
        ran = self.run(call, drivers, f"--device_replay_output={CAPTURE}")
        if not (self.folder / CAPTURE).exists():
            return (ran,)
        command = ("iree-dump-replay", "--format=jsonl", CAPTURE)
        return ran, _run(self.tools, command, self.folder)


@contextmanager
def stock_program(
    tools: StockTools, text: str, options: Sequence[str] = FROM_FLOW
) -> Iterator[StockProgram]:
    """Compiles a whole program, to be run while the context lasts."""
    command = ("iree-compile", *options, PROGRAM, "-o", BYTECODE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / PROGRAM).write_text(text, encoding="utf-8")
        yield StockProgram(tools, folder, _run(tools, command, folder))


def printed_difference(expected: Sequence[Expected], output: str) -> Expected | None:
    """The first result that was printed otherwise than expected; None where all are as they
    should, as far as they are printed exactly."""
    for one, told in zip(expected, _results(output), strict=False):
        if told is not None and not _agrees(one, told):
            return one
    return None


def _results(output: str) -> Iterator[bytes | str | None]:
    """The results that `iree-run-module` prints: bytes of a view, a number's text, None for what
    it does not print."""
    lines = iter(output.splitlines())
    for line in lines:
        match = _RESULT.match(line)
        if match is None:
            continue
        if not match[1].startswith("hal."):
            yield match[1].partition("=")[2]
            continue
        view = _VIEW.match(next(lines, ""))
        yield None if view is None else _bytes(view[1], view[2])


def _bytes(kind: str, numbers: str) -> bytes | None:
    """Elements as printed; brackets only say where rows end."""
    items = re.sub(r"[\[\]]", " ", numbers).split()
    try:
        convert = float if kind.startswith("f") else int
        return struct.pack(f"<{len(items)}{_FORMATS[kind]}", *map(convert, items))
    except (ValueError, struct.error):
        return None


def _agrees(expected: Expected, told: bytes | str) -> bool:
    if isinstance(expected.value, Bytes):
        data, defined = expected.value.data, expected.value.defined
        if not isinstance(told, bytes) or len(told) != len(data):
            return False
        rows = zip(data, told, defined, strict=True)
        return all(one == other for one, other, meant in rows if meant)
    if not isinstance(told, str) or not isinstance(expected.kind, ScalarType):
        return False
    if expected.kind in (F32, F64):
        printed = float_bits(float(told), expected.kind)
        return same_number(printed, expected.value, expected.kind)
    return int(told) & ((1 << bit_width(expected.kind)) - 1) == expected.value


def _input(argument: Argument) -> str:
    if isinstance(argument.value, bytes):
        numbers = struct.unpack(f"<{len(argument.value)}b", argument.value)
        buffer = "" if argument.type == BUFFER_VIEW else "&"
        return f"--input={buffer}{len(numbers)}xi8={' '.join(map(str, numbers))}"
    if argument.type in (F32, F64):
        return f"--input={real(argument)!r}"
    return f"--input={signed(argument)}"


def _run(tools: StockTools, command: Sequence[str], folder: Path) -> StockRun:
    shown = shlex.join(command)
    process = subprocess.Popen(
        [tools.directory / command[0], *command[1:]],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        # The tool is a Python script that starts the real one: both must end together.
        start_new_session=True,
        preexec_fn=_limit_memory,
    )
    try:
        output, diagnostics = process.communicate(timeout=tools.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return StockRun(shown, HANG, "", f"no end in {tools.timeout:g} s")
    return StockRun(shown, outcome_of(process.returncode), output, diagnostics)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
