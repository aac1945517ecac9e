"""The contracts about execution regions, on the real compiler and on planted lies."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from samples import SEVEN, A, B, every_op, program, resource

from oracle.checks.base import Check, Subject
from oracle.checks.coverage import Coverage
from oracle.checks.execution import Execution
from oracle.checks.symmetry import Symmetry
from oracle.examination import Examination
from oracle.examiner import Examiner, ExaminerSettings
from oracle.reading.reader import read_program
from oracle.verdict import Verdict
from reference.affinity import Affinity
from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import (
    Barrier,
    Call,
    Clone,
    Dispatch,
    Export,
    Load,
    Return,
    Splat,
    Transfer,
)
from reference.ops.assembly import Range
from reference.ops.dispatch import Binding
from reference.releases import release_rules
from reference.text import print_program
from reference.types import BUFFER_VIEW, Lifetime, Value

LYING = Path(__file__).with_name("lying_regions.py")
RELEASE = release_rules(importlib.metadata.version("iree-base-compiler"))[0]
C = Affinity("dev_c")
WHOLE = Range.of(0, 16)
EXTERNAL, STAGING = Lifetime.EXTERNAL, Lifetime.STAGING
GIVEN = resource("given", EXTERNAL)

needs_on = pytest.mark.skipif(
    not RELEASE.explicit_transfer_execution, reason="transfers have no on(...) in this release"
)

CHECKS: dict[str, Check] = {check.name: check for check in (Coverage(), Execution(), Symmetry())}


def dispatch(name: str, *sources: Operation | Value, on: Affinity | None = A) -> Dispatch:
    values = [one if isinstance(one, Value) else one.results[0] for one in sources]
    return Dispatch(
        identity=name, kernel="ex::mix", workload=(4,),
        arguments=tuple(Binding(value, WHOLE) for value in values),
        outputs=(resource(name, EXTERNAL),), ties=(None,), affinity=on,
    )  # fmt: skip


def transfer(
    name: str,
    source: Operation | Value,
    there: tuple[Affinity, Affinity],
    lifetime: Lifetime = Lifetime.TRANSIENT,
    on: Affinity | None = None,
) -> Transfer:
    return Transfer(
        identity=name, source=source if isinstance(source, Value) else source.results[0],
        result=resource(name, lifetime), source_affinity=there[0], target_affinity=there[1],
        explicit_affinity=on,
    )  # fmt: skip


def ended(*values: Operation | Value) -> Return:
    return Return(
        identity="end",
        values=tuple(one if isinstance(one, Value) else one.results[0] for one in values),
    )


def there_and_back() -> Program:
    """A value made on A, worked on on B, back on A: three regions, each after the other."""
    made = dispatch("op0", GIVEN)
    sent = transfer("op1", made, (A, B))
    worked = dispatch("op2", sent, on=B)
    back = transfer("op3", worked, (B, A))
    last = dispatch("op4", back)
    return program(made, sent, worked, back, last, ended(last), arguments=(GIVEN,))


def named(whole: Program, plant: str) -> Program:
    """With three devices, and the function named after a lie of the worker's."""
    function = replace(whole.functions[0], name=f"plant_{plant}" if plant else "main")
    rest = whole.functions[1:]
    return replace(whole, functions=(function, *rest), devices=(A.device, B.device, C.device))


def subject(whole: Program, plant: str = "") -> Subject:
    whole = named(whole, plant)
    return Subject(print_program(whole), whole, RELEASE, RELEASE, resolved=True)


@pytest.fixture(scope="module")
def examiner() -> Iterator[Callable[..., Examiner]]:
    """Examiners by check names, closed at last."""
    made: dict[tuple[str, ...], Examiner] = {}
    settings = ExaminerSettings(Path(sys.executable), timeout=60, worker_script=LYING)

    def of(*names: str) -> Examiner:
        if names not in made:
            made[names] = Examiner(settings, [CHECKS[name] for name in names])
        return made[names]

    yield of
    for one in made.values():
        one.close()


def examined(examiner: Examiner, asked: Subject) -> Examination:
    (examination,) = examiner.examine([asked])
    return examination


def signatures(found: Examination) -> list[str]:
    assert found.invalid is None
    return [fault.signature for fault in found.faults]


@pytest.mark.parametrize("name", CHECKS)
def test_a_true_program_holds(examiner: Callable[..., Examiner], name: str) -> None:
    found = examined(examiner(name), subject(there_and_back()))
    assert (found.invalid, signatures(found), found.unsupported) == (None, [], ())
    assert [one.verdict for one in found.judgements] == [Verdict.AGREE]


@pytest.mark.parametrize("name", ["coverage", "symmetry"])
def test_every_op_holds(examiner: Callable[..., Examiner], name: str) -> None:
    found = examined(examiner(name), subject(every_op()))
    assert (found.invalid, signatures(found), found.unsupported) == (None, [], ())


@dataclass(frozen=True, slots=True)
class Planted:
    """A lie, and what a check is to say of it."""

    check: str
    plant: str
    signature: str
    own: bool = True
    """Whether the check's own name is the fault's."""


_SCHEDULED = "schedule-execution"
PLANTED = (
    Planted("coverage", "lose_op", f"coverage/{_SCHEDULED}/gone/stream.async.dispatch"),
    Planted(
        "coverage", "repeat_op", f"coverage/{_SCHEDULED}/in-several-regions/stream.async.dispatch"
    ),
    Planted(
        "coverage", "strand_op",
        f"coverage/{_SCHEDULED}/outside-of-every-region/stream.async.dispatch",
    ),
    Planted(
        "coverage", "lose_wait", f"coverage/{_SCHEDULED}/use-without-wait/by-stream.async.execute"
    ),
    Planted(
        "execution", "lose_affinity",
        f"execution/{_SCHEDULED}/region-without-affinity/against-nothing",
    ),
    Planted(
        "execution", "wrong_affinity",
        f"execution/{_SCHEDULED}/region-elsewhere/stream.async.dispatch",
    ),
    Planted("execution", "lose_op", f"execution/{_SCHEDULED}/vanished/stream.async.dispatch"),
    Planted(
        "symmetry", "other_names_other_code", f"symmetry/{_SCHEDULED}/renamed/more"
    ),
    Planted(
        "symmetry", "earlier_code",
        "symmetry/place-transfer-executions/renamed/more"
        if RELEASE.explicit_transfer_execution
        else "symmetry/verify-async-access-ranges/renamed/more",
    ),
    Planted(
        "symmetry", "other_order_other_place",
        f"execution/{_SCHEDULED}/region-without-affinity/against-nothing", own=False,
    ),
)  # fmt: skip


@pytest.mark.parametrize("item", PLANTED, ids=lambda item: f"{item.check}-{item.plant}")
def test_a_planted_fault_fires_and_stock_tools_do_not_confirm_it(
    examiner: Callable[..., Examiner], item: Planted
) -> None:
    judge = examiner(item.check)
    asked = subject(there_and_back(), item.plant)
    found = examined(judge, asked)
    assert item.signature in signatures(found)
    fault = next(one for one in found.faults if one.signature == item.signature)
    assert fault.verdict is Verdict.BROKEN_CONTRACT
    assert (fault.check == item.check) == item.own
    assert fault.message
    assert fault.expected
    assert fault.actual
    shown = asked if fault.text is None else replace(asked, text=fault.text, program=None)
    word = CHECKS[fault.check].confirm(shown, fault, judge)
    assert not word.confirmed
    assert any(command.startswith("iree-opt") for command in word.commands)


def test_the_text_of_a_fault_of_another_version_is_that_versions(
    examiner: Callable[..., Examiner],
) -> None:
    asked = subject(there_and_back(), "other_order_other_place")
    (fault,) = examined(examiner("symmetry"), asked).faults
    assert fault.text is not None
    assert fault.text.index("@dev_c") < fault.text.index("@dev_a")
    renamed = subject(there_and_back(), "other_names_other_code")
    assert examined(examiner("symmetry"), renamed).faults[0].text is None


def test_of_a_larger_program_one_other_version_is_asked_about(
    examiner: Callable[..., Examiner],
) -> None:
    """Its text decides which."""
    asked, renamed = [], set()
    for count in range(12, 20):
        chain = [dispatch("op0", GIVEN)]
        for place in range(1, count):
            chain.append(dispatch(f"op{place}", chain[-1]))
        asked.append(subject(program(*chain, ended(chain[-1]), arguments=(GIVEN,))))
        _, other = CHECKS["symmetry"].questions(asked[-1])
        assert other.text is not None
        renamed.add("@ant" in other.text)
    assert renamed == {True, False}
    for found in examiner("symmetry").examine(asked):
        assert (signatures(found), found.unsupported) == ([], ())
    assert len(CHECKS["symmetry"].questions(subject(there_and_back()))) == 3


@needs_on
def test_a_lost_on_is_found_with_its_pass_and_confirmed(examiner: Callable[..., Examiner]) -> None:
    """Kind n10: a transfer on B between two values on A becomes a clone on A."""
    moved = transfer("op0", GIVEN, (A, A), on=B)
    work = dispatch("op1", moved)
    asked = subject(program(moved, work, ended(work), arguments=(GIVEN,)))
    judge = examiner("execution")
    (fault,) = examined(judge, asked).faults
    assert fault.signature == "execution/canonicalize/lost/stream.async.transfer/to-device"
    assert "on(#hal.device.affinity<@dev_b>)" in fault.message
    assert CHECKS["execution"].confirm(asked, fault, judge).confirmed


@needs_on
def test_what_the_inliner_s_canonicalization_loses_has_its_name(
    examiner: Callable[..., Examiner],
) -> None:
    """A transfer from B to A of what came from A, once it is inlined."""
    taken = resource("taken")
    back = transfer("op1", taken, (B, A), on=B)
    callee = Function(
        "callee", Region((Block((back, ended(back)), (taken,)),)), (taken.type,), public=False
    )
    away = transfer("op0", GIVEN, (A, B))
    passes = Call(
        identity="op2", callee="callee", arguments=(away.result,), outputs=(resource("passes"),)
    )
    whole = program(away, passes, work := dispatch("op3", passes), ended(work), arguments=(GIVEN,))
    asked = subject(replace(whole, functions=(*whole.functions, callee)))
    (fault,) = examined(examiner("execution"), asked).faults
    assert fault.signature == "execution/canonicalize/lost/stream.async.transfer/to-device"


@needs_on
def test_a_lost_on_of_what_is_loaded_is_told_apart(examiner: Callable[..., Examiner]) -> None:
    """A load of a transferred clone becomes a load of a transferred slice, without the `on`."""
    copy = Clone(identity="op0", source=GIVEN, result=resource("copy"), affinity=A)
    staged = transfer("op1", copy, (A, B), STAGING, on=B)
    loaded = Load(identity="op2", source=staged.result, offset=0, result=Value("x", SEVEN.type))
    made = Splat(
        identity="op3", pattern=loaded.result, result=resource("made", EXTERNAL), affinity=A
    )
    asked = subject(program(copy, staged, loaded, made, ended(made), arguments=(GIVEN,)))
    judge = examiner("execution")
    (fault,) = examined(judge, asked).faults
    assert fault.signature == "execution/canonicalize/lost/stream.async.transfer/to-staging"
    assert CHECKS["execution"].confirm(asked, fault, judge).confirmed


def test_a_region_without_affinity_is_found(examiner: Callable[..., Examiner]) -> None:
    """Kind n04: a barrier on B joins what was dispatched on A."""
    made = dispatch("op0", GIVEN)
    held = Barrier(
        identity="op1", source=made.outputs[0], result=resource("held", EXTERNAL), affinity=B
    )
    last = dispatch("op2", held, on=B)
    asked = subject(program(made, held, last, ended(last), arguments=(GIVEN,)))
    judge = examiner("execution")
    (fault,) = examined(judge, asked).faults
    assert fault.signature.endswith("schedule-execution/region-without-affinity/against-barrier")
    assert CHECKS["execution"].confirm(asked, fault, judge).confirmed


def lost_wait() -> Program:
    """Two barriers in a row make a region of nothing; whoever takes what is behind them as well as
    what another device made forgets to wait for the latter."""
    made = dispatch("op0", GIVEN)
    one = Barrier(
        identity="op1", source=made.outputs[0], result=resource("one", EXTERNAL), affinity=A
    )
    two = Barrier(identity="op2", source=one.result, result=resource("two", EXTERNAL), affinity=A)
    sent = transfer("op3", made, (A, B), EXTERNAL, on=None)
    worked = dispatch("op4", sent, on=B)
    back = transfer("op5", worked, (B, A), EXTERNAL)
    last = dispatch("op6", two, back)
    return program(made, one, two, sent, worked, back, last, ended(last), arguments=(GIVEN,))


def test_a_lost_wait_is_found_or_not_there(examiner: Callable[..., Examiner]) -> None:
    asked = subject(lost_wait())
    judge = examiner("coverage")
    found = examined(judge, asked)
    for fault in found.faults:
        assert fault.signature == (
            "coverage/schedule-execution/use-without-wait/by-stream.async.execute"
        )
        assert CHECKS["coverage"].confirm(asked, fault, judge).confirmed


N14 = """
module {
  util.func public @f(%x: !stream.resource<external>, %tx: !stream.timepoint, %ty: !stream.timepoint, %sz: index) -> (!stream.resource<external>, !stream.timepoint) {
    %c0 = arith.constant 0 : index
    %xr = stream.timepoint.await %tx => %x : !stream.resource<external>{%sz}
    %r, %t = stream.async.execute await(%ty) => with(%xr as %a: !stream.resource<external>{%sz}) -> !stream.resource<external>{%sz} {
      %d = stream.async.dispatch @ex::@d(%a[%c0 to %sz for %sz]) : (!stream.resource<external>{%sz}) -> !stream.resource<external>{%sz}
      stream.yield %d : !stream.resource<external>{%sz}
    } => !stream.timepoint
    util.return %r, %t : !stream.resource<external>, !stream.timepoint
  }
}
"""  # noqa: E501


def test_a_wait_that_the_program_asks_for_is_followed_from_its_input(
    examiner: Callable[..., Examiner],
) -> None:
    """Kind n14: a region that waits and takes what was awaited waits for one of the two."""
    judge = examiner("coverage")
    program = read_program(judge.read(N14)).program
    asked = Subject(N14, program, RELEASE, RELEASE, resolved=True)
    (fault,) = examined(judge, asked).faults
    assert fault.signature == "coverage/canonicalize/lost-wait/stream.async.execute"
    assert CHECKS["coverage"].confirm(asked, fault, judge).confirmed


def test_a_wait_that_is_kept_is_no_fault(examiner: Callable[..., Examiner]) -> None:
    judge = examiner("coverage")
    text = N14.replace("%xr as %a", "%x as %a")
    program = read_program(judge.read(text)).program
    assert signatures(examined(judge, Subject(text, program, RELEASE, RELEASE, True))) == []


def merged() -> Program:
    """Kind n35: two transfers of one value to one device, merged by CSE."""
    one = transfer("op0", GIVEN, (A, B), on=B if RELEASE.explicit_transfer_execution else None)
    other = replace(one, identity="op1", result=resource("op1"))
    last = dispatch("op2", one, other, on=B)
    return program(one, other, last, ended(last), arguments=(GIVEN,))


def test_identical_duplicates_are_no_fault(examiner: Callable[..., Examiner]) -> None:
    found = examined(examiner("coverage", "execution"), subject(merged()))
    assert signatures(found) == []


@needs_on
def test_an_inner_link_of_a_chain_is_no_fault(examiner: Callable[..., Examiner]) -> None:
    one = transfer("op0", GIVEN, (A, B), on=C)
    other = transfer("op1", one, (B, C))
    last = dispatch("op2", other, on=C)
    whole = program(one, other, last, ended(last), arguments=(GIVEN,))
    assert signatures(examined(examiner("execution"), subject(whole))) == []
    used = dispatch("op3", one, on=B)
    both = program(one, other, last, used, ended(last, used), arguments=(GIVEN,))
    assert signatures(examined(examiner("execution"), subject(both))) == []


@pytest.mark.parametrize("name", CHECKS)
def test_a_module_that_is_not_known_whole_is_not_judged_whole(
    examiner: Callable[..., Examiner], name: str
) -> None:
    asked = replace(subject(there_and_back()), program=None)
    (judgement,) = examined(examiner(name), asked).judgements
    assert judgement.verdict is (Verdict.AGREE if name == "coverage" else Verdict.UNSUPPORTED)


def test_a_device_in_an_attribute_that_is_kept_unseen_is_renamed_too(
    examiner: Callable[..., Examiner],
) -> None:
    whole = named(there_and_back(), "")
    hidden = replace(
        whole.functions[0],
        attributes=(("test.home", "#hal.device.affinity<@dev_b>"),),
    )
    whole = replace(whole, functions=(hidden,))
    asked = Subject(print_program(whole), whole, RELEASE, RELEASE, resolved=True)
    (judgement,) = examined(examiner("symmetry"), asked).judgements
    assert judgement.verdict is Verdict.AGREE


def test_an_exported_value_is_awaited(examiner: Callable[..., Examiner]) -> None:
    made = dispatch("op0", GIVEN)
    shown = Export(
        identity="op1", source=made.outputs[0], encoding="tensor<4xi32>", dimensions=(),
        result=Value("view", BUFFER_VIEW), affinity=A,
    )  # fmt: skip
    whole = program(made, shown, ended(shown), arguments=(GIVEN,))
    assert signatures(examined(examiner(*CHECKS), subject(whole))) == []
