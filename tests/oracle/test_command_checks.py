"""`hazard` and `access`: true programs hold, planted faults are found behind the right pass, real
ones too."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from samples import Ask

from oracle.checks.access import Access
from oracle.checks.base import Subject
from oracle.checks.hazard import Hazard
from oracle.compiling import stages
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.reader import read_program
from oracle.verdict import Verdict
from reference.releases import release_rules

COMMANDING = Path(__file__).with_name("commanding_worker.py")
RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]

needs_placement_pass = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
)

ON_A, ON_B = "#hal.device.affinity<@dev_a>", "#hal.device.affinity<@dev_b>"


def module(body: str, arguments: str, results: str) -> str:
    """A module of two devices, where `A` and `B` are affinities and `!r<…>` resources of 16 bytes
    in operations, as types elsewhere."""
    text = f"""
    module {{
      util.global private @dev_a : !hal.device
      util.global private @dev_b : !hal.device
      util.func public @main({arguments}) -> ({results}) {{
        %c0 = arith.constant 0 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %c16 = arith.constant 16 : index
        %c9_i8 = arith.constant 9 : i8
        %c7_i64 = arith.constant 7 : i64
        {body}
      }}
    }}
    """
    return (
        text.replace("<A>", f"({ON_A})")
        .replace("<B>", f"({ON_B})")
        .replace("!r<", "!stream.resource<")
        .replace("[*]", "[%c0 to %c16 for %c16]")
        .replace("{*}", "{%c16}")
    )


SENT_AND_BACK = module(
    """
    %x = stream.tensor.import on<A> %view : !hal.buffer_view -> tensor<4xi32>
      in !r<external>{*} loc("x")
    %p = stream.async.dispatch on<A> @ex::@a_r_n(%x[*]) : (!r<external>{*}) -> !r<transient>{*}
      loc("p")
    %q = stream.async.dispatch on<A> @ex::@b_rr_n(%p[*], %x[*]) :
      (!r<transient>{*}, !r<external>{*}) -> !r<transient>{*} loc("q")
    %t = stream.async.transfer %q : !r<transient>{*} from<A> -> to<B> !r<transient>{*} loc("t")
    %f = stream.async.fill on<B> %c9_i8, %t[%c0 to %c4 for %c4] : i8 -> %t as !r<transient>{*}
      loc("f")
    %r = stream.async.dispatch on<B> @ex::@c_r_n(%f[*]) : (!r<transient>{*}) -> !r<transient>{*}
      loc("r")
    %s = stream.async.transfer %r : !r<transient>{*} from<B> -> to<B> !r<staging>{*} loc("s")
    %v = stream.async.load %s[%c4] : !r<staging>{*} -> i32 loc("v")
    %u = stream.async.transfer %r : !r<transient>{*} from<B> -> to<A> !r<external>{*} loc("u")
    %e = stream.tensor.export on<A> %u : tensor<4xi32> in !r<external>{*} -> !hal.buffer_view
      loc("e")
    util.return %e, %v : !hal.buffer_view, i32 loc("end")
    """,
    "%view: !hal.buffer_view",
    "!hal.buffer_view, i32",
)


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=COMMANDING)
    with Examiner(settings, [Hazard(), Access()]) as one:
        yield one


def subject(ask: Ask, text: str, plant: str | None = None) -> Subject:
    (answer,) = ask(text, ["read"])
    read = read_program(answer)
    assert read.complete, read.unsupported
    note = "" if plant is None else f"// plant: {plant}\n"
    return Subject(note + text, read.program, RELEASE, RELEASE, resolved=True)


def examined(examiner: Examiner, asked: Subject) -> Examination:
    (examination,) = examiner.examine([asked])
    assert examination.invalid is None
    return examination


def signatures(examination: Examination) -> list[str]:
    return [fault.signature for fault in examination.faults]


@needs_placement_pass
def test_a_true_program_holds(ask: Ask, examiner: Examiner) -> None:
    found = examined(examiner, subject(ask, SENT_AND_BACK))
    assert (found.faults, found.unsupported) == ((), ())
    assert [one.verdict for one in found.judgements] == [Verdict.AGREE] * 2


@needs_placement_pass
@pytest.mark.parametrize(
    ("plant", "signature"),
    [
        ("await-dropped", "hazard/schedule-allocation/before-allocation/region"),
        ("await-dropped-late", "hazard/elide-timepoints/unordered/without-wait"),
        (
            "await-dropped-by-counting",
            "hazard/automatic-reference-counting/before-allocation/region",
        ),
        (
            "producer-not-awaited",
            "hazard/schedule-allocation/unordered/without-wait",
        ),
        (
            "host-not-waiting",
            "hazard/schedule-allocation/unordered/read-after-write/host",
        ),
        # A region that nobody waits for is left out by the next pass.
        ("caller-not-told", "hazard/canonicalize/unordered/without-wait"),
        ("copy-shifted", "hazard/schedule-allocation/out-of-bounds/copy"),
        ("copy-shortened", "hazard/schedule-allocation/unwritten"),
        ("flush-removed", "hazard/schedule-allocation/not-flushed/dispatch/cross-device"),
        ("host-flush-removed", "hazard/schedule-allocation/not-flushed/load/device-and-host"),
        ("invalidate-removed", "hazard/schedule-allocation/not-flushed/copy/cross-device"),
        ("dealloca-not-waiting", "hazard/schedule-allocation/given-back-too-early"),
        ("dealloca-moved-up", "hazard/schedule-allocation/given-back-too-early"),
        ("dealloca-twice", "hazard/schedule-allocation/given-back-too-early"),
        ("write-in-a-wave", "hazard/schedule-allocation/unordered/within-a-region"),
        ("slices-share", "hazard/schedule-allocation/overlapping"),
        ("read-moved-up", "hazard/schedule-allocation/unwritten"),
        ("memory-narrowed", "access/schedule-allocation/by-another-device/placed"),
        ("region-moved", "access/schedule-allocation/by-another-device/placed"),
        ("region-off-the-pin", "access/schedule-allocation/off-the-pin/copy/placed-ends"),
        ("region-unplaced", "access/schedule-allocation/by-no-device"),
    ],
)
def test_a_planted_fault_is_found_behind_its_pass(
    ask: Ask, examiner: Examiner, plant: str, signature: str
) -> None:
    found = examined(examiner, subject(ask, SENT_AND_BACK, plant))
    assert signature in signatures(found)
    assert {fault.verdict for fault in found.faults} == {Verdict.BROKEN_CONTRACT}


@needs_placement_pass
@pytest.mark.parametrize("plant", ["await-dropped", "region-unplaced"])
def test_stock_tools_do_not_confirm_what_the_compiler_did_not_do(
    ask: Ask, examiner: Examiner, plant: str
) -> None:
    asked = subject(ask, SENT_AND_BACK, plant)
    (fault, *_) = examined(examiner, asked).faults
    assert not examiner.confirm(asked, fault).confirmed


AWAITED = module(
    """
    %x = stream.tensor.import on<A> %view : !hal.buffer_view -> tensor<4xi32>
      in !r<external>{*} loc("x")
    %p = stream.async.dispatch on<A> @ex::@a_r_n(%x[*]) : (!r<external>{*}) -> !r<transient>{*}
      loc("p")
    %s = stream.async.transfer %p : !r<transient>{*} from<A> -> to<A> !r<staging>{*} loc("s")
    %w = stream.async.store %c9_i8, %s[%c4] : i8 -> %s as !r<staging>{*} loc("w")
    %u = stream.async.transfer %w : !r<staging>{*} from<A> -> to<B> !r<transient>{*} loc("u")
    %q = stream.async.dispatch on<B> @ex::@b_r_n(%u[*]) : (!r<transient>{*}) -> !r<external>{*}
      loc("q")
    %e = stream.tensor.export on<B> %q : tensor<4xi32> in !r<external>{*} -> !hal.buffer_view
      loc("e")
    util.return %e : !hal.buffer_view loc("end")
    """,
    "%view: !hal.buffer_view",
    "!hal.buffer_view",
)
YIELDED_TWICE = module(
    """
    %p = stream.async.splat on<A> %c7_i64 : i64 -> !r<transient>{*} loc("p")
    %t = stream.async.transfer on<A> %p : !r<transient>{*} from<A> -> to<B> !r<transient>{*}
      loc("t")
    %u = stream.async.transfer %p : !r<transient>{*} from<A> -> to<B> !r<transient>{*} loc("u")
    %q = stream.async.dispatch on<B> @ex::@a_rr_n(%t[*], %u[*]) :
      (!r<transient>{*}, !r<transient>{*}) -> !r<external>{*} loc("q")
    %e = stream.tensor.export on<B> %q : tensor<4xi32> in !r<external>{*} -> !hal.buffer_view
      loc("e")
    util.return %e : !hal.buffer_view loc("end")
    """,
    "",
    "!hal.buffer_view",
)


@needs_placement_pass
@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (AWAITED, "hazard/canonicalize/before-allocation/region"),
    ],
)
def test_real_faults_are_found_and_confirmed(
    ask: Ask, examiner: Examiner, text: str, signature: str
) -> None:
    asked = subject(ask, text)
    (fault,) = examined(examiner, asked).faults
    assert fault.signature == signature
    confirmation = examiner.confirm(asked, fault)
    assert confirmation.confirmed
    assert all(command.startswith("iree-opt") for command in confirmation.commands)
    elsewhere = replace(fault, places=frozenset({"elsewhere"}))
    assert not examiner.confirm(asked, elsewhere).confirmed


@needs_placement_pass
def test_what_is_made_one_before_memory_is_allocated_is_not_yielded_twice(
    ask: Ask, examiner: Examiner
) -> None:
    """ScheduleAllocation.cpp writes only one of the two; IREE's own cleanup never shows it such."""
    found = examined(examiner, subject(ask, YIELDED_TWICE))
    assert (found.faults, found.unsupported) == ((), ())


def test_a_program_that_is_not_well_formed_accuses_nobody(ask: Ask, examiner: Examiner) -> None:
    elsewhere = AWAITED.replace(f"on({ON_B}) @ex::@b_r_n", f"on({ON_A}) @ex::@b_r_n")
    found = examined(examiner, subject(ask, elsewhere))
    assert found.faults == ()


@pytest.mark.parametrize("check", [Hazard(), Access()])
def test_a_module_that_is_not_known_whole(check: Hazard | Access) -> None:
    unknown = Subject("module {}", None, RELEASE, RELEASE, resolved=True)
    assert check.questions(unknown) == ()
    judgement = check.judge(unknown, [])
    assert (judgement.faults, len(judgement.unsupported)) == ((), 1)


COMMANDS = module(
    """
    %m, %t = stream.resource.alloca uninitialized on<A> : !r<external>{*} => !stream.timepoint
    %one = stream.cmd.execute on<A> AWAIT with(%m as %x: !r<external>{*}) {
      stream.cmd.fill %c9_i8, %x[%c0 for %c16] : i8 -> !r<external>{*} loc("f")
    } => !stream.timepoint
    %w = stream.timepoint.await %one => %m : !r<external>{*}
    util.return %w : !r<external>
    """,
    "",
    "!stream.resource<external>",
)


def test_a_program_of_the_command_level_is_run_as_it_is(ask: Ask, examiner: Examiner) -> None:
    kept = examined(examiner, subject(ask, COMMANDS.replace("AWAIT", "await(%t) =>")))
    assert (kept.faults, kept.unsupported) == ((), ())
    broken = examined(examiner, subject(ask, COMMANDS.replace("AWAIT ", "")))
    assert "as written" in str(broken.unsupported)
    assert broken.faults == ()


SCHEDULED = module(
    """
    %one, %t = stream.async.execute on<A> with() -> !r<external>{*} {
      %s = stream.async.splat %c9_i8 : i8 -> !r<external>{*} loc("s")
      stream.yield %s : !r<external>{*}
    } => !stream.timepoint
    %w = stream.timepoint.await %t => %one : !r<external>{*}
    util.return %w : !r<external>
    """,
    "",
    "!stream.resource<external>",
)


def test_scheduled_programs_go_on_from_there(ask: Ask, examiner: Examiner) -> None:
    asked = subject(ask, SCHEDULED)
    (question,) = Hazard().questions(asked)
    assert stages.SCHEDULE_EXECUTION.name not in question.stages
    assert stages.SCHEDULE_CONCURRENCY.name in question.stages
    found = examined(examiner, asked)
    assert (found.faults, found.unsupported) == ((), ())
