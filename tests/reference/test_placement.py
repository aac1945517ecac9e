from __future__ import annotations

import pytest
from flow import call, ended, func, initializer, module, when
from straight import (
    A0,
    EXTERNAL,
    STAGING,
    TRANSIENT,
    A,
    B,
    C,
    dispatch,
    exported,
    imported,
    program,
    resource,
    splat,
    transfer,
)

from reference.ops import Transfer
from reference.placement import (
    PlacementRule,
    TransferPlacement,
    apply_placement,
    place_transfers,
)
from reference.releases import release_rules
from reference.text import print_program

NEWEST = release_rules("3.13.0")[0]
OLDEST = release_rules("3.11.0")[0]
SOURCE = resource("source")


def place(moved, *exports, release=NEWEST):
    """What the pass decides for `moved`, whose result goes out through an export on each of
    `exports`."""
    outs = [exported(f"out{index}", moved, on) for index, on in enumerate(exports)]
    returned = outs or [moved]
    return place_transfers(program([moved, *outs], *returned), release)[moved.identity]


# IREE's own tests of the pass, place_transfer_executions.mlir.


def test_pinned_transfer():
    placement = place(transfer("t", SOURCE, B, A), A)
    assert placement == TransferPlacement(A, A, PlacementRule.PLACED)


def test_unpinned_transfer():
    placement = place(transfer("t", SOURCE, B, A))
    assert placement == TransferPlacement(B, None, PlacementRule.NO_PIN)


def test_compatible_transfer():
    placement = place(transfer("t", SOURCE, A, A), A)
    assert placement == TransferPlacement(A, None, PlacementRule.ALREADY_THERE)


# IREE's test of the whole pipeline, transfer_execution_placement.mlir (issue 21361).


def test_multi_device_mul():
    given = imported("given", A)
    produced_a = dispatch("produced_a", given, on=A)
    there = transfer("there", produced_a, A, B, TRANSIENT)
    produced_b = dispatch("produced_b", there, on=B)
    result = transfer("result", produced_b, B, A)
    out = exported("out", result, A)
    placements = place_transfers(
        program([given, produced_a, there, produced_b, result, out], out), NEWEST
    )
    assert placements == {
        "there": TransferPlacement(A, None, PlacementRule.NO_PIN),
        "result": TransferPlacement(A, A, PlacementRule.PLACED),
    }


# async_ops.mlir: on(…) may name the target or a third device.


@pytest.mark.parametrize("on", [A, C])
def test_an_explicit_affinity_stays(on):
    placement = place(transfer("t", SOURCE, B, A, on=on), A)
    assert placement == TransferPlacement(on, on, PlacementRule.EXPLICIT)


# async_folding.mlir, PreserveTransferExecutionAffinity: the same for a second link of a chain.


def test_an_explicit_affinity_of_a_later_link_stays():
    first = transfer("first", SOURCE, B, A, STAGING)
    second = transfer("second", first, A, A, on=A)
    placements = place_transfers(program([first, second], second), NEWEST)
    assert placements["first"] == TransferPlacement(B, None, PlacementRule.NO_PIN)
    assert placements["second"] == TransferPlacement(A, A, PlacementRule.EXPLICIT)


def test_no_release_before_3_12_has_the_pass():
    placement = place(transfer("t", SOURCE, B, A), A, release=OLDEST)
    assert placement == TransferPlacement(B, None, PlacementRule.NO_PASS)


def test_pins_to_several_devices_are_not_followed():
    assert place(transfer("t", SOURCE, B, A), A, C).rule is PlacementRule.NOT_UNIQUE
    assert place(transfer("t", SOURCE, B, A), A, A).rule is PlacementRule.PLACED


def test_queues_of_one_device_are_several_pins():
    assert place(transfer("t", SOURCE, B, A), A, A0).rule is PlacementRule.NOT_UNIQUE


def test_a_pin_without_a_target_is_not_followed():
    placement = place(transfer("t", SOURCE, B, None), A)
    assert placement == TransferPlacement(B, None, PlacementRule.TARGET_ABSENT)


def test_a_pin_on_another_device_than_the_target_is_not_followed():
    assert place(transfer("t", SOURCE, B, C), A).rule is PlacementRule.TARGET_INCOMPATIBLE


def test_the_pin_must_be_executable_with_the_target_in_this_direction():
    assert place(transfer("t", SOURCE, B, A), A0).rule is PlacementRule.PLACED
    assert place(transfer("t", SOURCE, B, A0), A).rule is PlacementRule.TARGET_INCOMPATIBLE


def test_the_derived_place_must_be_executable_with_the_pin_in_this_direction():
    assert place(transfer("t", SOURCE, A0, A), A).rule is PlacementRule.ALREADY_THERE
    placement = place(transfer("t", SOURCE, A, A), A0)
    assert placement == TransferPlacement(A0, A0, PlacementRule.PLACED)


def test_no_derived_place_goes_with_any_pin():
    placement = place(transfer("t", SOURCE, None, A), A)
    assert placement == TransferPlacement(None, None, PlacementRule.ALREADY_THERE)


@pytest.mark.parametrize("lifetime", [EXTERNAL, STAGING])
def test_what_the_target_pulls_anyway_is_not_placed(lifetime):
    placement = place(transfer("t", resource("source", lifetime), B, A), A)
    assert placement == TransferPlacement(A, None, PlacementRule.ALREADY_THERE)


def test_a_program_without_transfers_has_no_placements():
    given = imported("given", A)
    assert place_transfers(program([given], given), NEWEST) == {}


def test_every_rule_explains_itself():
    assert all(rule.value for rule in PlacementRule)


def test_the_placed_program_carries_the_decisions_and_nothing_else():
    given = imported("given", A)
    moved = transfer("moved", SOURCE, B, A)
    out = exported("out", moved, A)
    before = program([given, moved, out], out)
    after = apply_placement(before, place_transfers(before, NEWEST))
    text = print_program(before).replace("transfer %source", f"transfer on({A}) %source")
    assert print_program(after) == text
    assert apply_placement(after, place_transfers(after, NEWEST)) == after


def test_transfers_without_a_decision_stay():
    before = program([transfer("moved", SOURCE, B, A)])
    assert apply_placement(before, {}) == before


def moved_to_export(name):
    """A transfer to B that an export pins there, and the ops around it."""
    made = splat(f"{name}_made", A)
    moved = transfer(name, made, A, B)
    return made, moved, exported(f"{name}_out", moved, B)


def test_transfers_are_placed_wherever_they_are():
    nested = moved_to_export("nested")
    whole = module(
        func("f", [], when("outer", when("inner", *nested)), *moved_to_export("plain"), ended()),
        func("g", [], *moved_to_export("elsewhere"), ended()),
        initializers=[initializer(*moved_to_export("first"))],
    )
    placements = place_transfers(whole, NEWEST)
    assert set(placements) == {"first", "nested", "plain", "elsewhere"}
    assert {placement.explicit for placement in placements.values()} == {B}
    placed = apply_placement(whole, placements)
    assert {
        operation.identity: operation.explicit_affinity
        for operation in placed.operations()
        if isinstance(operation, Transfer)
    } == dict.fromkeys(placements, B)
    assert apply_placement(placed, place_transfers(placed, NEWEST)) == placed


def test_a_pin_in_another_function_counts_where_the_value_comes_from():
    made = splat("made", A)
    moved = transfer("moved", made, A, B)
    given = resource("given", EXTERNAL)
    whole = module(
        func("main", [], made, moved, call("sent", "show", moved, results=0), ended()),
        func("show", [given], exported("out", given, B), ended(), public=False),
    )
    assert place_transfers(whole, NEWEST)["moved"].explicit == B
