"""Scheduled bodies in time: pieces, what they wait for, and their steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from language import CHOICE, one_block, timepoint, whole_language
from samples import SEVEN, A, B, function, program, resource

from gen.profiles import PROFILES
from gen.programs import program as generated
from reference.folding import canonicalize
from reference.ir import Operation, Program, UnsupportedOperationError, walk
from reference.ops import (
    Await,
    Clone,
    Concurrent,
    Execute,
    Fill,
    If,
    Join,
    Load,
    Return,
    Splat,
    StreamYield,
    Transfer,
    Yield,
)
from reference.ops.assembly import Range
from reference.placement import apply_placement, place_transfers
from reference.releases import RELEASES
from reference.scheduling.concurrency import schedule_concurrency
from reference.scheduling.partition_fault import ScheduleRefusedError
from reference.scheduling.schedule import schedule_execution
from reference.timeline import HOST, NOWHERE, Kind, Piece, Timeline, lane, timeline, timelines
from reference.types import I32, Lifetime, Value

NEWEST = RELEASES[-1]


def region(
    name: str, awaits: Value | None = None, affinity: object = A, *inside: Operation
) -> Execute:
    """A region of one splat, or of these ops, that makes `%name` and the timepoint `%name_done`."""
    made = resource(f"{name}_made")
    work = inside or (Splat(identity=f"{name}_op", pattern=SEVEN, result=made, affinity=None),)
    yielded = StreamYield(identity=f"{name}_yield", values=(work[-1].results[0],))
    return Execute(
        identity=name, captures=(), awaits=awaits, outputs=(resource(name),),
        timepoint=timepoint(f"{name}_done"), body=one_block(*work, yielded),
        affinity=affinity,  # type: ignore[arg-type]
    )  # fmt: skip


def wait(name: str, awaited: str, value: str) -> Await:
    return Await(
        identity=name, awaits=timepoint(awaited), sources=(resource(value),),
        outputs=(resource(f"{name}_value"),),
    )  # fmt: skip


def drawn(*operations: Operation) -> Timeline:
    (found,) = timelines(program(*operations))
    return found


def test_a_region_comes_after_what_it_awaits_and_what_the_host_has_waited_for() -> None:
    both = Join(
        identity="op2",
        sources=(timepoint("one_done"), timepoint("two_done")),
        result=timepoint("both"),
    )
    found = drawn(
        region("one"),
        region("two", affinity=B),
        both,
        region("three", timepoint("both")),
        wait("held", "one_done", "one"),
        Fill(
            identity="op5", pattern=SEVEN, target=resource("held_value"), span=Range.of(0, 4),
            result=resource("over"), affinity=A,
        ),
        region("four", affinity=None),
        Return(identity="op9", values=(resource("held_value"),)),
    )  # fmt: skip
    told = [(one.number, one.kind, lane(one), one.awaits, one.after, one.step) for one in
            found.pieces]  # fmt: skip
    assert told == [
        (1, Kind.REGION, "@dev_a", (), None, 1),
        (2, Kind.REGION, "@dev_b", (), None, 1),
        (3, Kind.REGION, "@dev_a", (1, 2), None, 2),
        (4, Kind.WAIT, HOST, (1,), None, 2),
        (5, Kind.OUTSIDE, HOST, (), 4, 3),
        (6, Kind.REGION, NOWHERE, (), 4, 3),
    ]
    assert found.lanes == (HOST, "@dev_a", "@dev_b", NOWHERE)
    assert found.steps == 3
    # Who needs what the host waits for.
    assert [one.identity for one in found.pieces[3].members] == ["op5", "op9"]


def test_the_ops_of_a_wave_are_side_by_side() -> None:
    inner = resource("inner")
    wave = Concurrent(
        identity="wave", captures=(), outputs=(resource("w"),), ties=(),
        body=one_block(
            Splat(identity="a", pattern=SEVEN, result=inner, affinity=None),
            Splat(identity="b", pattern=SEVEN, result=resource("other"), affinity=None),
            StreamYield(identity="end", values=(inner,)),
        ),
    )  # fmt: skip
    last = Clone(identity="c", source=resource("w"), result=resource("x"), affinity=None)
    (piece,) = drawn(region("one", None, A, wave, last)).pieces
    assert [[(one.word, one.identity) for one in wave] for wave in piece.waves] == [
        [("splat", "a"), ("splat", "b")],
        [("clone", "c")],
    ]


def test_of_two_branches_none_comes_after_the_other() -> None:
    def branch(name: str) -> tuple[Operation, ...]:
        return (
            region(name),
            wait(f"{name}_wait", f"{name}_done", name),
            Yield(identity=f"{name}_end", values=(resource(f"{name}_wait_value"),)),
        )

    either = If(
        identity="op0", condition=CHOICE, outputs=(resource("chosen"),),
        then=one_block(*branch("one")), otherwise=one_block(*branch("two")),
    )  # fmt: skip
    found = timelines(program(either, region("last"), arguments=(CHOICE,)))[0]
    assert [(one.identity, one.step, one.after, one.around) for one in found.pieces] == [
        ("one", 1, None, ("op0 (scf.if)",)),
        ("one_wait", 2, None, ("op0 (scf.if)",)),
        ("two", 1, None, ("op0 (scf.if)",)),
        ("two_wait", 2, None, ("op0 (scf.if)",)),
        ("last", 3, 2, ()),
    ]


def test_a_timepoint_that_control_flow_hands_on_is_still_known() -> None:
    either = If(
        identity="op1", condition=CHOICE, outputs=(timepoint("chosen"),),
        then=one_block(Yield(identity="op2", values=(timepoint("one_done"),))),
        otherwise=one_block(Yield(identity="op3", values=(timepoint("two_done"),))),
    )  # fmt: skip
    found = timelines(
        program(
            region("one"), region("two"), either, region("three", timepoint("chosen")),
            arguments=(CHOICE,),
        )
    )[0]  # fmt: skip
    assert found.pieces[-1].awaits == (1, 2)


def test_a_body_without_work_has_no_timeline() -> None:
    staged = resource("staged", Lifetime.STAGING)
    load = Load(identity="op0", source=staged, offset=0, result=Value("scalar", I32))
    assert timelines(program(load, arguments=(staged,))) == ()
    declared = replace(function(), body=replace(function().body, blocks=()))
    assert timelines(Program(("dev_a",), (declared,))) == ()


def test_the_whole_language_has_a_timeline() -> None:
    found = {one.name: one for one in timelines(whole_language())}
    kinds = Counter(one.kind for one in found["@main"].pieces)
    assert kinds[Kind.REGION] == 1
    assert kinds[Kind.WAIT] == 1
    assert kinds[Kind.CALL] == 1
    (made,) = (one for one in found["@main"].pieces if one.kind is Kind.REGION)
    assert {one.identity for one in made.members} == {"op23"}


@pytest.mark.parametrize("profile", ["nightly", "well-formed"])
def test_every_op_is_in_one_piece_and_comes_after_what_it_waits_for(profile: str) -> None:
    looked = 0
    for index in range(60):
        made = generated(11, index, PROFILES[profile])
        try:
            made = canonicalize(made, NEWEST)
            made = apply_placement(made, place_transfers(made, NEWEST))
            scheduled = schedule_concurrency(schedule_execution(made, NEWEST))
        except (UnsupportedOperationError, ScheduleRefusedError):
            continue
        for one, body in zip(_all_timelines(scheduled), scheduled.bodies(), strict=True):
            looked += len(one)
            steps = {piece.number: piece.step for piece in one}
            for piece in one:
                before = [*piece.awaits, *([piece.after] if piece.after else [])]
                assert all(steps[other] < piece.step for other in before)
            told = [member.identity for piece in one if piece.kind is not Kind.WAIT
                    for member in piece.members if not member.word.startswith("call")]  # fmt: skip
            work = [item.identity for item in walk(body)
                    if item.streamable and not isinstance(item, Concurrent)]  # fmt: skip
            assert Counter(work) <= Counter(told)
    assert looked > 100


def _all_timelines(scheduled: Program) -> list[tuple[Piece, ...]]:
    return [timeline(body) for body in scheduled.bodies()]


def test_a_transfer_left_outside_of_all_regions_is_shown() -> None:
    moved = Transfer(
        identity="op0", source=resource("a"), result=resource("b"), source_affinity=A,
        target_affinity=B,
    )  # fmt: skip
    found = timelines(program(moved, arguments=(resource("a"),)))
    assert [(one.kind, lane(one)) for one in found[0].pieces] == [(Kind.OUTSIDE, HOST)]
