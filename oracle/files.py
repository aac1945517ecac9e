"""Modules in files: split, read and judged fit before any check sees them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from oracle.checks.base import Subject, is_resolved
from oracle.compiling.answers import Answer, Json, Outcome, Request
from oracle.early import Brought, dispatched, wrapped
from oracle.examiner import Examiner, ExaminerError
from oracle.reading.components import components
from oracle.reading.reader import read_program
from reference.releases import Release
from reference.verifier import level_of, verify_module
from reference.verifier.problems import Level

_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
_STREAM_PHASE = frozenset(
    {"affine", "arith", "builtin", "cf", "flow", "hal", "math", "scf", "stream", "util"}
)
"""The dialects of a module that the Stream pipeline takes, outside executables."""


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
    """Functions that belong together as a subject, None when they are not valid; what the model
    does not know of them; and what a person should be told."""

    subject: Subject | None
    functions: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    level: Level | None = None
    """How good a program it is; None where it is not even valid, by rules that the compiler does
    not check, or where the model does not know all of it."""
    foreign: bool = False
    """Whether the module is valid but of an earlier phase, which no check here is about."""


def pieces(file: Path) -> list[Piece]:
    """The modules of a file, split by `// -----` lines. Raises UnreadableError."""
    if file.exists() and not file.is_file():
        raise UnreadableError(f"{file} is no regular file")
    try:
        # Some editors begin a file with a mark of its encoding, which MLIR does not know.
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError(f"{file} is not UTF-8 text") from None
    except OSError as error:
        raise UnreadableError(f"{file}: {error.strerror}") from None
    found = modules(file, text)
    if not found:
        raise UnreadableError(f"{file} holds no module")
    return found


def modules(file: Path, text: str) -> list[Piece]:
    """The modules of a file's text, split by `// -----` lines."""
    found, start = [], 0
    for end, following in [*(match.span() for match in _SPLIT.finditer(text)), (len(text),) * 2]:
        body = text[start:end]
        if any(line.strip() and not line.lstrip().startswith("//") for line in body.splitlines()):
            found.append(Piece(file, body, text.count("\n", 0, start) + 1))
        start = following
    return found


def subjects_from(
    examiner: Examiner, piece: Piece, rules: Release, compiler: Release
) -> list[ReadPiece]:
    """The module of `piece` as subjects for the checks: functions that have nothing to do with
    each other are subjects of their own. Raises ExaminerError.

    Lines are kept as in the file, so that diagnostics name the file's.
    """
    padded = "\n" * (piece.line - 1) + piece.text
    (answer,) = examiner.process().ask([Request(padded, (("parse",), ("read",)))])
    if answer.outcome is not Outcome.OK:
        if answer.kind == "internal":
            raise ExaminerError(answer.describe())
        return [ReadPiece(None, notes=tuple(_complaints(piece, answer)))]
    raw = answer.results[-1]
    foreign = _foreign_ops(raw)
    if foreign:
        note = f"{piece.file} is not at the Stream phase: it has {', '.join(foreign)}"
        brought = _brought(examiner, padded)
        if brought.refusal is not None:
            unsupported = tuple(map(str, read_program(raw).unsupported))
            notes = (note, f"IREE's own passes do not bring it there: {brought.refusal}")
            return [ReadPiece(None, (), unsupported, notes, foreign=True)]
        padded, raw = brought.text, brought.told
    parts = components(raw)
    if len(parts) <= 1:
        functions = parts[0].functions if parts else ()
        return [_subject(padded, raw, functions, rules, compiler)]
    steps = ("read",), ("print", True)
    requests = [
        Request(padded, (("parse",), ("keep", list(part.positions)), *steps)) for part in parts
    ]
    found = []
    for part, told in zip(parts, examiner.process().ask(requests), strict=True):
        if told.outcome is not Outcome.OK:
            raise ExaminerError(f"cannot take @{part.functions[0]} out: {told.describe()}")
        found.append(
            _subject(str(told.results[-1]), told.results[-2], part.functions, rules, compiler)
        )
    return found


def _brought(examiner: Examiner, text: str) -> Brought:
    """A module of an earlier phase where Stream's own passes begin, with as little done on the way
    as there has to be."""
    brought = wrapped(examiner, text)
    if brought.refusal is None and not _foreign_ops(brought.told):
        return brought
    return dispatched(examiner, text)


def subject_from_text(
    examiner: Examiner, text: str, rules: Release, compiler: Release
) -> ReadPiece | None:
    """A whole module as one subject; None for a text that is no module. Raises ExaminerError."""
    (answer,) = examiner.process().ask([Request(text, (("parse",), ("read",)))])
    if answer.outcome is Outcome.FAILED:
        return None
    if answer.outcome is not Outcome.OK:
        raise ExaminerError(answer.describe())
    return _subject(text, answer.results[-1], (), rules, compiler)


def _subject(
    text: str, raw: Json, functions: tuple[str, ...], rules: Release, compiler: Release
) -> ReadPiece:
    read = read_program(raw)
    unsupported = tuple(map(str, read.unsupported))
    program = None if unsupported else read.program
    notes: tuple[str, ...] = ()
    level: Level | None = None
    if program is not None:
        problems = verify_module(program)
        notes = tuple(f"not {problem.level.value}: {problem}" for problem in problems)
        level = level_of(problems)
    subject = Subject(
        text=text,
        program=program,
        rules=rules,
        compiler=compiler,
        resolved=program is not None and is_resolved(program),
    )
    return ReadPiece(subject, functions, unsupported, notes, level)


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
