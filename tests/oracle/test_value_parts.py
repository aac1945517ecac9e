"""What `value` looks behind: full cleanup where control flow decides what globals hold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reading.value_parts import cleanups, parts
from reference.releases import RELEASES

STORED = """\
util.global private mutable @a : !stream.resource<variable>
util.func public @main(%more: i1, %x: !stream.resource<variable>) -> !stream.resource<variable> {{
  {}
  %y = util.global.load @a : !stream.resource<variable>
  util.return %y : !stream.resource<variable>
}}
"""
STORE = "util.global.store %x, @a : !stream.resource<variable>"


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["value"]]) as made:
        yield made


def subject(examiner: Examiner, store: str) -> Subject:
    release = RELEASES[-1]
    read = subject_from_text(examiner, STORED.format(store), release, release)
    assert read is not None
    assert read.subject is not None
    return read.subject


@pytest.mark.parametrize(
    ("store", "full"),
    [
        ("", False),
        (STORE, False),
        (f"scf.if %more {{ {STORE} }}", True),
        (f"cf.cond_br %more, ^one, ^two\n^one:\n{STORE}\ncf.br ^two\n^two:", True),
    ],
)
def test_cleanup_is_full_where_control_flow_decides(
    examiner: Examiner, store: str, full: bool
) -> None:
    asked = subject(examiner, store)
    # IREE's own way first; the lean one is that of the command level.
    ways = cleanups(asked)
    assert ways == (("full", "lean") if full else ("lean",))
    found = parts(asked, ways[0])
    names = {part.passes.name for part in found}
    assert ("simplify-global-accesses" in names) is full
    assert ("ipo" in names) is full
    assert {"canonicalize", "cse"} <= names
    if full:
        # Each pass of each cleanup has its name, so that it can be blamed.
        assert all(len(part.passes.passes) == 1 for part in found if part.passes.name != part.stage)
