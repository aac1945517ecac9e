"""A worker goes on from a `reparse` that it has seen, and its answers are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from oracle.compiling.memory import REMEMBERED_TEXTS
from oracle.compiling.service import JsonObject
from oracle.compiling.worker import make_answerer

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

Taken = tuple[JsonObject, list[int]]


@pytest.fixture
def ask() -> Callable[..., Taken]:
    answer = make_answerer()

    def ask(text: str, *steps: list[Any], known: int = len(FIRST)) -> Taken:
        taken: list[int] = []
        request: JsonObject = {
            "job": 1,
            "text": text,
            "steps": [*FIRST, *steps],
            "known": known,
        }
        reply = answer(request, taken.append)
        reply.pop("seconds")
        reply.pop("times")
        return reply, taken

    return ask


def test_the_steps_before_a_known_reparse_are_not_taken_again(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    first, taken = ask(program, ["print", False], known=0)
    assert taken == [0, 1, 2, 3, 4]
    again, taken = ask(program, SCHEDULE, ["print", False])
    assert taken == [4, 5]
    fresh, _ = ask(program, SCHEDULE, ["print", False], known=0)
    results: Any = fresh["results"]
    assert again["results"] == [None, None, None, None, *results[4:]]
    assert first["failure"] is None


def test_who_knows_nothing_is_told_all(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    first, _ = ask(program, known=0)
    again, taken = ask(program, known=0)
    assert again == first
    assert taken == [0, 1, 2, 3]


def test_what_is_known_but_not_remembered_is_done_without_looking(
    ask: Callable[..., Taken],
) -> None:
    program = PROGRAM.format(number=1)
    reply, taken = ask(program, ["print", False])
    told: Any = ask(program, ["print", False], known=0)[0]["results"]
    assert taken == [0, 1, 2, 3, 4]
    assert reply["results"] == [None, None, None, None, told[4]]


def test_looks_on_the_way_do_not_matter(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    answer = make_answerer()
    for steps, known, expected in (
        (FIRST, 0, [0, 1, 2, 3]),
        ([FIRST[0], FIRST[1], ["reparse"], ["print", False]], 3, [3]),
    ):
        taken: list[int] = []
        answer({"job": 1, "text": program, "steps": steps, "known": known}, taken.append)
        assert taken == expected


def test_another_text_or_another_step_begins_anew(ask: Callable[..., Taken]) -> None:
    ask(PROGRAM.format(number=1))
    reply, taken = ask(PROGRAM.format(number=2), ["print", False])
    assert taken[0] == 0
    results: Any = reply["results"]
    assert "2 : i32" in results[-1]
    answer = make_answerer()
    steps: list[Any] = [["parse"], ["reparse"], ["print", False]]
    other: list[Any] = [["parse"], CANONICALIZE, ["reparse"], ["print", False]]
    for asked, known, expected in (
        (steps, 0, [0, 1, 2]),
        (steps, 2, [2]),
        (other, 3, [0, 1, 2, 3]),
    ):
        taken = []
        answer(
            {"job": 1, "text": PROGRAM.format(number=1), "steps": asked, "known": known},
            taken.append,
        )
        assert taken == expected


def test_a_failure_after_it_names_its_own_step(ask: Callable[..., Taken]) -> None:
    program = PROGRAM.format(number=1)
    ask(program, known=0)
    reply, _ = ask(program, ["run", "builtin.module(no-such-pass)"])
    failure: Any = reply["failure"]
    assert (failure["step"], failure["kind"]) == (4, "unknown-pass")


def test_old_texts_are_forgotten(ask: Callable[..., Taken]) -> None:
    for number in range(REMEMBERED_TEXTS + 1):
        ask(PROGRAM.format(number=number), known=0)
    _, taken = ask(PROGRAM.format(number=0))
    assert taken[0] == 0
    _, taken = ask(PROGRAM.format(number=REMEMBERED_TEXTS), ["print", False])
    assert taken == [4]
