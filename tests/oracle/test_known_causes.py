"""Known causes hide nothing: none takes too many programs, none hides a second fault."""

from __future__ import annotations

import importlib.metadata
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.planted.faults import FAULTS
from benchmarks.planted.planting import Plant, PlantingCompiler
from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks import CHECKS
from oracle.corpus import SHOWS, Entry, default_corpus, load_known
from oracle.examiner import Examiner, ExaminerSettings, start_process
from oracle.files import pieces, subject_from_text
from reference.releases import release_rules

RELEASE = importlib.metadata.version("iree-base-compiler")
RULES = release_rules(RELEASE)[0]
KNOWN = load_known(default_corpus(), RELEASE)

PROGRAMS = 160
MOST = 0.1
"""The share of the nightly profile's programs that one known cause may take."""
ALWAYS = frozenset(
    {"roundtrip/parse/does-not-parse/expected-string",
     "roundtrip/parse/does-not-parse/expected-valid-keyword"}
)  # fmt: skip
"""Causes that a program with one attribute always has: they count in a lane of their own."""

CHECKED = ("accept", "coverage", "execution")
"""What nearly all known causes of a nightly run belong to."""

SECOND = "hazard/schedule-allocation/before-allocation/region"


def test_no_known_cause_takes_too_many_programs() -> None:
    profile = for_release(PROFILES["nightly"], RULES)
    settings = ExaminerSettings(Path(sys.executable), timeout=1.0)
    taken: Counter[str] = Counter()
    with Examiner(settings, [CHECKS[name] for name in CHECKED]) as examiner:
        for first in range(0, PROGRAMS, 16):
            subjects = [
                subject_of(program(11, number, profile), RULES, RULES)
                for number in range(first, first + 16)
            ]
            for examination in examiner.examine(subjects):
                taken.update({fault.signature for fault in examination.faults})
    assert taken.keys() & KNOWN.keys(), "the nightly profile meets known causes"
    for signature, count in taken.items():
        if signature in KNOWN and signature not in ALWAYS:
            assert count <= MOST * PROGRAMS, f"{KNOWN[signature].path} takes {count} of {PROGRAMS}"


@pytest.fixture(scope="module")
def plant() -> Plant:
    return Plant()


@pytest.fixture(scope="module")
def examiner(plant: Plant) -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable))
    checks = [CHECKS[name] for name in ("coverage", "execution", "hazard")]
    with Examiner(
        settings, checks, lambda one, flags: PlantingCompiler(start_process(one, flags), plant)
    ) as one:
        yield one


@pytest.mark.skipif(RELEASE < "3.12", reason="the entries are about later releases")
@pytest.mark.parametrize(
    "entry",
    [
        entry
        for entry in KNOWN.values()
        if entry.check in ("execution", "coverage") and entry.affects.get(RELEASE) == SHOWS
    ],
    ids=lambda entry: entry.identity,
)
def test_a_known_cause_hides_no_second_fault(
    entry: Entry, plant: Plant, examiner: Examiner
) -> None:
    (fault,) = (one for one in FAULTS if one.name == "await-left-out")
    read = subject_from_text(examiner, pieces(entry.path)[0].text, RULES, RULES)
    assert read is not None
    assert read.subject is not None
    plant.fault, plant.choice, plant.planted = fault, 0, 0
    try:
        (examination,) = examiner.examine([read.subject])
    finally:
        plant.fault = None
    if not plant.planted:
        pytest.skip("its regions wait for nothing, or it is refused before")
    found = [one.signature for one in examination.faults]
    assert entry.signature in found
    if any(one.check == "hazard" and one.unsupported for one in examination.judgements):
        pytest.skip("hazard does not judge programs that are not well-formed")
    assert SECOND in found
