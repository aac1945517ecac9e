"""`coverage` on scheduled programs put together by hand: a case on each side of each exception."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from flow import awaited, ended, execute, func, module, opaque, when
from straight import (
    A,
    B,
    Source,
    barrier,
    clone,
    dispatch,
    fill,
    load,
    program,
    resource,
    splat,
    transfer,
    update,
    value_of,
)

from reference.affinity import Affinity
from reference.contracts.breach import Breach
from reference.contracts.coverage import OUTSIDE, coverage, membership
from reference.ir import Operation, Program
from reference.ops import Alloca, Await, Cast, Clone, Copy, Execute, Slice, Splat
from reference.ops.assembly import Range
from reference.types import I8, Lifetime, Literal, Value

GIVEN = resource("given")


def origin(identity: str) -> str:
    return identity.partition("~")[0]


def run(
    name: str,
    operations: Sequence[Operation],
    results: Sequence[Source],
    takes: Iterable[Source] = (),
    on: Affinity | None = A,
    awaits: Value | None = None,
) -> Execute:
    """A region; what it takes has the same name inside, with a dot."""
    captures = [value_of(one) for one in takes]
    arguments = [replace(value, name=f"{value.name}.") for value in captures]
    return replace(execute(name, captures, arguments, operations, results, on), awaits=awaits)


def ready(name: str, of: Execute, *, time: Value | None = None) -> Await:
    """What the host has once a region has ended."""
    waited = awaited(name, *of.outputs)
    return replace(waited, awaits=time or of.timepoint)


def shapes(breaches: Iterable[Breach]) -> list[tuple[str, ...]]:
    return [breach.shape for breach in breaches]


def found(before: Program, after: Program) -> list[tuple[str, ...]]:
    return shapes(coverage(before, after, origin))


def scheduled(*operations: Operation, keep: Sequence[Source] = ()) -> Program:
    """One region with these ops, the last of which is handed out."""
    last = [value_of(one) for one in keep] or list(operations[-1].results)
    one = run("region", operations, last)
    host = ready("host", one)
    return program([one, host], *host.outputs)


MADE = dispatch("made", GIVEN, on=A)
COPY = clone("copy", MADE, A)
BEFORE = program([MADE, COPY], COPY)


def test_a_program_whose_ops_are_all_in_a_region_is_covered() -> None:
    assert found(BEFORE, scheduled(MADE, COPY)) == []


def test_an_op_that_remains_outside_is_told() -> None:
    one = run("region", [COPY], [COPY], [MADE])
    after = program([MADE, one, host := ready("host", one)], host)
    assert found(BEFORE, after) == [("outside-of-every-region", "stream.async.dispatch")]


def test_how_a_stranded_op_stands_to_others_is_told() -> None:
    def told(*before: Operation, outside: Sequence[Operation] = (MADE,)) -> tuple[str, ...]:
        return dict(found(program(before, GIVEN), program(outside, GIVEN)))[OUTSIDE]

    flow = when("flow", opaque("shown", MADE))
    assert told(MADE, flow) == "taken-by-control-flow"
    # A clone is repeated wherever it is needed: who takes it takes what it is a clone of.
    assert told(MADE, COPY, when("flow", opaque("shown", COPY))) == "taken-by-control-flow"
    behind = barrier("behind", GIVEN, A)
    moved = dispatch("made", behind, on=A)
    assert told(behind, moved, outside=[moved]) == "behind-a-barrier"
    # Of the ops of one location the one that was left, or one like it.
    aside = transfer("made", GIVEN, A, B)
    followed = replace(transfer("made", behind, A, B), identity="made~2")
    assert told(aside, behind, followed, moved, outside=[followed]) == "behind-a-barrier"
    # What is outside with who takes it, and what is in a region while that is not.
    user = dispatch("user", MADE, on=A)
    taken = when("flow", opaque("shown", user))
    assert told(MADE, user, taken, outside=[MADE, user]) == "taken-by-control-flow"
    assert told(MADE, user, taken) == "stream.async.dispatch"


def test_an_op_inside_control_flow_is_covered_by_a_region_there() -> None:
    inner = when("inner", MADE, load("read", value_of(MADE)))
    one = run("region", [MADE], [MADE])
    host = ready("host", one)
    assert found(program([inner], GIVEN), program([when("inner", one, host)], GIVEN)) == []
    outside = program([when("inner", MADE)], GIVEN)
    assert found(program([inner], GIVEN), outside) == [
        ("outside-of-every-region", "stream.async.dispatch")
    ]


def test_an_op_that_was_in_a_region_before_is_not_looked_for() -> None:
    old = run("old", [MADE], [MADE])
    host = ready("host", old)
    assert shapes(membership(program([old, host], host), program([], GIVEN), origin)) == []


def test_an_op_in_two_regions_is_told_unless_it_is_cheap() -> None:
    again = dispatch("made~2", GIVEN, on=A)
    first, second = run("first", [MADE], [MADE]), run("second", [again, COPY], [COPY])
    one, other = ready("one", first), ready("other", second)
    after = program([first, one, second, other], one, other)
    assert found(BEFORE, after) == [("in-several-regions", "stream.async.dispatch")]
    for cheap in (
        splat("made", A),
        clone("made", GIVEN, A),
        Alloca(identity="made", result=resource("made"), affinity=A),
        dispatch("made", on=A),
    ):
        before = program([cheap, COPY], cheap, COPY)
        copy = replace(cheap, identity="made~2")
        first, second = run("first", [cheap], [cheap]), run("second", [copy, COPY], [COPY])
        assert found(before, program([first, one, second, other], one, other)) == []


def test_what_became_a_clone_may_be_repeated_in_its_region() -> None:
    moved = transfer("moved", GIVEN, None, A)
    before = program([moved, second := dispatch("second", moved, moved, on=A)], second)
    copies = [clone("moved", GIVEN, None), clone("moved~2", GIVEN, None)]
    assert found(before, scheduled(*copies, second)) == []
    again = [moved, replace(moved, identity="moved~2")]
    assert found(before, scheduled(*again, second)) == [("repeated", "stream.async.transfer")]


def test_ops_that_share_a_location_are_counted_together() -> None:
    twice = [dispatch("made", GIVEN, on=A), dispatch("made~2", GIVEN, on=A)]
    before = program(twice, *twice)
    assert found(before, scheduled(*twice, keep=twice)) == []
    assert found(before, scheduled(twice[0])) == [("gone", "stream.async.dispatch")]


def test_an_op_that_is_gone_is_told_unless_nobody_needs_it() -> None:
    assert found(BEFORE, scheduled(COPY)) == [("gone", "stream.async.dispatch")]
    assert found(program([MADE, COPY], GIVEN), scheduled(COPY)) == []


def test_an_op_of_another_kind_at_the_same_location_stands_for_the_op() -> None:
    turned = replace(splat("made", A))
    assert found(BEFORE, scheduled(turned, COPY)) == []


def test_a_barrier_is_gone() -> None:
    kept = barrier("kept", MADE, A)
    assert found(program([MADE, kept], kept), scheduled(MADE)) == []


def cast(name: str, source: Source, lifetime: Lifetime) -> Cast:
    result = replace(resource(name, lifetime), size=value_of(source).size)
    return Cast(identity=name, source=value_of(source), result=result, affinity=A)


def cut(name: str, source: Source, end: int) -> Slice:
    return Slice(
        identity=name, source=value_of(source), start=0, end=end,
        result=replace(resource(name), size=end), affinity=A,
    )  # fmt: skip


def full(
    name: str, target: Source, pattern: int = 7, length: int = 16, start: int = 0
) -> Operation:
    return replace(
        fill(name, target, A), span=Range.of(start, length), pattern=Literal(pattern, I8)
    )


def copied(name: str, source: Source, target: Source, length: int = 16) -> Copy:
    return Copy(
        identity=name, source=value_of(source), source_span=Range.of(0, length),
        target=value_of(target), target_span=Range.of(0, length), result=resource(name), affinity=A,
    )  # fmt: skip


def short(operation: Splat | Clone, size: int = 12) -> Operation:
    return replace(operation, result=replace(operation.result, size=size))


def part(name: str) -> Operation:
    """A splat of the last 12 bytes of a value."""
    return short(splat(name, A))


def put_last(name: str, source: Source, target: Source) -> Operation:
    return replace(update(name, source, target, A), start=4)


SPLAT = splat("splat", A)
OTHER = dispatch("other", GIVEN, on=A)

GONE = {
    "a slice of everything": ([MADE, cut("gone", MADE, 16)], [MADE, cut("gone", MADE, 8)]),
    "an update of everything": (
        [MADE, OTHER, update("gone", OTHER, MADE, A)],
        [MADE, half := cut("half", GIVEN, 8), replace(update("gone", half, MADE, A), end=8)],
    ),
    "a clone of something cheap": (
        [SPLAT, clone("gone", SPLAT, A)],
        [MADE, clone("gone", MADE, A)],
    ),
    "a clone of a barrier of something cheap": (
        [SPLAT, held := barrier("held", SPLAT, A), clone("gone", held, A)],
        [MADE, held := barrier("held", MADE, A), clone("gone", held, A)],
    ),
    "a clone of what becomes a clone": (
        [MADE, moved := transfer("moved", MADE, A, None), clone("gone", moved, A)],
        [MADE, moved := transfer("moved", MADE, A, B), clone("gone", moved, A)],
    ),
    "a transfer of something cheap that becomes a clone": (
        [SPLAT, transfer("gone", SPLAT, None, A)],
        [SPLAT, transfer("gone", SPLAT, A, B)],
    ),
    "a transfer to staging becomes no clone": (
        [SPLAT, transfer("gone", SPLAT, None, A)],
        [SPLAT, transfer("gone", SPLAT, A, A, Lifetime.STAGING)],
    ),
    "a transfer back": (
        [MADE, there := transfer("there", MADE, A, B), transfer("gone", there, B, A,
                                                                Lifetime.TRANSIENT)],
        [MADE, there := transfer("there", MADE, A, B), transfer("gone", there, B, A)],
    ),
    "a fill with what is there already": (
        [SPLAT, full("gone", SPLAT, length=4)],
        [SPLAT, full("gone", SPLAT, pattern=1, length=4)],
    ),
    "a fill beside a fill": (
        [MADE, one := full("one", MADE, length=4), full("gone", one, start=4, length=4)],
        [MADE, one := full("one", MADE, pattern=1, length=4),
         full("gone", one, start=4, length=4)],
    ),
    "an inner link of a chain of transfers": (
        [MADE, gone := transfer("gone", MADE, A, B), transfer("last", gone, B, A)],
        [MADE, gone := transfer("gone", MADE, A, B), dispatch("last", gone, on=B)],
    ),
    "a splat by way of a cast": (
        [MADE, gone := part("gone"), way := cast("way", gone, Lifetime.TRANSIENT),
         put_last("last", way, MADE)],
        [MADE, gone := part("gone"), way := cast("way", gone, Lifetime.EXTERNAL),
         put_last("last", way, MADE)],
    ),
    "a splat that is sliced": (
        [gone := splat("gone", A), cut("last", gone, 8)],
        [gone := splat("gone", A), dispatch("last", gone, on=A)],
    ),
    "a splat that is copied whole": (
        [MADE, gone := splat("gone", A), replace(copied("last", gone, MADE), source_span=
         Range.of(0, 8), target_span=Range.of(4, 8))],
        [MADE, gone := dispatch("gone", on=A), replace(copied("last", gone, MADE), source_span=
         Range.of(0, 8), target_span=Range.of(4, 8))],
    ),
    "a slice that is put somewhere": (
        [MADE, OTHER, gone := cut("gone", MADE, 8), replace(update("last", gone, OTHER, A),
                                                            end=8)],
        [MADE, OTHER, gone := cut("gone", MADE, 8), short(clone("last", gone, A), 8)],
    ),
    "a splat by way of a clone": (
        [MADE, gone := part("gone"), way := short(clone("way", gone, A)),
         put_last("last", way, MADE)],
        [MADE, gone := splat("gone", A), way := clone("way", gone, A),
         dispatch("last", way, on=A)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", GONE)
def test_a_pattern_may_leave_nothing_of(which: str) -> None:
    right, wrong = GONE[which]
    for operations, expected in ((right, 0), (wrong, 1)):
        before = program(operations, operations[-1])
        rest = [one for one in operations if one.identity != "gone"]
        after = scheduled(*rest, keep=rest[-1:])
        gone = [one for one in found(before, after) if one[0] == "gone"]
        assert len(gone) == expected, operations


def test_what_is_written_over_by_somebody_is_not_needed() -> None:
    gone = dispatch("gone", GIVEN, on=A)
    for writes in (full("last", gone), update("last", OTHER, gone, A), copied("last", OTHER, gone)):
        before = program([OTHER, gone, writes], writes, OTHER)
        assert found(before, scheduled(OTHER, writes, keep=[OTHER])) == []
    part = full("last", gone, length=8)
    assert found(program([gone, part], part), scheduled(part)) == [
        ("gone", "stream.async.dispatch")
    ]


def test_a_store_into_staging_does_not_make_it_gone() -> None:
    staged = transfer("gone", MADE, A, A, Lifetime.STAGING)
    before = program([MADE, staged, read := load("read", staged)], GIVEN, read)
    assert found(before, scheduled(MADE)) == [("gone", "stream.async.transfer")]


def test_functions_are_told_apart() -> None:
    one = func("one", [GIVEN], MADE, ended(MADE))
    other = func("other", [GIVEN], replace(MADE, identity="more"), ended(MADE))
    inside = run("region", [MADE], [MADE])
    host = ready("host", inside)
    after = module(func("one", [GIVEN], inside, host, ended(host)), func("other", [], ended(GIVEN)))
    assert found(module(one, other), after) == [("gone", "stream.async.dispatch")]
