"""Which passes a finding needs: those that change its program, no other."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.checks.base import Subject, pass_pipeline
from oracle.compiling import stages
from oracle.corpus import load_known
from oracle.examiner import Examiner, ExaminerSettings
from oracle.files import subject_from_text
from oracle.reduction.pipelines import needed_passes, shortened, shows_the_same
from oracle.verdict import Fault
from reference.releases import release_rules

VERSION = importlib.metadata.version("iree-base-compiler")
RELEASE = release_rules(VERSION)[0]
KNOWN = load_known(Path(__file__).resolve().parents[2] / "corpus")
FOLDED = """
util.func public @f(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %sum = arith.addi %x, %c0 : index
  util.return %sum : index
}
"""
BROKEN = (
    "accept/verify-lowering-to-async/"
    "stream.async.transfer-op-streamable-op-expected-to-be-in-an-execution-region"
)
WRONG = "value/cse/written-over/shared"


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    checks = [CHECKS["accept"], CHECKS["value"]]
    with Examiner(ExaminerSettings(Path(sys.executable)), checks) as started:
        yield started


def found(examiner: Examiner, signature: str) -> tuple[Subject, Fault]:
    read = subject_from_text(examiner, KNOWN[signature].program, RELEASE, RELEASE)
    assert read is not None
    assert read.subject is not None
    (examination,) = examiner.examine([read.subject])
    (fault,) = (one for one in examination.faults if one.signature == signature)
    return read.subject, fault


def test_passes_that_change_nothing_are_not_needed(examiner: Examiner) -> None:
    pipeline = stages.joined(VERSION, ["canonicalize", "schedule-execution", "canonicalize"])
    assert needed_passes(examiner, FOLDED, pipeline) == ("builtin.module(util.func(canonicalize))")


def test_the_pass_that_fails_is_needed_and_what_follows_is_not(examiner: Examiner) -> None:
    subject, fault = found(examiner, BROKEN)
    verifier = "iree-stream-verify-lowering-to-async"
    whole = f"builtin.module(cse,{verifier},iree-stream-schedule-allocation)"
    text = fault.text or subject.text
    assert needed_passes(examiner, text, whole) == f"builtin.module({verifier})"


def test_a_fault_is_shown_with_fewer_passes(examiner: Examiner) -> None:
    subject, fault = found(examiner, WRONG)
    shown, less = examiner.confirm(subject, fault), shortened(examiner, subject, fault)
    assert shown.confirmed
    (argument,) = less.stock_arguments
    assert len(argument) < 0.1 * len(fault.stock_arguments[0])
    assert shows_the_same(less, shown, examiner.confirm(subject, less))


def test_what_is_an_option_of_its_own_stays(examiner: Examiner) -> None:
    subject, fault = found(examiner, BROKEN)
    assert fault.stock_arguments == (stages.STOCK_PIPELINE,)
    assert shortened(examiner, subject, fault) == fault


def test_what_stock_tools_do_not_show_keeps_its_options(examiner: Examiner) -> None:
    subject, fault = found(examiner, WRONG)
    innocent = replace(
        fault, stock_arguments=(pass_pipeline("builtin.module(util.func(canonicalize))"),)
    )
    assert shortened(examiner, subject, innocent) == innocent


def test_another_program_is_not_the_same(examiner: Examiner) -> None:
    subject, fault = found(examiner, WRONG)
    shown = examiner.confirm(subject, fault)
    other = replace(shown, output=f"{shown.output}\n")
    assert not shows_the_same(fault, shown, other)
    assert not shows_the_same(fault, shown, replace(shown, confirmed=False))
