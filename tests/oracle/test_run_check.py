"""`run`: true programs hold, planted faults are told apart, real ones found and confirmed."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gen.profiles import PROFILES
from gen.programs import program
from oracle import mishaps
from oracle.campaigns.lane import for_release, subject_of
from oracle.checks.base import Subject
from oracle.checks.run import SEAT, Run
from oracle.compiling.stages import Stage
from oracle.examination import Examination, gathered
from oracle.examiner import Examiner, ExaminerError, ExaminerSettings
from oracle.files import subject_from_text
from oracle.running import pipeline
from oracle.running import process as process_module
from oracle.running.mixes import DRIVERS, mixes
from oracle.running.process import RunningCompiler
from oracle.signature import WHEN_CONCURRENT
from oracle.verdict import Fault, Judgement, Verdict
from reference.releases import release_rules

RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
LYING = Path(__file__).with_name("lying_runtime.py")
RAISING = Path(__file__).with_name("raising_compiler.py")

HEAD = """
module {
  util.global private @dev_a : !hal.device
  util.global private @dev_b : !hal.device
"""

TRUE = (
    HEAD
    + """
  util.func public @NAME(%view: !hal.buffer_view, %size: index) -> (!hal.buffer_view, !hal.buffer_view, i32) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %c7 = arith.constant 7 : i64
    %in = stream.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<4xi32> in !stream.resource<external>{%c16}
    %x:2 = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@triple(%in[%c0 to %c16 for %c16], %c7) : (!stream.resource<external>{%c16}, i64) -> (!stream.resource<*>{%c16}, !stream.resource<*>{%size})
    %t = stream.async.transfer %x#0 : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c16}
    %s = stream.async.splat on(#hal.device.affinity<@dev_b>) %c7 : i64 -> !stream.resource<*>{%c16}
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@inplace(%t[%c4 to %c16 for %c12], %s[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}, !stream.resource<*>{%c16}) -> %t{%c16}
    %u = stream.async.transfer %d : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16}
    %v = stream.async.transfer %x#1 : !stream.resource<*>{%size} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%size}
    %h = stream.async.transfer %x#0 : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<staging>{%c16}
    %n = stream.async.load %h[%c4] : !stream.resource<staging>{%c16} -> i32
    %o = stream.tensor.export on(#hal.device.affinity<@dev_a>) %u : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    %p = stream.tensor.export on(#hal.device.affinity<@dev_b>) %v : tensor<?xi8>{%size} in !stream.resource<external>{%size} -> !hal.buffer_view
    util.return %o, %p, %n : !hal.buffer_view, !hal.buffer_view, i32
  }
}
"""  # noqa: E501
)
"""Kernels with several results, scalars, parts of ranges, in place; a dynamic size; a load."""

FENCED = (
    HEAD
    + """
  util.func public @NAME(%view: !hal.buffer_view, %given: !hal.fence, %signaled: !hal.fence) -> (!hal.buffer_view, !hal.fence) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %ready = stream.timepoint.import on(#hal.device.affinity<@dev_a>) %given : (!hal.fence) => !stream.timepoint
    %early = stream.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<4xi32> in !stream.resource<external>{%c16}
    %in = stream.timepoint.await %ready => %early : !stream.resource<external>{%c16}
    %x = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@first(%in[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<external>{%c16}
    %y, %done = stream.timepoint.barrier on(#hal.device.affinity<@dev_a>) %x : !stream.resource<external>{%c16} => !stream.timepoint
    stream.timepoint.chain_external on(#hal.device.affinity<@dev_a>) %done => (%signaled : !hal.fence)
    %back = stream.timepoint.export on(#hal.device.affinity<@dev_a>) %done => (!hal.fence)
    %o = stream.tensor.export on(#hal.device.affinity<@dev_a>) %y : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    util.return %o, %back : !hal.buffer_view, !hal.fence
  }
}
"""  # noqa: E501
)
"""The caller hands over what is not ready yet, and is told when all is."""

REORDERED = (
    HEAD
    + """
  util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %in = stream.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<4xi32> in !stream.resource<external>{%c16}
    %x = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@first(%in[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<*>{%c16}
    %r = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@reader(%x[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> !stream.resource<*>{%c16}
    %w = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@writer(%x[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> %x{%c16}
    %t = stream.async.transfer %w : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c16}
    %b = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@reader(%t[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> !stream.resource<*>{%c16}
    %u = stream.async.transfer %b : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c16}
    %e = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@both(%r[%c0 to %c16 for %c16], %u[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}, !stream.resource<*>{%c16}) -> !stream.resource<external>{%c16}
    %o = stream.tensor.export on(#hal.device.affinity<@dev_a>) %e : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    util.return %o : !hal.buffer_view
  }
}
"""  # noqa: E501
)
"""3.10 to 3.13 move the reader of a buffer behind the write in place."""

MERGED = (
    HEAD
    + """
  util.func public @main(%view: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %x = stream.tensor.import on(#hal.device.affinity<@dev_b>) %view : !hal.buffer_view -> tensor<4xi32> in !stream.resource<external>{%c16}
    %t = stream.async.transfer %x : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<*>{%c16}
    %d = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@writer(%t[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> %t{%c16}
    %y = stream.async.transfer %d : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16}
    %o = stream.tensor.export on(#hal.device.affinity<@dev_a>) %y : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    %z = stream.async.transfer %x : !stream.resource<external>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16}
    %p = stream.tensor.export on(#hal.device.affinity<@dev_a>) %z : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    util.return %o, %p : !hal.buffer_view, !hal.buffer_view
  }
}
"""  # noqa: E501
)
"""3.10 to 3.13 make one transfer of two, one of which is then written in place."""

REFUSED = (
    HEAD
    + """
  util.func public @main(%view: !hal.buffer_view, %count: index) -> (!hal.buffer_view, !hal.buffer_view) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %in = stream.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> tensor<4xi32> in !stream.resource<external>{%c16}
    %x = stream.async.dispatch on(#hal.device.affinity<@dev_a>) @ex::@reader(%in[%c0 to %c16 for %c16]) : (!stream.resource<external>{%c16}) -> !stream.resource<*>{%c16}
    %t = stream.async.transfer %x : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_a>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<*>{%c16}
    %l = scf.for %i = %c0 to %count step %c1 iter_args(%a = %t) -> (!stream.resource<*>) {
      %d = stream.async.dispatch on(#hal.device.affinity<@dev_b>) @ex::@reader(%a[%c0 to %c16 for %c16]) : (!stream.resource<*>{%c16}) -> !stream.resource<*>{%c16}
      scf.yield %d : !stream.resource<*>
    }
    %u = stream.async.transfer %t : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{%c16}
    %o = stream.tensor.export on(#hal.device.affinity<@dev_b>) %u : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    %w = stream.async.transfer %l : !stream.resource<*>{%c16} from(#hal.device.affinity<@dev_b>) -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%c16}
    %p = stream.tensor.export on(#hal.device.affinity<@dev_a>) %w : tensor<4xi32> in !stream.resource<external>{%c16} -> !hal.buffer_view
    util.return %o, %p : !hal.buffer_view, !hal.buffer_view
  }
}
"""  # noqa: E501
)
"""3.10 to 3.13 give a loop's first value another lifetime than its body's."""


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    pytest.importorskip("iree.runtime")
    settings = ExaminerSettings(Path(sys.executable), timeout=3, runtime_script=LYING)
    with pytest.MonkeyPatch.context() as patch, Examiner(settings, [Run()]) as one:
        patch.setattr(process_module, "COMPILE_SCRIPT", RAISING)
        yield one


def subject(examiner: Examiner, text: str) -> Subject:
    read = subject_from_text(examiner, text, RELEASE, RELEASE)
    assert read is not None
    assert read.subject is not None
    assert not read.notes
    return read.subject


def examined(examiner: Examiner, asked: Subject) -> Examination:
    (examination,) = examiner.examine([asked])
    assert examination.invalid is None
    return examination


def only_fault(examiner: Examiner, asked: Subject) -> Fault:
    (fault,) = examined(examiner, asked).faults
    return fault


def test_a_true_program_holds(examiner: Examiner) -> None:
    found = examined(examiner, subject(examiner, TRUE.replace("NAME", "main")))
    assert (found.faults, found.unsupported) == ((), ())


@pytest.mark.parametrize(
    ("name", "verdict", "shape"),
    [
        ("swapped", Verdict.WRONG_VALUE, ("wrong-bytes", "dispatch", "new", "cross-device")),
        ("silent", Verdict.WRONG_VALUE, ("wrong-number",)),
        ("endless", Verdict.HANG, ("hang",)),
        ("dead", Verdict.CRASH, ("crash", "SIGSEGV")),
        ("hasty", Verdict.BROKEN_CONTRACT, (WHEN_CONCURRENT,)),
        ("failing", Verdict.BROKEN_CONTRACT, (WHEN_CONCURRENT,)),
    ],
)
def test_a_planted_fault_is_told_and_the_next_program_holds(
    examiner: Examiner, name: str, verdict: Verdict, shape: tuple[str, ...]
) -> None:
    lied = subject(examiner, TRUE.replace("NAME", name))
    held = subject(examiner, TRUE.replace("NAME", "main"))
    first, second = examiner.examine([lied, held])
    (fault,) = first.faults
    assert (fault.check, fault.verdict, fault.stage) == ("run", verdict, "run")
    assert fault.shape == shape
    assert second.faults == ()


@pytest.mark.parametrize(
    ("name", "line", "functions"),
    [
        ("raising", "KeyError: 'planted'", "lying"),
        ("untold", "ValueError: unmarshallable object", "_encoded"),
        ("unmade", "ZeroDivisionError: planted", "begin"),
    ],
)
def test_what_our_own_processes_raise_is_our_fault_and_the_next_program_holds(
    examiner: Examiner, name: str, line: str, functions: str
) -> None:
    wrong = subject(examiner, TRUE.replace("NAME", name))
    held = subject(examiner, TRUE.replace("NAME", "main"))
    first, second, third = mishaps.examined(examiner, [held, wrong, held])
    for one in (first, third):
        assert (one.faults, one.unsupported, one.mishaps) == ((), (), ())
    ((check, mishap),) = second.mishaps
    assert (check, mishap.line) == ("run", line)
    assert functions in mishap.trace
    assert (second.faults, second.invalid) == ((), None)
    assert [one.verdict for one in second.judgements] == [Verdict.MISHAP]
    with pytest.raises(ExaminerError, match=line):
        examiner.examine([wrong])


def test_what_only_we_see_is_not_confirmed(examiner: Examiner) -> None:
    lied = subject(examiner, TRUE.replace("NAME", "swapped"))
    found = examiner.confirm(lied, only_fault(examiner, lied))
    assert not found.confirmed
    assert [command.split()[0] for command in found.commands] == ["iree-compile", "iree-run-module"]


def test_what_cannot_be_read_again_is_not_confirmed(examiner: Examiner) -> None:
    asked = subject(examiner, TRUE.replace("NAME", "main"))
    fault = Fault("run", Verdict.WRONG_VALUE, "run", ("wrong-bytes",), "", "", "", ())
    confirmation = Run().confirm(replace(asked, program=None), fault, examiner)
    assert not confirmation.confirmed
    assert "does not know whole" in confirmation.output


def test_a_compiler_without_a_pass_on_the_way_cannot_run(
    examiner: Examiner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "vm", lambda _: (Stage("vm-conversion", ("of-another-age",)),))
    found = examined(examiner, subject(examiner, TRUE.replace("NAME", "main")))
    assert found.faults == ()
    assert found.unsupported == ("a run by a compiler without the passes of vm-conversion",)


def test_fences_are_waited_for(examiner: Examiner) -> None:
    for text, told in ((FENCED, "agree"), (FENCED.replace("NAME", "unsignaled"), "hang")):
        asked = subject(examiner, text.replace("NAME", "main"))
        (judgement,) = examined(examiner, asked).judgements
        assert judgement.verdict.value == told
        assert judgement.unsupported == ()


def test_the_tools_cannot_be_given_a_fence(examiner: Examiner) -> None:
    lied = subject(examiner, FENCED.replace("NAME", "swapped"))
    found = examiner.confirm(lied, only_fault(examiner, lied))
    assert not found.confirmed
    assert len(found.commands) == 1


def test_tools_that_show_nothing_are_asked_again_about_what_is_chance(examiner: Examiner) -> None:
    lied = subject(examiner, TRUE.replace("NAME", "hasty"))
    assert not examiner.confirm(lied, only_fault(examiner, lied)).confirmed


@pytest.mark.parametrize(
    ("text", "shape", "named"),
    [
        (
            REORDERED, ("wrong-bytes", "dispatch", "new", "same-device"),
            "value/schedule-execution/written-over/reordered",
        ),
        (
            MERGED, ("wrong-bytes", "import", "in-place", "cross-device"),
            "value/cse/written-over/shared",
        ),
    ],
)  # fmt: skip
def test_a_real_wrong_result_is_found_and_confirmed(
    examiner: Examiner, text: str, shape: tuple[str, ...], named: str
) -> None:
    """Under the name that the program's own IR has for it."""
    asked = subject(examiner, text)
    examination = examined(examiner, asked)
    (told,) = examination.faults
    (fault,) = examination.judgements[0].faults
    assert (told.signature, told.text) == (named, None)
    assert examiner.confirm(asked, told).confirmed
    assert (fault.verdict, fault.shape) == (Verdict.WRONG_VALUE, shape)
    found = examiner.confirm(asked, fault)
    assert found.confirmed, found.output
    assert found.commands[0] == "iree-compile --compile-from=flow program.mlir -o program.vmfb"
    assert "--device=local-" in found.commands[1]
    if RELEASE.explicit_transfer_execution:
        # The same releases have captures.
        assert [one.split()[0] for one in found.commands[2:]] == [
            "iree-run-module",
            "iree-dump-replay",
        ]
        assert re.search(r"device 0 \(local-\w+\): execute \[.*(copy|fill|dispatch)", found.output)


def test_the_text_of_a_fault_shows_it_too(examiner: Examiner) -> None:
    examination = examined(examiner, subject(examiner, MERGED))
    (fault,) = examination.judgements[0].faults
    assert fault.text is not None
    again = only_fault(examiner, subject(examiner, fault.text))
    assert [again.signature] == [named.signature for named in examination.faults]


def test_what_stream_refuses_is_not_accepted(examiner: Examiner) -> None:
    fault = only_fault(examiner, subject(examiner, REFUSED))
    assert (fault.check, fault.verdict, fault.text) == ("accept", Verdict.REJECTED, None)
    assert fault.stage == "refine-usage"


def test_a_program_that_is_not_well_formed_is_not_run(examiner: Examiner) -> None:
    asked = subject(examiner, TRUE.replace("NAME", "main"))
    assert asked.program is not None
    (main,) = asked.program.functions
    (block,) = main.body.blocks
    without_import = replace(block, operations=block.operations[1:])
    body = replace(main.body, blocks=(without_import,))
    stray = replace(asked.program, functions=(replace(main, body=body),))
    found = examined(examiner, replace(asked, program=stray))
    assert found.unsupported == ("a run of a program that is not well-formed",)


def test_devices_of_every_kind_in_every_order() -> None:
    assert mixes(1, "") == (("local-sync",), ("local-task",))
    assert len(set(mixes(2, ""))) == 4
    for count in (3, 4):
        of_many = {mix for number in range(400) for mix in mixes(count, str(number))}
        assert len(of_many) == len(DRIVERS) ** count
        for number in range(20):
            few = mixes(count, str(number))
            assert few == mixes(count, str(number))
            assert {few[0], few[-1]} == {("local-sync",) * count, ("local-task",) * count}


def test_what_value_accepts_also_runs(examiner: Examiner) -> None:
    """Programs of the generator: the model and the runtime agree, byte by byte."""
    profile = for_release(PROFILES["well-formed"], RELEASE)
    asked = [subject_of(program(1, index, profile), RELEASE, RELEASE) for index in range(5, 9)]
    found = examiner.examine(asked)
    assert [one.faults for one in found] == [()] * 4
    assert [one.unsupported for one in found] == [()] * 4


def test_memory_and_files_stay_as_they_are(examiner: Examiner) -> None:
    asked = [subject(examiner, TRUE.replace("NAME", "main"))] * 8
    running = examiner.process(SEAT)
    assert isinstance(running, RunningCompiler)
    processes = [psutil.Process(one.pid) for one in (running.compiler, running.runtime)]

    def held() -> list[tuple[int, int]]:
        return [(one.memory_info().rss, one.num_fds()) for one in processes]

    for _ in range(4):
        examiner.examine(asked)
    before = held()
    for _ in range(4):
        examiner.examine(asked)
    for (memory, files), (later_memory, later_files) in zip(before, held(), strict=True):
        assert later_memory <= memory * 1.05
        assert later_files == files


GIVEN_BACK = (
    HEAD
    + """
  util.func public @main(%flag: i1, %size: index) -> (!stream.resource<external>, !stream.resource<external>) {
    %c16 = arith.constant 16 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %c76 = arith.constant 76 : index
    %c80 = arith.constant 80 : index
    %c7 = arith.constant 7 : i64
    %made = stream.async.splat %c7 : i64 -> !stream.resource<external>{%size}
    %one = scf.if %flag -> (!stream.resource<external>) {
      %copied = stream.async.transfer %made : !stream.resource<external>{%size} -> !stream.resource<external>{%size}
      scf.yield %copied : !stream.resource<external>
    } else {
      scf.yield %made : !stream.resource<external>
    }
    %sent = stream.async.transfer %made : !stream.resource<external>{%size} -> to(#hal.device.affinity<@dev_a>) !stream.resource<external>{%size}
    %mixed = stream.async.copy %one[%c60 to %c76], %made[%c64 to %c80], %c16 : !stream.resource<external>{%size} -> %made as !stream.resource<external>{%size}
    util.return %sent, %mixed : !stream.resource<external>, !stream.resource<external>
  }
}
"""  # noqa: E501
)
"""The memory of a result is given back before the caller has it: IREE 3.13 and before."""


GIVEN_BACK_TOO_EARLY = "hazard/automatic-reference-counting/given-back-too-early"


def test_a_result_whose_memory_was_given_back_is_a_run_that_failed(examiner: Examiner) -> None:
    """Or one that went well, where the caller was faster."""
    found = examined(examiner, subject(examiner, GIVEN_BACK))
    assert found.unsupported == ()
    told = {fault.shape[0] for fault in found.judgements[0].faults}
    assert told <= {"error", "wrong-bytes", WHEN_CONCURRENT}
    assert len(told) == len(found.faults)
    assert all(fault.signature == GIVEN_BACK_TOO_EARLY for fault in found.faults)


def test_what_the_ir_shows_already_is_no_finding_of_a_run() -> None:
    """The judgement stays: a run that goes wrong is counted."""
    subject = Subject("", None, RELEASE, RELEASE, resolved=True)
    ran = Fault("run", Verdict.WRONG_VALUE, "run", ("wrong-bytes",), "", "", "", ())
    other = replace(ran, check="hazard", shape=("unordered",))
    for seen, kept in (((ran,), (ran,)), ((ran, other), (other,))):
        found = gathered(subject, [Judgement(fault.check, (fault,)) for fault in seen])
        assert found.faults == kept
        assert [one.verdict for one in found.judgements] == [Verdict.WRONG_VALUE] * len(seen)


def test_a_fence_that_nobody_need_wait_for_is_nothing(examiner: Examiner) -> None:
    immediate = re.sub(
        r"%back = .*",
        "%now = stream.timepoint.immediate => !stream.timepoint\n"
        "    %back = stream.timepoint.export on(#hal.device.affinity<@dev_a>) %now => (!hal.fence)",
        FENCED.replace("NAME", "main"),
    )
    asked = subject(examiner, immediate)
    (judgement,) = examined(examiner, asked).judgements
    assert judgement.verdict is Verdict.AGREE
