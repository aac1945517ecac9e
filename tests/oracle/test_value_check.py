"""`value`: true programs hold, planted faults are found behind the right pass, real ones too."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from language import one_block
from samples import A, B, every_op, function, resource

from oracle.checks.base import Subject
from oracle.checks.value import Value as ValueCheck
from oracle.compiling import stages
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.verdict import Fault, Verdict
from reference.ir import Block, Operation, Program, Region, map_operations
from reference.ops import (
    Await,
    Binding,
    Call,
    Clone,
    Concurrent,
    Copy,
    Dispatch,
    Execute,
    Export,
    Fill,
    Return,
    StreamYield,
    Transfer,
)
from reference.ops.assembly import Range
from reference.releases import release_rules
from reference.text import print_program
from reference.types import BUFFER_VIEW, I8, TIMEPOINT, Lifetime, Literal, Value

MEDDLING = Path(__file__).with_name("meddling_worker.py")
RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
NINE = Literal(9, I8)
EXTERNAL = Lifetime.EXTERNAL

_PLACED = "place-transfer-executions"

needs_placement_pass = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="this release has no placement pass"
)


def dispatch(name: str, kernel: str, *sources: Value, tied: bool = False) -> Dispatch:
    """A kernel over whole values; `tied` writes over the first."""
    output = replace(sources[0], name=name) if tied else resource(name)
    return Dispatch(
        identity=name, kernel=f"ex::{kernel}", workload=(),
        arguments=tuple(Binding(source, Range.of(0, 16)) for source in sources),
        outputs=(output,), ties=(0 if tied else None,), affinity=A,
    )  # fmt: skip


def external(name: str, source: Value) -> Transfer:
    return Transfer(
        identity=name, source=source, result=resource(name, EXTERNAL), source_affinity=A,
        target_affinity=A,
    )  # fmt: skip


def fill(name: str, target: Value, start: int = 0, length: int = 4) -> Fill:
    return Fill(
        identity=name, pattern=NINE, target=target, span=Range.of(start, length),
        result=replace(target, name=name), affinity=A,
    )  # fmt: skip


ONE, OTHER = resource("one", EXTERNAL), resource("other", EXTERNAL)


def well_meant() -> Program:
    """A value is read, written over and read again, on two devices."""
    made = dispatch("made", "a_r_n", ONE)
    saved = Clone(identity="saved", source=OTHER, result=replace(OTHER, name="saved"), affinity=A)
    copied = Copy(
        identity="copied", source=ONE, source_span=Range.of(0, 4), target=saved.result,
        target_span=Range.of(8, 4), result=resource("copied", EXTERNAL), affinity=A,
    )  # fmt: skip
    seen = dispatch("seen", "c_rr_n", made.outputs[0], copied.result)
    filled = fill("filled", made.outputs[0])
    worked = dispatch("worked", "a_wr_t", filled.result, OTHER, tied=True)
    mixed = dispatch("mixed", "a_rr_n", seen.outputs[0], worked.outputs[0])
    sent = Transfer(
        identity="sent", source=mixed.outputs[0], result=resource("sent"), source_affinity=A,
        target_affinity=B,
    )  # fmt: skip
    far = replace(dispatch("far", "b_r_n", sent.result), affinity=B)
    back = Transfer(
        identity="back", source=far.outputs[0], result=resource("back", EXTERNAL),
        source_affinity=B, target_affinity=B,
    )  # fmt: skip
    operations = (made, saved, copied, seen, filled, worked, mixed, sent, far, back)
    main = function(*operations, returned(copied.result, back.result), arguments=(ONE, OTHER))
    return Program((A.device, B.device), (main,))


def returned(*values: Value) -> Operation:
    return Return(identity="end", values=values)


def subject(whole: Program, plant: str | None = None, text: str | None = None) -> Subject:
    note = "" if plant is None else f"// plant: {plant}\n"
    return Subject(note + (text or print_program(whole)), whole, RELEASE, RELEASE, resolved=True)


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=MEDDLING)
    with Examiner(settings, [ValueCheck()]) as one:
        yield one


def examined(examiner: Examiner, asked: Subject) -> Examination:
    (examination,) = examiner.examine([asked])
    assert examination.invalid is None
    return examination


def only_fault(examiner: Examiner, asked: Subject) -> Fault:
    (fault,) = examined(examiner, asked).faults
    assert fault.check == "value"
    return fault


def test_a_true_program_holds(examiner: Examiner) -> None:
    found = examined(examiner, subject(well_meant()))
    assert (found.faults, found.unsupported) == ((), ())
    assert [one.verdict for one in found.judgements] == [Verdict.AGREE]


@needs_placement_pass
@pytest.mark.parametrize(
    ("plant", "stage", "shape", "verdict"),
    [
        (
            "read-after-write", _PLACED, "written-over/reordered", Verdict.WRONG_VALUE,
        ),
        (
            "no-copy-before-write", _PLACED,
            "written-over/without-clone/directly", Verdict.WRONG_VALUE,
        ),
        ("other-range", _PLACED, "changed/copy/in-place", Verdict.WRONG_VALUE),
        ("other-bytes", _PLACED, "changed/fill/in-place", Verdict.WRONG_VALUE),
        ("other-kernel", _PLACED, "changed/dispatch/in-place", Verdict.WRONG_VALUE),
        ("beyond-the-end", _PLACED, "changed/run", Verdict.WRONG_VALUE),
        (
            "region-not-ordered", "schedule-execution",
            "written-over/reordered", Verdict.WRONG_VALUE,
        ),
        ("canonical-otherwise", "canonicalize", "changed/fill/in-place", Verdict.WRONG_VALUE),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found_behind_its_pass(
    examiner: Examiner, plant: str, stage: str, shape: str, verdict: Verdict
) -> None:
    asked = subject(well_meant(), plant)
    fault = only_fault(examiner, asked)
    assert (fault.stage, fault.verdict) == (stage, verdict)
    assert fault.signature == f"value/{stage}/{shape}"
    word = examiner.confirm(asked, fault)
    assert not word.confirmed
    assert word.commands


def test_a_stage_in_parts_is_the_same_passes() -> None:
    """What follows a pass is told apart from it, and nothing is lost or moved."""
    whole = {stage.name: stage for stage in stages.pipeline("3.13", "lean")}
    parts = stages.parts(whole["elide-async-copies-again"])
    assert [part.name for part in parts] == ["elide-async-copies-again", "canonicalize", "cse"]
    assert parts[1:] == (stages.CANONICALIZE, stages.CSE)
    (own, cleanup) = stages.parts(whole["copy-on-write"])
    assert cleanup == stages.CANONICALIZE
    assert own.pipeline.count("iree-stream-materialize-copy-on-write") == 3
    for stage in whole.values():
        found = re.findall(r"[\w-]+", stage.pipeline)
        told = re.findall(r"[\w-]+", "".join(part.pipeline for part in stages.parts(stage)))
        passes = Counter(name for name in found if "-" in name or name in ("canonicalize", "cse"))
        assert passes == Counter(
            name for name in told if "-" in name or name in ("canonicalize", "cse")
        )


# Real faults, and what accuses nobody


def shown_then_written() -> Program:
    """A view goes back to the caller before its memory is written over in place.

    IREE 3.13 and before drop the copy that keeps them apart: `ElideAsyncCopies` looks for reads
    behind the write only, and the caller reads at the end.
    """
    view = Value("view", BUFFER_VIEW)
    given = resource("given")
    made = replace(external("made", given), target_affinity=B)
    shown = Export(
        identity="shown", source=made.result, encoding="tensor<4xi32>", dimensions=(),
        result=view, affinity=B,
    )  # fmt: skip
    filled = replace(fill("filled", made.result), affinity=B)
    end = returned(view, filled.result)
    main = function(made, shown, filled, end, arguments=(given,))
    return Program((A.device, B.device), (main,))


@pytest.mark.skipif(RELEASE.version > "3.13", reason="may be mended")
def test_a_real_fault_is_confirmed_by_stock_tools(examiner: Examiner) -> None:
    asked = subject(shown_then_written())
    fault = only_fault(examiner, asked)
    assert fault.signature == ("value/elide-async-copies/written-over/without-clone/exported")
    assert "filled" in fault.message
    assert "argument 0 of @main" in fault.expected
    assert fault.expected != fault.actual
    word = examiner.confirm(asked, fault)
    assert word.confirmed
    assert all("iree-opt" in command for command in word.commands)


def judged(examiner: Examiner, asked: Subject) -> tuple[tuple[Fault, ...], tuple[str, ...]]:
    found = examined(examiner, asked)
    return found.faults, found.unsupported


def test_a_module_that_is_not_read_whole_is_unsupported(examiner: Examiner) -> None:
    asked = replace(subject(well_meant()), program=None)
    faults, unsupported = judged(examiner, asked)
    assert not faults
    assert "does not know whole" in unsupported[0]


def test_bytes_that_nobody_wrote_leave_all_open(examiner: Examiner) -> None:
    faults, unsupported = judged(examiner, subject(every_op()))
    assert not faults
    assert "nobody wrote" in unsupported[0]


def test_a_program_that_reads_beyond_the_end_is_not_judged(examiner: Examiner) -> None:
    whole = well_meant()
    (main,) = whole.functions
    beyond = map_operations(main.body, lambda op: fill("filled", op.target, 14, 4)
                            if isinstance(op, Fill) else op)  # fmt: skip
    asked = Subject(
        print_program(whole), replace(whole, functions=(replace(main, body=beyond),)), RELEASE,
        RELEASE, resolved=True,
    )  # fmt: skip
    faults, unsupported = judged(examiner, asked)
    assert not faults
    assert "bytes [14, 18) of 16" in unsupported[0]


def test_what_is_not_modelled_is_named(examiner: Examiner) -> None:
    whole = shown_then_written()
    (main,) = whole.functions
    (block,) = main.body.blocks
    body = Region((Block((Call(identity="call", callee="odd", arguments=(), outputs=()),
                          *block.operations), block.arguments),))  # fmt: skip
    asked = Subject(
        print_program(whole), replace(whole, functions=(replace(main, body=body),)), RELEASE,
        RELEASE, resolved=True,
    )  # fmt: skip
    faults, unsupported = judged(examiner, asked)
    assert not faults
    assert "@odd" in unsupported[0]


@needs_placement_pass
def test_a_program_that_is_merely_valid_accuses_nobody(examiner: Examiner) -> None:
    """Its transfer comes from where its source does not live."""
    whole = well_meant()
    (main,) = whole.functions
    astray = map_operations(
        main.body,
        lambda op: replace(op, source_affinity=B) if op.identity == "sent" else op,  # type: ignore[type-var]
    )
    stray = replace(whole, functions=(replace(main, body=astray),))
    faults, unsupported = judged(examiner, subject(stray, "other-bytes"))
    assert not faults
    assert "not well-formed" in unsupported[0]


# Scheduled programs


def scheduled(wave: bool = False, reads: str = "out") -> Program:
    """One region writes what another reads, which waits for it; `reads` is what it reads."""
    done, inner, other = Value("done", TIMEPOINT), resource("inner"), resource("other_inner")
    filled = fill("filled", inner)
    first = Execute(
        identity="first", captures=(resource("given"),), awaits=None,
        outputs=(resource("out"),), timepoint=done, ties=(0,),
        body=one_block(
            filled, StreamYield(identity="y0", values=(filled.result,)), arguments=(inner,)
        ),
        affinity=A,
    )  # fmt: skip
    copied = Clone(identity="copied", source=other, result=resource("copied"), affinity=A)
    members: tuple[Operation, ...] = (copied,)
    if wave:
        seen = resource("seen")
        members = (
            Concurrent(
                identity="wave", captures=(other,), outputs=(copied.result,),
                body=one_block(
                    replace(copied, source=seen, result=resource("waved")),
                    StreamYield(identity="y2", values=(resource("waved"),)), arguments=(seen,),
                ),
            ),
        )  # fmt: skip
    second = Execute(
        identity="second", captures=(resource(reads),), awaits=done,
        outputs=(resource("read"),), timepoint=Value("read_done", TIMEPOINT),
        body=one_block(
            *members, StreamYield(identity="y1", values=(copied.result,)), arguments=(other,)
        ),
        affinity=A,
    )  # fmt: skip
    waited = Await(
        identity="waited", awaits=second.timepoint, sources=(resource("read"),),
        outputs=(resource("result"),),
    )  # fmt: skip
    given = resource("given")
    main = function(first, second, waited, returned(waited.outputs[0]), arguments=(given,))
    return Program((A.device, B.device), (main,))


@pytest.mark.parametrize("wave", [False, True])
def test_scheduled_programs_are_looked_at_from_there_on(examiner: Examiner, wave: bool) -> None:
    asked = subject(scheduled(wave))
    question, _ = ValueCheck().questions(asked)
    first = "propagate-timepoints" if wave else "schedule-concurrency"
    assert question.stages[1] == first
    assert judged(examiner, asked) == ((), ())


def test_what_is_wrong_as_written_accuses_nobody(examiner: Examiner) -> None:
    faults, unsupported = judged(examiner, subject(scheduled(reads="given")))
    assert not faults
    assert "as written" in unsupported[0]


@needs_placement_pass
def test_a_wait_that_is_lost_leaves_the_values_as_they_are(examiner: Examiner) -> None:
    """Who comes first is left open: `hazard` tells that."""
    assert judged(examiner, subject(well_meant(), "lost-wait")) == ((), ())


def test_work_that_nobody_waits_for_is_left_out(examiner: Examiner) -> None:
    asked = subject(scheduled(), "lost-wait")
    fault = only_fault(examiner, asked)
    assert fault.signature == "value/canonicalize/changed/in-memory/result"
    assert not examiner.confirm(asked, fault).confirmed
