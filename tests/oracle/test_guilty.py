"""Failures in a cleanup are named after the pass of the cleanup, wherever it runs."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from oracle.checks import CHECKS
from oracle.checks.base import QuestionBuilder, Subject
from oracle.compiling.answers import Answer, Outcome, Request
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable
from oracle.compiling.stages import SHARED, Stage, pipeline, single_passes
from oracle.corpus import default_corpus, load_known
from oracle.crashes import Crash
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import subject_from_text
from oracle.guilty import (
    crashed_anywhere,
    crashed_in_cleanup,
    pass_of_class,
    pass_that_crashes,
    shared_pass_of_class,
    shared_pass_that_fails,
)
from oracle.verdict import Fault, Verdict
from reference.releases import RELEASES

NEST = "func.func(canonicalize,cse),util.initializer(canonicalize,cse),util.func(canonicalize,cse)"
IPO = "accept/ipo/operation-s-operand-is-unlinked"
IPO_CRASH = "accept/ipo/crash/SIGSEGV"
OWN = "accept/refine-usage/stream.async.barrier-types-differ"


def program(signature: str) -> str:
    """The program of the corpus entry with that signature."""
    return load_known(default_corpus())[signature].program


def names(passes: tuple[Stage, ...]) -> list[str]:
    return [one.name for one in passes]


def test_a_pipeline_pass_by_pass() -> None:
    text = (
        f"builtin.module(inline,{NEST},stream.executable(one,two{{depth=1,width=2}}),iree-util-ipo)"
    )
    found = single_passes(text)
    assert names(found) == ["inline", "canonicalize", "cse", "one", "two", "ipo"]
    assert found[1].passes == (NEST.replace(",cse", ""),)
    assert found[4].pipeline == "builtin.module(stream.executable(two{depth=1,width=2}))"
    assert names(single_passes("builtin.module(util.func(cse),func.func(cse))")) == ["cse", "cse"]
    assert single_passes("builtin.module()") == ()


@pytest.mark.parametrize("version", [one.version for one in RELEASES])
def test_every_stage_pass_by_pass_runs_the_same_passes(version: str) -> None:
    for stage in pipeline(version):
        alone = single_passes(stage.pipeline)
        assert all(names(single_passes(one.pipeline)) == [one.name] for one in alone)
        whole = [part for element in stage.passes for part in element.split(",")]
        assert len(alone) == len(whole) - 2 * sum(
            element.count(",") // 3 + 1 for element in stage.passes if "func.func(" in element
        ), stage.name


def test_the_passes_of_a_cleanup_are_known_by_class() -> None:
    assert shared_pass_of_class("Canonicalizer") == "canonicalize"
    assert shared_pass_of_class("RefineUsagePass") is None
    assert shared_pass_of_class(None) is None


@pytest.mark.parametrize(
    ("site", "within", "guilty"),
    [
        ("SomeOp.fold", "Canonicalizer", "canonicalize"),
        ("SomePattern.matchAndRewrite", "Canonicalizer", "canonicalize"),
        # This pass ends with every pattern of the other.
        ("SomePattern.matchAndRewrite", "ScheduleExecutionPass", "canonicalize"),
        ("RemoveBarriers.matchAndRewrite", "ScheduleExecutionPass", None),
        ("partitionRegionConcurrency", "ScheduleExecutionPass", None),
        (None, "ScheduleExecutionPass", None),
        ("SomePattern.matchAndRewrite", "RefineUsagePass", None),
        ("SomePattern.matchAndRewrite", None, None),
    ],
)
def test_a_crash_in_a_pattern_is_that_of_canonicalize(
    site: str | None, within: str | None, guilty: str | None
) -> None:
    assert crashed_in_cleanup(Crash(site, within)) == guilty


def test_names_of_passes_are_those_of_the_stages() -> None:
    assert pass_of_class("RefineUsagePass") == "refine-usage"
    assert {shared_pass_of_class(name) for name in ("CSE", "IPOPass")} <= {*SHARED}


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    with Examiner(ExaminerSettings(Path(sys.executable)), [CHECKS["accept"]]) as made:
        yield made


@pytest.mark.parametrize(
    ("signature", "part_of"), [(IPO, "verify-input"), (IPO_CRASH, "verify-input"), (OWN, None)]
)
def test_only_a_pass_of_a_cleanup_is_named(
    examiner: Examiner, signature: str, part_of: str | None
) -> None:
    release = RELEASES[-1]
    subject = Subject(program(signature), None, release, release, resolved=False)
    (examination,) = examiner.examine([subject])
    (fault,) = examination.faults
    assert (fault.signature, fault.part_of) == (signature, part_of)
    assert fault.message.startswith("ipo in verify-input: " if part_of else "refine-usage: ")


@pytest.mark.parametrize(
    ("verdict", "shape", "expected"),
    [
        (Verdict.CRASH, ("crash", "SIGSEGV"), True),
        (Verdict.CRASH, ("crash", "SIGSEGV", "SomeOp.fold"), False),
        (Verdict.CRASH, ("crash", "memory"), False),
        (Verdict.REJECTED, ("no", "SIGSEGV"), False),
    ],
)
def test_a_crash_without_a_place_is_looked_for(
    verdict: Verdict, shape: tuple[str, ...], expected: bool
) -> None:
    fault = Fault(
        check="accept", verdict=verdict, stage="verify-input", shape=shape, message="",
        expected="", actual="", stock_arguments=(),
    )  # fmt: skip
    assert crashed_anywhere(fault) == expected
    assert not crashed_anywhere(replace(fault, part_of="verify-input"))


def test_what_does_not_fail_again_keeps_the_name_of_the_stage(examiner: Examiner) -> None:
    question = QuestionBuilder().run(pipeline("3.13.0")[0]).question()
    refused = Answer(Outcome.FAILED, step=1, kind="pass")
    asked = examiner.process(), question, refused
    assert shared_pass_that_fails(*asked, program(IPO)) == "ipo"
    assert shared_pass_that_fails(*asked, "module {}") is None
    alone = QuestionBuilder().step("ipo", "run", "builtin.module(iree-util-ipo)").question()
    # A pass that is asked for alone needs not be looked for.
    assert shared_pass_that_fails(examiner.process(), alone, refused, program(IPO)) == "ipo"


def test_a_crash_is_looked_for_from_the_beginning(examiner: Examiner) -> None:
    """The pass after which the module is not whole is earlier than where it happened to crash."""
    builder = QuestionBuilder()
    for stage in pipeline("3.13.0")[:3]:
        builder.run(stage)
    crashed = Answer(Outcome.CRASH, step=3, signal="SIGSEGV")
    asked = examiner.process(), builder.question(), crashed
    assert pass_that_crashes(*asked, program(IPO_CRASH)) == "ipo"
    assert pass_that_crashes(*asked, "module {}") is None


class Vanishing(CompilerProcess):
    """A compiler that cannot be started again once it has refused something."""

    refused = False

    def ask(self, requests: Sequence[Request]) -> Generator[Answer, None, None]:
        if self.refused:
            raise CompilerUnavailable("it is gone")
        for answer in super().ask(requests):
            self.refused |= answer.outcome is Outcome.FAILED
            yield answer


def test_a_compiler_that_is_gone_meanwhile_is_told() -> None:
    release = RELEASES[-1]
    subject = Subject(program(IPO), None, release, release, resolved=False)
    settings = ExaminerSettings(Path(sys.executable))
    gone = Examiner(settings, [CHECKS["accept"]], lambda _, flags: Vanishing(flags=flags))
    with gone, pytest.raises(ExaminerError, match="it is gone"):
        gone.examine([subject])


OUTSIDE_OF_REGIONS = "coverage/schedule-execution/outside-of-every-region/behind-a-barrier"
VERIFIED = (
    "accept/verify-lowering-to-async/"
    "stream.async.transfer-op-streamable-op-expected-to-be-in-an-execution-region"
)


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        (("accept",), {VERIFIED}),
        (("accept", "coverage"), {OUTSIDE_OF_REGIONS}),
        (("accept", "coverage", "execution"), {OUTSIDE_OF_REGIONS}),
        # On the way to a run the same passes run, in a process of its own.
        (("run",), {VERIFIED}),
    ],
)
def test_what_only_a_verifier_refuses_is_told_by_the_check_that_knows_the_cause(
    checks: tuple[str, ...], told: set[str]
) -> None:
    settings = ExaminerSettings(Path(sys.executable))
    release = RELEASES[-1]
    with Examiner(settings, [CHECKS[name] for name in checks]) as asked:
        read = subject_from_text(asked, program(VERIFIED), release, release)
        assert read is not None
        assert read.subject is not None
        (examination,) = asked.examine([read.subject])
    assert {fault.signature for fault in examination.faults} == told
