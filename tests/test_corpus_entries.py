"""Every entry of the corpus does on the installed release what its header says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.compiling.compiler import CompilerProcess
from oracle.corpus import Entry, default_corpus, load_known
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import pieces, subjects_from
from reference.releases import release_rules

TRIES = 12
"""What differs from run to run may need several."""

ENTRIES = sorted(load_known(default_corpus()).values(), key=lambda entry: entry.identity)


@pytest.fixture(scope="module")
def release() -> str:
    with CompilerProcess() as process:
        assert process.release is not None
        return process.release


def asked_by(entry: Entry) -> str:
    """The check whose questions run into the fault: a pass that stops stops several checks."""
    return entry.header.get("asked-by", entry.header["check"])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.identity)
def test_the_entry_shows_as_its_header_says(entry: Entry, release: str) -> None:
    expected = entry.affects.get(release)
    if expected is None:
        pytest.skip(f"the entry says nothing of IREE {release}")
    rules, _ = release_rules(release)
    settings = ExaminerSettings(Path(sys.executable), timeout=3.0)
    with Examiner(settings, [CHECKS[asked_by(entry)]]) as examiner:
        (piece,) = pieces(entry.path)
        (read,) = subjects_from(examiner, piece, rules, rules)
        subject = read.subject
        if subject is None:
            assert expected == "unparsed"
            return
        shows = False
        for _ in range(TRIES if entry.header["check"] == "determinism" else 1):
            (examination,) = examiner.examine([subject])
            shows = shows or entry.signature in [one.signature for one in examination.faults]
    assert shows == (expected == "shows")
