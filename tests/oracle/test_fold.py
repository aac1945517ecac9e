"""The `fold` check: holds for true programs, fires on planted lies, tells what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from folding_cases import spelled_out
from samples import Ask, installed_rules

from gen.profiles import profile_named
from gen.programs import program as generated
from oracle.checks import CHECKS
from oracle.checks.base import Subject
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reading.reader import read_program
from oracle.reading.structure import first_difference
from oracle.verdict import Fault, Judgement, Verdict
from reference.ir import Program, UnsupportedOperationError
from reference.text import print_program

LYING = Path(__file__).with_name("lying_folder.py")
RULES = installed_rules()
Read = Callable[..., Subject]

TEXT = spelled_out("""
util.func public @main(%x: !T, %y: !T, %c: i1, %t: !stream.timepoint, %n: index)
    -> (!T, !T, !stream.timepoint) {
  %i = stream.timepoint.immediate => !stream.timepoint
  %m = arith.divui %n, %c4 : index loc("m")
  %a = stream.async.transfer %x : !T{16} from(A) -> to(B) !T{16} loc("a")
  %b = stream.async.transfer %y : !T{16} from(A) -> to(B) !T{16} loc("b")
  %back = stream.async.transfer %b : !T{16} from(B) -> to(A) !T{16} loc("back")
  %d = stream.async.dispatch on(B) @ex::@k[%m](%a[0 to 16 for 16], %b[0 to 16 for 16])
      : (!T{16}, !T{16}) -> !T{16} loc("d")
  %p = util.optimization_barrier %i : !stream.timepoint loc("p")
  %j = stream.timepoint.join max(%t, %p) => !stream.timepoint loc("join")
  %e = util.optimization_barrier %d : !T loc("unused")
  cf.cond_br %c, ^one(%d : !T), ^two loc("branch")
^one(%z: !T):
  %g = util.optimization_barrier %z : !T loc("g")
  util.return %g, %a, %j : !T, !T, !stream.timepoint loc("end")
^two:
  util.return %b, %back, %t : !T, !T, !stream.timepoint loc("other-end")
}
util.initializer {
  %c16 = arith.constant 16 : index
  %c7_i8 = arith.constant 7 : i8
  %start = stream.async.splat on(A) %c7_i8 : i8 -> !V{16} loc("start")
  util.global.store %start, @g : !V loc("kept")
  util.return loc("start-end")
}
""")


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)
    with Examiner(settings, [CHECKS["fold"]]) as started:
        yield started


@pytest.fixture
def read(ask: Ask) -> Read:
    """From a module's text to a subject."""

    def subject(text: str = TEXT, plant: str | None = None) -> Subject:
        (raw,) = ask(text, ["read"])
        found = read_program(raw)
        assert found.complete
        note = "" if plant is None else f"// plant: {plant}\n"
        return Subject(note + text, found.program, RULES, RULES, resolved=True)

    return subject


def judged(examiner: Examiner, asked: Subject) -> Judgement:
    (found,) = examiner.examine([asked])
    assert found.invalid is None
    (judgement,) = found.judgements
    return judgement


def only_fault(examiner: Examiner, asked: Subject) -> Fault:
    judgement = judged(examiner, asked)
    assert judgement.verdict is Verdict.DISAGREE
    (fault,) = judgement.faults
    assert (fault.check, fault.stage) == ("fold", "canonicalize")
    return fault


def test_true_programs_agree(examiner: Examiner, read: Read) -> None:
    judgement = judged(examiner, read())
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())


@pytest.mark.parametrize("name", ["default", "nightly"])
def test_generated_programs_agree(examiner: Examiner, name: str) -> None:
    programs = [generated(5, number, profile_named(name)) for number in range(12)]
    subjects = [Subject(print_program(one), one, RULES, RULES, resolved=True) for one in programs]
    for found in examiner.examine(subjects):
        if found.invalid is None:
            assert found.judgements[0].faults == ()


@pytest.mark.parametrize(
    ("plant", "shape"),
    [
        ("gone", ("kind", "optimization_barrier", "nothing")),
        ("twice", ("kind", "nothing", "optimization_barrier")),
        ("swapped", ("order", "transfer", "transfer")),
        ("other-device", ("attribute", "dispatch", "affinity")),
        ("other-operand", ("operand", "dispatch")),
        ("constant-operand", ("operand", "join")),
        ("no-operand", ("operand-count", "return")),
        ("other-type", ("result-type", "transfer")),
        ("more-arguments", ("block-arguments",)),
        ("more-blocks", ("blocks",)),
        ("other-function", ("functions",)),
        ("no-initializer", ("initializers",)),
    ],
)
def test_a_planted_fault_is_seen(
    examiner: Examiner, read: Read, plant: str, shape: tuple[str, ...]
) -> None:
    fault = only_fault(examiner, read(plant=plant))
    assert fault.shape == shape
    assert fault.expected != fault.actual


def test_stock_tools_do_not_confirm_a_lie(examiner: Examiner, read: Read) -> None:
    if not examiner.stock.available:
        pytest.skip("no iree-opt here")
    asked = read(plant="gone")
    fault = only_fault(examiner, asked)
    assert not examiner.confirm(asked, fault).confirmed
    broken = replace(fault, stock_arguments=("--no-such-option",))
    assert not examiner.confirm(asked, broken).confirmed


@pytest.mark.parametrize("kind", ["kind", "attribute"])
def test_stock_tools_show_other_ops_than_a_wrong_model(
    examiner: Examiner, read: Read, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A model that folds nothing is wrong about the ops that are left."""
    if not examiner.stock.available:
        pytest.skip("no iree-opt here")
    monkeypatch.setattr("oracle.checks.fold.canonicalize", lambda program, rules: program)
    asked = read()
    fault = only_fault(examiner, asked)
    assert fault.shape == ("kind", "transfer", "nothing")
    said = replace(fault, shape=(kind, *fault.shape[1:]))
    assert examiner.confirm(asked, said).confirmed is (kind == "kind")


def test_what_the_model_does_not_know_is_named(
    examiner: Examiner, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Program:
        raise UnsupportedOperationError("a rule that is not modelled")

    monkeypatch.setattr("oracle.checks.fold.canonicalize", refuse)
    judgement = judged(examiner, read())
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.unsupported == ("a rule that is not modelled",)


def test_a_module_that_is_not_known_whole_is_not_judged(examiner: Examiner, read: Read) -> None:
    judgement = judged(examiner, replace(read(), program=None))
    assert judgement.verdict is Verdict.UNSUPPORTED


def test_what_the_compiler_leaves_that_the_model_cannot_read_is_named(
    examiner: Examiner, read: Read
) -> None:
    """The program is said to be another than the one in the text."""
    unknown = spelled_out("""
util.func public @main() -> !stream.channel {
  %a = stream.channel.create on(A) : !stream.channel
  util.return %a : !stream.channel
}
""")
    judgement = judged(examiner, replace(read(), text=unknown))
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "stream.channel.create" in " ".join(judgement.unsupported)


def test_names_of_values_and_the_place_of_constants_do_not_matter(read: Read) -> None:
    subject = read()
    assert subject.program is not None
    again = read(TEXT.replace("%back", "%came").replace("%i =", "%now =").replace("%i :", "%now :"))
    assert again.program is not None
    assert first_difference(subject.program, again.program) is None


ENCODED_CLONE = """
util.func public @f(%x: !stream.resource<*>, %n: index) -> !stream.resource<*> {
  %y = stream.tensor.clone %x : tensor<4xf32> in !stream.resource<*>{%n} -> tensor<4xf32> in !stream.resource<*>{%n}
  util.return %y : !stream.resource<*>
}
"""  # noqa: E501
ENCODED_SIZE = """
util.func public @f(%x: !stream.resource<*>) -> !stream.resource<*> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = stream.tensor.sizeof tensor<4xf32> : index
  %y = stream.async.slice %x[%c0 to %c16] : !stream.resource<*>{%n} -> !stream.resource<*>{%c16}
  util.return %y : !stream.resource<*>
}
"""


@pytest.mark.parametrize("text", [ENCODED_CLONE, ENCODED_SIZE])
def test_before_encodings_are_materialized_folds_are_not_known(text: str) -> None:
    """The ops are read as those that they become, and the sizes as the numbers."""
    settings = ExaminerSettings(Path(sys.executable))
    with Examiner(settings, [CHECKS["fold"], CHECKS["affinity"]]) as examiner:
        read = subject_from_text(examiner, text, RULES, RULES)
        assert read is not None
        assert read.subject is not None
        (examination,) = examiner.examine([read.subject])
    told = {judgement.check: judgement.verdict for judgement in examination.judgements}
    assert told == {"fold": Verdict.UNSUPPORTED, "affinity": Verdict.AGREE}
