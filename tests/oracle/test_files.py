"""Modules in files: lines as in the file, and complaints that say where."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import every_op

from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import ReadPiece, UnreadableError, pieces, subjects_from
from reference.releases import release_rules
from reference.text import print_program

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
GOOD = "util.func public @f() {\n  util.return\n}\n"
BAD = "util.func public @f() {\n  util.retrun\n}\n"


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Examiner(ExaminerSettings(Path(sys.executable)), []) as started:
        yield started


def written(folder: Path, text: str) -> Path:
    path = folder / "input.mlir"
    path.write_text(text)
    return path


def read(examiner: Examiner, file: Path, ordinal: int = 0) -> ReadPiece:
    (found,) = subjects_from(examiner, pieces(file)[ordinal], RELEASE, RELEASE)
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (GOOD, [1]),
        (f"{GOOD}// -----\n{GOOD}", [1, 4]),
        (f"// -----\n{GOOD}// -----\n\n{GOOD}// -----\n", [1, 5]),
        (f"{GOOD}// ----- a note\n{GOOD}", [1, 4]),
        (f"{GOOD}  // -----\n", [1]),
    ],
)
def test_modules_start_where_they_do(tmp_path: Path, text: str, lines: list[int]) -> None:
    """A module starts at the rest of its split line, or of the one before."""
    file = written(tmp_path, text)
    found = pieces(file)
    assert len(found) == len(lines)
    assert "".join(piece.text for piece in found).count("util.return") == text.count("util.return")
    for piece in found:
        padded = "\n" * (piece.line - 1) + piece.text
        for number, line in enumerate(padded.splitlines()):
            if "util." in line:
                assert text.splitlines()[number] == line


def test_a_complaint_has_file_line_and_column(examiner: Examiner, tmp_path: Path) -> None:
    file = written(tmp_path, f"{GOOD}// -----\n{BAD}")
    assert read(examiner, file).subject is not None
    refused = read(examiner, file, 1)
    assert refused.subject is None
    assert re.match(rf"{re.escape(str(file))}:6:3: error: .*util\.retrun", refused.notes[0])


def test_a_complaint_of_the_verifier_names_the_file(examiner: Examiner, tmp_path: Path) -> None:
    text = 'util.func @f(%x: i32) { util.return %x : i32 loc("op5") }'
    refused = read(examiner, written(tmp_path, text))
    assert refused.subject is None
    assert refused.notes[0].startswith(str(tmp_path))


@pytest.mark.parametrize("text", ["", " \n\n", "// -----\n", "// -----\n\n// -----"])
def test_an_empty_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableError, match=r"input\.mlir holds no module"):
        pieces(written(tmp_path, text))


def test_what_is_no_text_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "binary.mlir"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableError, match=r"binary\.mlir is not UTF-8"):
        pieces(path)
    with pytest.raises(UnreadableError, match=r"missing\.mlir: No such file"):
        pieces(tmp_path / "missing.mlir")


def test_our_own_program_is_a_well_formed_subject(examiner: Examiner, tmp_path: Path) -> None:
    if not RELEASE.async_cast:
        pytest.skip("this release does not parse every op")
    result = read(examiner, written(tmp_path, print_program(every_op())))
    assert result.subject is not None
    assert result.subject.program is not None
    assert result.subject.resolved
    assert (result.unsupported, result.notes) == ((), ())


def test_what_the_model_does_not_know_is_named(examiner: Examiner, tmp_path: Path) -> None:
    text = GOOD.replace("util.return", "%x = util.null : !stream.resource<*>\n  util.return")
    result = read(examiner, written(tmp_path, text))
    assert result.subject is not None
    assert result.subject.program is None
    (named,) = result.unsupported
    assert "util.null" in named
    assert "line 2" in named


def test_line_ends_of_another_system(examiner: Examiner, tmp_path: Path) -> None:
    file = tmp_path / "input.mlir"
    file.write_bytes(f"{GOOD}// -----\n{BAD}".replace("\n", "\r\n").encode())
    assert len(pieces(file)) == 2
    assert ":6:3: error" in read(examiner, file, 1).notes[0]
