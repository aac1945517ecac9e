"""The laws of optimal sets that nobody would expect, seen in the compiler."""

from __future__ import annotations

import pytest
from samples import Ask

from oracle.compiling.answers import Outcome, Request, decode
from reference.affinity import Affinity, OptimalAffinity, join_all, join_and, parse_affinity

BOTH = OptimalAffinity((Affinity("dev_a"), Affinity("dev_b")))
R = "!stream.resource<external>"
S = f"{R}{{%c16}}"
HEAD = """
util.global private @dev_a : !hal.device
util.global private @dev_b : !hal.device
"""

IN_A_ROW = f"""{HEAD}
util.func public @main(%given: {R}) -> {R} {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %one = stream.async.dispatch on({BOTH}) @ex::@d(%given[%c0 to %c16 for %c16]) : ({S}) -> {S}
  %two = stream.async.dispatch on({BOTH}) @ex::@d(%one[%c0 to %c16 for %c16]) : ({S}) -> {S}
  util.return %two : {R}
}}
"""

REGION = f"""{HEAD}
util.func public @main() -> {R} {{
  %c16 = arith.constant 16 : index
  %c7 = arith.constant 7 : i32
  %made, %done = stream.async.execute on({BOTH}) with() -> {S} {{
    %splat = stream.async.splat %c7 : i32 -> {S}
    stream.yield %splat : {S}
  }} => !stream.timepoint
  %ready = stream.timepoint.await %done => %made : {S}
  util.return %ready : {R}
}}
"""


def test_two_ops_on_one_set_share_a_partition_on_a_set_of_nothing() -> None:
    pytest.importorskip("iree.compiler")
    from oracle.compiling.worker import make_answerer

    steps = (("parse",), ("run", "builtin.module(util.func(iree-stream-schedule-execution))"))
    request = Request(IN_A_ROW, steps)
    reply = make_answerer()(
        {"job": 0, "text": request.text, "steps": [[*step] for step in steps]}, lambda step: None
    )
    answer = decode(reply)
    assert answer.outcome is Outcome.FAILED
    assert answer.message.endswith(f"the partition affinity {join_and(BOTH, BOTH)}")


def test_what_a_region_on_a_set_makes_lives_on_a_set_of_sets(ask: Ask) -> None:
    _, found = ask(
        REGION,
        ["run", "builtin.module(iree-stream-schedule-allocation)"],
        ["find", ["stream.resource.alloca"]],
    )
    assert isinstance(found, list)
    (alloca,) = found
    text = alloca["attributes"]["affinity"]["text"]
    assert text == str(join_all([BOTH, BOTH]))
    assert parse_affinity(text) is None
