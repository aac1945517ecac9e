"""How values got from one op to another before scheduling: what forgets to wait for what is behind
a barrier is another pattern than where one takes what another made."""

from __future__ import annotations

from collections.abc import Iterator

from reference.contracts.breach import Origin, places
from reference.ir import Operation, Program, walk
from reference.ops import Await, Barrier, Execute, OptimizationBarrier, TimepointBarrier
from reference.types import Value
from reference.verifier.handovers import handovers

_BARRIER, _TIMEPOINT_BARRIER = "behind-a-barrier", "behind-a-timepoint-barrier"


class Paths:
    """The paths of a program; looked at when first asked."""

    def __init__(self, program: Program, origin: Origin) -> None:
        self._program = program
        self._origin = origin
        self._makers: dict[Value, Operation] = {}
        self._named: dict[str, list[Operation]] = {}
        self._given: dict[Value, list[Value]] = {}
        """From a value to those that control flow may make it."""

    def between(self, maker: Execute, user: Operation) -> str | None:
        """Through which kind of barrier an op, or what it holds, takes what a region makes; None
        where it takes it as it is, or nobody knows."""
        if not self._named:
            self._look()
        made = {place for inner in walk(maker.body) for place in places(inner, self._origin)}
        ways: set[str | None] = set()
        for place in {place for inner in with_inner(user) for place in places(inner, self._origin)}:
            for operation in self._named.get(place, ()):
                for inner in with_inner(operation):
                    for value in inner.operands:
                        for source, way in self._sources(value, None, set()):
                            if not made.isdisjoint(places(source, self._origin)):
                                ways.add(way)
        if isinstance(user, Execute):
            if None in ways:
                return None
        elif not ways or not self._was_there(user) or (user.successors and ways == {None}):
            # A branch, and what it folds into, hands on what other blocks put behind a barrier.
            ways = {
                way
                for way, source in self._barriers()
                if not made.isdisjoint(places(source, self._origin))
            }
        return max((way for way in ways if way is not None), default=None)

    def _look(self) -> None:
        for body in self._program.bodies():
            for operation in walk(body):
                for place in places(operation, self._origin):
                    self._named.setdefault(place, []).append(operation)
                self._makers.update(dict.fromkeys(operation.results, operation))
            for handover in handovers(body):
                if not isinstance(handover.operation, OptimizationBarrier):
                    for given, taken in zip(handover.given, handover.taken, strict=False):
                        if isinstance(given, Value):
                            self._given.setdefault(taken, []).append(given)

    def _was_there(self, user: Operation) -> bool:
        """Whether an op of this kind was in its place before; folding makes others of it."""
        return any(
            type(one) is type(user)
            for place in places(user, self._origin)
            for one in self._named.get(place, ())
        )

    def _barriers(self) -> Iterator[tuple[str, Operation]]:
        """All that stands behind a barrier: what made it, and the kind of barrier."""
        for maker in set(self._makers.values()):
            if isinstance(maker, Barrier | TimepointBarrier):
                for source, way in self._sources(maker.results[0], None, set()):
                    if way is not None:
                        yield way, source

    def _sources(
        self, value: Value, way: str | None, passed: set[tuple[Value, str | None]]
    ) -> Iterator[tuple[Operation, str | None]]:
        """What may make a value, barriers and control flow left out, and the last kind of barrier
        on the way to it. What was `passed` is not come past again: loops hand on to themselves."""
        if (value, way) in passed:
            return
        passed.add((value, way))
        maker = self._makers.get(value)
        match maker:
            case Barrier():
                yield from self._sources(maker.source, way or _BARRIER, passed)
            case TimepointBarrier():
                yield from self._sources(maker.source, _TIMEPOINT_BARRIER, passed)
            case Await() if way is not None:
                # Who takes it from behind the barrier forgets the wait as well.
                awaited = maker.sources[maker.outputs.index(value)]
                yield from self._sources(awaited, way, passed)
            case _ if value in self._given:
                for given in self._given[value]:
                    yield from self._sources(given, way, passed)
            case None:
                return
            case _:
                yield maker, way


def with_inner(operation: Operation) -> Iterator[Operation]:
    """An op and all that it holds."""
    yield operation
    for region in operation.regions:
        yield from walk(region)
