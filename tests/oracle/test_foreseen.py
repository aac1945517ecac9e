"""Before 3.12 the model also says which programs the scheduler refuses: both sides of that."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import SEVEN, A, B, program, resource

from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.compiling.compiler import CompilerProcess
from oracle.examiner import Examiner, ExaminerSettings
from oracle.verdict import Verdict
from reference.ops import Barrier, Fill, Return, Splat, Transfer
from reference.ops.assembly import Range
from reference.releases import release_rules
from reference.text import print_program
from reference.types import Lifetime

BEFORE_ON = release_rules("3.11")[0]


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(
        Path(sys.executable), worker_script=Path(__file__).with_name("lying_worker.py")
    )
    with Examiner(settings, [CHECKS["placement"]]) as started:
        yield started


def barriers(count: int, plant: str = "") -> Subject:
    """A value behind so many barriers, sent on and written over; the second is in no partition."""
    operations = [Splat(identity="op0", pattern=SEVEN, result=resource("v0"), affinity=A)]
    made = [operations[0].result]
    behind = []
    for number in range(1, count + 1):
        made.append(resource(f"v{number}"))
        behind.append(Barrier(identity=f"op{number}", source=made[-2], result=made[-1], affinity=A))
    sent = Transfer(
        identity="sent", source=made[-1], result=resource("sent", Lifetime.EXTERNAL),
        source_affinity=A, target_affinity=B,
    )  # fmt: skip
    used = Fill(
        identity="used", pattern=SEVEN, target=made[-1], span=Range.of(0, 4),
        result=resource("used"), affinity=A,
    )  # fmt: skip
    end = Return(identity="end", values=(sent.result, used.result))
    whole = program(*operations, *behind, sent, used, end)
    text = plant + print_program(whole)
    with CompilerProcess() as process:
        assert process.release is not None
        rules = release_rules(process.release)[0]
    return Subject(text, whole, rules, BEFORE_ON, resolved=True)


def test_a_refusal_that_the_model_foresees_is_agreement_and_still_a_fault(
    examiner: Examiner,
) -> None:
    (found,) = examiner.examine([barriers(2)])
    (judgement,) = found.judgements
    assert judgement.foreseen
    assert judgement.verdict is Verdict.AGREE
    assert [(fault.check, fault.verdict) for fault in found.faults] == [
        ("accept", Verdict.REJECTED)
    ]


def test_a_refusal_that_the_model_does_not_foresee_is_a_disagreement(examiner: Examiner) -> None:
    (found,) = examiner.examine([barriers(0, "// plant: refuse-scheduling\n")])
    (judgement,) = found.judgements
    assert judgement.verdict is Verdict.DISAGREE
    disagreement, refusal = found.faults
    assert disagreement.signature.startswith("placement/schedule-execution/refused-unforeseen/")
    assert refusal.check == "accept"


def test_nothing_is_foreseen_where_the_compiler_goes_on(examiner: Examiner) -> None:
    (found,) = examiner.examine([barriers(0)])
    assert found.faults == ()
    assert not found.judgements[0].foreseen
