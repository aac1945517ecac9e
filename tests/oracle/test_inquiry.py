"""Requests about one text share their first steps, and nothing else is said twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType

import pytest

from oracle.compiling.answers import USUAL, Answer, Json, Outcome, Request, Seat
from oracle.compiling.compiler import Restarts
from oracle.compiling.inquiry import Inquiry

PARSE: tuple[Json, ...] = ("parse",)
REPARSE: tuple[Json, ...] = ("reparse",)
READ: tuple[Json, ...] = ("read",)


def run(name: str) -> tuple[Json, ...]:
    return ("run", name)


@dataclass(slots=True)
class Recorder:
    """Answers each step with its number, and remembers what it was asked."""

    fails: str | None = None
    """The pass that is refused."""
    loses: list[int] = field(default_factory=list)
    """The numbers of the requests, over all calls, that a process is lost with."""
    loss: Answer = field(default_factory=lambda: Answer(Outcome.CRASH, signal="SIGSEGV"))
    asked: list[Request] = field(default_factory=list)

    @property
    def restarts(self) -> Restarts:
        return Restarts()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        for request in requests:
            number = len(self.asked)
            self.asked.append(request)
            if number in self.loses:
                yield self.loss
                continue
            told: list[Json] = []
            for place, step in enumerate(request.steps):
                if step[-1] == self.fails and self.fails is not None:
                    yield Answer(Outcome.FAILED, tuple(told), place, kind="pass")
                    break
                told.append(None if place < request.known else f"{number}:{place}")
            else:
                yield Answer(Outcome.OK, tuple(told), len(told))


def request(*steps: tuple[Json, ...], text: str = "text") -> Request:
    return Request(text, steps)


def asked_of(recorder: Recorder, *calls: Request) -> list[Answer]:
    """The answers to requests that were made one after the other."""
    inquiry = Inquiry(lambda _: recorder)
    return [inquiry.answers([(USUAL, one)])[0] for one in calls]


def test_a_request_goes_on_from_a_common_reparse() -> None:
    recorder = Recorder()
    first, second = asked_of(
        recorder,
        request(PARSE, run("a"), READ, REPARSE, READ, run("b")),
        request(PARSE, run("a"), REPARSE, run("c"), READ),
    )
    assert [one.known for one in recorder.asked] == [0, 3]
    assert first.results == ("0:0", "0:1", "0:2", "0:3", "0:4", "0:5")
    assert second.results == ("0:0", "0:1", "0:3", "1:3", "1:4")


def test_two_requests_of_one_call_share_as_well() -> None:
    recorder = Recorder()
    steps = (PARSE, run("a"), REPARSE)
    pair = [(USUAL, request(*steps, READ)), (USUAL, request(*steps, run("b")))]
    _, second = Inquiry(lambda _: recorder).answers(pair)
    assert [one.known for one in recorder.asked] == [0, 3]
    assert second.results == ("0:0", "0:1", "0:2", "1:3")


@pytest.mark.parametrize(
    "other",
    [
        request(PARSE, run("a"), READ, run("b")),
        request(PARSE, run("b"), REPARSE, READ),
        request(PARSE, run("a"), REPARSE, READ, text="another"),
        Request("text", (PARSE, run("a"), REPARSE, READ), dialects=("builtin",)),
        request(PARSE, run("a"), READ, REPARSE, READ),
    ],
    ids=["no reparse", "another pass", "another text", "other dialects", "a look it lacks"],
)
def test_nothing_else_is_shared(other: Request) -> None:
    recorder = Recorder()
    asked_of(recorder, request(PARSE, run("a"), REPARSE), other)
    assert [one.known for one in recorder.asked] == [0, 0]


def test_a_request_is_made_once_unless_one_call_makes_it_twice() -> None:
    recorder = Recorder()
    one = request(PARSE, READ)
    inquiry = Inquiry(lambda _: recorder)
    told = inquiry.answers([(USUAL, one), (USUAL, one), (Seat(1), one)])
    assert inquiry.answers([(USUAL, one), (Seat(1), one)]) == told[1:]
    assert len(recorder.asked) == 3


def test_a_request_that_is_the_beginning_of_an_earlier_one_is_answered_by_it() -> None:
    way = (PARSE, READ, run("a"), READ)
    recorder = Recorder(fails="c")
    longer = request(*way, run("b"), run("c"))
    _, second = asked_of(recorder, longer, request(PARSE, run("a"), READ))
    assert (second.outcome, second.results) == (Outcome.OK, ("0:0", "0:2", "0:3"))
    assert (second.step, len(recorder.asked)) == (3, 1)
    lost = Recorder(loses=[0, 1])
    _, asked = asked_of(lost, request(*way, run("b")), request(*way))
    assert asked.results == ("2:0", "2:1", "2:2", "2:3")


def test_a_failure_on_a_common_way_is_the_same_failure() -> None:
    recorder = Recorder(fails="b")
    first, second, third = asked_of(
        recorder,
        request(PARSE, run("a"), READ, run("b"), run("c")),
        request(PARSE, run("a"), run("b"), READ),
        request(PARSE, READ, run("a"), run("b")),
    )
    assert (first.outcome, first.step) == (Outcome.FAILED, 3)
    assert (second.outcome, second.step, second.kind) == (Outcome.FAILED, 2, "pass")
    assert second.results == ("0:0", "0:1")
    assert (third.step, len(recorder.asked)) == (3, 2)


def test_a_lost_process_is_asked_once_more() -> None:
    recorder = Recorder(loses=[0])
    (answer,) = asked_of(recorder, request(PARSE, READ))
    assert answer.results == ("1:0", "1:1")
    twice = Recorder(loses=[0, 1])
    (lost,) = asked_of(twice, request(PARSE, READ))
    assert lost.outcome is Outcome.CRASH


def test_a_process_that_computed_all_its_time_is_not_asked_again() -> None:
    busy = Recorder(loses=[0], loss=Answer(Outcome.HANG, computing=True))
    (lost,) = asked_of(busy, request(PARSE, READ))
    assert (lost.outcome, len(busy.asked)) == (Outcome.HANG, 1)
    idle = Recorder(loses=[0], loss=Answer(Outcome.HANG))
    (answer,) = asked_of(idle, request(PARSE, READ))
    assert (answer.outcome, len(idle.asked)) == (Outcome.OK, 2)


def test_what_a_lost_process_did_not_tell_is_asked_in_full() -> None:
    steps = (PARSE, run("a"), REPARSE)
    pair = [(USUAL, request(*steps, READ)), (USUAL, request(*steps, run("b")))]
    recorder = Recorder(loses=[0, 2])
    first, second = Inquiry(lambda _: recorder).answers(pair)
    assert first.outcome is Outcome.CRASH
    assert [one.known for one in recorder.asked] == [0, 3, 0, 0]
    assert second.results == ("3:0", "3:1", "3:2", "3:3")
