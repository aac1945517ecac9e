"""Questions at a glance: which looks are taken, and that a fault is given all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from test_value_check import MEDDLING, subject, well_meant

from oracle.checks.base import UNSEEN, UnseenError, seen
from oracle.checks.hazard import Hazard
from oracle.checks.value import Value
from oracle.compiling.answers import USUAL, Answer, Request
from oracle.examiner import Examiner, ExaminerSettings


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=MEDDLING)
    with Examiner(settings, [Value(), Hazard()]) as one:
        yield one


@pytest.fixture
def reads(examiner: Examiner, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often each request that is put reads the module."""
    counted: list[int] = []
    process = examiner.process(USUAL)
    ask = process.ask

    def counting(requests: Sequence[Request]) -> Iterator[Answer]:
        counted.extend(sum(step[0] == "read" for step in one.steps) for one in requests)
        return ask(requests)

    monkeypatch.setattr(process, "ask", counting)
    return counted


def test_a_right_program_is_looked_at_where_its_ways_end(
    examiner: Examiner, reads: list[int]
) -> None:
    (found,) = examiner.examine([subject(well_meant())])
    assert not found.faults
    # Values once, at the end; memory once it is there, and what it is made of before and after
    # scheduling. What `value` asked `hazard` need not ask again.
    assert reads == [1, 3]


def test_a_fault_is_looked_for_behind_every_pass(examiner: Examiner, reads: list[int]) -> None:
    (found,) = examiner.examine([subject(well_meant(), "other-range")])
    assert [fault.stage for fault in found.faults] == ["place-transfer-executions"]
    assert reads[:2] == [1, 3]
    assert all(count > 10 for count in reads[2:])


def test_what_was_not_seen_is_asked_for() -> None:
    assert seen({"name": "builtin.module"}) == {"name": "builtin.module"}
    with pytest.raises(UnseenError):
        seen(UNSEEN)
