"""Where a crash happened: told from stacks with names and without, and of real crashes."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.checks.accept import _same_failure
from oracle.checks.base import QuestionBuilder
from oracle.compiling.answers import Answer, Diagnostic, Outcome
from oracle.compiling.stages import passes_through, pipeline
from oracle.compiling.stock import StockRun
from oracle.corpus import default_corpus, load_known
from oracle.crashes import (
    Crash,
    Limits,
    Tool,
    _mangled_path,
    _readable_path,
    crash_site,
    stack_of,
    symbols_of,
)
from oracle.failures import failure_fault
from oracle.files import pieces
from oracle.verdict import Fault, Verdict

RELEASE = importlib.metadata.version("iree-base-compiler")
FOLDER = Path(sys.executable).parent
PIPELINE = "--iree-stream-transformation-pipeline"

HEAD = """Stack dump:
0.\tProgram arguments: iree-opt
 #0 0x00007fd0eb35a0ab llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
 #1 0x00007fd0e545a050 (/lib/x86_64-linux-gnu/libc.so.6+0x3c050)
"""


@pytest.mark.parametrize(
    ("frames", "site"),
    [
        (
            " #4 0x01 mlir::Type::getIntOrFloatBitWidth() const Types.cpp:0:0\n"
            " #5 0x02 mlir::iree_compiler::IREE::Stream::(anonymous namespace)::FoldIt::"
            "matchAndRewrite(mlir::Op, mlir::PatternRewriter&) const Folders.cpp:0:0\n",
            "FoldIt.matchAndRewrite",
        ),
        (
            " #4 0x01 mlir::iree_compiler::Stream::ResourceType::getLifetime() const T.cpp:0:0\n"
            " #5 0x02 mlir::iree_compiler::Usage<mlir::Value>::update(mlir::Value) U.cpp:0:0\n"
            " #6 0x03 mlir::iree_compiler::Explorer::walk(mlir::Value) E.cpp:0:0\n"
            "#17 0x04 mlir::iree_compiler::Usage::updateFromUse(mlir::Value, int) U.cpp:0:0\n",
            # The arguments of a template are left out.
            "Usage.update",
        ),
        (
            # Which of an element's functions is innermost, in a solver, is chance.
            " #4 0x01 mlir::iree_compiler::Stream::Usage::updateFromUse(mlir::Value) U.cpp:0:0\n"
            " #5 0x02 mlir::iree_compiler::Explorer::walkUses(mlir::Value) E.cpp:0:0\n"
            " #6 0x03 mlir::iree_compiler::Stream::Usage::updateValue(mlir::Value) U.cpp:0:0\n"
            " #7 0x04 mlir::iree_compiler::DFX::Solver::updateElement(Element&) S.cpp:0:0\n"
            " #8 0x05 mlir::iree_compiler::Stream::Other::updateValue(mlir::Value) U.cpp:0:0\n"
            " #9 0x06 mlir::iree_compiler::DFX::Solver::updateElement(Element&) S.cpp:0:0\n",
            "Usage",
        ),
        (
            " #4 0x01 mlir::iree_compiler::DFX::Solver::updateElement(Element&) S.cpp:0:0\n"
            " #5 0x02 mlir::iree_compiler::(anonymous namespace)::SomePass::run() P.cpp:0:0\n",
            "SomePass.run",
        ),
        (" #4 0x01 mlir::Operation::walk() Operation.cpp:0:0\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_innermost_function_that_does_something(frames: str, site: str | None) -> None:
    assert crash_site(HEAD + frames, ()) == site


@pytest.mark.parametrize(
    ("mangled", "path"),
    [
        ("_ZN4mlir3FooC1Ev", None),
        ("_ZN4mlir3Foo3barEv", ("mlir", "Foo", "bar")),
        ("_ZNK4mlir12_GLOBAL__N_13Foo3barEv", ("mlir", "Foo", "bar")),
        ("_ZN4mlir3FooINS_3BarEE3bazEv", ("mlir", "Foo", "baz")),
        ("_ZN4mlir3FooINS_3BarINS0_3QuxES1_EEE3bazEv", ("mlir", "Foo", "baz")),
        ("_ZN4mlir3FooILb0ELi16EE3bazEv", ("mlir", "Foo", "baz")),
        ("_ZN4mlir3Foo3getIFvPS0_EEEvT_", ("mlir", "Foo", "get")),
        ("_ZN4mlir3FooINS_3Bar", None),
        ("_ZN4mlir3FoocvbEv", None),
        ("main", None),
    ],
)
def test_names_of_functions(mangled: str, path: tuple[str, ...] | None) -> None:
    assert _mangled_path(mangled) == path


def test_names_that_a_symbolizer_prints() -> None:
    assert _readable_path("mlir::Foo<mlir::Bar<int>, 3>::baz(int) const") == ("mlir", "Foo", "baz")
    assert _readable_path("mlir::Foo::$_2::operator()(long)") is None


def crashing(signature: str) -> str:
    """The program of the entry with that signature."""
    known = load_known(default_corpus(), RELEASE)
    (piece,) = pieces(known[signature].path)
    return piece.text


INTO_LOAD = "accept/canonicalize/crash/SIGSEGV/FoldAsyncCloneIntoLoad.matchAndRewrite"
WHILE = "accept/refine-usage/crash/SIGSEGV/ValueResourceUsage"


SINKING = "accept/canonicalize/crash/SIGSEGV/SinkAllocaLikeOpToConsumers.matchAndRewrite"


@pytest.mark.skipif(RELEASE < "3.12", reason="3.11 does not crash there")
@pytest.mark.parametrize("signature", [INTO_LOAD, WHILE, SINKING])
def test_a_crash_is_told_without_a_symbolizer_and_again(signature: str) -> None:
    tool = Tool.in_folder(FOLDER)
    assert tool is not None
    text = crashing(signature)
    sites = {tool.crash(text, [PIPELINE], Limits()).site for _ in range(3)}
    assert sites == {signature.rpartition("/")[2]}
    bare = stack_of(tool.program, text, [PIPELINE], Limits())
    assert "iree_compiler" not in bare
    assert crash_site(bare, ()) is None, "the symbols are in the library"


STRAY = "accept/conversion/crash/SIGSEGV/ScfWhileOpConversion.matchAndRewrite"


@pytest.mark.parametrize("signal", ["SIGSEGV", "SIGABRT", "SIGBUS"])
def test_at_one_place_a_crash_is_the_same_one_whatever_its_signal(signal: str) -> None:
    """What is read past an end may be an address, or a length for which there is no memory."""
    tool = Tool.in_folder(FOLDER)
    passes = passes_through(RELEASE, "conversion")
    question = QuestionBuilder().step("conversion", "run", passes).question(PIPELINE)
    lost = Answer(Outcome.CRASH, step=1, signal=signal)
    assert failure_fault(question, lost, crashing(STRAY), tool).signature == STRAY
    elsewhere = failure_fault(question, lost, "module {}", tool).signature
    assert elsewhere == f"accept/conversion/crash/{signal.replace('BUS', 'SEGV')}"


def test_a_conversion_that_went_astray_without_a_crash_is_the_same_cause() -> None:
    tool = Tool.in_folder(FOLDER)
    passes = passes_through(RELEASE, "conversion")
    question = QuestionBuilder().step("conversion", "run", passes).question(PIPELINE)
    said = "failed to legalize unresolved materialization from () to ('i8') that remained live"
    told = (Diagnostic("error", said),)
    left = Answer(Outcome.FAILED, step=1, kind="pass", diagnostics=told)
    assert failure_fault(question, left, crashing(STRAY), tool).signature == STRAY
    refused = failure_fault(question, left, "module {}", tool)
    assert refused.verdict is Verdict.REJECTED
    assert "unresolved-materialization" in refused.signature


@pytest.mark.skipif(RELEASE < "3.12", reason="3.11 crashes before")
def test_a_crash_belongs_to_the_pass_that_the_stock_tool_crashes_in() -> None:
    """What reads stray memory may get by one pass and end in a later one."""
    tool = Tool.in_folder(FOLDER)
    text = crashing(WHILE)
    builder = QuestionBuilder()
    for stage in pipeline(RELEASE):
        builder.run(stage)
    question = builder.question(PIPELINE)
    for met in ("refine-usage", "schedule-execution"):
        lost = Answer(Outcome.CRASH, step=question.stages.index(met), signal="SIGBUS")
        assert failure_fault(question, lost, text, tool).signature == WHILE
    early = Answer(Outcome.CRASH, step=question.stages.index("conversion"), signal="SIGBUS")
    assert failure_fault(question, early, text, tool).signature == "accept/conversion/crash/SIGSEGV"


@pytest.mark.parametrize(
    ("outcome", "shape", "confirmed"),
    [
        ("SIGABRT", ("crash", "SIGSEGV", "Some.where"), True),
        ("SIGABRT", ("crash", "SIGSEGV"), False),
        ("SIGSEGV", ("crash", "SIGSEGV"), True),
        ("exit 1", ("crash", "SIGSEGV", "Some.where"), False),
        ("exit 0", ("crash", "SIGSEGV", "Some.where"), False),
        ("hang", ("hang",), True),
    ],
)
def test_what_confirms_a_crash(outcome: str, shape: tuple[str, ...], confirmed: bool) -> None:
    fault = Fault(
        check="accept", verdict=Verdict.CRASH, stage="conversion", shape=shape, message="",
        expected="", actual="", stock_arguments=(),
    )  # fmt: skip
    assert _same_failure(StockRun("iree-opt", outcome, "", ""), fault) is confirmed


def test_a_program_that_does_not_crash_has_no_site() -> None:
    tool = Tool.in_folder(FOLDER)
    assert tool is not None
    assert tool.crash("module {}\n", [], Limits()) == Crash()


def test_folders_and_files_that_are_something_else(tmp_path: Path) -> None:
    assert Tool.in_folder(tmp_path) is None
    script = tmp_path / "iree-opt"
    script.write_text("#!/bin/sh\necho Stack dump >&2\n")
    script.chmod(0o755)
    tool = Tool.in_folder(tmp_path)
    assert tool is not None
    assert tool.crash("module {}", [], Limits()) == Crash()
    assert symbols_of(script) is None
    assert symbols_of(tmp_path / "missing") is None


def test_a_tool_that_does_not_end_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "sleeps"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    assert stack_of(script, "", [], Limits(seconds=0.1)) == ""
    left = subprocess.run(["pgrep", "-f", str(script)], capture_output=True, check=False)
    assert left.returncode == 1
