"""Modules in files: split, read and judged fit before any check sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from oracle.answers import Answer, Json, Outcome, Request
from oracle.checks.base import Subject
from oracle.examiner import Examiner, ExaminerError
from oracle.lane import is_resolved
from oracle.reader import read_program
from reference.releases import Release
from reference.verifier import level_of, verify

_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
_STREAM_PHASE = frozenset(
    {"affine", "arith", "builtin", "cf", "flow", "hal", "math", "scf", "stream", "util"}
)
"""The dialects of a module that the Stream pipeline takes, outside executables."""

_STAR = "!stream.resource<*>"


class UnreadableError(Exception):
    """A file that is no text; the message says why."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One module of a file: its text, and the line of the file at which it starts, from 1."""

    file: Path
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """A module as a subject, None when it is not valid; what the model does not know of it; and
    what a person should be told."""

    subject: Subject | None
    unsupported: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    foreign: bool = False
    """Whether the module is valid but of an earlier phase, which no check here is about."""


def pieces(file: Path) -> list[Piece]:
    """The modules of a file, split by `// -----` lines. Raises UnreadableError."""
    if file.exists() and not file.is_file():
        raise UnreadableError(f"{file} is no regular file")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UnreadableError(f"{file} is not UTF-8 text") from None
    except OSError as error:
        raise UnreadableError(f"{file}: {error.strerror}") from None
    found, start = [], 0
    for end, following in [*(match.span() for match in _SPLIT.finditer(text)), (len(text),) * 2]:
        body = text[start:end]
        if any(line.strip() and not line.lstrip().startswith("//") for line in body.splitlines()):
            found.append(Piece(file, body, text.count("\n", 0, start) + 1))
        start = following
    if not found:
        raise UnreadableError(f"{file} holds no module")
    return found


def subject_from(examiner: Examiner, piece: Piece, rules: Release, compiler: Release) -> ReadPiece:
    """The module of `piece` as a subject for the checks. Raises ExaminerError.

    Lines are kept as in the file, so that diagnostics name the file's.
    """
    padded = "\n" * (piece.line - 1) + piece.text
    (answer,) = examiner.process().ask([Request(padded, (("parse",), ("read",)))])
    if answer.outcome is not Outcome.OK:
        if answer.kind == "internal":
            raise ExaminerError(answer.describe())
        return ReadPiece(None, notes=tuple(_complaints(piece, answer)))
    read = read_program(answer.results[-1])
    unsupported = tuple(map(str, read.unsupported))
    foreign = _foreign_ops(answer.results[-1])
    if foreign:
        return ReadPiece(
            None,
            unsupported,
            (f"{piece.file} is not at the Stream phase: it has {', '.join(foreign)}",),
            foreign=True,
        )
    program = None if unsupported else read.program
    notes: tuple[str, ...] = ()
    if program is not None:
        # Devices may also be named on the compiler's command line.
        problems = tuple(one for one in verify(program) if one.rule != "known-devices")
        notes = tuple(f"not {problem.level.value}: {problem}" for problem in problems)
        if level_of(problems) is None:
            return ReadPiece(None, notes=notes)
    subject = Subject(
        text=padded,
        program=program,
        rules=rules,
        compiler=compiler,
        resolved=is_resolved(program) if program is not None else _STAR not in piece.text,
    )
    return ReadPiece(subject, unsupported, notes)


def _complaints(piece: Piece, answer: Answer) -> list[str]:
    """Why the module does not parse, with file and line."""
    said = []
    for diagnostic in answer.diagnostics:
        place = str(piece.file)
        if diagnostic.location is not None and diagnostic.location.line is not None:
            place = f"{place}:{diagnostic.location.line}:{diagnostic.location.column}"
        said.append(f"{place}: {diagnostic.severity}: {diagnostic.message}")
    return said or [f"{piece.file}: {answer.describe()}"]


def _foreign_ops(raw: Json) -> list[str]:
    """The ops outside executables that the Stream pipeline does not take, by name."""
    found: set[str] = set()
    pending = [raw]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending += item
        elif isinstance(item, dict) and "operations" in item:
            pending.append(item["operations"])
        elif isinstance(item, dict):
            name = str(item["name"])
            if name.partition(".")[0] not in _STREAM_PHASE:
                found.add(name)
            if not name.endswith(".executable"):
                pending.append(item["regions"])
    return sorted(found)
