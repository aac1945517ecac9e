"""Programs on tensors, through the real compiler and runtime: read as they were meant, run right.

Faults are found and confirmed by the whole compiler, findings of lower levels raised, and files of
a framework's checked.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gen.profiles import PROFILES, Level
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of, written_at
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.compiling.answers import Outcome, Request
from oracle.early import dispatched, wrapped
from oracle.examination import Examination, explained, unexplained
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import Piece, ReadPiece, subject_from_text, subjects_from
from oracle.raising import on_tensors, raised
from oracle.reading.reader import read_program
from oracle.running import whole
from oracle.verdict import Verdict
from reference.ir import Program
from reference.releases import release_rules
from reference.text import print_program
from reference.values.evaluation import evaluate
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.outcome import difference
from reference.values.terms import Terms
from reference.verifier import verify

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
PROFILE = for_release(PROFILES["tensor"], RELEASE)
SEEDS = range(60)

HEAD = """
module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
"""
ON_A = "{stream.affinity = #hal.device.affinity<@dev_a>}"
ON_B = "{stream.affinity = #hal.device.affinity<@dev_b>}"

REORDERED = f"""{HEAD}
  util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {{
    %in = hal.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<16xi8>
    %x = flow.dispatch @ex::@first(%in) {ON_A} : (tensor<16xi8>) -> tensor<16xi8>
    %r = flow.dispatch @ex::@reader(%x) {ON_A} : (tensor<16xi8>) -> tensor<16xi8>
    %w = flow.dispatch @ex::@writer(%x) {ON_A} : (tensor<16xi8>) -> %x
    %t = flow.tensor.transfer %w : tensor<16xi8> to #hal.device.affinity<@dev_b>
    %b = flow.dispatch @ex::@reader(%t) {ON_B} : (tensor<16xi8>) -> tensor<16xi8>
    %u = flow.tensor.transfer %b : tensor<16xi8> to #hal.device.affinity<@dev_a>
    %e = flow.dispatch @ex::@both(%r, %u) {ON_A} : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi8>
    %o = hal.tensor.export on(#hal.device.affinity<@dev_a>) %e : tensor<16xi8> -> !hal.buffer_view
    util.return %o : !hal.buffer_view
  }}
}}
"""  # noqa: E501
"""3.10 to 3.13 move the reader of a buffer behind the write in place."""

PASSED = """
func.func @main(%x: tensor<4xi32> {iree.abi.affinity = #hal.device.promise<@dev_SOURCE>})
    -> (tensor<4xi32> {iree.abi.affinity = #hal.device.promise<@dev_a>}) {
  return %x : tensor<4xi32>
}
"""
"""3.10 to 3.13 return the argument itself, wherever it lives."""

LINALG = """
func.func @main(%x: tensor<4xi32> {iree.abi.affinity = #hal.device.promise<@dev_a>})
    -> (tensor<4xi32> {iree.abi.affinity = #hal.device.promise<@dev_b>}) {
  %c = arith.constant dense<[5, 6, 7, 8]> : tensor<4xi32>
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]
  } ins(%x, %c : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%p: i32, %q: i32, %w: i32):
    %m = arith.addi %p, %q : i32
    linalg.yield %m : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    names = ("accept", "value", "hazard", "access", "run")
    settings = ExaminerSettings(Path(sys.executable), timeout=20)
    with Examiner(settings, [CHECKS[name] for name in names]) as one:
        yield one


def subject(examiner: Examiner, text: str) -> Subject:
    read = subject_from_text(examiner, text, RELEASE, RELEASE)
    assert read is not None
    assert read.unsupported == ()
    assert read.subject is not None
    return read.subject


def examined(examiner: Examiner, one: Subject) -> Examination:
    (examination,) = examiner.examine([one])
    assert examination.invalid is None
    return examination


def read_back(examiner: Examiner, text: str) -> tuple[Program, str]:
    """A text as the model reads it, and as IREE prints it."""
    steps = (("parse",), ("read",), ("print", False))
    (answer,) = examiner.process().ask([Request(text, steps)])
    assert answer.outcome is Outcome.OK, answer.describe()
    read = read_program(answer.results[1])
    assert read.unsupported == ()
    return read.program, str(answer.results[2])


@pytest.mark.parametrize("index", SEEDS[::6])
def test_a_program_is_read_as_it_was_written(examiner: Examiner, index: int) -> None:
    written = program(11, index, PROFILE)
    found, printed = read_back(examiner, print_program(written))
    assert found.tensors
    assert verify(found) == ()
    terms, interfaces = Terms(), Interfaces(written)
    for inputs in inputs_of(written):
        ours = evaluate(written, inputs, terms, interfaces)
        assert difference(ours, evaluate(found, inputs, terms, interfaces)) is None
    assert read_back(examiner, print_program(found))[1] == printed


def test_true_programs_hold(examiner: Examiner) -> None:
    """All but the faults that stock tools show, too. (How a process ends that reads memory which is
    not there any more is chance, and so is whether they show the same.)"""
    subjects = [subject_of(program(11, index, PROFILE), RELEASE, RELEASE) for index in SEEDS[:5]]
    verdicts = []
    for one, examination in zip(subjects, examiner.examine(subjects), strict=True):
        assert examination.invalid is None
        assert written_at(one) is Level.TENSOR
        verdicts += [judgement.verdict for judgement in examination.judgements]
        for fault in examination.faults:
            if fault.verdict is Verdict.CRASH:
                continue
            assert examiner.confirm(one, fault).confirmed, fault.signature
    assert verdicts.count(Verdict.AGREE) > 15


def test_a_wrong_result_is_found_and_confirmed_by_the_whole_compiler(examiner: Examiner) -> None:
    one = subject(examiner, REORDERED)
    (fault,) = [found for found in examined(examiner, one).faults if found.check == "value"]
    assert fault.stage == "schedule-execution"
    assert examiner.confirm(one, fault).confirmed
    with Examiner(examiner.settings, [CHECKS["run"]]) as running:
        examination = examined(running, one)
        (ran,) = examination.judgements[0].faults
        assert [named.signature for named in examination.faults] == [fault.signature]
        confirmation = running.confirm(one, ran)
    assert ran.verdict is Verdict.WRONG_VALUE
    assert confirmation.confirmed
    assert confirmation.commands[0] == (
        "iree-compile --iree-opt-const-eval=false --iree-input-demote-f64-to-f32=false "
        "program.mlir -o program.vmfb"
    )
    assert ran.text is not None
    assert "flow.tensor.transfer" in ran.text
    assert "stream.async" not in ran.text


PUBLIC_GLOBALS = f"""{HEAD}
  util.global public @first : tensor<8xi32>
  util.global public @second : tensor<4xi32>
  util.initializer {{
    %one = flow.tensor.constant {ON_A} dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi32>
    util.global.store %one, @first : tensor<8xi32>
    %other = flow.tensor.constant {ON_A} dense<[9, 1, 2, 3]> : tensor<4xi32>
    util.global.store %other, @second : tensor<4xi32>
    util.return
  }}
}}
"""
"""What was a tensor has its size beside it; constants of one memory have their offsets."""


def test_public_globals_hold_what_they_were_given(examiner: Examiner) -> None:
    found = examined(examiner, subject(examiner, PUBLIC_GLOBALS))
    (judgement,) = (one for one in found.judgements if one.check == "value")
    assert (judgement.faults, judgement.unsupported) == ((), ())


RETURNED_TWICE = f"""{HEAD}
  util.func public @main(%x: index) -> !hal.buffer_view {{
    %c85_i8 = arith.constant 85 : i8
    %made = flow.tensor.splat %c85_i8 : tensor<?xi8>{{%x}}
    %called = util.call @inner(%x, %made) : (index, tensor<?xi8>) -> tensor<?xi8>
    %view = hal.tensor.export %called : tensor<?xi8>{{%x}} -> !hal.buffer_view
    util.return %view : !hal.buffer_view
  }}
  util.func private @inner(%x: index, %t: tensor<?xi8>) -> tensor<?xi8>
      attributes {{inlining_policy = #util.inline.never}} {{
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %one = flow.tensor.slice %t[%c16 for %c28] : tensor<?xi8>{{%x}} -> tensor<28xi8>
    %two = flow.tensor.slice %t[%c16 for %c8] : tensor<?xi8>{{%x}} -> tensor<8xi8>
    %first, %second = flow.dispatch @ex::@a_rr_nn(%one, %two)
        : (tensor<28xi8>, tensor<8xi8>) -> (tensor<?xi8>{{%x}}, tensor<?xi8>{{%x}})
    util.return %first : tensor<?xi8>
  }}
}}
"""
"""IPO, which only the whole compiler runs here, makes one result of two that are equal."""


def test_what_the_whole_compiler_refuses_has_the_name_of_the_pass(examiner: Examiner) -> None:
    one = subject(examiner, RETURNED_TWICE)
    with Examiner(examiner.settings, [CHECKS["run"]]) as running:
        examination = examined(running, one)
        (ran,) = examination.judgements[0].faults
        (named,) = examination.faults
        assert ran.stage == whole.WHOLE.stage
        assert named.signature == "accept/ipo/operation-s-operand-is-unlinked"
        assert running.confirm(one, named).confirmed
    more = replace(named, shape=(f"{named.shape[0]}/elsewhere",))
    other = replace(named, shape=(f"{named.shape[0]}-elsewhere",))
    shown = replace(examination, faults=(ran,))
    told = [explained(shown, ran, [one], None).faults[0].signature for one in (named, more, other)]
    assert told == [named.signature, more.signature, ran.signature]
    evaluated = replace(ran, stage=whole.EVALUATED.stage)
    assert list(unexplained(replace(examination, faults=(evaluated,)))) == []


def test_programs_go_through_the_whole_compiler_too(
    examiner: Examiner, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = replace(whole.WHOLE, one_in=1)
    monkeypatch.setattr(whole, "WAYS", (every,))
    text = REORDERED.replace("@writer(%x)", "@writer(%r)").replace("-> %x", "-> %r")
    one = subject(examiner, text)
    questions = CHECKS["run"].questions(one)
    assert [question.stages[0] for question in questions[1:]] == ["iree-compile"]
    with Examiner(examiner.settings, [CHECKS["run"]]) as running:
        (judgement,) = examined(running, one).judgements
    assert judgement.verdict is Verdict.AGREE


def test_a_finding_is_raised_to_the_level_of_tensors(examiner: Examiner) -> None:
    on_resources = subject(examiner, REORDERED)
    assert on_resources.program is not None
    plain = replace(on_resources.program, tensors=False)
    lower = replace(on_resources, text=print_program(plain), program=plain)
    assert written_at(lower) is Level.STREAM
    (fault,) = [one for one in examined(examiner, lower).faults if one.check == "value"]
    found = raised(examiner, lower, fault, Level.STREAM)
    assert found.level is Level.TENSOR
    assert "flow.tensor.transfer" in found.subject.text
    assert found.confirmation is not None
    assert found.confirmation.confirmed


def test_what_cannot_be_raised_says_why(examiner: Examiner) -> None:
    text = f"""{HEAD}
  util.func public @main(%x: !stream.resource<external>, %n: index) -> !stream.resource<external> {{
    %a = stream.async.transfer on(#hal.device.affinity<@dev_a>) %x : !stream.resource<external>{{%n}} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{{%n}}
    util.return %a : !stream.resource<external>
  }}
}}
"""  # noqa: E501
    if not RELEASE.explicit_transfer_execution:
        pytest.skip("this release has no on(...)")
    assert on_tensors(subject(examiner, text)) == "on(#hal.device.affinity<@dev_a>) of a transfer"


def piece(examiner: Examiner, text: str) -> ReadPiece:
    (read,) = subjects_from(examiner, Piece(Path("theirs.mlir"), text, 1), RELEASE, RELEASE)
    return read


def test_a_result_that_is_handed_back_where_it_does_not_live(examiner: Examiner) -> None:
    read = piece(examiner, PASSED.replace("SOURCE", "b"))
    assert read.subject is not None
    (fault,) = examined(examiner, read.subject).faults
    assert fault.signature == "access/canonicalize/handed-back/unmoved"
    assert examiner.confirm(read.subject, fault).confirmed


def test_a_result_that_is_handed_back_where_it_lives(examiner: Examiner) -> None:
    read = piece(examiner, PASSED.replace("SOURCE", "a"))
    assert read.subject is not None
    assert examined(examiner, read.subject).faults == ()


def test_a_frameworks_module_is_checked_where_streams_passes_begin(examiner: Examiner) -> None:
    read = piece(examiner, LINALG)
    assert read.subject is not None
    assert read.unsupported == ()
    assert read.subject.program is not None
    assert read.subject.program.devices == ("dev_a", "dev_b")
    assert "flow.dispatch" in read.subject.text
    assert examined(examiner, read.subject).faults == ()


def test_what_iree_does_not_bring_there_is_told(examiner: Examiner) -> None:
    told = wrapped(examiner, "func.func @main(%x: tensor<*xi32>) -> tensor<*xi32> { oops }")
    assert told.refusal is not None
    assert told.refusal.startswith("parse: ")
    assert dispatched(examiner, LINALG).refusal is None
