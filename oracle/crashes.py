"""Where in the compiler a crash happened: what tells two causes with one signal apart.

The stock `iree-opt` prints the stack of a crash. Its frames are addresses, or names where LLVM
finds a symbolizer; the symbols are in the library itself, so that names come without one. Of the
frames one is taken: the innermost function of IREE's own that does more than to hand out or look up
something. What is below it differs with inlining and with what a stray pointer hits. So does, in an
analysis, which of an element's functions it hits: there the element's class is told.
"""

from __future__ import annotations

import contextlib
import functools
import math
import mmap
import os
import re
import resource
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

_IREE = ("mlir", "iree_compiler")
_INFRASTRUCTURE = frozenset({"Explorer", "DFX", "detail"})
"""Namespaces and classes of `iree_compiler` that walk and solve on behalf of others."""
_UPDATE = (*_IREE, "DFX", "Solver", "updateElement")
"""What runs the functions of an analysis's elements, which ask for other elements in turn."""
_ACCESSOR = re.compile(r"(?:get|is|has|set|lookup|find)(?:[A-Z]|$)")
_ANONYMOUS = frozenset({"_GLOBAL__N_1", "(anonymous namespace)"})

_NAMED_FRAME = re.compile(r"\s*#\d+ 0x[0-9a-f]+ (?P<name>.+?)(?: \S+:\d+:\d+| \(.*\))?$")
_BARE_FRAME = re.compile(
    r"\d+\s+(?P<library>\S+)\s+0x(?P<address>[0-9a-f]+)(?: (?P<name>\S+) \+ (?P<offset>\d+))?$"
)
_NESTED = re.compile(r"_ZNK?(?=\d)")
_LENGTH = re.compile(r"\d+")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_LITERAL = re.compile(r"L[a-z]n?\d+E")
_SUBSTITUTION = re.compile(r"S(?:[0-9A-Z]*_|[a-z])")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"),
     ("size", "<u8")]
)  # fmt: skip
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL_TABLE, _DYNAMIC_SYMBOLS = 2, 11
_FUNCTION = 2
_LARGEST = (1 << 32) - 1
_Places = npt.NDArray[np.uint32]
_Functions = tuple[_Places, _Places, _Places]
_LONGEST_NAME = 4096
_TRIES = 8


def crash_site(diagnostics: str, libraries: Sequence[Path]) -> str | None:
    """The function at fault in what a crashed tool printed, such as
    `FoldAsyncCloneIntoLoad.matchAndRewrite`; None where the stack does not tell.

    `libraries` are the files that frames without a name may lie in.
    """
    site: str | None = None
    last: tuple[str, ...] = ()
    for path in _paths(diagnostics, libraries):
        if path == _UPDATE and last:
            return last[-2]
        if _does_something(path):
            last = path
            site = site or ".".join(path[-2:])
    return site


def _does_something(path: tuple[str, ...]) -> bool:
    """Whether a function is IREE's own and does more than to hand out or look up something."""
    return (
        path[:2] == _IREE
        and len(path) > 2
        and not _INFRASTRUCTURE.intersection(path)
        and not _ACCESSOR.match(path[-1])
    )


def crashed_pass(diagnostics: str, libraries: Sequence[Path]) -> str | None:
    """The class of the pass that a crashed tool was in, such as `Canonicalizer`; of passes that run
    others the innermost. None where the stack does not tell."""
    return next(
        (path[-2] for path in _paths(diagnostics, libraries) if path[-1] == "runOnOperation"), None
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """What one process may use: seconds of processor time, bytes of memory."""

    seconds: float = 10.0
    memory: int = 6 << 30


def stack_of(tool: Path, text: str, arguments: Sequence[str], limits: Limits) -> str:
    """What `iree-opt` prints when it crashes on `text`, without names; nothing without an end.

    In one thread: the stack of another has no frame that tells where the library was loaded.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(text)
        file.flush()

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limits.seconds),) * 2)
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory,) * 2)

        process = subprocess.Popen(
            [tool, *arguments, "--mlir-disable-threading", file.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "LLVM_DISABLE_SYMBOLIZATION": "1"},
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            return process.communicate(timeout=limits.seconds * 4)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return ""


@dataclass(frozen=True, slots=True)
class Crash:
    """Where a tool crashed: the function, as `crash_site` names it, and the class of the pass."""

    site: str | None = None
    within: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """The `iree-opt` of one installation, and the files that hold its code."""

    program: Path
    libraries: tuple[Path, ...]

    @classmethod
    def in_folder(cls, directory: Path) -> Tool | None:
        """The tool of a folder of IREE's tools, None where it has none. In wheels that is a script,
        and the program that it starts lies beside the library."""
        script = directory / "iree-opt"
        if not script.exists():
            return None
        beside = next(directory.parent.glob("lib/python*/site-packages/iree/compiler"), None)
        folder = script.parent if beside is None else beside / "_mlir_libs"
        program = folder / "iree-opt"
        libraries = (folder / "libIREECompiler.so", directory.parent / "lib/libIREECompiler.so")
        found = program if program.exists() else script
        return cls(found, (*(one for one in libraries if one.exists()), found))

    def crash(self, text: str, arguments: Sequence[str], limits: Limits) -> Crash:
        """Where the tool crashes on `text`; nowhere where it does not.

        What reads stray memory may come to an end without a crash, or go astray so far that the
        stack is lost: it is tried more than once.
        """
        found = Crash()
        for _ in range(_TRIES):
            stack = stack_of(self.program, text, arguments, limits)
            again = Crash(crash_site(stack, self.libraries), crashed_pass(stack, self.libraries))
            if again.site is not None:
                return again
            found = again if found.within is None else found
        return found


def _paths(diagnostics: str, libraries: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """The functions of a stack, innermost first, each as namespaces, class and name, without the
    arguments of templates. Lambdas and what has no name are left out."""
    lines = diagnostics.splitlines()
    bare = [match for line in lines if (match := _BARE_FRAME.match(line.strip()))]
    if bare:
        yield from filter(None, map(_mangled_path, _named(bare, libraries)))
        return
    for line in lines:
        match = _NAMED_FRAME.match(line)
        path = _readable_path(match["name"]) if match else None
        if path:
            yield path


def _named(frames: Sequence[re.Match[str]], libraries: Sequence[Path]) -> Iterator[str]:
    """The mangled names of frames that are addresses.

    A library is loaded anywhere: where, is told by a frame in a function that it exports, which the
    dump names (`ireeOptRunMain` is always one).
    """
    starts: dict[str, tuple[Symbols, int]] = {}
    for frame in frames:
        library = next((one for one in libraries if one.name == frame["library"]), None)
        if frame["name"] and library and frame["library"] not in starts:
            symbols = symbols_of(library)
            value = symbols.exported.get(frame["name"]) if symbols else None
            if symbols and value is not None:
                start = int(frame["address"], 16) - int(frame["offset"]) - value
                starts[frame["library"]] = (symbols, start)
    for frame in frames:
        if frame["library"] in starts:
            symbols, start = starts[frame["library"]]
            # The address is where the call returns to: one past it may be another function.
            name = symbols.at(int(frame["address"], 16) - start - 1)
            if name is not None:
                yield name


def _mangled_path(name: str) -> tuple[str, ...] | None:
    """`_ZN4mlir3FooIiE3barEv` as (mlir, Foo, bar); None for a name with more to it than nested
    names and templates (Itanium C++ ABI, chapter 5.1)."""
    match = _NESTED.match(name)
    if match is None:
        return None
    place, path = match.end(), []
    while True:
        if length := _LENGTH.match(name, place):
            place = length.end() + int(length[0])
            path.append(name[length.end() : place])
        elif name[place : place + 1] == "I" and path:
            end = _after_arguments(name, place + 1)
            if end is None:
                return None
            place = end
        else:
            break
    # An `E` ends a nested name; a local's function or an operator would follow else.
    return _without_anonymous(path) if name[place : place + 1] == "E" else None


def _after_arguments(name: str, place: int) -> int | None:
    """Where a template's arguments, which begin at `place`, have ended; None where they do not."""
    depth = 1
    while depth and place < len(name):
        if length := _LENGTH.match(name, place):
            place = length.end() + int(length[0])
        elif literal := _LITERAL.match(name, place):
            place = literal.end()
        else:
            depth += {"I": 1, "N": 1, "X": 1, "J": 1, "F": 1, "E": -1}.get(name[place], 0)
            # In a substitution such as `S1_` the digits are no length.
            substitution = _SUBSTITUTION.match(name, place)
            place = substitution.end() if substitution else place + 1
    return place if depth == 0 else None


def _readable_path(name: str) -> tuple[str, ...] | None:
    """`mlir::Foo<int>::bar(int) const` as (mlir, Foo, bar); None for lambdas."""
    name = name.replace("(anonymous namespace)", "_GLOBAL__N_1")
    while (without := _ARGUMENTS.sub("", name)) != name:
        name = without
    name = name.partition("(")[0]
    if not re.fullmatch(r"[\w~]+(?:::[\w~]+)*", name):
        return None
    return _without_anonymous(name.split("::"))


def _without_anonymous(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(part for part in path if part not in _ANONYMOUS)


@dataclass(frozen=True, slots=True)
class Symbols:
    """The functions of a library: where each starts and ends, in order, and where in the file its
    name is; and those that it exports, by name."""

    file: Path
    starts: _Places
    ends: _Places
    names: _Places
    exported: dict[str, int]

    def at(self, address: int) -> str | None:
        """The function that holds an address of the file's own."""
        if address > _LARGEST:
            return None
        place = int(np.searchsorted(self.starts, np.uint32(address), side="right")) - 1
        if place < 0 or address >= self.ends[place]:
            return None
        with self.file.open("rb") as file:
            file.seek(int(self.names[place]))
            return file.read(_LONGEST_NAME).partition(b"\0")[0].decode(errors="replace")


@functools.lru_cache(maxsize=4)
def symbols_of(library: Path) -> Symbols | None:
    """The functions that an ELF file tells of; None for other files, or when it has no symbols."""
    with (
        contextlib.suppress(OSError, ValueError, struct.error, BufferError),
        library.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        return _symbols(library, content)
    return None


def _symbols(library: Path, content: mmap.mmap) -> Symbols | None:
    """A 64-bit little-endian ELF file's symbol tables (System V ABI, chapter 4)."""
    if content[:6] != b"\x7fELF\x02\x01":
        return None
    (table,) = struct.unpack_from("<Q", content, 0x28)
    width, count = struct.unpack_from("<HH", content, 0x3A)
    sections = [_SECTION.unpack_from(content, table + width * one) for one in range(count)]
    functions: _Functions | None = None
    exported = {}
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind not in (_SYMBOL_TABLE, _DYNAMIC_SYMBOLS):
            continue
        # Seen where they are: what is copied, be it for a moment, a long-lived process never gives
        # back.
        seen = np.frombuffer(content, _SYMBOL, size // _SYMBOL.itemsize, offset)
        (chosen,) = np.nonzero((seen["info"] & 0xF == _FUNCTION) & (seen["value"] != 0))
        strings = sections[link][4]
        if kind == _SYMBOL_TABLE:
            functions = _functions(seen, chosen, strings)
        else:
            for one in seen[chosen]:
                start = strings + int(one["name"])
                name = content[start : content.find(b"\0", start)].decode(errors="replace")
                exported[name] = int(one["value"])
    if functions is None or not len(functions[0]):
        return None
    return Symbols(library, *functions, exported)


def _functions(
    seen: npt.NDArray[np.void], chosen: npt.NDArray[np.intp], strings: int
) -> _Functions | None:
    """What the chosen symbols say, in the order of starts; None where a place needs more bits."""
    starts = seen["value"][chosen]
    ends, names = starts + seen["size"][chosen], seen["name"][chosen] + np.uint64(strings)
    order = np.argsort(starts, kind="stable")
    found = []
    for places in (starts, ends, names):
        if len(places) and int(places.max()) > _LARGEST:
            return None
        found.append(places[order].astype(np.uint32))
    starts_at, ends_at, names_at = found
    return starts_at, ends_at, names_at
