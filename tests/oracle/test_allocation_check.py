"""The `allocation` check: holds for true programs, fires on planted lies, tells what is wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from samples import Ask, installed_rules

from oracle.checks.allocation import AllocationAgreement
from oracle.checks.base import Subject
from oracle.corpus import default_corpus
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.allocated import FOUND, allocated
from oracle.reading.reader import read_program
from oracle.verdict import Judgement, Verdict
from reference.affinity import Affinity
from reference.allocation import AllocationKind
from reference.types import Lifetime

LYING = Path(__file__).with_name("lying_allocator.py")
RULES = installed_rules()
ALLOCATION = "builtin.module(iree-stream-schedule-allocation)"

HEAD = """
util.global private @dev_a : !hal.device
util.global private @dev_b : !hal.device
"""

PROGRAM = f"""{HEAD}
util.func public @main(%view: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %given = stream.tensor.import %view : !hal.buffer_view
      -> tensor<4xi32> in !stream.resource<external>{{%c16}} loc("given")
  %one = stream.async.dispatch on(#hal.device.affinity<@dev_a>)
      @ex::@one(%given[%c0 to %c16 for %c16])
      : (!stream.resource<external>{{%c16}}) -> !stream.resource<transient>{{%c16}} loc("one")
  %two = stream.async.dispatch on(#hal.device.affinity<@dev_a>)
      @ex::@two(%one[%c0 to %c16 for %c16])
      : (!stream.resource<transient>{{%c16}}) -> !stream.resource<external>{{%c16}} loc("two")
  %sent = stream.async.transfer %two : !stream.resource<external>{{%c16}}
      from(#hal.device.affinity<@dev_a>)
      -> to(#hal.device.affinity<@dev_b>) !stream.resource<external>{{%c16}} loc("sent")
  %table = stream.async.constant on(#hal.device.affinity<@dev_b>)
      : !stream.resource<constant>{{%c16}} = dense<[1, 2, 3, 4]> : tensor<4xi32> loc("table")
  %three = stream.async.dispatch on(#hal.device.affinity<@dev_b>)
      @ex::@three(%sent[%c0 to %c16 for %c16], %table[%c0 to %c16 for %c16])
      : (!stream.resource<external>{{%c16}}, !stream.resource<constant>{{%c16}})
      -> !stream.resource<external>{{%c16}} loc("three")
  %first = stream.tensor.export %two : tensor<4xi32> in !stream.resource<external>{{%c16}}
      -> !hal.buffer_view loc("first")
  %last = stream.tensor.export on(#hal.device.affinity<@dev_b>) %three
      : tensor<4xi32> in !stream.resource<external>{{%c16}} -> !hal.buffer_view loc("last")
  util.return %first, %last : !hal.buffer_view, !hal.buffer_view loc("end")
}}
"""

SCHEDULED = f"""{HEAD}
util.func public @main(%size: index) -> !stream.resource<external> {{
  %c7 = arith.constant 7 : i32
  %made, %done = stream.async.execute on(#hal.device.affinity<@dev_a>)
      with() -> !stream.resource<external>{{%size}} {{
    %splat = stream.async.splat %c7 : i32 -> !stream.resource<transient>{{%size}} loc("splat")
    %clone = stream.async.clone %splat : !stream.resource<transient>{{%size}}
        -> !stream.resource<external>{{%size}} loc("clone")
    stream.yield %clone : !stream.resource<external>{{%size}} loc("yield")
  }} => !stream.timepoint loc("region")
  %ready = stream.timepoint.await %done => %made : !stream.resource<external>{{%size}} loc("await")
  util.return %ready : !stream.resource<external> loc("end")
}}
"""


@pytest.fixture(scope="module")
def examiner() -> Iterator[Examiner]:
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)
    with Examiner(settings, [AllocationAgreement()]) as one:
        yield one


@pytest.fixture
def read(ask: Ask) -> Callable[[str], Subject]:
    """From a module's text to a subject."""

    def subject(text: str, plant: str | None = None) -> Subject:
        (raw,) = ask(text, ["read"])
        program = read_program(raw)
        assert program.complete
        note = "" if plant is None else f"// plant: {plant}\n"
        return Subject(note + text, program.program, RULES, RULES, resolved=True)

    return subject


def judged(examiner: Examiner, asked: Subject) -> Judgement:
    (found,) = examiner.examine([asked])
    assert found.invalid is None
    (judgement,) = found.judgements
    return judgement


@pytest.mark.parametrize("text", [PROGRAM, SCHEDULED], ids=["stream", "scheduled"])
def test_true_programs_agree(examiner: Examiner, read: Callable[..., Subject], text: str) -> None:
    judgement = judged(examiner, read(text))
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())


CONSTANT = (
    "%cst = stream.async.constant : !stream.resource<constant>{%c16} = "
    'dense<[1, 2, 3, 4]> : tensor<4xi32> loc("cst")'
)


def region(*lines: str, results: int = 1, captures: str = "", ties: Sequence[str] = ()) -> str:
    """A function with one region; `ties` are what stands in a result's place."""
    kinds = ", ".join([*ties, *["!stream.resource<constant>{%c16}"] * (results - len(ties))])
    made = ", ".join(f"%made{place}" for place in range(results))
    ready = ", ".join(f"%ready{place}" for place in range(results))
    sized = ", ".join(["!stream.resource<constant>{%c16}"] * results)
    plain = ", ".join(["!stream.resource<constant>"] * results)
    body = "\n    ".join(lines)
    return f"""{HEAD}
util.func public @main(%given: !stream.resource<constant>) -> ({plain}) {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  {made}, %done = stream.async.execute on(#hal.device.affinity<@dev_a>)
      with({captures}) -> ({kinds}) {{
    {body}
  }} => !stream.timepoint loc("region")
  {ready} = stream.timepoint.await %done => {made} : {sized} loc("await")
  util.return {ready} : {plain} loc("end")
}}
"""


KIND = "!stream.resource<constant>{%c16}"
CAPTURE = f"%given as %argument: {KIND}"
FILLED = "stream.async.fill %c7, {0}[%c0 to %c4 for %c4] : i32 -> {0} as " + KIND
QUIRKS = {
    "a constant leaves": region(CONSTANT, f"stream.yield %cst : {KIND}"),
    "a constant leaves twice": region(
        CONSTANT, f"stream.yield %cst, %cst : {KIND}, {KIND}", results=2
    ),
    "a constant leaves in place and as itself": region(
        CONSTANT,
        f"%same = stream.async.barrier %cst : {KIND}",
        f"stream.yield %same, %cst : {KIND}, {KIND}",
        results=2,
    ),
    "a constant in a wave": region(
        f"%wave = stream.async.concurrent with() -> {KIND} {{",
        CONSTANT,
        f"stream.yield %cst : {KIND}",
        "}",
        f"stream.yield %wave : {KIND}",
    ),
    "a constant that nothing takes": region(
        CONSTANT,
        f"%splat = stream.async.splat %c7 : i32 -> {KIND}",
        f"stream.yield %splat : {KIND}",
    ),
    "a transient constant": region(
        CONSTANT.replace("<constant>", "<transient>"),
        f"%copy = stream.async.clone %cst : {KIND.replace('constant', 'transient')} -> {KIND}",
        f"stream.yield %copy : {KIND}",
    ),
    "values of a wave that nothing takes": region(
        f"%wave = stream.async.concurrent with({CAPTURE.replace('given', 'outer')}) -> {KIND} {{",
        f"%unused = stream.async.splat %c7 : i32 -> {KIND}",
        f"%other = stream.async.splat %c7 : i32 -> {KIND}",
        f"%copy = stream.async.clone %argument : {KIND} -> {KIND}",
        f"stream.yield %copy : {KIND}",
        "}",
        f"stream.yield %wave : {KIND}",
        captures=CAPTURE.replace("argument", "outer"),
    ),
    "a result tied to an operand": region(
        f"%made = stream.async.splat %c7 : i32 -> {KIND}",
        f"stream.yield %made : {KIND}",
        captures=CAPTURE,
        ties=[f"%given as {KIND}"],
    ),
    "an argument handed through": region(
        f"stream.yield %argument : {KIND}", captures=CAPTURE
    ),
    "a result sent elsewhere": region(
        f"%sent = stream.async.transfer %argument : {KIND} from(#hal.device.affinity<@dev_a>) "
        f"-> to(#hal.device.affinity<@dev_b>) {KIND}",
        f"%made = stream.async.splat %c7 : i32 -> {KIND}",
        f"stream.yield %made, %sent : {KIND}, {KIND}",
        captures=CAPTURE,
        results=2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", QUIRKS.values(), ids=QUIRKS)
def test_rules_that_no_pipeline_shows_are_the_compiler_s(
    examiner: Examiner, read: Callable[..., Subject], text: str
) -> None:
    judgement = judged(examiner, read(text))
    assert (judgement.verdict, judgement.faults, judgement.unsupported) == (Verdict.AGREE, (), ())


def test_slices_in_an_order_that_changes_from_run_to_run_agree(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    """A pass that packs in the order of addresses: `corpus/known/` has it."""
    (entry,) = (default_corpus() / "known").glob(
        "scheduleallocation-packs-slices-in-an-order*.mlir"
    )
    asked = read(entry.read_text())
    for _ in range(4):
        assert judged(examiner, asked).verdict is Verdict.AGREE


def test_initializers_and_several_functions_are_compared_each_for_itself(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    """An initializer may stand behind functions: the model tells it before them."""
    made = region(CONSTANT, f"stream.yield %cst : {KIND}").removeprefix(HEAD)
    setup = f"""
util.global private @kept : !stream.resource<constant>
util.initializer {{
  %c16 = arith.constant 16 : index
  %made, %done = stream.async.execute on(#hal.device.affinity<@dev_b>) with() -> {KIND} {{
    {CONSTANT}
    stream.yield %cst : {KIND}
  }} => !stream.timepoint loc("setup")
  %ready = stream.timepoint.await %done => %made : {KIND}
  util.global.store %ready, @kept : !stream.resource<constant>
  util.return
}}
"""
    other = made.replace("@main", "@other").replace("@dev_a", "@dev_b")
    text = "\n".join([HEAD, made, setup, other])
    assert judged(examiner, read(text)).verdict is Verdict.AGREE


def test_what_the_model_does_not_know_is_named(examiner: Examiner) -> None:
    text = SCHEDULED + "stream.async.func private @odd(%a: !stream.resource<*>) -> %a"
    judgement = judged(examiner, Subject(text, None, RULES, RULES, resolved=True))
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "stream.async.func" in judgement.unsupported[0]


def test_an_op_that_only_a_comment_names_does_not_make_a_program_scheduled() -> None:
    text = "util.func private @f() {\n  // CHECK: stream.async.execute\n  util.return\n}\n"
    for code, before in ((text, True), (text.replace("// CHECK:", ""), False)):
        subject = Subject(code, None, RULES, RULES, resolved=True)
        (question,) = AllocationAgreement().questions(subject)
        assert ("refine-usage" in question.stages) is before


def test_storage_that_is_there_before_the_pass_is_named(examiner: Examiner) -> None:
    text = """util.func public @f(%given: !stream.resource<transient>) -> !stream.timepoint {
      %size = arith.constant 16 : index
      %gone = stream.resource.dealloca %given
          : !stream.resource<transient>{%size} => !stream.timepoint
      util.return %gone : !stream.timepoint
    }"""
    judgement = judged(examiner, Subject(text, None, RULES, RULES, resolved=True))
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert any("stream.resource.dealloca" in item for item in judgement.unsupported)


def test_an_affinity_that_the_model_does_not_know_is_named(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    judgement = judged(examiner, read(SCHEDULED, "unreadable"))
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.unsupported == ("stream.resource.alloca on #other.affinity<7>",)


_TRANSIENTS = "transients/transient"

PLANTED = (
    (SCHEDULED, "elsewhere", "results/external/affinity-other-members"),
    (SCHEDULED, "anywhere", "results/external/affinity-extra-member"),
    (SCHEDULED, "on-one-queue", "results/external/affinity-other-queues"),
    (
        QUIRKS["a result sent elsewhere"], "on-one",
        "results/constant/affinity-missing-member",
    ),
    (SCHEDULED, "nowhere", "results/external/affinity-absent"),
    (SCHEDULED, "other-lifetime", "results/external/made-staging"),
    (SCHEDULED, "gone", "missing/results/external"),
    (SCHEDULED, "twice", "unforeseen/results/external"),
    (SCHEDULED, "kept", f"{_TRANSIENTS}/made-as-results/released-elsewhere"),
    (SCHEDULED, "released-elsewhere", f"{_TRANSIENTS}/released-elsewhere"),
    (SCHEDULED, "unpacked", f"{_TRANSIENTS}/other-values"),
    (PROGRAM, "elsewhere", "results/external/affinity-other-members"),
    (PROGRAM, "released-elsewhere", f"{_TRANSIENTS}/released-elsewhere"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "plant", "shape"), PLANTED)
def test_a_planted_fault_fires_and_stock_tools_do_not_confirm_it(
    examiner: Examiner, read: Callable[..., Subject], text: str, plant: str, shape: str
) -> None:
    asked = read(text, plant)
    (fault,) = judged(examiner, asked).faults
    assert fault.signature == f"allocation/schedule-allocation/{shape}"
    assert fault.verdict is Verdict.DISAGREE
    assert fault.expected != fault.actual
    assert "is expected to be given" in fault.message
    word = examiner.confirm(asked, fault)
    assert not word.confirmed
    assert all(command.startswith("iree-opt") for command in word.commands)


def test_allocations_are_read_as_the_pass_leaves_them(ask: Ask) -> None:
    _, found = ask(SCHEDULED, ["run", ALLOCATION], ["find", list(FOUND)])
    assert [*allocated(found)] == ["main"]
    ((results, transients),) = allocated(found)["main"]
    device = frozenset({Affinity("dev_a")})
    assert (results.kind, results.lifetimes) == (AllocationKind.RESULTS, {Lifetime.EXTERNAL})
    assert (results.affinity, results.names, results.slices) == (device, {"clone"}, 1)
    assert results.released is None
    assert transients.kind is AllocationKind.TRANSIENTS
    assert transients.lifetimes == {Lifetime.TRANSIENT}
    assert (transients.affinity, transients.names, transients.slices) == (device, {"splat"}, 1)
    assert transients.released == device


def test_ops_without_a_name_are_compared_by_the_rest(
    examiner: Examiner, read: Callable[..., Subject]
) -> None:
    text = re.sub(r' loc\("\w+"\)', "", SCHEDULED)
    assert judged(examiner, read(text)).verdict is Verdict.AGREE
    (fault,) = judged(examiner, read(text, "elsewhere")).faults
    assert fault.shape == ("results", "external", "affinity-other-members")
