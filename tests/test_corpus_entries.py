"""Every entry of the corpus does on the installed release what its header says."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.corpus import Entry, Shelf, default_corpus, survey
from oracle.examiner import ExaminerSettings
from oracle.replay import Replay, Standing
from oracle.verdict import Verdict
from reference.releases import release_rules

RELEASE = importlib.metadata.version("iree-base-compiler")
SURVEY = survey(default_corpus())


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    rules, _ = release_rules(RELEASE)
    settings = ExaminerSettings(Path(sys.executable), timeout=3.0)
    with Replay(settings, RELEASE, rules, rules) as one:
        yield one


@pytest.mark.parametrize("entry", SURVEY.entries, ids=lambda entry: entry.identity)
def test_the_entry_does_as_its_header_says(entry: Entry, replay: Replay) -> None:
    replayed = replay.entry(entry)
    if replayed.standing is Standing.UNNAMED:
        pytest.skip(f"the entry says nothing of IREE {RELEASE}: {replayed.advice}")
    assert replayed.standing is Standing.HOLDS, replayed.advice


def test_the_corpus_that_comes_along_is_usable() -> None:
    assert SURVEY.problems == ()
    assert {entry.shelf for entry in SURVEY.entries} == set(Shelf)
    for entry in SURVEY.entries:
        assert entry.check in CHECKS, entry.path
        assert entry.header["verdict"] in set(Verdict), entry.path
        assert entry.identity == entry.path.stem, entry.path
        assert entry.path.read_text(encoding="utf-8").startswith("// RUN:"), entry.path
        assert entry.header.get("expected"), entry.path
        assert entry.header.get("actual"), entry.path
