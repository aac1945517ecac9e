"""`value` follows a program to the command level: memory holds in the end what was asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import Ask
from test_command_checks import COMMANDING, SENT_AND_BACK, needs_placement_pass, subject

from oracle.checks.value import Value
from oracle.examiner import Examiner, ExaminerSettings
from oracle.verdict import Verdict


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=COMMANDING)
    with Examiner(settings, [Value()]) as one:
        yield one


@needs_placement_pass
def test_a_true_program_returns_what_it_should(ask: Ask, examiner: Examiner) -> None:
    (found,) = examiner.examine([subject(ask, SENT_AND_BACK)])
    assert found.judgements[0].verdict is Verdict.AGREE


@needs_placement_pass
@pytest.mark.parametrize("plant", ["another-kernel"])
def test_a_planted_fault_in_commands_changes_what_is_returned(
    ask: Ask, examiner: Examiner, plant: str
) -> None:
    asked = subject(ask, SENT_AND_BACK, plant)
    (found,) = examiner.examine([asked])
    (fault,) = found.faults
    assert fault.verdict is Verdict.WRONG_VALUE
    assert fault.signature == "value/schedule-allocation/changed/in-memory/result"
    assert not examiner.confirm(asked, fault).confirmed


@needs_placement_pass
@pytest.mark.parametrize("plant", ["copy-shortened", "read-moved-up"])
def test_what_follows_from_memory_or_order_is_left_to_hazard(
    ask: Ask, examiner: Examiner, plant: str
) -> None:
    """`test_command_checks.py` sees it find them."""
    (found,) = examiner.examine([subject(ask, SENT_AND_BACK, plant)])
    assert [one.verdict for one in found.judgements] == [Verdict.AGREE]
