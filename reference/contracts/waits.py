"""Every use of what an execution region makes waits for the region, and none comes before it.

A value made in a region is there once the region's timepoint is reached. Whoever takes it on the
host does so through a `stream.timepoint.await`; another region may take it directly, and then waits
for a timepoint that is not reached before (`stream.async.execute`, `stream.timepoint.await` and
`stream.timepoint.join` in compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.td). Exception:
what is handed to the caller or to another function together with its timepoint, which is exported,
chained to a fence or returned; whoever gets it waits.

Where a program says that an op waits for a timepoint of its own, its region waits for that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from reference.contracts.breach import Breach, Origin, said
from reference.contracts.paths import Paths, with_inner
from reference.ir import Operation, Program, Region, walk
from reference.ops import (
    Await,
    Call,
    ChainExternal,
    Execute,
    Export,
    Immediate,
    Join,
    Return,
    Select,
    TimepointBarrier,
    TimepointExport,
)
from reference.types import TIMEPOINT, Value

Assumptions = Mapping[str, bool]
"""Conditions, by name, that are taken to hold or not."""
_NOTHING_GIVEN: Assumptions = MappingProxyType({})


def broken_waits(before: Program, after: Program, origin: Origin) -> Iterator[Breach]:
    """The uses in a scheduled program `after` that do not wait, or come too early.

    What `before` takes from behind a barrier is told apart: what forgets to wait there is another
    pattern than where a region takes what another made.
    """
    paths = Paths(before, origin)
    for body in after.bodies():
        yield from _out_of_order(body, origin)
        yield from _unawaited(_Timeline(body, origin), paths, origin)


def lost_waits(before: Program, after: Program, origin: Origin) -> Iterator[Breach]:
    """The ops whose region, in the scheduled program `after`, does not wait for a timepoint that
    they wait for in `before`, neither itself nor through the host."""
    asking = [
        (ordinal, operation)
        for ordinal, body in enumerate(before.bodies())
        for operation in _host_operations(body)
        if operation.await_timepoints and (operation.streamable or isinstance(operation, Execute))
    ]
    if not asking:
        return
    later = [_Timeline(body, origin) for body in after.bodies()]
    awaited = [(timeline, timeline.awaited()) for timeline in later]
    earlier = {ordinal: _Timeline(body, origin) for ordinal, body in enumerate(before.bodies())}
    for ordinal, operation in asking:
        timeline = earlier[ordinal]
        wanted = timeline.named(timeline.reached(operation.await_timepoints))
        place = origin(operation.identity)
        for known, masks in awaited:
            if place not in masks:
                continue
            missing = wanted & known.names - known.named(masks[place])
            if missing:
                yield Breach(
                    place,
                    ("lost-wait", operation.mnemonic),
                    f"{said(operation, origin)} waits for {', '.join(sorted(missing))}; the region "
                    "that holds it does not",
                )


class _Timeline:
    """One body: what has happened when a timepoint is reached.

    What can happen is that a region ends, or that a timepoint of somebody else's is reached. Sets
    of such events are bit masks, one bit an event, so that a set of many costs little.
    """

    def __init__(self, body: Region, origin: Origin) -> None:
        self.operations = list(_host_operations(body))
        self.makers: dict[int, Execute] = {}
        """The regions by their bits."""
        self.handed_out = 0
        """What has happened when timepoints that go out of the program are reached."""
        self._origin = origin
        self._events: list[str] = []
        self._made: dict[str, int] = {}
        """The region that makes a value, as a mask."""
        self._reached: dict[str, int] = {}
        """From a timepoint to what has happened when it is reached."""
        self._selects: dict[str, Select] = {}
        """From a value or a timepoint to the op that chooses it."""
        for number, value in enumerate(body.blocks[0].arguments if body.blocks else ()):
            self._foreign(value, f"argument {number}")
        for operation in self.operations:
            self._enter(operation)

    def made(self, value: Value) -> int:
        """The region that makes a value and has not been waited for, as a mask; 0 for none."""
        return self._made.get(value.name, 0)

    def reached(self, timepoints: Iterable[Value], given: Assumptions = _NOTHING_GIVEN) -> int:
        """What has happened when all of these timepoints are reached, in the case that is given."""
        mask = 0
        for timepoint in timepoints:
            select = self._selects.get(timepoint.name)
            if select is None:
                mask |= self._reached.get(timepoint.name, 0)
                continue
            ways = {True: select.then, False: select.otherwise}
            held = given.get(_condition(select))
            sure = -1
            for way in ways if held is None else (held,):
                sure &= self.reached((ways[way],), given)
            mask |= sure
        return mask

    def missing(
        self, value: Value, awaited: Sequence[Value], given: Assumptions = _NOTHING_GIVEN
    ) -> Iterator[int]:
        """The regions, as masks, that make what an op takes as `value` and have not ended when all
        of `awaited` is reached.

        Where a select chooses the value, its condition tells which timepoint a select of the same
        condition chooses.
        """
        select = self._selects.get(value.name)
        if select is not None:
            for way, chosen in ((True, select.then), (False, select.otherwise)):
                condition = _condition(select)
                if given.get(condition, way) is way:
                    yield from self.missing(chosen, awaited, {**given, condition: way})
            return
        missing = self.made(value) & ~self.reached(awaited, given)
        if missing:
            yield missing

    @property
    def names(self) -> frozenset[str]:
        """All events, named so that the same is found in another version of the program."""
        return frozenset(self._events)

    def named(self, mask: int) -> frozenset[str]:
        """The names of the events of a mask."""
        return frozenset(name for place, name in enumerate(self._events) if mask >> place & 1)

    def awaited(self) -> dict[str, int]:
        """From each op in a region to the events that every region which holds it waits for, or
        the host before."""
        found: dict[str, int] = {}
        host: dict[str, int] = {}
        for operation in self.operations:
            if isinstance(operation, Await):
                mask = self.reached(operation.await_timepoints)
                host.update((value.name, mask) for value in operation.outputs)
            elif isinstance(operation, Execute):
                mask = self.reached(operation.await_timepoints)
                for value in operation.captures:
                    mask |= host.get(value.name, 0)
                for inner in with_inner(operation):
                    place = self._origin(inner.identity)
                    found[place] = found.get(place, mask) & mask
        return found

    def _event(self, name: str) -> int:
        self._events.append(name)
        return 1 << len(self._events) - 1

    def _foreign(self, value: Value, name: str) -> None:
        if value.type == TIMEPOINT:
            self._reached[value.name] = self._event(name)

    def _enter(self, operation: Operation) -> None:
        match operation:
            case Execute():
                bit = self._event(f"the end of region {self._origin(operation.identity)}")
                self.makers[bit] = operation
                self._made.update((value.name, bit) for value in operation.outputs)
                self._reached[operation.timepoint.name] = bit | self.reached(
                    operation.await_timepoints
                )
            case Join():
                self._reached[operation.result.name] = self.reached(operation.sources)
            case Immediate():
                pass
            case TimepointBarrier():
                # What is behind the barrier is ready when the barrier's timepoint is reached.
                mask = self.made(operation.source)
                self._made[operation.result.name] = mask
                self._reached[operation.timepoint.name] = mask
            case Select():
                self._selects[operation.result.name] = operation
            case TimepointExport() | ChainExternal():
                self.handed_out |= self.reached((operation.source,))
            case Return():
                self.handed_out |= self.reached(operation.operands)
            case _:
                for number, result in enumerate(operation.results):
                    self._foreign(result, f"result {number} of {self._origin(operation.identity)}")


def _condition(select: Select) -> str:
    return select.condition.name if isinstance(select.condition, Value) else str(select.condition)


def _unawaited(timeline: _Timeline, paths: Paths, origin: Origin) -> Iterator[Breach]:
    for operation in timeline.operations:
        if isinstance(operation, TimepointBarrier | Select):
            # What they give is ready when what they took is.
            continue
        # The caller, or a callee, waits for what it gets along with a timepoint.
        outside = timeline.handed_out if isinstance(operation, Export | Call | Return) else 0
        for value in dict.fromkeys(operation.operands):
            late = dict.fromkeys(timeline.missing(value, operation.await_timepoints))
            for maker in (timeline.makers[one] for one in late if one & ~outside):
                way = paths.between(maker, operation) or f"by-{operation.mnemonic}"
                yield Breach(
                    origin(operation.identity),
                    ("use-without-wait", way),
                    f"{said(operation, origin)} takes %{value.name} and waits for no timepoint by "
                    f"which the region {origin(maker.identity)} that makes it has ended",
                )


def _out_of_order(region: Region, origin: Origin) -> Iterator[Breach]:
    """Uses that stand before what they use: the ops of a cycle cannot all stand otherwise."""
    for block in region.blocks:
        makers = {
            result.name: operation for operation in block.operations for result in operation.results
        }
        made: set[str] = set()
        for operation in block.operations:
            for name in dict.fromkeys(_taken(operation)):
                if name in makers and name not in made:
                    maker = makers[name]
                    yield Breach(
                        origin(operation.identity),
                        ("use-before-its-definition", operation.mnemonic, maker.mnemonic),
                        f"{said(operation, origin)} takes %{name} before {said(maker, origin)} "
                        "makes it",
                    )
            made.update(result.name for result in operation.results)
            for nested in operation.regions:
                yield from _out_of_order(nested, origin)


def _taken(operation: Operation) -> Iterator[str]:
    """The names of all values that an op takes, its regions included."""
    for value in operation.operands:
        yield value.name
    for region in operation.regions:
        for inner in walk(region):
            yield from (value.name for value in inner.operands)


def _host_operations(region: Region) -> Iterator[Operation]:
    """Every op but those inside execution regions, outer before inner."""
    for block in region.blocks:
        for operation in block.operations:
            yield operation
            if not isinstance(operation, Execute):
                for nested in operation.regions:
                    yield from _host_operations(nested)
