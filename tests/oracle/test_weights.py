"""Modules of a framework, with weights and results of their own: checked as IREE takes them."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from oracle.checks.base import Question, Subject
from oracle.checks.symmetry import Symmetry
from oracle.checks.value import Value as ValueCheck
from oracle.compiling.answers import Outcome, Request
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import Piece, subjects_from
from oracle.verdict import Verdict
from reference.ir import Program
from reference.releases import release_rules
from reference.text import print_program
from reference.values.evaluation import evaluate
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.outcome import difference
from reference.values.terms import Terms

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
SCRIPT = Path(sys.executable).with_name("crosscurrent")

RESULTS = """
util.func public @f() -> (tensor<3xi32>, i32, tensor<1xi64>) {
  %number = arith.constant 5 : i32
  %a = flow.tensor.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = flow.tensor.constant dense<2> : tensor<1xi64>
  util.return %a, %number, %b : tensor<3xi32>, i32, tensor<1xi64>
}
"""

WEIGHTS = """
util.global private @w = dense<1.0> : tensor<8xf32>
util.global private @rows = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi16>
util.global private mutable @state = dense<[7, 8]> : tensor<2xi64>
util.global private @never_read = dense<1> : tensor<4xi32>
util.func public @f() -> (tensor<8xf32>, tensor<2x3xi16>) {
  %w = util.global.load @w : tensor<8xf32>
  %rows = util.global.load @rows : tensor<2x3xi16>
  util.return %w, %rows : tensor<8xf32>, tensor<2x3xi16>
}
util.func public @step() -> tensor<2xi64> {
  %before = util.global.load @state : tensor<2xi64>
  %after = flow.dispatch @ex::@step(%before) : (tensor<2xi64>) -> tensor<2xi64>
  util.global.store %after, @state : tensor<2xi64>
  util.return %before : tensor<2xi64>
}
"""

HOISTED = """
func.func @product(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>)
    -> tensor<2x2xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
      outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
func.func @weights() -> tensor<2xf32> {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %w : tensor<2xf32>
}
"""
"""IREE makes a global of the constant that says not to be inlined."""


def examiner(check: Symmetry | ValueCheck) -> Examiner:
    return Examiner(ExaminerSettings(Path(sys.executable), timeout=20), [check])


def subjects(one: Examiner, text: str) -> list[Subject]:
    read = subjects_from(one, Piece(Path("x.mlir"), text, 1), RELEASE, RELEASE)
    assert all(piece.subject is not None for piece in read)
    return [piece.subject for piece in read if piece.subject is not None]


def known(one: Examiner, text: str) -> Program:
    (subject,) = subjects(one, text)
    assert subject.program is not None
    return subject.program


@pytest.mark.parametrize("text", [RESULTS, WEIGHTS, HOISTED], ids=["results", "weights", "hoisted"])
@pytest.mark.parametrize("check", [Symmetry(), ValueCheck()], ids=["symmetry", "value"])
def test_it_agrees(check: Symmetry | ValueCheck, text: str) -> None:
    with examiner(check) as one:
        for found in one.examine(subjects(one, text)):
            assert (found.invalid, found.faults, found.unsupported) == (None, (), ())
            assert [judgement.verdict for judgement in found.judgements] == [Verdict.AGREE]


@pytest.mark.parametrize("text", [RESULTS, WEIGHTS, HOISTED], ids=["results", "weights", "hoisted"])
def test_what_is_printed_of_it_parses_with_the_same_globals(text: str) -> None:
    with examiner(Symmetry()) as one:
        for subject in subjects(one, text):
            assert subject.program is not None
            (again,) = subjects(one, print_program(subject.program))
            assert again.program is not None
            kept = [(item.name, item.initial) for item in subject.program.globals]
            assert [(item.name, item.initial) for item in again.program.globals] == kept


def test_the_policy_of_a_global_is_kept() -> None:
    with examiner(Symmetry()) as one:
        texts = [
            print_program(subject.program) for subject in subjects(one, HOISTED) if subject.program
        ]
        (text,) = [text for text in texts if "inlining_policy" in text]
        steps = (("parse",), ("print", False))
        (answer,) = one.process().ask([Request(text, steps)])
    assert answer.outcome is Outcome.OK, answer.describe()
    assert "inlining_policy = #util.inline.never" in str(answer.results[-1])


def converted(text: str) -> str:
    """The module after conversion, as IREE makes it, with sizes as numbers."""
    with examiner(ValueCheck()) as one:
        passes = "iree-stream-conversion,iree-stream-encode-host-tensors,canonicalize"
        steps = (("parse",), ("run", f"builtin.module({passes})"), ("print", False))
        (answer,) = one.process().ask([Request(text, steps)])
    assert answer.outcome is Outcome.OK, answer.describe()
    return str(answer.results[-1])


def compared(text: str, after: str) -> str | None:
    """What differs between a module and what should be the same; None where nothing does."""
    with examiner(ValueCheck()) as one:
        before, behind = known(one, text), known(one, after)
    terms, interfaces = Terms(), Interfaces(before)
    (inputs,) = inputs_of(before)
    found = difference(
        evaluate(before, inputs, terms, interfaces), evaluate(behind, inputs, terms, interfaces)
    )
    return None if found is None else found.what


def test_a_size_beside_each_result_is_no_result_of_its_own() -> None:
    assert compared(RESULTS, converted(RESULTS)) is None


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("[1, 2, 3]", "[1, 2, 4]", "result 0 of @f"),
        ("5 : i32", "6 : i32", "result 1 of @f"),
        ("dense<2> : tensor<1xi64>", "dense<3> : tensor<1xi64>", "result 2 of @f"),
    ],
)
def test_a_result_that_is_another_is_told(old: str, new: str, what: str) -> None:
    assert compared(RESULTS, converted(RESULTS.replace(old, new))) == what


def test_a_shorter_result_is_told() -> None:
    text = RESULTS.replace("[1, 2, 3]", "[1, 2]").replace("tensor<3xi32>", "tensor<2xi32>")
    assert compared(RESULTS, converted(text)) == "result 0 of @f"


def test_a_result_that_is_missing_is_told() -> None:
    text = RESULTS.replace(", tensor<1xi64>) {", ") {")
    text = text.replace(", %b : tensor<3xi32>, i32, tensor<1xi64>", " : tensor<3xi32>, i32")
    assert compared(RESULTS, converted(text)) == "result 1 of @f"


def test_the_bytes_that_a_global_starts_with_are_compared() -> None:
    text = WEIGHTS.partition("util.func public @step")[0]
    assert compared(text, text) is None
    assert compared(text, text.replace("5, 6", "5, 7")) == "result 1 of @f"


class BadVersion(Symmetry):
    """Its last version is no module."""

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        *others, last = super().questions(subject)
        return (*others, replace(last, text="util.func public @f() {"))


def test_a_version_that_does_not_parse_says_nothing_of_the_file() -> None:
    with examiner(BadVersion()) as one:
        (found,) = one.examine(subjects(one, RESULTS))
    assert (found.invalid, found.faults) == (None, ())
    (reason,) = found.unsupported
    assert reason.startswith("symmetry of a version that does not parse: parse failed")


@pytest.mark.parametrize("text", [RESULTS, WEIGHTS, HOISTED], ids=["results", "weights", "hoisted"])
def test_a_file_with_it_is_no_users_mistake(tmp_path: Path, text: str) -> None:
    file = tmp_path / "module.mlir"
    file.write_text(text)
    ended = subprocess.run(
        [SCRIPT, "check", file, "--checks", "accept,value,symmetry", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = json.loads(ended.stdout)
    assert (told["verdict"], told["findings"], told["unsupported"]) == ("agree", [], [])
    assert ended.returncode == 0
