"""Requests about a batch of programs: each is made once, and common first steps are taken once.

Checks look at a program after the same passes. A request whose first steps lead to a `reparse` that
an earlier request about the same text led to goes on from there (`Memory` in
`oracle/compiling/worker.py`), and what is known of those steps is not told again. One that is the
beginning of an earlier request is not made. Nothing else may be shared: a module that was not
printed and parsed again has an order of uses of its own.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Protocol

from oracle.compiling.answers import LOOKS, Answer, Outcome, Request, Seat
from oracle.compiling.compiler import Restarts

_COMPARABLE = 2
"""The last form of `marshal` whose bytes are the same for equal data."""

_Places = tuple[int, ...]
"""For each of a request's first steps, where it stands in another request's steps."""


class Compiler(Protocol):
    """Whatever answers requests in order; a context manager."""

    @property
    def restarts(self) -> Restarts:
        """How often it was lost."""

    def ask(self, requests: Sequence[Request]) -> Iterator[Answer]:
        """One answer a request."""

    def __enter__(self) -> Compiler: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class _Pending:
    """A request of this batch, before and after its answer came."""

    __slots__ = ("answer", "base", "places", "request")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.answer: Answer | None = None
        self.base: _Pending | None = None
        self.places: _Places = ()


class Inquiry:
    """What was asked about a batch of programs; `process` gives the compiler of a seat."""

    def __init__(self, process: Callable[[Seat], Compiler]) -> None:
        self._process = process
        self._answers: dict[tuple[Seat, str, bytes], Answer] = {}
        self._about: dict[tuple[Seat, str], list[_Pending]] = {}

    def answers(self, asked: Sequence[tuple[Seat, Request]]) -> list[Answer]:
        """The answers to requests, each with the seat of the compiler to ask; in order.

        What an earlier call asked is not asked again; what one call asks twice is. Raises
        `oracle.compiling.compiler.CompilerUnavailable`.
        """
        keys = [(seat, request.text, _written(request)) for seat, request in asked]
        found = {
            place: self._answers[key] for place, key in enumerate(keys) if key in self._answers
        }
        for seat in sorted({seat for seat, _ in asked}):
            places = [
                place for place, (one, _) in enumerate(asked) if one == seat and place not in found
            ]
            told = self._told(seat, [asked[place][1] for place in places])
            found.update(zip(places, told, strict=True))
        self._answers.update((key, found[place]) for place, key in enumerate(keys))
        return [found[place] for place in range(len(asked))]

    def _told(self, seat: Seat, requests: Sequence[Request]) -> Iterator[Answer]:
        process = self._process(seat)
        pending = [_Pending(request) for request in requests]
        for one in pending:
            about = self._about.setdefault((seat, one.request.text), [])
            _relate(one, about)
            about.append(one)
        put = [one for one in pending if one.answer is None]
        short = [replace(one.request, known=len(one.places)) for one in put]
        for one, answer in zip(put, process.ask(short), strict=True):
            one.answer = _completed(one, answer)
        for one in put:
            if one.answer is None or (one.answer.lost and not one.answer.computing):
                # Killed or stopped from outside, perhaps: only a second loss counts.
                (one.answer,) = process.ask([one.request])
        return (one.answer for one in pending if one.answer is not None)


def _written(request: Request) -> bytes:
    """All of a request but its text, the same for equal ones."""
    return marshal.dumps([request.steps, request.dialects], _COMPARABLE)


def _relate(one: _Pending, earlier: Sequence[_Pending]) -> None:
    """Finds what an earlier request already says of `one`: all, where it failed on the way, or went
    all of it; or its first steps, as far as they are the same up to a `reparse`."""
    for other in earlier:
        places = _common(one.request, other.request)
        answer = other.answer
        whole = len(places) == len(one.request.steps)
        if whole and answer is not None and len(answer.results) > places[-1]:
            results = tuple(answer.results[place] for place in places)
            one.answer = Answer(Outcome.OK, results, step=len(places))
            return
        if answer is not None and answer.outcome is Outcome.FAILED and answer.step in places:
            step = places.index(answer.step)
            results = tuple(answer.results[place] for place in places[:step])
            one.answer = replace(answer, results=results, step=step)
            return
        while places and tuple(one.request.steps[len(places) - 1]) != ("reparse",):
            places = places[:-1]
        if len(places) > len(one.places):
            one.base, one.places = other, places


def _common(one: Request, other: Request) -> _Places:
    """Where the first steps of `one` stand in `other`, which may look at more in between."""
    places: list[int] = []
    if one.dialects != other.dialects:
        return ()
    steps = iter(enumerate(other.steps))
    for wanted in one.steps:
        for place, step in steps:
            if tuple(step) == tuple(wanted):
                places.append(place)
                break
            if step[0] not in LOOKS:
                return tuple(places)
        else:
            break
    return tuple(places)


def _completed(one: _Pending, answer: Answer) -> Answer | None:
    """A short answer with the results of the steps that are known; None where they are not."""
    if one.base is None or answer.lost:
        return answer
    base = one.base.answer
    if base is None or base.lost or len(base.results) <= one.places[-1]:
        return None
    known = tuple(base.results[place] for place in one.places)
    return replace(answer, results=(*known, *answer.results[len(known) :]))
