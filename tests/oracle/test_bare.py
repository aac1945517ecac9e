"""A bare `iree-opt`: asked the same, it answers as the bindings of the same release do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gen.profiles import PROFILES
from gen.programs import program
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks import CHECKS
from oracle.compiling import chunks, stages
from oracle.compiling.answers import Answer, Outcome, Request, Seat
from oracle.compiling.bare import BareCompiler
from oracle.compiling.chunks import MARKER, Limits, ToolError, UnknownPassError
from oracle.compiling.compiler import CompilerProcess, CompilerUnavailable
from oracle.compiling.probing import probe
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from reference.releases import release_rules

TOOL = Path(sys.executable).parent / "iree-opt"
READER = Path(sys.executable)

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="no iree-opt beside this interpreter")

GOOD = """\
module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
  util.func public @main(%v0: !stream.resource<transient>) -> !stream.resource<transient> {
    %c8 = arith.constant 8 : index
    // ----- is no end of a module here
    %v1 = stream.async.transfer %v0 : !stream.resource<transient>{%c8} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<transient>{%c8} loc("op0")
    util.return %v1 : !stream.resource<transient> loc("op1")
  }
  util.func private @unused() {
    util.return loc("op2")
  }
}
"""  # noqa: E501
UNPARSED = "module {\n  oops\n}\n"
REFUSED = """\
module {
  util.func public @main(%v0: !stream.resource<*>) -> !stream.resource<*> {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %v1 = stream.async.slice %v0[%c0 to %c16] : !stream.resource<*>{%c8} -> !stream.resource<*>{%c16} loc("op0")
    util.return %v1 : !stream.resource<*> loc("op1")
  }
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def bare() -> Iterator[BareCompiler]:
    with BareCompiler(TOOL, READER) as compiler:
        yield compiler


@pytest.fixture(scope="module")
def bindings() -> Iterator[CompilerProcess]:
    with CompilerProcess() as process:
        yield process


def alike(one: Answer, other: Answer) -> None:
    assert (one.outcome, one.kind, one.step) == (other.outcome, other.kind, other.step)
    assert one.message == other.message
    assert one.results == other.results


STEPS: Sequence[Sequence[object]] = [
    ("parse",),
    ("read",),
    ("print", False),
    ("verify",),
    ("run", "builtin.module(util.func(canonicalize))"),
    ("find", ["stream.async.transfer"]),
    ("roundtrip",),
    ("reparse",),
    ("run", "builtin.module(symbol-dce)"),
    ("print", False),
    ("read",),
]


def test_every_step_answers_as_the_bindings(bare: BareCompiler, bindings: CompilerProcess) -> None:
    request = Request(GOOD.replace("// ----- is", "// it is"), STEPS)  # type: ignore[arg-type]
    texts = [request, replace(request, text="\n\n" + request.text), request]
    for one, other in zip(bare.ask(texts), bindings.ask(texts), strict=True):
        assert one.outcome is Outcome.OK
        alike(one, other)


def test_a_part_of_a_module(bare: BareCompiler, bindings: CompilerProcess) -> None:
    request = Request(GOOD, (("parse",), ("keep", [0, 1, 2]), ("read",), ("print", True)))
    (one,), (other,) = bare.ask([request]), bindings.ask([request])
    assert one.outcome is other.outcome is Outcome.OK
    assert one.results[2] == other.results[2]


def test_what_fails_is_told_from_its_neighbours(
    bare: BareCompiler, bindings: CompilerProcess
) -> None:
    verify = "builtin.module(iree-stream-verify-async-access-ranges)"
    steps = (("parse",), ("digest",), ("read",), ("run", verify), ("read",))
    texts = [GOOD, UNPARSED, REFUSED, UNPARSED, UNPARSED, GOOD, REFUSED]
    requests = [Request(text, steps) for text in texts]
    for text, one, other in zip(texts, bare.ask(requests), bindings.ask(requests), strict=True):
        assert (one.outcome, one.kind, one.step) == (other.outcome, other.kind, other.step)
        assert one.message == other.message
        assert (one.outcome is Outcome.OK) == (text == GOOD)
        if text == REFUSED:
            assert one.results[2] == other.results[2]


def test_an_unknown_pass(bare: BareCompiler, bindings: CompilerProcess) -> None:
    steps = (("parse",), ("run", "builtin.module(symbol-dce)"), ("run", "builtin.module(nonsense)"))
    (one,), (other,) = bare.ask([Request(GOOD, steps)]), bindings.ask([Request(GOOD, steps)])
    assert (one.outcome, one.kind, one.step) == (other.outcome, other.kind, other.step)
    assert one.kind == "unknown-pass"
    assert "'nonsense'" in one.message


CRASHING = next(
    (Path(__file__).parents[2] / "corpus" / "known").glob(
        "loading-an-index-from-staging-made*.mlir"
    )
)


def test_a_crash_costs_one_program(bare: BareCompiler, bindings: CompilerProcess) -> None:
    crashing = CRASHING.read_text(encoding="utf-8")
    steps = (("parse",), ("run", "builtin.module(util.func(canonicalize))"), ("read",))
    requests = [Request(text, steps) for text in (GOOD, crashing, crashing, GOOD)]
    before = bare.restarts.crash
    found = list(bare.ask(requests))
    for one, other in zip(found, bindings.ask(requests), strict=True):
        assert (one.outcome, one.step, one.signal) == (other.outcome, other.step, other.signal)
    assert [one.outcome for one in found] == [
        Outcome.OK, Outcome.CRASH, Outcome.CRASH, Outcome.OK,
    ]  # fmt: skip
    assert bare.restarts.crash - before == 2
    assert "Stack dump" in found[1].stderr


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_hang_and_a_tool_that_is_none(tmp_path: Path) -> None:
    spins = script(tmp_path / "spins", "while :; do :; done")
    found = list(chunks.run(spins, (), [GOOD, GOOD], 1, Limits(0.3, 1 << 30)))
    assert [(one.outcome, one.computing) for one in found] == [(Outcome.HANG, True)] * 2
    mute = script(tmp_path / "mute", "echo no such option >&2; exit 1")
    with pytest.raises(ToolError, match="no such option"):
        list(chunks.run(mute, (), [GOOD], 1, Limits(0.3, 1 << 30)))
    with pytest.raises(UnknownPassError, match="nonsense"):
        list(chunks.run(TOOL, ("--pass-pipeline=builtin.module(nonsense)",), [GOOD], 1,
                        Limits(5.0, 4 << 30)))  # fmt: skip
    with pytest.raises(CompilerUnavailable, match="no such option"):
        probe(mute, READER)


def test_what_the_tool_is() -> None:
    found = probe(TOOL, READER)
    with CompilerProcess() as process:
        assert process.release is not None
        assert found.revision == process.revision
        rules, _ = release_rules(process.release)
    assert found.release is not None
    assert release_rules(found.release)[0] == rules
    assert found.places == rules.explicit_transfer_execution
    assert found.unread == ""
    assert MARKER.partition("{")[0] not in "".join(
        element for stage in stages.pipeline("999.0") for element in stage.passes
    )


def said(examination: Examination) -> list[tuple[str, str, list[str]]]:
    return [
        (one.check, one.verdict.value, sorted(fault.signature for fault in one.faults))
        for one in examination.judgements
    ]


def test_the_same_verdicts() -> None:
    with CompilerProcess() as process:
        release, _ = release_rules(process.release or "999.0")
    profile = for_release(PROFILES["nightly"], release)
    subjects = [subject_of(program(11, at, profile), release, release) for at in range(6)]
    names = ("accept", "placement", "schedule", "fold", "access", "roundtrip")
    usual = ExaminerSettings(READER)
    bare = replace(usual, bare=TOOL, tools=TOOL.parent)
    told = []
    for settings in (usual, bare):
        with Examiner(settings, [CHECKS[name] for name in names]) as examiner:
            told.append([said(one) for one in examiner.examine(subjects)])
    assert told[0] == told[1]


def test_what_it_cannot_be_asked() -> None:
    settings = ExaminerSettings(READER, bare=TOOL, tools=TOOL.parent)
    with Examiner(settings, []) as examiner, pytest.raises(ExaminerError, match="no Python bind"):
        examiner.process(Seat(runs=True))
