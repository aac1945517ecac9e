"""The links of chains of transfers, through everything that hands values on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from flow import (
    CHOICE,
    blocks,
    call,
    choose,
    count_loop,
    ended,
    fork,
    func,
    go,
    initializer,
    kept,
    load_global,
    module,
    opaque,
    select,
    store_global,
    when,
    while_loop,
)
from straight import A, B, barrier, clone, dispatch, program, resource, transfer

from reference.contracts.chains import Chains
from reference.ir import Operation, Program, walk
from reference.ops import Transfer

GIVEN = resource("given")
AWAY = transfer("away", GIVEN, A, B)


def links(whole: Program, name: str = "back") -> list[str]:
    """The names of the links of the chains that end in the transfer `name`."""
    for ordinal, body in enumerate(whole.bodies()):
        for operation in walk(body):
            if operation.identity == name:
                assert isinstance(operation, Transfer)
                return [link.identity for link in Chains(whole).links(ordinal, operation)]
    raise AssertionError(f"no op {name}")


def test_a_chain_begins_with_its_last_link() -> None:
    assert links(program([AWAY], AWAY), "away") == ["away"]
    back = transfer("back", AWAY, B, A)
    assert links(program([AWAY, back], back)) == ["back", "away"]


def test_a_chain_goes_through_copies_and_ends_at_other_ops() -> None:
    held = barrier("held", AWAY, B)
    copy = clone("copy", held, B)
    back = transfer("back", copy, B, A)
    assert links(program([AWAY, held, copy, back], back)) == ["back", "away"]
    other = dispatch("other", AWAY, on=B)
    back = transfer("back", other, B, A)
    assert links(program([AWAY, other, back], back)) == ["back"]


CARRIED, ASKED, TURNED = resource("carried"), resource("asked"), resource("turned")

FLOWS: dict[str, Sequence[Operation]] = {
    "select": [AWAY, select("flow", GIVEN, AWAY)],
    "then": [choose("flow", [AWAY], AWAY, [], GIVEN)],
    "otherwise": [choose("flow", [], GIVEN, [AWAY], AWAY)],
    "what a loop begins with": [AWAY, count_loop("flow", [AWAY], [CARRIED], [], [GIVEN])],
    "what a loop carries": [count_loop("flow", [GIVEN], [CARRIED], [AWAY], [AWAY])],
    "what a loop hands through": [AWAY, count_loop("flow", [AWAY], [CARRIED], [], [CARRIED])],
    "what a while loop begins with": [
        AWAY, while_loop("flow", [AWAY], ([ASKED], [], [ASKED]), ([TURNED], [], [GIVEN])),
    ],
    "what a while loop turns": [
        while_loop("flow", [GIVEN], ([ASKED], [], [ASKED]), ([TURNED], [AWAY], [AWAY])),
    ],
    "what a while loop hands through": [
        AWAY, while_loop("flow", [AWAY], ([ASKED], [], [ASKED]), ([TURNED], [], [TURNED])),
    ],
}  # fmt: skip


@pytest.mark.parametrize("which", FLOWS)
def test_a_chain_goes_through_control_flow(which: str) -> None:
    operations = FLOWS[which]
    back = transfer("back", operations[-1], B, A)
    assert links(program([*operations, back], back)) == ["back", "away"]


def test_a_chain_goes_on_within_loops() -> None:
    for loop in (
        count_loop("flow", [GIVEN], [CARRIED], [transfer("back", CARRIED, B, A), AWAY], [AWAY]),
        while_loop(
            "flow", [GIVEN], ([ASKED], [], [ASKED]),
            ([TURNED], [transfer("back", TURNED, B, A), AWAY], [AWAY]),
        ),
    ):  # fmt: skip
        assert links(program([loop], loop)) == ["back", "away"]


def test_numbers_and_sides_without_values_hand_nothing_on() -> None:
    count = count_loop("count", [], [], [], [])
    index = count.body.blocks[0].arguments[0]
    whole = program(
        [count_loop("count", [], [], [opaque("turn", index)], []), when("idle"), AWAY], AWAY
    )
    assert links(whole, "away") == ["away"]
    odd = transfer("odd", index, A, B)
    assert links(program([count_loop("count", [], [], [odd], [])], GIVEN), "odd") == ["odd"]


def test_a_chain_goes_through_blocks() -> None:
    merged = resource("merged")
    back = transfer("back", merged, B, A)
    body = blocks(
        ([GIVEN, CHOICE], [AWAY, fork((1, []), (2, [GIVEN]))]),
        ([], [go(2, AWAY)]),
        ([merged], [back, ended(back)]),
    )
    assert links(module(func("f", [], body=body))) == ["back", "away"]


def test_a_chain_goes_through_functions() -> None:
    taken = resource("taken")
    inner = transfer("back", taken, B, A)
    callee = func("callee", [taken], inner, ended(inner), public=False)
    passes = call("passes", "callee", AWAY)
    last = transfer("last", passes, A, B)
    foreign = call("foreign", "elsewhere", AWAY)
    other = transfer("other", foreign, A, B)
    whole = module(func("f", [GIVEN], AWAY, passes, last, foreign, other, ended(last)), callee)
    assert links(whole) == ["back", "away"]
    assert links(whole, "last") == ["last", "back", "away"]
    assert links(whole, "other") == ["other"]


def test_a_chain_goes_through_globals() -> None:
    start = initializer(AWAY, store_global("store", AWAY, "state"))
    taken = load_global("taken", "state")
    back = transfer("back", taken, B, A)
    reader = func("reader", [], taken, back, ended(back))
    whole = module(reader, globals=[kept("state")], initializers=[start])
    assert links(whole) == ["back", "away"]
