"""Where the compiler orders ops by chance, that is the fault, whichever check compares orders."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.checks.base import Ordered, Subject
from oracle.corpus import default_corpus
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import pieces, subject_from_text
from oracle.steadiness import unsteady
from reference.releases import release_rules

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
BY_CHANCE = "canonicalization-orders-ops-in-a-way-that-changes-from-run-to-run"
TIMES = 12
"""Chance keeps silent one time in four thousand."""


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["symmetry"]]) as one:
        yield one


def subject(examiner: Examiner, text: str) -> Subject:
    read = subject_from_text(examiner, text, RELEASE, RELEASE)
    assert read is not None
    assert read.subject is not None
    return read.subject


def entry() -> str:
    (piece,) = pieces(default_corpus() / "known" / f"{BY_CHANCE}.mlir")
    return piece.text


def test_what_changes_from_run_to_run_is_no_broken_symmetry(examiner: Examiner) -> None:
    one = subject(
        examiner, entry().replace("alloca :", "alloca on(#hal.device.affinity<@dev_a>) :")
    )
    told = {
        fault.signature
        for _ in range(TIMES)
        for examination in examiner.examine([one])
        for fault in examination.faults
    }
    assert told == {"determinism/canonicalize/differs"}


def test_what_is_refused_or_the_same_each_time_is_steady(examiner: Examiner) -> None:
    steady = "module { util.func public @f(%a: i32) -> i32 { util.return %a : i32 } }"
    assert unsteady(examiner.process, subject(examiner, steady)) == ()


def test_checks_that_compare_orders_say_so() -> None:
    assert {name for name, check in CHECKS.items() if isinstance(check, Ordered)} == {
        "fold", "schedule", "symmetry",
    }  # fmt: skip
