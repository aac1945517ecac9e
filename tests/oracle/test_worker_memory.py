"""A worker goes on from a `reparse` that it has seen, and its answers are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from oracle import worker

PROGRAM = """module {{
  util.global private @dev_a : !hal.device
  util.func public @main(%size: index) -> !stream.resource<transient> {{
    %c{number}_i32 = arith.constant {number} : i32
    %a = stream.async.splat on(#hal.device.affinity<@dev_a>) %c{number}_i32 : i32
      -> !stream.resource<transient>{{%size}} loc("op1")
    %b = stream.async.clone on(#hal.device.affinity<@dev_a>) %a
      : !stream.resource<transient>{{%size}}
      -> !stream.resource<transient>{{%size}} loc("op2")
    util.return %b : !stream.resource<transient>
  }}
}}
"""
CANONICALIZE = ["run", "builtin.module(util.func(canonicalize))"]
SCHEDULE = ["run", "builtin.module(util.func(iree-stream-schedule-execution))"]
FIRST: list[Any] = [["parse"], CANONICALIZE, ["print", True], ["reparse"]]

Taken = tuple[worker.JsonObject, list[int]]


@pytest.fixture
def ask() -> Callable[..., Taken]:
    answer = worker.make_answerer()

    def ask(text: str, *steps: list[Any]) -> Taken:
        taken: list[int] = []
        request: worker.JsonObject = {"job": 1, "text": text, "steps": [*FIRST, *steps]}
        reply = answer(request, taken.append)
        reply.pop("seconds")
        return reply, taken

    return ask


def test_the_steps_before_a_known_reparse_are_not_taken_again(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    first, taken = ask(program, ["print", False])
    assert taken == [0, 1, 2, 3, 4]
    again, taken = ask(program, SCHEDULE, ["print", False])
    assert taken == [4, 5]
    fresh = worker.make_answerer()(
        {"job": 1, "text": program, "steps": [*FIRST, SCHEDULE, ["print", False]]}, lambda _: None
    )
    assert again["results"] == fresh["results"]
    assert first["failure"] is None


def test_another_text_or_another_step_begins_anew(ask: Callable[..., Taken]) -> None:
    ask(PROGRAM.format(number=1))
    reply, taken = ask(PROGRAM.format(number=2), ["print", False])
    assert taken[0] == 0
    assert "2 : i32" in str(reply["results"][-1])
    answer = worker.make_answerer()
    steps: list[Any] = [["parse"], ["reparse"], ["print", False]]
    for expected in ([0, 1, 2], [2]):
        taken = []
        answer({"job": 1, "text": PROGRAM.format(number=1), "steps": steps}, taken.append)
        assert taken == expected
    taken = []
    other = [["parse"], CANONICALIZE, ["reparse"], ["print", False]]
    answer({"job": 1, "text": PROGRAM.format(number=1), "steps": other}, taken.append)
    assert taken == [0, 1, 2, 3]


def test_a_failure_after_it_names_its_own_step(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    ask(program)
    reply, _ = ask(program, ["run", "builtin.module(no-such-pass)"])
    failure: Any = reply["failure"]
    assert (failure["step"], failure["kind"]) == (4, "unknown-pass")


def test_old_texts_are_forgotten(ask: Callable[..., Taken]) -> None:
    for number in range(worker.REMEMBERED_TEXTS + 1):
        ask(PROGRAM.format(number=number))
    _, taken = ask(PROGRAM.format(number=0))
    assert taken[0] == 0
    _, taken = ask(PROGRAM.format(number=worker.REMEMBERED_TEXTS), ["print", False])
    assert taken == [4]
