"""Each rule of allocation, with a case on either side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from straight import (
    A0,
    EXTERNAL,
    SIZE,
    TRANSIENT,
    A,
    B,
    C,
    Source,
    clone,
    dispatch,
    fill,
    resource,
    splat,
    transfer,
)

from reference.affinity import Affinity, AnyAffinity, OptimalAffinity
from reference.allocation import Allocation, AllocationKind, allocations
from reference.ir import Block, Function, Initializer, Operation, Program, Region
from reference.ops import Concurrent, Constant, Execute, Return, StreamYield, Transfer
from reference.types import Lifetime, OpaqueType, Value

CONSTANT, VARIABLE = Lifetime.CONSTANT, Lifetime.VARIABLE
CONSTANTS, RESULTS, TRANSIENTS = AllocationKind
TIMEPOINT = OpaqueType("!stream.timepoint")


@dataclass
class Answers:
    """An affinity analysis that knows what it was told."""

    pins: Mapping[tuple[int, str], tuple[Affinity, ...]] = field(default_factory=dict)
    usages: Mapping[tuple[int, str], tuple[Affinity, ...]] = field(default_factory=dict)

    def pinned(self, body: int, value: Value) -> tuple[Affinity, ...] | None:
        return self.pins.get((body, value.name))

    def usage(self, body: int, value: Value) -> tuple[Affinity, ...] | None:
        return self.usages.get((body, value.name))


NO_ANSWERS = Answers()


def constant(name: str, lifetime: Lifetime = CONSTANT) -> Constant:
    return Constant(
        identity=name, elements="dense<0> : tensor<4xi32>", length=SIZE,
        result=resource(name, lifetime), affinity=None,
    )  # fmt: skip


def sent(
    name: str, source: Source, source_affinity: Affinity | None, target: Affinity | None
) -> Transfer:
    return transfer(name, source, source_affinity, target, lifetime=TRANSIENT)


def execute(
    *operations: Operation,
    yields: Sequence[Value | Operation] = (),
    arguments: Sequence[Value] = (),
    ties: tuple[int | None, ...] = (),
    on: Affinity | None = A,
    name: str = "region",
) -> Execute:
    """A region; its results are `NAME#0`, …, of the lifetimes of what it yields."""
    values = tuple(item if isinstance(item, Value) else item.results[0] for item in yields)
    end = StreamYield(identity=f"{name} end", values=values)
    return Execute(
        identity=name,
        captures=tuple(Value(f"captured {value.name}", value.type, SIZE) for value in arguments),
        awaits=None,
        outputs=tuple(
            Value(f"{name}#{place}", value.type, SIZE) for place, value in enumerate(values)
        ),
        timepoint=Value(f"{name} done", TIMEPOINT),
        body=Region((Block((*operations, end), tuple(arguments)),)),
        affinity=on,
        ties=ties,
    )


def wave(
    name: str,
    *operations: Operation,
    yields: Sequence[Value | Operation] = (),
    captures: Sequence[Operation | Value] = (),
    ties: tuple[int | None, ...] = (),
) -> Concurrent:
    """A wave; its arguments are `NAME argument 0`, …, its results `NAME#0`, …."""
    values = tuple(item if isinstance(item, Value) else item.results[0] for item in yields)
    captured = tuple(item if isinstance(item, Value) else item.results[0] for item in captures)
    end = StreamYield(identity=f"{name} end", values=values)
    return Concurrent(
        identity=name,
        captures=captured,
        outputs=tuple(
            Value(f"{name}#{place}", value.type, SIZE) for place, value in enumerate(values)
        ),
        body=Region((Block((*operations, end), wave_arguments(name, captured)),)),
        ties=ties,
    )


def wave_arguments(name: str, captured: Sequence[Value]) -> tuple[Value, ...]:
    return tuple(
        Value(f"{name} argument {place}", value.type, SIZE) for place, value in enumerate(captured)
    )


def of(
    region: Execute, answers: Answers = NO_ANSWERS
) -> list[tuple[AllocationKind, Lifetime, AnyAffinity | None, tuple[str, ...]]]:
    """What a single region is given."""
    found = allocations(whole(region), answers)
    assert {item.region for item in found} <= {region.identity}
    return [(item.kind, item.lifetime, item.affinity, item.members) for item in found]


def whole(*operations: Operation) -> Program:
    body = Region((Block((*operations, Return(identity="end", values=()))),))
    return Program(("device_a", "device_b"), (Function("main", body, ()),))


# Transients.


def test_what_stays_inside_is_packed_into_one_transient() -> None:
    made = splat("made", A)
    used = dispatch("used", made, on=A, lifetime=EXTERNAL)
    assert of(execute(made, used)) == [(TRANSIENTS, TRANSIENT, A, ("made", "used"))]


def test_a_region_without_values_needs_nothing() -> None:
    assert of(execute()) == []


def test_a_region_without_affinity_has_transients_without_affinity() -> None:
    assert of(execute(splat("made", None), on=None)) == [(TRANSIENTS, TRANSIENT, None, ("made",))]


def test_tied_values_are_one_slice() -> None:
    made = splat("made", A)
    filled = fill("filled", made, A)
    copied = clone("copied", filled, A)
    assert of(execute(made, filled, copied)) == [(TRANSIENTS, TRANSIENT, A, ("made", "copied"))]


def test_what_shares_storage_with_an_argument_is_no_transient() -> None:
    argument = resource("argument")
    filled = fill("filled", argument, A)
    copied = clone("copied", argument, A)
    assert of(execute(filled, copied, arguments=[argument])) == [
        (TRANSIENTS, TRANSIENT, A, ("copied",))
    ]


def test_each_result_of_one_op_is_a_slice() -> None:
    argument = resource("argument")
    pair = dispatch("pair", argument, on=A, ties=(None, None))
    assert of(execute(pair, arguments=[argument])) == [(TRANSIENTS, TRANSIENT, A, ("pair", "pair"))]


def test_of_a_wave_what_it_yields_is_planned_for_outside() -> None:
    made = splat("made", A)
    first = wave("first", made, yields=[made])
    second = clone("second", first.outputs[0], A)
    assert of(execute(first, second)) == [(TRANSIENTS, TRANSIENT, A, ("first", "second"))]


def test_of_a_wave_what_nothing_takes_is_planned_for_too() -> None:
    unused, made = splat("unused", A), splat("made", A)
    first = wave("first", unused, made, yields=[made])
    assert of(execute(first)) == [(TRANSIENTS, TRANSIENT, A, ("unused", "first"))]


def test_of_a_wave_what_is_taken_inside_is_not_planned_for() -> None:
    made = splat("made", A)
    copied = clone("copied", made, A)
    first = wave("first", made, copied, yields=[copied])
    assert of(execute(first)) == [(TRANSIENTS, TRANSIENT, A, ("first",))]


def test_of_a_wave_what_is_written_in_place_is_not_planned_for() -> None:
    made = splat("made", A)
    (inside,) = wave_arguments("first", [made.result])
    first = wave("first", fill("filled", inside, A), captures=[made])
    assert of(execute(made, first)) == [(TRANSIENTS, TRANSIENT, A, ("made",))]


def test_a_wave_s_tied_result_is_its_operand() -> None:
    made = splat("made", A)
    (inside,) = wave_arguments("first", [made.result])
    filled = fill("filled", inside, A)
    first = wave("first", filled, captures=[made], yields=[filled], ties=(0,))
    assert of(execute(made, first)) == [(TRANSIENTS, TRANSIENT, A, ("made",))]


# Results.


def test_a_whole_chain_of_ties_is_the_storage_of_a_tied_result() -> None:
    argument, made = resource("argument"), splat("made", A)
    one, two = fill("one", made, A), splat("two", A)
    three = fill("three", one, A)
    region = execute(made, one, two, three, yields=[three], arguments=[argument], ties=(0,))
    assert of(region) == [(TRANSIENTS, TRANSIENT, A, ("two",))]


def test_a_result_is_allocated_with_its_lifetime() -> None:
    made = splat("made", A, EXTERNAL)
    assert of(execute(made, yields=[made])) == [(RESULTS, EXTERNAL, A, ("made",))]


def test_a_result_is_allocated_for_the_op_that_first_makes_it() -> None:
    made = splat("made", A, EXTERNAL)
    filled = fill("filled", made, A)
    assert of(execute(made, filled, yields=[filled])) == [(RESULTS, EXTERNAL, A, ("made",))]


def test_results_of_one_lifetime_share_an_allocation() -> None:
    one, two = splat("one", A, EXTERNAL), splat("two", A, EXTERNAL)
    assert of(execute(one, two, yields=[two, one])) == [(RESULTS, EXTERNAL, A, ("two", "one"))]


def test_results_of_several_lifetimes_do_not() -> None:
    lifetimes = [CONSTANT, VARIABLE, TRANSIENT, Lifetime.STAGING, EXTERNAL, Lifetime.UNKNOWN]
    made = [splat(lifetime.name, A, lifetime) for lifetime in lifetimes]
    assert of(execute(*made, yields=made)) == [
        (RESULTS, lifetime, A, (lifetime.name,)) for lifetime in reversed(lifetimes)
    ]


def test_a_result_tied_to_an_operand_needs_nothing() -> None:
    argument = resource("argument")
    filled = fill("filled", argument, A)
    assert of(execute(filled, yields=[filled], arguments=[argument], ties=(0,))) == []


def test_a_result_made_elsewhere_but_tied_needs_nothing() -> None:
    argument, made = resource("argument"), splat("made", A)
    tied = execute(made, yields=[made], arguments=[argument], ties=(0,))
    untied = execute(made, yields=[made], arguments=[argument], ties=(None,))
    assert of(tied) == []
    assert of(untied) == [(RESULTS, TRANSIENT, A, ("made",))]


def test_an_argument_handed_through_needs_nothing() -> None:
    argument = resource("argument")
    filled = fill("filled", argument, A)
    assert of(execute(filled, yields=[argument, filled], arguments=[argument])) == []


def test_a_wave_s_result_is_allocated_for_the_wave() -> None:
    made = splat("made", A)
    first = wave("first", made, yields=[made])
    assert of(execute(first, yields=[first.outputs[0]])) == [(RESULTS, TRANSIENT, A, ("first",))]


# Where results live.


def test_a_result_lives_where_it_is_used_and_where_it_is_made() -> None:
    made = splat("made", A)
    region = execute(made, yields=[made])
    for usages, expected in (
        ((A,), A),
        ((B,), OptimalAffinity((B, A))),
        ((A, B, C), OptimalAffinity((A, B, C))),
    ):
        answers = Answers(usages={(0, "region#0"): usages})
        assert of(region, answers) == [(RESULTS, TRANSIENT, expected, ("made",))]


def test_a_pinned_result_is_not_kept_where_it_is_used() -> None:
    made = splat("made", A)
    region = execute(made, yields=[made])
    answers = Answers(pins={(0, "region#0"): (B,)}, usages={(0, "region#0"): (B, C)})
    assert of(region, answers) == [(RESULTS, TRANSIENT, OptimalAffinity((B, A)), ("made",))]


def test_a_transferred_result_lives_where_the_transfer_sends_it() -> None:
    made = splat("made", A)
    moved = sent("moved", made, A, B)
    expected = [(RESULTS, TRANSIENT, B, ("moved",)), (TRANSIENTS, TRANSIENT, A, ("made",))]
    assert of(execute(made, moved, yields=[moved])) == expected


def test_a_transfer_without_target_leaves_it_to_the_region() -> None:
    made = splat("made", A)
    moved = sent("moved", made, B, None)
    assert of(execute(made, moved, yields=[moved]))[0] == (RESULTS, TRANSIENT, A, ("moved",))


def test_the_transfer_is_looked_for_up_the_ties_and_into_waves() -> None:
    made = splat("made", A)
    (inside,) = wave_arguments("first", [made.result])
    moved = sent("moved", inside, A, B)
    filled = fill("filled", moved, A)
    first = wave("first", filled, moved, captures=[made], yields=[filled])
    last = fill("last", first.outputs[0], A)
    assert of(execute(made, first, last, yields=[last]))[0] == (RESULTS, TRANSIENT, B, ("first",))


def test_the_search_for_a_transfer_ends_at_a_wave_s_argument_and_at_a_copy() -> None:
    made = splat("made", A)
    moved = sent("moved", made, A, B)
    (inside,) = wave_arguments("first", [moved.result])
    first = wave("first", fill("filled", inside, A), captures=[moved], yields=[inside])
    copied = clone("copied", moved, A)
    found = of(execute(made, moved, first, copied, yields=[first.outputs[0], copied]))
    assert found[0] == (RESULTS, TRANSIENT, A, ("first", "copied"))


def test_the_tie_of_a_wave_leads_past_it() -> None:
    made = splat("made", A)
    moved = sent("moved", made, A, B)
    (inside,) = wave_arguments("first", [moved.result])
    filled = fill("filled", inside, A)
    first = wave("first", filled, captures=[moved], yields=[filled], ties=(0,))
    found = of(execute(made, moved, first, yields=[first.outputs[0]]))
    assert found[0] == (RESULTS, TRANSIENT, B, ("moved",))


def test_results_are_grouped_by_affinity_in_order_of_appearance() -> None:
    one, two, three = (splat(name, A) for name in ("one", "two", "three"))
    moved = sent("moved", two, A, B)
    region = execute(one, two, three, moved, yields=[one, moved, three])
    assert of(region) == [
        (RESULTS, TRANSIENT, A, ("one", "three")),
        (RESULTS, TRANSIENT, B, ("moved",)),
        (TRANSIENTS, TRANSIENT, A, ("two",)),
    ]


def test_sets_in_another_order_are_two_allocations() -> None:
    one, two = splat("one", A), splat("two", A)
    moved = sent("moved", two, A, B)
    region = execute(one, two, moved, yields=[one, moved])
    answers = Answers(pins={(0, "region#0"): (B,), (0, "region#1"): (A,)})
    assert [affinity for _, _, affinity, _ in of(region, answers)] == [
        OptimalAffinity((B, A)),
        OptimalAffinity((A, B)),
        A,
    ]


def test_queues_of_one_device_are_joined() -> None:
    made = splat("made", A0)
    region = execute(made, yields=[made], on=A0)
    for usages, expected in (((Affinity("device_a", 2),), Affinity("device_a", 3)), ((A,), A)):
        answers = Answers(usages={(0, "region#0"): usages})
        assert of(region, answers) == [(RESULTS, TRANSIENT, expected, ("made",))]


def test_without_any_affinity_a_result_has_none() -> None:
    made = splat("made", None)
    assert of(execute(made, yields=[made], on=None)) == [(RESULTS, TRANSIENT, None, ("made",))]
    answers = Answers(usages={(0, "region#0"): (B,)})
    assert of(execute(made, yields=[made], on=None), answers) == [
        (RESULTS, TRANSIENT, B, ("made",))
    ]


# Constants.


def test_constants_and_variables_are_uploaded_apart() -> None:
    variable, one, two = constant("variable", VARIABLE), constant("one"), constant("two")
    region = execute(variable, one, two, yields=[variable, one, two])
    assert of(region) == [
        (CONSTANTS, CONSTANT, A, ("one", "two")),
        (CONSTANTS, VARIABLE, A, ("variable",)),
    ]


@pytest.mark.parametrize("lifetime", [EXTERNAL, TRANSIENT])
def test_a_constant_of_another_lifetime_is_a_value_like_any_other(lifetime: Lifetime) -> None:
    made = constant("made", lifetime)
    assert of(execute(made, yields=[made])) == [(RESULTS, lifetime, A, ("made",))]
    assert of(execute(made)) == [(TRANSIENTS, TRANSIENT, A, ("made",))]


def test_a_constant_in_a_wave_is_not_uploaded() -> None:
    made = constant("made")
    first = wave("first", made, yields=[made])
    assert of(execute(first, yields=[first.outputs[0]])) == [(RESULTS, CONSTANT, A, ("first",))]


def test_constants_that_leave_come_before_those_that_stay() -> None:
    staying, leaving = constant("staying"), constant("leaving")
    used = clone("used", staying, A)
    assert of(execute(staying, leaving, used, yields=[leaving])) == [
        (CONSTANTS, CONSTANT, A, ("leaving",)),
        (CONSTANTS, CONSTANT, A, ("staying",)),
        (TRANSIENTS, TRANSIENT, A, ("used",)),
    ]


def test_constants_that_leave_live_where_they_are_used() -> None:
    one, two, staying = constant("one"), constant("two"), constant("staying")
    used = clone("used", staying, A)
    answers = Answers(usages={(0, "region#1"): (B,)})
    assert of(execute(one, two, staying, used, yields=[one, two]), answers) == [
        (CONSTANTS, CONSTANT, A, ("one",)),
        (CONSTANTS, CONSTANT, OptimalAffinity((B, A)), ("two",)),
        (CONSTANTS, CONSTANT, A, ("staying",)),
        (TRANSIENTS, TRANSIENT, A, ("used",)),
    ]


def test_a_constant_leaves_in_place_too() -> None:
    made = constant("made")
    filled = fill("filled", made, A)
    region = execute(made, filled, yields=[filled])
    answers = Answers(usages={(0, "region#0"): (B,)})
    expected: AnyAffinity = OptimalAffinity((B, A))
    assert of(region, answers) == [(CONSTANTS, CONSTANT, expected, ("made",))]


def test_a_constant_yielded_twice_takes_its_place_from_the_first_and_replaces_the_last() -> None:
    made = constant("made")
    region = execute(made, yields=[made, made])
    answers = Answers(usages={(0, "region#0"): (B,)})
    both: AnyAffinity = OptimalAffinity((B, A))
    assert of(region, answers) == [
        (CONSTANTS, CONSTANT, both, ("made",)),
        (RESULTS, CONSTANT, both, ("made",)),
    ]


def test_a_constant_leaves_by_its_own_yield_before_that_of_a_tie() -> None:
    made = constant("made")
    filled = fill("filled", made, A)
    region = execute(made, filled, yields=[filled, made])
    answers = Answers(usages={(0, "region#0"): (B,)})
    both: AnyAffinity = OptimalAffinity((B, A))
    assert of(region, answers) == [
        (CONSTANTS, CONSTANT, both, ("made",)),
        (RESULTS, CONSTANT, both, ("made",)),
    ]


def test_an_unused_constant_is_a_transient_unless_another_of_its_batch_is_used() -> None:
    unused, used = constant("unused"), constant("used")
    assert of(execute(unused)) == [
        (CONSTANTS, CONSTANT, A, ("unused",)),
        (TRANSIENTS, TRANSIENT, A, ("unused",)),
    ]
    copied = clone("copied", used, A)
    assert of(execute(unused, used, copied)) == [
        (CONSTANTS, CONSTANT, A, ("unused", "used")),
        (TRANSIENTS, TRANSIENT, A, ("copied",)),
    ]


def test_a_use_that_is_not_the_tied_operand_does_not_let_a_constant_leave() -> None:
    made, target = constant("made"), splat("target", A)
    mixed = dispatch("mixed", target, made, on=A, ties=(0,), workload=(4,))
    region = execute(made, target, mixed, yields=[mixed])
    assert of(region) == [
        (CONSTANTS, CONSTANT, A, ("made",)),
        (RESULTS, TRANSIENT, A, ("target",)),
    ]


def test_a_constant_leaves_through_a_tied_dispatch_and_a_tied_wave() -> None:
    made, other = constant("made"), splat("other", A)
    mixed = dispatch("mixed", other, made, on=A, ties=(1,), workload=(4,), lifetime=CONSTANT)
    (inside,) = wave_arguments("first", [mixed.outputs[0]])
    filled = fill("filled", inside, A)
    first = wave("first", filled, captures=[mixed], yields=[filled], ties=(0,))
    region = execute(made, other, mixed, first, yields=[first.outputs[0]])
    assert of(region) == [
        (CONSTANTS, CONSTANT, A, ("made",)),
        (TRANSIENTS, TRANSIENT, A, ("other",)),
    ]


# The program.


def test_regions_of_all_bodies_are_asked_by_their_position() -> None:
    made = splat("made", A)
    first = execute(made, yields=[made], name="first")
    second = execute(made, yields=[made], name="second")
    setup = Initializer(Region((Block((first,)),)))
    program = Program(("device_a",), whole(second).functions, initializers=(setup,))
    answers = Answers(usages={(0, "first#0"): (B,), (1, "second#0"): (C,), (0, "second#0"): (A,)})
    assert allocations(program, answers) == (
        Allocation("first", RESULTS, TRANSIENT, OptimalAffinity((B, A)), ("made",)),
        Allocation("second", RESULTS, TRANSIENT, OptimalAffinity((C, A)), ("made",)),
    )
