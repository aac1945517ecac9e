"""Every check: holds for true programs, fires on planted lies, and is confirmed or not."""

from __future__ import annotations

import importlib.metadata
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from samples import SEVEN, A, B, every_op, program, resource

from oracle.checks import AGREEMENTS, CHECKS
from oracle.checks.base import Subject
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.verdict import Verdict
from reference.affinity import Affinity
from reference.ir import Program
from reference.ops import Barrier, Dispatch, Export, Import, Return, Splat, Transfer
from reference.ops.assembly import Range
from reference.ops.dispatch import Binding
from reference.placement import PlacementRule
from reference.releases import Release, release_rules
from reference.text import print_program
from reference.types import BUFFER_VIEW, Lifetime, Value

LYING = Path(__file__).with_name("lying_worker.py")
RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
WITH_ON = release_rules("3.12")[0]
BEFORE_ON = release_rules("3.11")[0]
VIEW = Value("view", BUFFER_VIEW)

needs_placement_pass = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
)


def pinned(explicit: Affinity | None = None) -> Program:
    """A value made on A, sent to B, exported there: its transfer is pinned to B."""
    made = Splat(identity="op0", pattern=SEVEN, result=resource("made"), affinity=A)
    moved = Transfer(
        identity="op1", source=made.result, result=resource("moved", Lifetime.EXTERNAL),
        source_affinity=A, target_affinity=B, explicit_affinity=explicit,
    )  # fmt: skip
    shown = Export(
        identity="op2", source=moved.result, encoding="tensor<4xi32>", dimensions=(),
        result=VIEW, affinity=B,
    )  # fmt: skip
    return program(made, moved, shown, Return(identity="op3", values=(shown.result,)))


def without_on() -> Program:
    """Transfers there and back that every release places alike."""
    source = Value("argument", BUFFER_VIEW)
    given = Import(
        identity="op0", source=source, encoding="tensor<4xi32>", dimensions=(),
        result=resource("given", Lifetime.EXTERNAL), affinity=A,
    )  # fmt: skip
    there = Transfer(
        identity="op1", source=given.result, result=resource("there"), source_affinity=A,
        target_affinity=B,
    )  # fmt: skip
    whole = Range.of(0, 16)
    work = Dispatch(
        identity="op2", kernel="ex::mix", workload=(4,),
        arguments=(SEVEN, Binding(there.result, whole)), outputs=(resource("worked"),),
        ties=(None,), affinity=B,
    )  # fmt: skip
    back = Transfer(
        identity="op3", source=work.outputs[0], result=resource("back", Lifetime.EXTERNAL),
        source_affinity=B, target_affinity=A,
    )  # fmt: skip
    end = Return(identity="op4", values=(back.result,))
    return program(given, there, work, back, end, arguments=(source,))


def barriers_in_a_row() -> Program:
    """Valid, but refused: the second barrier's partition waits for itself."""
    whole = Range.of(0, 16)
    given = resource("given", Lifetime.EXTERNAL)
    first = Dispatch(
        identity="op0", kernel="ex::mix", workload=(4,), arguments=(Binding(given, whole),),
        outputs=(resource("first"),), ties=(None,), affinity=A,
    )  # fmt: skip
    one = Barrier(identity="op1", source=first.outputs[0], result=resource("one"), affinity=A)
    two = Barrier(identity="op2", source=one.result, result=resource("two"), affinity=A)
    last = Dispatch(
        identity="op3", kernel="ex::mix", workload=(4,), arguments=(Binding(two.result, whole),),
        outputs=(resource("last", Lifetime.EXTERNAL),), ties=(None,), affinity=A,
    )  # fmt: skip
    end = Return(identity="op4", values=(last.outputs[0],))
    return program(first, one, two, last, end, arguments=(given,))


def subject(
    whole: Program,
    plant: str | None = None,
    rules: Release = RELEASE,
    compiler: Release = RELEASE,
    more: str = "",
) -> Subject:
    """A program with a lie of the worker's, or without."""
    note = "" if plant is None else f"// plant: {plant}\n"
    return Subject(note + more + print_program(whole), whole, rules, compiler, resolved=True)


@pytest.fixture(scope="module")
def examiner() -> Iterator[Callable[..., Examiner]]:
    """Examiners by check names, which share their compiler processes' settings, closed at last."""
    kept: dict[tuple[str, ...], Examiner] = {}
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)

    def named(*names: str) -> Examiner:
        if names not in kept:
            kept[names] = Examiner(settings, [CHECKS[name] for name in names])
        return kept[names]

    yield named
    for one in kept.values():
        one.close()


def examined(examiner: Examiner, asked: Subject) -> Examination:
    (examination,) = examiner.examine([asked])
    return examination


@dataclass(frozen=True, slots=True)
class Planted:
    """A lie, and what a check is to say of it. `shape` is the end of the signature."""

    check: str
    plant: str
    verdict: Verdict
    stage: str
    shape: str
    fault_of: str | None = None
    """The check that the fault is counted for, where it is another."""

    @property
    def signature(self) -> str:
        return f"{self.fault_of or self.check}/{self.stage}/{self.shape}"


_REFUSAL = "stream.async.transfer-op-does-not-please-of"

PLANTED = (
    Planted(
        "placement", "skip-placement", Verdict.DISAGREE, "place-transfer-executions",
        "placed/transient-to-external/cross-device",
    ),
    Planted(
        "placement", "wrong-device", Verdict.DISAGREE, "place-transfer-executions",
        "placed/transient-to-external/cross-device",
    ),
    Planted(
        "placement", "refuse-placement", Verdict.REJECTED, "place-transfer-executions", _REFUSAL,
        "accept",
    ),
    Planted("accept", "refuse-scheduling", Verdict.REJECTED, "schedule-execution", _REFUSAL),
    Planted("accept", "refuse-placement", Verdict.REJECTED, "place-transfer-executions", _REFUSAL),
    Planted("accept", "abort", Verdict.CRASH, "fold-uniform-operands", "crash/SIGABRT"),
    Planted(
        "roundtrip", "reads-back-otherwise", Verdict.BROKEN_CONTRACT, "conversion", "differs"
    ),
    Planted(
        "roundtrip", "input-reads-back-otherwise", Verdict.BROKEN_CONTRACT, "parse", "differs"
    ),
    Planted(
        "roundtrip", "does-not-read-back", Verdict.BROKEN_CONTRACT, "fold-uniform-operands",
        "does-not-parse/unknown-op",
    ),
    Planted(
        "determinism", "unstable", Verdict.BROKEN_CONTRACT, "fold-uniform-operands", "differs",
    ),
    Planted(
        "determinism", "other-process", Verdict.BROKEN_CONTRACT, "fold-uniform-operands",
        "differs",
    ),
    Planted(
        "determinism", "unstable-digest", Verdict.BROKEN_CONTRACT, "verify-input",
        "differs",
    ),
    Planted("idempotence", "drift", Verdict.BROKEN_CONTRACT, "canonicalize", "second_print"),
    Planted(
        "idempotence", "drift", Verdict.BROKEN_CONTRACT, "place-transfer-executions",
        "second_print",
    ),
)  # fmt: skip


PLANTED_ELSEWHERE = {
    "affinity": "test_affinity_check.py",
    "fold": "test_fold.py",
    "schedule": "test_schedule_check.py",
    "allocation": "test_allocation_check.py",
    "coverage": "test_contracts.py",
    "execution": "test_contracts.py",
    "run": "test_run_check.py",
    "hazard": "test_command_checks.py",
    "access": "test_command_checks.py",
    "symmetry": "test_contracts.py",
    "value": "test_value_check.py",
}
"""The tests of checks that have a file of their own, planted faults among them."""


def test_every_check_has_a_planted_fault() -> None:
    here = {item.check for item in PLANTED if item.fault_of is None}
    elsewhere = {
        check
        for check, file in PLANTED_ELSEWHERE.items()
        if "planted" in (Path(__file__).parent / file).read_text()
    }
    assert here | elsewhere >= set(CHECKS)
    assert set(CHECKS) >= AGREEMENTS
    for name, check in CHECKS.items():
        assert name == check.name
        assert check.question


@needs_placement_pass
@pytest.mark.parametrize("whole", [pinned(), pinned(A), without_on()])
@pytest.mark.parametrize("name", CHECKS)
def test_a_true_program_holds(examiner: Callable[..., Examiner], name: str, whole: Program) -> None:
    found = examined(examiner(name), subject(whole))
    assert (found.invalid, found.faults, found.unsupported) == (None, (), ())
    assert [judgement.verdict for judgement in found.judgements] == [Verdict.AGREE]


@needs_placement_pass
def test_every_op_holds_under_all_checks_but_the_pipeline(
    examiner: Callable[..., Examiner],
) -> None:
    found = examined(examiner("placement", "idempotence"), subject(every_op()))
    assert (found.invalid, found.faults) == (None, ())


@needs_placement_pass
@pytest.mark.parametrize("item", PLANTED, ids=lambda item: f"{item.check}-{item.plant}")
def test_a_planted_fault_fires_and_stock_tools_do_not_confirm_it(
    examiner: Callable[..., Examiner], item: Planted, tmp_path: Path
) -> None:
    judge = examiner(item.check)
    asked = subject(pinned(), item.plant, more=f"// first: {tmp_path / 'first'}\n")
    found = examined(judge, asked)
    assert found.invalid is None
    faults = {fault.signature: fault for fault in found.faults}
    assert item.signature in faults
    fault = faults[item.signature]
    assert (fault.verdict, fault.stage) == (item.verdict, item.stage)
    assert fault.check == (item.fault_of or item.check)
    assert fault.message
    assert fault.expected
    assert fault.actual
    word = judge.confirm(asked, fault)
    assert not word.confirmed
    assert word.commands
    assert all(command.startswith("iree-opt") for command in word.commands)


@needs_placement_pass
def test_the_same_fault_has_the_same_signature_under_other_names(
    examiner: Callable[..., Examiner],
) -> None:
    text = print_program(pinned())
    for old, new in (("dev_a", "gpu"), ("dev_b", "npu"), ("%moved", "%q"), ("op1", "there")):
        text = text.replace(old, new)
    assert text != print_program(pinned())
    one = examined(examiner("accept"), subject(pinned(), "refuse-scheduling"))
    other = Subject(f"// plant: refuse-scheduling\n{text}", None, RELEASE, RELEASE, resolved=True)
    assert examined(examiner("accept"), other).faults[0].signature == one.faults[0].signature


@needs_placement_pass
def test_a_disagreement_names_the_op_the_rule_and_both_places(
    examiner: Callable[..., Examiner],
) -> None:
    asked = subject(pinned(), "skip-placement", rules=WITH_ON)
    (fault,) = examined(examiner("placement"), asked).faults
    assert "op1" in fault.message
    assert PlacementRule.PLACED.value in fault.message
    assert "@dev_b" in fault.expected
    assert "stream.async.transfer" in fault.expected
    assert fault.actual.startswith("op1 executes on no device of its own")


@needs_placement_pass
def test_a_wrong_device_is_told_as_the_compilers_word(
    examiner: Callable[..., Examiner],
) -> None:
    (fault,) = examined(examiner("placement"), subject(pinned(), "wrong-device")).faults
    assert "@elsewhere" in fault.actual
    assert "@elsewhere" not in fault.expected


@needs_placement_pass
def test_rules_of_before_disagree_with_this_compiler_and_stock_tools_say_so_too(
    examiner: Callable[..., Examiner],
) -> None:
    asked = subject(pinned(), rules=BEFORE_ON)
    judge = examiner("placement")
    (fault,) = examined(judge, asked).faults
    assert fault.verdict is Verdict.DISAGREE
    assert "no-pass" in fault.signature
    word = judge.confirm(asked, fault)
    assert word.confirmed
    assert "op1" in word.output


@needs_placement_pass
@pytest.mark.parametrize("rules", [BEFORE_ON, WITH_ON])
def test_regions_are_asked_where_there_is_no_placement_pass(
    examiner: Callable[..., Examiner], rules: Release
) -> None:
    asked = subject(without_on(), rules=rules, compiler=BEFORE_ON)
    (question,) = CHECKS["placement"].questions(asked)
    assert "schedule-execution" in question.stages
    assert "place-transfer-executions" not in question.stages
    found = examined(examiner("placement"), asked)
    assert (found.invalid, found.faults, found.unsupported) == (None, (), ())


@needs_placement_pass
def test_a_region_on_the_wrong_device_is_a_disagreement(
    examiner: Callable[..., Examiner],
) -> None:
    """The rules of before send the value from A, the `on` that they do not know makes it B."""
    asked = subject(pinned(B), rules=BEFORE_ON, compiler=BEFORE_ON)
    faults = examined(examiner("placement"), asked).faults
    assert all(fault.stage == "schedule-execution" for fault in faults)


def test_a_real_refusal_is_confirmed(examiner: Callable[..., Examiner]) -> None:
    asked = subject(barriers_in_a_row())
    judge = examiner("accept")
    (fault,) = examined(judge, asked).faults
    assert (fault.verdict, fault.stage) == (Verdict.REJECTED, "schedule-execution")
    word = judge.confirm(asked, fault)
    assert word.confirmed, word.output
    assert word.commands == ("iree-opt --iree-stream-transformation-pipeline program.mlir",)


@needs_placement_pass
def test_what_does_not_read_back_on_the_way_is_a_fault_of_roundtrip(
    examiner: Callable[..., Examiner],
) -> None:
    """IREE prints this attribute in another way than it reads it."""
    attribute = '#stream.partitioning_config<"min-peak-memory">'
    text = f"""util.func public @f() attributes {{stream.partitioning = {attribute}}} {{
  util.return
}}
"""
    asking = examiner("allocation")
    asked = Subject(text, None, RELEASE, RELEASE, resolved=True)
    (examination,) = asking.examine([asked])
    (fault,) = examination.faults
    assert (fault.check, fault.verdict) == ("roundtrip", Verdict.BROKEN_CONTRACT)
    assert fault.stage == "verify-async-access-ranges"
    assert fault.shape[0] == "does-not-parse"
    assert asking.confirm(asked, fault).confirmed


def test_one_cause_is_one_fault_of_all_checks(examiner: Callable[..., Examiner]) -> None:
    found = examined(examiner(*CHECKS), subject(barriers_in_a_row()))
    assert [fault.check for fault in found.faults] == ["accept"]
    verdicts = {judgement.check: judgement.verdict for judgement in found.judgements}
    assert {name: verdicts[name] for name in ("accept", *PASS_LOCAL, *WHOLE_PIPELINE)} == {
        "accept": Verdict.REJECTED,
        "roundtrip": Verdict.REJECTED,
        "determinism": Verdict.REJECTED,
        "placement": Verdict.AGREE,
        "idempotence": Verdict.AGREE,
    }


PASS_LOCAL, WHOLE_PIPELINE = ("placement", "idempotence"), ("roundtrip", "determinism")


@needs_placement_pass
def test_a_refusal_at_the_placement_pass_leaves_the_other_answers(
    examiner: Callable[..., Examiner],
) -> None:
    """`idempotence` asks two questions, only one of which runs through the refusing stage."""
    found = examined(examiner(*CHECKS), subject(pinned(), "refuse-placement"))
    assert {fault.signature for fault in found.faults} == {
        f"accept/place-transfer-executions/{_REFUSAL}"
    }


@pytest.mark.parametrize("name", ["accept", "placement"])
def test_what_the_compiler_calls_invalid_accuses_nobody(
    examiner: Callable[..., Examiner], name: str
) -> None:
    broken = subject(pinned())
    asked = Subject(broken.text.replace("util.return", "util.retrun"), None, RELEASE, RELEASE, True)
    found = examined(examiner(name), asked)
    assert found.invalid is not None
    assert "util.retrun" in found.invalid
    assert (found.faults, found.judgements) == ((), ())


def test_a_refusal_of_the_validating_pass_is_invalid(examiner: Callable[..., Examiner]) -> None:
    found = examined(examiner("accept"), subject(pinned(), "refuse-input"))
    assert found.invalid is not None
    assert found.faults == ()


@needs_placement_pass
def test_a_program_that_is_not_read_is_unsupported(examiner: Callable[..., Examiner]) -> None:
    unknown = "%x = util.null : !stream.resource<*>\n    util.return"
    text = print_program(pinned()).replace("util.return", unknown)
    asked = Subject(text, None, RELEASE, RELEASE, resolved=True)
    (judgement,) = examined(examiner("placement"), asked).judgements
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.unsupported


def test_every_check_says_something_of_a_module_that_is_not_known_whole(
    examiner: Callable[..., Examiner],
) -> None:
    """Also those that have nothing to ask, and also where nothing is asked on the way."""
    text = """util.func public @main(%given: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.tensor.reshape %given : tensor<4xf32> -> tensor<4xf32>
  util.return %0 : tensor<4xf32>
}
"""
    for alone in (False, True):
        asked = Subject(text, None, RELEASE, RELEASE, resolved=True, alone=alone)
        (found,) = examiner(*CHECKS).examine([asked])
        assert found.invalid is None
        assert [one.check for one in found.judgements] == [*CHECKS]


@needs_placement_pass
def test_a_batch_keeps_its_order(examiner: Callable[..., Examiner]) -> None:
    plants = [None, "skip-placement", None, "refuse-placement", "abort", None, "wrong-device"]
    found = examiner("placement").examine([subject(pinned(), plant) for plant in plants])
    assert [one.judgements[0].verdict for one in found] == [
        Verdict.AGREE, Verdict.DISAGREE, Verdict.AGREE, Verdict.REJECTED, Verdict.CRASH,
        Verdict.AGREE, Verdict.DISAGREE,
    ]  # fmt: skip


def test_without_stock_tools_nothing_is_confirmed(
    examiner: Callable[..., Examiner], tmp_path: Path
) -> None:
    asked = subject(barriers_in_a_row())
    (fault,) = examined(examiner("accept"), asked).faults
    settings = ExaminerSettings(tmp_path / "python")
    with Examiner(settings, [CHECKS["accept"]]) as elsewhere:
        word = elsewhere.confirm(asked, fault)
    assert not word.confirmed
    assert "no iree-opt" in word.output


INLINED_TWICE = """
util.func public @main(%n: index, %v: !stream.resource<*>) -> !stream.resource<external> {
  %c0 = arith.constant 0 : index
  %made = stream.async.alloca : !stream.resource<*>{%n}
  %first = util.call @moved(%n, %v) : (index, !stream.resource<*>) -> !stream.resource<*>
  %second = util.call @moved(%n, %made) : (index, !stream.resource<*>) -> !stream.resource<*>
  %both = stream.async.dispatch @ex::@a_rr_n(%first[%c0 to %n for %n], %second[%c0 to %n for %n])
    : (!stream.resource<*>{%n}, !stream.resource<*>{%n}) -> !stream.resource<external>{%n}
  util.return %both : !stream.resource<external>
}
util.func public @moved(%n: index, %v: !stream.resource<*>) -> !stream.resource<*> {
  %t = stream.async.transfer %v : !stream.resource<*>{%n}
    -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%n} loc("op4")
  util.return %t : !stream.resource<*>
}
"""
"""The scheduler's patterns make clones of some copies of the transfer and leave others."""


@needs_placement_pass
def test_copies_of_which_only_some_are_left_are_not_told_apart(
    examiner: Callable[..., Examiner], monkeypatch: pytest.MonkeyPatch
) -> None:
    def faults() -> int:
        judge = examiner("placement")
        read = subject_from_text(judge, INLINED_TWICE, BEFORE_ON, BEFORE_ON)
        assert read is not None
        assert read.subject is not None
        (examination,) = judge.examine([read.subject])
        assert (examination.invalid, examination.unsupported) == (None, ())
        return len(examination.faults)

    assert faults() == 0
    monkeypatch.setattr("oracle.checks.placement._copies", lambda identities: Counter())
    assert faults() == 1
