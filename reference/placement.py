"""Where transfers execute: `iree-stream-place-transfer-executions` (IREE 3.12 and later).

Rules from compiler/src/iree/compiler/Dialect/Stream/Transforms/PlaceTransferExecutions.cpp. The
pass decides for each transfer alone, from the pins of the program as it was before the pass.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reference.affinity import Affinity, can_execute_together
from reference.analysis.pins import Pins, program_pins
from reference.ir import Operation, Program, map_operations, walk
from reference.ops import Transfer
from reference.releases import Release


class PlacementRule(enum.Enum):
    """Why a transfer executes where it does; the value explains it to people."""

    NO_PASS = "this release has no placement pass: the ends' lifetimes decide"
    EXPLICIT = "on(…) was already there and stays"
    NO_PIN = "nothing pins the result to a device: the ends' lifetimes decide"
    NOT_UNIQUE = "the result is pinned to several devices: the ends' lifetimes decide"
    TARGET_ABSENT = "to(…) is absent, so the pin is not followed"
    TARGET_INCOMPATIBLE = "the result's pin cannot execute where to(…) is, so it is not followed"
    ALREADY_THERE = "the place the ends' lifetimes give can execute where the result is pinned"
    PLACED = "the result is pinned to a device that its own side would not execute on: moved there"


@dataclass(frozen=True, slots=True)
class TransferPlacement:
    """Where a transfer executes after the pass.

    `execution` is the effective affinity, `explicit` the `on(…)` it then carries, None without.
    """

    execution: Affinity | None
    explicit: Affinity | None
    rule: PlacementRule


def place_transfers(program: Program, release: Release) -> dict[str, TransferPlacement]:
    """What the pass decides for every transfer of the program, by identity.

    Raises UnsupportedOperationError where the release's own search for pins is undefined.
    """
    transfers = [
        (body, operation)
        for body, region in enumerate(program.bodies())
        for operation in walk(region)
        if isinstance(operation, Transfer)
    ]
    if not transfers:
        return {}
    pins = program_pins(program, release)
    return {
        transfer.identity: _place(transfer, pins[body], release) for body, transfer in transfers
    }


def apply_placement(program: Program, placements: Mapping[str, TransferPlacement]) -> Program:
    """The program after the pass: each transfer in `placements` carries its `explicit` affinity."""

    def placed(operation: Operation) -> Operation:
        if isinstance(operation, Transfer) and operation.identity in placements:
            explicit = placements[operation.identity].explicit
            if explicit != operation.explicit_affinity:
                return replace(operation, explicit_affinity=explicit)
        return operation

    return replace(
        program,
        functions=tuple(
            replace(function, body=map_operations(function.body, placed))
            for function in program.functions
        ),
        initializers=tuple(
            replace(initializer, body=map_operations(initializer.body, placed))
            for initializer in program.initializers
        ),
    )


def _place(transfer: Transfer, pins: Pins, release: Release) -> TransferPlacement:
    rule = _rule(transfer, pins.get(transfer.result, ()), release)
    explicit = transfer.explicit_affinity
    if rule is PlacementRule.PLACED:
        (explicit,) = pins[transfer.result]
    return TransferPlacement(explicit or transfer.default_execution_affinity, explicit, rule)


def _rule(transfer: Transfer, pinned: tuple[Affinity, ...], release: Release) -> PlacementRule:
    """The first rule that applies, in the pass's order.

    Both questions of compatibility have a direction: the pin must be able to execute where the
    target is, and the derived place where the pin is (a subset of its queues is enough).
    """
    if not release.explicit_transfer_execution:
        return PlacementRule.NO_PASS
    if transfer.explicit_affinity is not None:
        return PlacementRule.EXPLICIT
    if not pinned:
        return PlacementRule.NO_PIN
    if len(pinned) > 1:
        return PlacementRule.NOT_UNIQUE
    (pin,) = pinned
    if transfer.target_affinity is None:
        return PlacementRule.TARGET_ABSENT
    if not can_execute_together(pin, transfer.target_affinity):
        return PlacementRule.TARGET_INCOMPATIBLE
    if can_execute_together(transfer.default_execution_affinity, pin):
        return PlacementRule.ALREADY_THERE
    return PlacementRule.PLACED
