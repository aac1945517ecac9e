"""What crosscurrent itself does wrong on a program is told as that, and everything else goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from raising_worker import raises
from test_campaign import settings
from test_checks import subject, without_on
from test_run_folder import SETTINGS_OF_A_RUN

from oracle.campaigns import lane as lane_module
from oracle.campaigns.campaign import Campaign
from oracle.campaigns.lane import Lane, LaneSettings
from oracle.campaigns.run_folder import RunFolder
from oracle.campaigns.source import Generated, ProgramSource, Written
from oracle.campaigns.summary import summary
from oracle.campaigns.summary import told as told_in_words
from oracle.checks import CHECKS
from oracle.checks.base import Confirmation, Judge, Question, QuestionBuilder, Subject
from oracle.commands.options import exit_code
from oracle.compiling.answers import Json
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings, UnreachableError
from oracle.mishaps import attempted, examined
from oracle.verdict import Fault, Judgement, Mishap, Verdict
from reference.ir import Program
from reference.releases import release_rules
from reference.text import print_program

BLOCK = range(8)


class Raising:
    """A check that raises where it is told to."""

    name: ClassVar[str] = "placement"
    question: ClassVar[str] = "does it raise"

    def __init__(self, where: str) -> None:
        self._where = where

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        if self._where == "questions" and "// plant" in subject.text:
            raise IndexError("planted")
        return (QuestionBuilder().question(),)

    def judge(self, subject: Subject, results: Sequence[Sequence[Json]]) -> Judgement:
        if self._where == "judge" and "// plant" in subject.text:
            raise IndexError("planted")
        return Judgement(self.name)

    def confirm(self, subject: Subject, fault: Fault, judge: Judge) -> Confirmation:
        raise NotImplementedError


@pytest.mark.parametrize("where", ["questions", "judge"])
def test_a_check_that_raises_keeps_no_other_from_an_answer(where: str) -> None:
    whole = subject(without_on())
    planted = replace(whole, text=whole.text + "// plant\n")
    asked = [Raising(where), CHECKS["accept"]]
    with Examiner(ExaminerSettings(Path(sys.executable)), asked) as examiner:
        first, second = examined(examiner, [whole, planted])
    assert (first.faults, first.mishaps) == ((), ())
    assert {one.check: one.verdict for one in second.judgements} == {
        "placement": Verdict.MISHAP,
        "accept": Verdict.AGREE,
    }
    ((check, mishap),) = second.mishaps
    assert (check, mishap.line) == ("placement", "IndexError: planted")


def test_what_goes_wrong_once_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = subject(without_on())
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["accept"]]) as examiner:
        real, calls = examiner.examine, 0

        def once(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise RuntimeError("planted")
            return real(*arguments)

        monkeypatch.setattr(examiner, "examine", once)
        first, second = examined(examiner, [whole, whole])
    assert [mishap.line for _, mishap in first.mishaps] == ["RuntimeError: planted"]
    assert second.mishaps == ()
    assert [one.verdict for one in (*first.judgements, *second.judgements)] == ["agree"] * 2


def raiser(error: Exception) -> Any:
    def run(*arguments: Any) -> None:
        raise error

    return run


@pytest.mark.parametrize("error", [UnreachableError("gone"), OSError(28, "no space left")])
def test_where_all_programs_would_go_wrong_the_run_ends(error: Exception) -> None:
    with pytest.raises(type(error)):
        attempted(raiser(error))


def test_a_mishap_says_where_it_came_from() -> None:
    told = attempted(raiser(ExaminerError("run: Traceback:\nKeyError: 1")))
    assert told == Mishap("run: Traceback:\nKeyError: 1")
    deep = attempted(raiser(RecursionError("too deep")))
    assert isinstance(deep, Mishap)
    assert deep.line == "RecursionError: too deep"
    assert "in run" in deep.trace


def test_a_worker_that_raises_ends_no_campaign(tmp_path: Path) -> None:
    asked = settings(tmp_path, worker="raising_worker.py", examples=64)
    ahead = [
        index
        for index in range(64)
        if raises(print_program(asked.lane.source.program(index)))  # type: ignore[arg-type]
    ]
    assert ahead
    run = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
    tally = Campaign(asked, {}, run).run(lambda told: None)
    run.close()
    assert (tally.programs, tally.invalid, tally.failed) == (64, 0, None)
    assert tally.mishaps == len(ahead)
    assert tally.findings == {}
    assert tally.verdicts["placement", "mishap"] == len(ahead)
    assert tally.verdicts["placement", "agree"] == 64 - len(ahead)
    assert exit_code(tally) == 3

    found: Any = summary(tally, {}, ("placement",), tmp_path)
    assert found["mishaps"] == found["checks"]["placement"]["mishaps"] == len(ahead)
    (kind,) = found["mishap_programs"]
    assert (kind["check"], kind["count"]) == ("placement", len(ahead))
    assert kind["first_seed"] == ahead[0]
    assert kind["went_wrong"] == "lookuperror-no-planted-in-raising"
    program = Path(kind["program"])
    assert program.read_text() == print_program(asked.lane.source.program(ahead[0]))  # type: ignore[arg-type]
    said = json.loads((program.parent / "why.json").read_text())["said"]
    assert said.strip().splitlines()[-1].startswith("LookupError: no ")

    words = told_in_words(tally, {}, ("placement",), tmp_path)
    assert f"{len(ahead)} mishaps of ours" in words
    assert f"crosscurrent itself went wrong on {len(ahead)} program" in words.splitlines()[-1]
    again = RunFolder.reopen(run.path)
    assert (again.earlier().mishaps, again.earlier().oddities) == (len(ahead), tally.oddities)
    again.close()


class _Unmade:
    """A source of which program 3 cannot be made."""

    def __init__(self, real: Generated) -> None:
        self._real = real

    def program(self, index: int) -> Program | Written:
        if index == 3:
            raise AssertionError
        return self._real.program(index)


def lane(tmp_path: Path, **changes: Any) -> LaneSettings:
    return replace(settings(tmp_path).lane, **changes)


def test_a_program_that_cannot_be_made_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = LaneSettings.source.fget  # type: ignore[attr-defined]

    def source(one: LaneSettings) -> ProgramSource:
        return _Unmade(real(one))

    monkeypatch.setattr(LaneSettings, "source", property(source))
    one = Lane(lane(tmp_path))
    result = one.run(BLOCK)
    one.close()
    assert (result.programs, result.mishaps) == (8, 1)
    assert result.verdicts["placement", "agree"] == 7
    (odd,) = result.odd
    assert (odd.index, odd.oddity.check) == (3, "")
    assert odd.oddity.words == "assertionerror-in-program"


@pytest.mark.parametrize("what", ["confirm", "raised"])
def test_a_finding_is_kept_whatever_goes_wrong_with_its_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    asked = lane(tmp_path, rules=release_rules("3.11")[0])
    wrong = raiser(TypeError("planted"))
    if what == "confirm":
        monkeypatch.setattr(Examiner, "confirm", wrong)
    else:
        monkeypatch.setattr(lane_module, "raised", wrong)
    one = Lane(asked)
    first, second = one.run(range(24)), one.run(range(24, 48))
    one.close()
    occurrences = first.occurrences + second.occurrences
    firsts = {}
    for found in occurrences:
        firsts.setdefault(found.fault.signature, found)
    assert firsts
    for found in firsts.values():
        assert found.text is not None
        assert found.confirmation is not None
        if what == "confirm":
            assert not found.confirmation.confirmed
            assert found.confirmation.output == "not asked: TypeError: planted"
        else:
            assert found.level_reason == "not tried: TypeError: planted"
    assert first.mishaps + second.mishaps > 0
