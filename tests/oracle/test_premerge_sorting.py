"""What two compilers do with one program, sorted: on which side which promise is broken."""

from __future__ import annotations

import pytest
from samples import every_op, installed_rules

from oracle.campaigns.lane import subject_of
from oracle.examination import Examination, gathered
from oracle.premerge.sorting import Kind, sort
from oracle.verdict import Fault, Judgement, Verdict

CHECKS = ("accept", "hazard", "access")
RULES = installed_rules()
SUBJECT = subject_of(every_op(), RULES, RULES)


def fault(check: str, word: str) -> Fault:
    return Fault(
        check=check, verdict=Verdict.BROKEN_CONTRACT, stage="refine-usage", shape=(word,),
        message="", expected="", actual="", stock_arguments=(),
    )  # fmt: skip


def examination(*faults: Fault) -> Examination:
    """A side that breaks these promises, and keeps those of the other checks."""
    return gathered(
        SUBJECT,
        [Judgement(name, tuple(one for one in faults if one.check == name)) for name in CHECKS],
    )


EARLY, UNORDERED = fault("hazard", "early"), fault("hazard", "unordered")
ELSEWHERE = fault("access", "by-another-device")


@pytest.mark.parametrize(
    ("baseline", "candidate", "kinds"),
    [
        ((), (), []),
        ((), (EARLY,), [Kind.REGRESSED]),
        ((EARLY,), (), [Kind.FIXED]),
        ((EARLY,), (EARLY,), [Kind.BOTH_WRONG]),
        # Worse is worse, whatever else was wrong before.
        ((EARLY,), (EARLY, ELSEWHERE), [Kind.REGRESSED, Kind.BOTH_WRONG]),
        # What was wrong is fixed although something else stays as it was.
        ((EARLY, ELSEWHERE), (ELSEWHERE,), [Kind.BOTH_WRONG, Kind.FIXED]),
        # But not where it has only made room for another fault.
        ((EARLY,), (ELSEWHERE,), [Kind.REGRESSED, Kind.BOTH_WRONG]),
        ((EARLY,), (UNORDERED,), [Kind.BOTH_WRONG, Kind.BOTH_WRONG]),
    ],
)
def test_each_side_is_judged_by_what_it_keeps(
    baseline: tuple[Fault, ...], candidate: tuple[Fault, ...], kinds: list[Kind]
) -> None:
    found = sort(examination(*baseline), examination(*candidate), None)
    assert [one.kind for one in found.differences] == kinds
    assert found.not_compared == ()


def test_a_check_without_an_answer_is_compared_with_nothing() -> None:
    silent = Judgement("hazard", unsupported=("what nobody knows",))
    before = gathered(SUBJECT, [silent])
    found = sort(before, examination(EARLY), None)
    assert found.differences == ()
    assert found.not_compared == (EARLY.signature,)
