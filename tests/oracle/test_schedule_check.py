"""The `schedule` check: holds for true programs, fires on planted lies, foresees refusals."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from samples import SEVEN, A, B, installed_rules, program, resource

from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.checks.fold import Fold
from oracle.checks.schedule import Schedule, _other_favor
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.verdict import Fault, Judgement, Verdict
from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import Barrier, Binding, Dispatch, Fill, Return, Splat, Transfer
from reference.ops.assembly import Range
from reference.scheduling.waves import Favor
from reference.text import print_program
from reference.types import Lifetime, Value

RULES = installed_rules()
WHOLE = Range.of(0, 16)
R = "!stream.resource<transient>"


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(
        Path(sys.executable), worker_script=Path(__file__).with_name("lying_scheduler.py")
    )
    with Examiner(settings, [CHECKS["schedule"]]) as started:
        yield started


def external(name: str) -> Value:
    return resource(name, Lifetime.EXTERNAL)


def work(name: str, *sources: Value, on: object = A) -> Dispatch:
    return Dispatch(
        identity=name, kernel="ex::mix", workload=(4,),
        arguments=tuple(Binding(source, WHOLE) for source in sources),
        outputs=(external(name),), ties=(None,), affinity=on if on in (A, B) else None,
    )  # fmt: skip


def two_devices() -> Program:
    """Two ops at the same time on one device, then one on another."""
    given = external("given")
    one, two = work("one", given), work("two", given)
    last = work("last", one.outputs[0], two.outputs[0], on=B)
    end = Return(identity="end", values=(last.outputs[0],))
    return program(one, two, last, end, arguments=(given,))


def barriers(count: int) -> Program:
    """A value behind so many barriers, written over; the second is in no partition."""
    operations: list[Operation] = [
        Splat(identity="op0", pattern=SEVEN, result=resource("v0"), affinity=A)
    ]
    made = [resource("v0")]
    for number in range(1, count + 1):
        made.append(resource(f"v{number}"))
        operations.append(
            Barrier(identity=f"op{number}", source=made[-2], result=made[-1], affinity=A)
        )
    used = Fill(
        identity="used", pattern=SEVEN, target=made[-1], span=Range.of(0, 4),
        result=resource("used"), affinity=A,
    )  # fmt: skip
    sent = Transfer(
        identity="sent", source=used.result, result=external("sent"),
        source_affinity=A, target_affinity=B,
    )  # fmt: skip
    end = Return(identity="end", values=(sent.result,))
    return program(*operations, used, sent, end)


def subject(whole: Program, plant: str | None = None) -> Subject:
    note = "" if plant is None else f"// plant: {plant}\n"
    return Subject(note + print_program(whole), whole, RULES, RULES, resolved=True)


def examined(examiner: Examiner, whole: Program, plant: str | None = None) -> Examination:
    (found,) = examiner.examine([subject(whole, plant)])
    return found


def only(found: Examination) -> tuple[Judgement, Fault]:
    (judgement,) = found.judgements
    (fault,) = judgement.faults
    return judgement, fault


def test_what_the_model_says_is_what_the_compiler_does(examiner: Examiner) -> None:
    for whole in (two_devices(), barriers(0), barriers(1)):
        (judgement,) = examined(examiner, whole).judgements
        assert (judgement.verdict, judgement.unsupported) == (Verdict.AGREE, ())


def test_a_program_of_level_stream_is_scheduled_after_all_that_comes_before(
    examiner: Examiner,
) -> None:
    asked = replace(subject(two_devices()), resolved=False)
    (found,) = examiner.examine([asked])
    assert found.judgements[0].verdict is Verdict.AGREE
    stages = Schedule().questions(asked)[0].stages
    assert "refine-usage" in stages
    assert Schedule().foresees(asked, "schedule-execution") is None


def test_what_fold_asks_is_the_beginning_of_what_schedule_asks() -> None:
    (fold,), (schedule, *_) = (
        check.questions(subject(two_devices())) for check in (Fold(), Schedule())
    )
    assert schedule.steps[: len(fold.steps)] == fold.steps


@pytest.mark.parametrize(
    ("plant", "stage"),
    [
        ("other-device", "schedule-execution"),
        ("kept-affinity", "schedule-execution"),
        ("swapped", "schedule-execution"),
        ("other-kernel", "schedule-execution"),
        ("lost-wait", "schedule-execution"),
        ("swapped-wave", "schedule-concurrency"),
        ("other-wave", "schedule-concurrency"),
    ],
)
def test_a_planted_fault_is_seen(examiner: Examiner, plant: str, stage: str) -> None:
    judgement, fault = only(examined(examiner, two_devices(), plant))
    assert judgement.verdict is Verdict.DISAGREE
    assert (fault.check, fault.stage) == ("schedule", stage)
    assert all(name not in fault.signature for name in ("one", "two", "op4", "v1"))


def test_signatures_tell_what_differs(examiner: Examiner) -> None:
    shapes = {
        plant: only(examined(examiner, two_devices(), plant))[1].shape
        for plant in ("other-device", "swapped", "lost-wait")
    }
    assert shapes["other-device"] == ("attribute", "execute", "affinity")
    assert shapes["swapped"] == ("order", "dispatch", "dispatch")
    assert shapes["lost-wait"] == ("operand-count", "execute")


def test_stock_tools_show_ops_from_the_places_named(examiner: Examiner) -> None:
    asked = subject(two_devices(), "swapped")
    (found,) = examiner.examine([asked])
    (fault,) = found.judgements[0].faults
    if not examiner.stock.available:
        pytest.skip("no iree-opt here")
    assert examiner.confirm(asked, fault).confirmed
    elsewhere = replace(fault, actual="%x = stream.async.splat   // nowhere")
    assert not examiner.confirm(asked, elsewhere).confirmed
    broken = replace(fault, stock_arguments=("--no-such-option",))
    assert not examiner.confirm(asked, broken).confirmed


def test_a_refusal_that_the_model_foresees_is_agreement(examiner: Examiner) -> None:
    found = examined(examiner, barriers(2))
    (judgement,) = found.judgements
    assert (judgement.verdict, judgement.foreseen) == (Verdict.AGREE, True)
    assert [fault.check for fault in found.faults] == ["accept"]


def test_a_refusal_that_the_model_does_not_foresee_is_a_disagreement(examiner: Examiner) -> None:
    for plant in ("refuse-scheduling", "refuse-waves"):
        found = examined(examiner, two_devices(), plant)
        assert found.judgements[0].verdict is Verdict.DISAGREE
        assert found.faults[0].shape[0] == "refused-unforeseen"


def test_the_model_has_no_say_elsewhere() -> None:
    check, asked = Schedule(), subject(two_devices())
    assert check.foresees(asked, "parse") is None
    assert check.foresees(replace(asked, program=None), "schedule-execution") is None


def test_what_the_model_does_not_know_is_named(
    examiner: Examiner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Program:
        raise UnsupportedOperationError("a rule that is not modelled")

    monkeypatch.setattr("oracle.checks.schedule.schedule_execution", refuse)
    (judgement,) = examined(examiner, two_devices()).judgements
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.unsupported == ("a rule that is not modelled",)
    assert Schedule().foresees(subject(two_devices()), "schedule-execution") is None


def test_a_program_that_only_the_compiler_takes_is_a_disagreement(
    examiner: Examiner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reference.scheduling.partition_fault import PartitionFault, ScheduleRefusedError

    def refuse(*_: object) -> Program:
        raise ScheduleRefusedError(PartitionFault.ORDER)

    monkeypatch.setattr("oracle.checks.schedule.schedule_execution", refuse)
    judgement, fault = only(examined(examiner, two_devices()))
    assert judgement.verdict is Verdict.DISAGREE
    assert fault.shape == ("accepted-unforeseen", "order")


def test_functions_are_compared_one_by_one(examiner: Examiner) -> None:
    """A function that the model does not know is named, the others are compared."""
    text = print_program(two_devices())
    unknown = (
        "util.func private @unknown(%size: index) -> index {\n"
        "  %0 = util.unfoldable_constant 7 : index\n  util.return %0 : index\n}\n"
    )
    end = text.rindex("}")
    asked = Subject(text[:end] + unknown + text[end:], None, RULES, RULES, resolved=True)
    (found,) = examiner.examine([asked])
    (judgement,) = found.judgements
    assert judgement.faults == ()


def test_yields_that_are_not_printed_have_no_place(examiner: Examiner) -> None:
    text = print_program(two_devices())
    branch = (
        "util.func public @branch(%choice: i1, %given: !hal.buffer_view) {\n"
        "  scf.if %choice {\n"
        '    util.optimization_barrier %given : !hal.buffer_view loc("host")\n  }\n'
        "  util.return\n}\n"
    )
    end = text.rindex("}")
    asked = Subject(text[:end] + branch + text[end:], None, RULES, RULES, resolved=True)
    (found,) = examiner.examine([asked])
    (judgement,) = found.judgements
    assert (judgement.verdict, judgement.faults) == (Verdict.AGREE, ())


def test_nor_have_yields_that_come_to_hand_on_nothing(examiner: Examiner) -> None:
    """Without the barrier both branches yield the same value, which takes the result's place."""
    text = f"""
util.global public mutable @kept : {R}
util.func public @main(%choice: i1, %given: {R}) {{
  %c16 = arith.constant 16 : index
  %one = scf.if %choice -> ({R}) {{
    %behind = stream.async.barrier %given : {R}{{%c16}} loc("barrier")
    scf.yield %behind : {R} loc("here")
  }} else {{
    util.global.store %given, @kept : {R} loc("store")
    scf.yield %given : {R} loc("there")
  }} loc("if")
  util.optimization_barrier %one : {R} loc("user")
  util.return loc("end")
}}
"""
    (found,) = examiner.examine([Subject(text, None, RULES, RULES, resolved=True)])
    (judgement,) = found.judgements
    assert (judgement.verdict, judgement.faults) == (Verdict.AGREE, ())


def test_ops_without_names_are_known_by_their_lines(examiner: Examiner) -> None:
    text = re.sub(r' loc\("\w+"\)', "", print_program(two_devices()))
    assert "loc(" not in text
    (found,) = examiner.examine([Subject(text, None, RULES, RULES, resolved=True)])
    (judgement,) = found.judgements
    assert (judgement.verdict, judgement.faults) == (Verdict.AGREE, ())


# What is favored


def uneven() -> Program:
    """Work that nobody waits for, beside a chain of two: what is favored decides when it runs."""
    given = external("given")
    one, free = work("one", given), work("free", given)
    two = work("two", one.outputs[0])
    end = Return(identity="end", values=(two.outputs[0], free.outputs[0]))
    return program(free, one, two, end, arguments=(given,))


def favoring(favor: Favor) -> Subject:
    """The program under a text that is chosen to be asked about under `favor`."""
    made = uneven()
    texts = (f"{print_program(made)}// {number}\n" for number in range(1000))
    subjects = (Subject(text, made, RULES, RULES, resolved=True) for text in texts)
    return next(one for one in subjects if _other_favor(one) is favor)


@pytest.mark.parametrize("favor", [Favor.DEBUG, Favor.MAX_CONCURRENCY])
def test_some_programs_are_asked_about_under_another_favor(favor: Favor) -> None:
    subject = favoring(favor)
    usual, other = Schedule().questions(subject)
    flag = f"--iree-stream-partitioning-favor={favor.value}"
    assert (usual.seat.flags, other.seat.flags) == ((), (flag,))
    assert other.stock_arguments[-1] == flag
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["schedule"]]) as examiner:
        (examination,) = examiner.examine([subject])
        assert examination.judgements[0].verdict is Verdict.AGREE


@pytest.mark.parametrize("favor", [Favor.DEBUG, Favor.MAX_CONCURRENCY])
def test_a_compiler_that_does_not_heed_what_to_favor_is_seen(
    examiner: Examiner, favor: Favor
) -> None:
    """The worker that lies does not pass flags on."""
    (examination,) = examiner.examine([favoring(favor)])
    (fault,) = examination.faults
    assert fault.verdict is Verdict.DISAGREE
    assert fault.stage == "schedule-concurrency"
    assert fault.shape[0] == f"favor-{favor.value}"
    # The stock tool heeds it, so it does not show the fault.
    assert not examiner.confirm(examination.subject, fault).confirmed
