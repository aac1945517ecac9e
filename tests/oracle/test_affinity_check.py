"""The `affinity` check against the real compiler: agrees, fires on planted lies, is confirmed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from samples import Ask, installed_rules

from oracle.checks import CHECKS
from oracle.checks.affinity import AffinityAgreement
from oracle.checks.base import Subject
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.reader import read_program
from oracle.verdict import Judgement, Verdict
from reference.affinity import Affinity
from reference.analysis import analyze

LYING = Path(__file__).with_name("lying_annotator.py")
RULES = installed_rules()
A, B = "#hal.device.affinity<@dev_a>", "#hal.device.affinity<@dev_b>"
R = "!stream.resource<transient>"
S = f"{R}{{%c16}}"

HEAD = f"""
util.global private @dev_a : !hal.device
util.global private @dev_b : !hal.device
util.global private mutable @kept : {R}
util.func private @helper(%given: {R}) -> {R} {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %filled = stream.async.fill on({B}) %c7, %given[%c0 to %c16 for %c16]
      : i32 -> %given as {S} loc("filled")
  util.return %filled : {R} loc("helped")
}}
"""

PROGRAM = f"""{HEAD}
util.func public @main(%choice: i1, %count: index) -> ({R}, {R}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %made = stream.async.splat on({A}) %c7 : i32 -> {S} loc("made")
  %kept = util.global.load @kept : {R} loc("kept")
  %called = util.call @helper(%made) : ({R}) -> {R} loc("called")
  %looped = scf.for %index = %c0 to %count step %c1 iter_args(%turn = %called) -> ({R}) {{
    %chosen = scf.if %choice -> ({R}) {{
      %moved = stream.async.transfer %turn : {S} from({A}) -> to({B}) {S} loc("moved")
      scf.yield %moved : {R} loc("then")
    }} else {{
      scf.yield %kept : {R} loc("else")
    }} loc("chosen")
    util.global.store %chosen, @kept : {R} loc("store")
    scf.yield %chosen : {R} loc("yield")
  }} loc("looped")
  %work = stream.async.dispatch on({A}) @ex::@d(%looped[%c0 to %c16 for %c16])
      : ({S}) -> {S} loc("work")
  util.return %looped, %work : {R}, {R} loc("end")
}}
"""

UNRESOLVED = f"""
util.global private @dev_a : !hal.device
util.global private @dev_b : !hal.device
util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %given = stream.tensor.import on({A}) %view : !hal.buffer_view
      -> tensor<4xi32> in !stream.resource<external>{{%c16}} loc("given")
  %sent = stream.async.transfer %given : !stream.resource<external>{{%c16}} from({A})
      -> to({B}) !stream.resource<*>{{%c16}} loc("sent")
  %work = stream.async.dispatch on({B}) @ex::@d(%sent[%c0 to %c16 for %c16])
      : (!stream.resource<*>{{%c16}}) -> !stream.resource<*>{{%c16}} loc("work")
  %back = stream.async.transfer %work : !stream.resource<*>{{%c16}} from({B})
      -> to({A}) !stream.resource<external>{{%c16}} loc("back")
  %shown = stream.tensor.export on({A}) %back
      : tensor<4xi32> in !stream.resource<external>{{%c16}} -> !hal.buffer_view loc("shown")
  util.return %shown : !hal.buffer_view loc("end")
}}
"""

LOST = f"""
util.global private @dev_a : !hal.device
util.func private @inner(%s: {R}) -> {R} {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %now = stream.timepoint.immediate => !stream.timepoint
  %0 = stream.async.fill %c7, %s[%c0 to %c16 for %c16] : i32 -> %s as {S}
  %1 = stream.timepoint.await %now => %0 : {S}
  %2 = stream.timepoint.await %now => %1 : {S}
  %3 = stream.async.fill %c7, %2[%c0 to %c16 for %c16] : i32 -> %2 as {S}
  stream.async.dispatch on({A}) @ex::@d(%3[%c0 to %c16 for %c16]) : ({S}) -> ()
  %4 = stream.async.fill %c7, %3[%c0 to %c16 for %c16] : i32 -> %3 as {S}
  %5 = stream.timepoint.await %now => %4 : {S}
  util.return %5 : {R}
}}
util.func private @outer(%s: {R}) -> {R} {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %0 = stream.async.fill %c7, %s[%c0 to %c16 for %c16] : i32 -> %s as {S}
  %1 = util.call @inner(%0) : ({R}) -> {R}
  %2 = stream.async.fill %c7, %1[%c0 to %c16 for %c16] : i32 -> %1 as {S}
  %3 = stream.async.fill %c7, %2[%c0 to %c16 for %c16] : i32 -> %2 as {S}
  %4 = util.call @inner(%3) : ({R}) -> {R}
  util.return %4 : {R}
}}
"""
"""%4 of @inner is the same storage as %5, and is said to be used nowhere while %5 is used on A:
that %5 is used there is told to nobody (`reference/analysis/solver.py`, what is taken directly)."""


def chain(length: int) -> str:
    """A value that says nothing of its place, filled in place again and again, used on B."""
    fills = "\n".join(
        f"  %v{place + 1} = stream.async.fill %c7, %v{place}[%c0 to %c16 for %c16] "
        f": i32 -> %v{place} as {S}"
        for place in range(length)
    )
    return f"""{HEAD}
util.func public @main() {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %v0 = stream.async.splat %c7 : i32 -> {S}
{fills}
  stream.async.dispatch on({B}) @ex::@d(%v{length}[%c0 to %c16 for %c16]) : ({S}) -> ()
  util.return
}}
"""


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)
    with Examiner(settings, [AffinityAgreement()]) as one:
        yield one


@pytest.fixture
def read(ask: Ask) -> Callable[..., Subject]:
    """From a module's text to a subject."""

    def subject(text: str, plant: str | None = None, *, resolved: bool = True) -> Subject:
        (raw,) = ask(text, ["read"])
        program = read_program(raw)
        assert program.complete
        note = "" if plant is None else f"// plant: {plant}\n"
        return Subject(note + text, program.program, RULES, RULES, resolved=resolved)

    return subject


def judged(examiner: Examiner, asked: Subject) -> Judgement:
    (found,) = examiner.examine([asked])
    assert found.invalid is None
    (judgement,) = found.judgements
    return judgement


@pytest.mark.parametrize(("text", "resolved"), [(PROGRAM, True), (UNRESOLVED, False)])
def test_true_programs_agree(
    examiner: Examiner, read: Callable[..., Subject], text: str, resolved: bool
) -> None:
    judgement = judged(examiner, read(text, resolved=resolved))
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())


def test_every_point_is_asked_once() -> None:
    resolved = Subject(PROGRAM, None, RULES, RULES, resolved=True)
    check = AffinityAgreement()
    assert len(check.questions(resolved)) == 2
    assert len(check.questions(replace(resolved, resolved=False))) == 3
    scheduled = replace(resolved, text="stream.async.execute")
    assert len(check.questions(scheduled)) == 1


PLANTED = (
    ("runs-elsewhere", "execution/dispatch/different"),
    ("lives-wider", "operands/fill/wider/of-argument"),
    ("used-narrower", "results-usage/splat/narrower/of-splat"),
    ("used-out-of-order", "results-usage/splat/order/of-splat"),
    ("made-unknown", "results/for/unknown/of-for"),
    ("made-unsaid", "results/for/missing"),
    ("made-twice", "results/for/other-number"),
    ("made-unasked", "results/return/unexpected"),
    ("argument-unknown", "operands/call/unknown/of-splat"),
)


@pytest.mark.parametrize(("plant", "shape"), PLANTED)
def test_a_planted_fault_fires_and_stock_tools_do_not_confirm_it(
    examiner: Examiner, read: Callable[..., Subject], plant: str, shape: str
) -> None:
    asked = read(PROGRAM, plant)
    (fault,) = judged(examiner, asked).faults
    assert fault.signature == f"affinity/annotate-affinities/{shape}"
    assert fault.verdict is Verdict.DISAGREE
    assert fault.expected != fault.actual
    word = examiner.confirm(asked, fault)
    assert not word.confirmed
    assert all(command.startswith("iree-opt") for command in word.commands)


TIED = f"""{HEAD}
util.func public @main() {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %made = stream.async.splat on({A}) %c7 : i32 -> {S}
  %work = stream.async.dispatch on({B}) @ex::@d(%made[%c0 to %c16 for %c16])
      : ({S}) -> %made{{%c16}}
  util.return
}}
"""


def test_what_the_rules_of_another_release_say_is_confirmed_by_stock_tools(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    other = not RULES.dispatch_affinity_reaches_tied_results
    rules = replace(RULES, dispatch_affinity_reaches_tied_results=other)
    asked = replace(read(TIED), rules=rules)
    (fault,) = judged(examiner, asked).faults
    relation = "narrower" if other else "wider"
    assert fault.shape == ("results", "dispatch", relation, "of-dispatch")
    assert examiner.confirm(asked, fault).confirmed
    assert judged(examiner, read(TIED)).verdict is Verdict.AGREE


def test_points_that_were_reached_are_judged_though_a_later_one_was_not(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    """The scheduler refuses a value behind two barriers that is written over."""
    behind = f"""
  %b1 = stream.async.barrier on({B}) %work : {S}
  %b2 = stream.async.barrier on({B}) %b1 : {S}
  %over = stream.async.fill on({B}) %c7, %b2[%c0 to %c16 for %c16] : i32 -> %b2 as {S}
  %more = stream.async.dispatch on({B}) @ex::@d(%over[%c0 to %c16 for %c16]) : ({S}) -> {S}
  util.optimization_barrier %more : !stream.resource<transient>
  util.return"""
    start, _, end = TIED.rpartition("\n  util.return")
    asked = read(f"{start}{behind}{end}")
    (refusal,) = judged(examiner, asked).faults
    assert (refusal.check, refusal.stage) == ("accept", "schedule-execution")
    other = not RULES.dispatch_affinity_reaches_tied_results
    rules = replace(RULES, dispatch_affinity_reaches_tied_results=other)
    judgement = judged(examiner, replace(asked, rules=rules))
    assert judgement.verdict is Verdict.DISAGREE
    assert [fault.check for fault in judgement.faults] == ["affinity", "accept"]
    with Examiner(
        ExaminerSettings(Path(sys.executable)), [CHECKS["accept"], CHECKS["affinity"]]
    ) as both:
        (examination,) = both.examine([replace(asked, rules=rules)])
        assert [len(one.faults) for one in examination.judgements] == [1, 2]


def test_where_the_analysis_gives_up_is_foreseen(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    assert judged(examiner, read(chain(65))).faults == ()
    judgement = judged(examiner, read(chain(66)))
    assert judgement.verdict is Verdict.AGREE
    assert judgement.foreseen
    assert [fault.check for fault in judgement.faults] == ["accept"]
    # As if scheduled, so that no other pass is asked.
    asked = read(f"// stream.async.execute\n{chain(66)}", "skip-annotation")
    (fault,) = judged(examiner, asked).faults
    assert fault.shape == ("converged-unforeseen",)


def test_a_refusal_that_the_model_has_no_say_in_is_accept_s(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    check, asked = AffinityAgreement(), read(PROGRAM)
    assert check.foresees(asked, "annotate-affinities") is False
    assert check.foresees(asked, "annotate-affinities-before-allocation") is None
    assert check.foresees(replace(asked, program=None), "annotate-affinities") is None


def test_members_that_nobody_was_told_of_are_missing_in_the_compiler_too(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    asked = read(LOST)
    judgement = judged(examiner, asked)
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())
    program = asked.program
    assert program is not None
    filled, awaited = program.functions[0].entry.operations[-3:-1]
    analysis = analyze(program, RULES)
    assert analysis.usage(0, filled.results[0]) is None
    assert analysis.usage(0, awaited.results[0]) == (Affinity("dev_a"),)


def test_what_the_model_does_not_know_is_named(examiner: Examiner) -> None:
    text = f"""{HEAD}
util.func public @main() {{
  %0 = stream.channel.create : !stream.channel
  util.return
}}
"""
    judgement = judged(examiner, Subject(text, None, RULES, RULES, resolved=True))
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert any("stream.channel.create" in item for item in judgement.unsupported)


TENSORS = f"""
util.global private @dev_a : !hal.device
util.global private @dev_b : !hal.device
util.global private mutable @weights : tensor<4xi32>
util.func public @main(%view: !hal.buffer_view) -> !hal.buffer_view {{
  %given = hal.tensor.import on({A}) %view : !hal.buffer_view -> tensor<4xi32>
  %table = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %weights = util.global.load @weights : tensor<4xi32>
  %work = flow.dispatch @ex::@d(%given, %table, %weights)
      : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %sent = flow.tensor.transfer %work : tensor<4xi32> to {B}
  util.global.store %sent, @weights : tensor<4xi32>
  %shown = hal.tensor.export on({B}) %sent : tensor<4xi32> -> !hal.buffer_view
  util.return %shown : !hal.buffer_view
}}
"""


def test_tensors_are_followed_too(examiner: Examiner) -> None:
    judgement = judged(examiner, Subject(TENSORS, None, RULES, RULES, resolved=False))
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())
