"""A program with other names, other sizes or other devices has the signature of the original."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.corpus import SHOWS, Entry, Shelf, default_corpus, survey
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import pieces, subject_from_text
from reference.releases import release_rules

RELEASE = importlib.metadata.version("iree-base-compiler")
RULES = release_rules(RELEASE)[0]

OF_A_SIZE = {
    "a-clone-of-a-constant-behind-a-cast-is-elided-and-the-fa96b8": "a constant has its bytes",
    "a-slice-of-a-splat-that-does-not-begin-with-a-pattern-2942af": "the offset is the fault",
    "a-slice-of-an-i64-splat-becomes-a-splat-shorter-than-8511ad": "the size is the fault",
    "copy-elision-makes-a-copy-s-source-its-target": "its ranges are odd",
    "copy-on-write-makes-no-copy-of-a-constant-behind-two-c": "a constant has its bytes",
}
"""Entries that other sizes make another program of, or none."""


def chosen() -> list[Entry]:
    """One entry of each check and first word of a shape; those that hang take too long."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in survey(default_corpus()).entries:
        check, _, *shape = entry.signature.split("/")
        if (
            entry.shelf is Shelf.KNOWN
            and entry.affects.get(RELEASE) == SHOWS
            and shape[0] != "hang"
            and entry.identity not in OF_A_SIZE
        ):
            key = (check,) if check == "accept" and shape[0] != "crash" else (check, shape[0])
            found.setdefault(key, entry)
    return list(found.values())


def renamed(text: str) -> str:
    """Other names for values, ops, devices and functions; the order of devices stays."""
    text = re.sub(r"%v(\d+)", lambda match: f"%w{int(match[1]) + 7}", text)
    text = re.sub(r'loc\("op(\d+)"\)', lambda match: f'loc("node{int(match[1]) * 3}")', text)
    text = re.sub(r"@dev_([a-z])\b", r"@gpu_\1\1", text)
    text = re.sub(r"@f(\d)\b", r"@function\1", text)
    return re.sub(r"@g(\d)\b", r"@glob\1", text)


def resized(text: str) -> str:
    """All twice as large, but what is 1."""
    text = re.sub(
        r"arith.constant (\d+) : index",
        lambda match: f"arith.constant {int(match[1]) << (int(match[1]) > 1)} : index",
        text,
    )
    return re.sub(
        r"tensor<(\d+)x(i\d+)> in", lambda match: f"tensor<{int(match[1]) * 2}x{match[2]}> in", text
    )


def reordered(text: str) -> str:
    """Functions and globals stand in the opposite order."""
    head, body = re.split(r"(?<=\{\n)", text, maxsplit=1)
    body, end = body[: body.rindex("}")], body[body.rindex("}") :]
    parts = re.findall(r"^  \S.*?(?:\{\n(?:.*\n)*?  \}\n|\n)", body, re.MULTILINE)
    return head + "".join(reversed(parts)) + end


@pytest.fixture(scope="module")
def examiners() -> Iterator[Callable[[str], Examiner]]:
    kept: dict[str, Examiner] = {}

    def of(check: str) -> Examiner:
        if check not in kept:
            kept[check] = Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS[check]])
        return kept[check]

    yield of
    for one in kept.values():
        one.close()


@pytest.mark.parametrize("change", [renamed, resized, reordered])
@pytest.mark.parametrize("entry", chosen(), ids=lambda entry: entry.identity)
def test_what_changes_names_or_sizes_changes_no_signature(
    entry: Entry, change: Callable[[str], str], examiners: Callable[[str], Examiner]
) -> None:
    (piece,) = pieces(entry.path)
    body = piece.text[re.search(r"^(?:module|util)", piece.text, re.MULTILINE).start() :]  # type: ignore[union-attr]
    if change is reordered and not body.startswith("module"):
        pytest.skip("one function alone")
    if change is resized and "dense<" in body:
        pytest.skip("a constant's data have the size they have")
    if change is resized and "= flow.tensor." in body:
        pytest.skip("a tensor has the size that its type says")
    if change is resized and entry.signature == "hazard/materialize-builtins/unwritten":
        pytest.skip("what no whole patterns fill they do fill when there is more of it")
    if change is reordered and "hoisted-global" in entry.identity:
        pytest.skip("hoisted globals stand where functions do: other ones are in the wrong order")
    read = subject_from_text(examiners(entry.asked_by), change(body), RULES, RULES)
    assert read is not None
    assert read.subject is not None, read.notes
    for _ in range(12 if entry.check == "determinism" else 1):
        (examination,) = examiners(entry.asked_by).examine([read.subject])
        found = [fault.signature for fault in examination.faults]
        if found:
            break
    assert entry.signature in found
