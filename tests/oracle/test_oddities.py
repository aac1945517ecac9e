"""What is not judged is counted, named, and kept: nothing is skipped in silence."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar

import pytest
from test_campaign import RELEASE, settings
from test_checks import barriers_in_a_row, subject
from test_run_folder import SETTINGS_OF_A_RUN

from oracle.campaigns.campaign import Campaign
from oracle.campaigns.counts import Oddity
from oracle.campaigns.lane import BlockResult
from oracle.campaigns.oddities import OddProgram, oddities
from oracle.campaigns.run_folder import RunFolder
from oracle.campaigns.summary import summary
from oracle.campaigns.summary import told as told_in_words
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.verdict import Judgement

UNKNOWN = """\
util.func public @f(%a: !stream.resource<external>, %b: index) {
  %c8 = arith.constant 8 : index
  %x = util.unfoldable_constant 3 : i32
  util.return
}
"""
BEYOND = """\
util.func public @f(%a: !stream.resource<transient>) -> !stream.resource<transient> {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %b = stream.async.slice %a[%c8 to %c16] : !stream.resource<transient>{%c8} -> !stream.resource<transient>{%c8}
  util.return %b : !stream.resource<transient>
}
"""  # noqa: E501


def examined(text: str, program: object, *checks: str) -> Examination:
    asked = [CHECKS[name] for name in checks]
    with Examiner(ExaminerSettings(Path(sys.executable)), asked) as examiner:
        (found,) = examiner.examine([Subject(text, program, RELEASE, RELEASE, True)])  # type: ignore[arg-type]
    return found


def test_a_construct_that_the_model_does_not_know_is_named() -> None:
    found = list(oddities(examined(UNKNOWN, None, "value", "fold")))
    assert {odd.check for odd, _ in found} == {"value", "fold"}
    assert all(odd.kind == "unsupported" for odd, _ in found)


def test_a_program_that_the_compiler_calls_invalid_is_named() -> None:
    ((odd, said),) = oddities(examined(BEYOND, None, "accept"))
    assert (odd.kind, odd.check) == ("invalid", "")
    assert odd.words
    assert "slice" in said or "range" in said


def test_a_judged_program_has_no_oddity() -> None:
    whole = subject(barriers_in_a_row())
    assert list(oddities(examined(whole.text, whole.program, "placement"))) == []


@pytest.mark.parametrize(
    "said",
    [
        "util.null at op17 in @main: an op that the model does not know",
        "util.null at line 3: an op that the model does not know",
        "util.null at op5#2 in @f_12: an op that the model does not know",
    ],
)
def test_where_a_construct_stands_does_not_matter(said: str) -> None:
    whole = subject(barriers_in_a_row())
    found = Examination(whole, (Judgement("value", unsupported=(said, said)),), ())
    words = "util.null-an-op-that-the-model-does-not-know"
    assert list(oddities(found)) == [(Oddity("unsupported", "value", words), said)]


ODD = Oddity("unsupported", "value", "util.null")
BROKEN = Oddity("invalid", "", "out-of-range")


class Scripted:
    """A pool whose blocks are already run."""

    blocks: ClassVar[int] = 1
    lost: ClassVar[tuple[type[BaseException], ...]] = ()

    def __init__(self, *results: BlockResult) -> None:
        self._results = iter(results)

    def most(self) -> int:
        return 1

    def submit(self, blocks: Sequence[range]) -> Future[list[BlockResult]]:
        done: Future[list[BlockResult]] = Future()
        done.set_result([next(self._results)])
        return done

    def close(self) -> None:
        pass


def test_the_first_of_each_kind_is_kept_and_all_are_counted(tmp_path: Path) -> None:
    first = BlockResult(programs=8, unsupported=2, invalid=1)
    first.odd = [
        OddProgram(ODD, 1, "util.null at op1", "program 1"),
        OddProgram(ODD, 4, "util.null at op9"),
        OddProgram(BROKEN, 2, "out of range", "program 2"),
    ]
    second = BlockResult(programs=8, unsupported=1)
    # From another lane, which had not seen one before.
    second.odd = [OddProgram(ODD, 9, "util.null at op3", "program 9")]
    made = settings(tmp_path, examples=16)
    run = RunFolder.create(tmp_path, SETTINGS_OF_A_RUN)
    tally = Campaign(made, {}, run, lambda: Scripted(first, second)).run(lambda told: None)
    run.close()
    found: Any = summary(tally, {}, ("value",), tmp_path)
    assert (found["unsupported"], found["invalid"]) == (3, 1)
    (construct,) = found["unsupported_constructs"]
    assert (construct["construct"], construct["check"]) == ("util.null", "value")
    assert (construct["count"], construct["first_seed"]) == (3, 1)
    program = Path(construct["program"])
    assert program.read_text() == "program 1"
    why = json.loads((program.parent / "why.json").read_text())
    assert (why["said"], why["check"], why["first_seed"]) == ("util.null at op1", "value", 1)
    (refused,) = found["invalid_programs"]
    assert Path(refused["program"]).read_text() == "program 2"
    assert {path.name for path in tmp_path.iterdir()} >= {"unsupported", "invalid"}
    words = told_in_words(tally, {}, ("value",), tmp_path)
    assert "3 programs have a part the model does not know" in words
    assert "3 x value: util.null, first #1" in words
    assert "1 x out-of-range, first #2" in words
    # The journal says so too.
    again = RunFolder.reopen(run.path)
    assert again.earlier().oddities == tally.oddities
    again.close()
