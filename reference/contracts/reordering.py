"""Programs that are the same but for the order of ops that have nothing to do with each other.

Values never change, so an op may stand anywhere between what it takes and who takes it. Ops of the
host (all that is not streamable) keep their order: some have effects, and loads of staging memory
have to stand before the stores into it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace

from reference.ir import Block, Operation, Program, Region

Priority = Callable[[Operation], int]


def reorder(program: Program, priority: Priority) -> Program:
    """The program with the ops of each block as early as they may be, lowest priority first."""
    return replace(
        program,
        functions=tuple(
            replace(one, body=_region(one.body, priority)) for one in program.functions
        ),
        initializers=tuple(
            replace(one, body=_region(one.body, priority)) for one in program.initializers
        ),
    )


def _region(region: Region, priority: Priority) -> Region:
    return Region(
        tuple(
            Block(_ordered(block.operations, priority), block.arguments) for block in region.blocks
        )
    )


def _ordered(operations: tuple[Operation, ...], priority: Priority) -> tuple[Operation, ...]:
    makers = {
        result.name: place
        for place, operation in enumerate(operations)
        for result in operation.results
    }
    waiting: list[int] = []
    followers: list[list[int]] = [[] for _ in operations]
    host: int | None = None
    for place, operation in enumerate(operations):
        before = {makers[name] for name in _taken(operation) if name in makers} - {place}
        if not operation.streamable:
            if host is not None:
                before.add(host)
            host = place
        if operation.terminator:
            before.update(range(place))
        waiting.append(len(before))
        for one in before:
            followers[one].append(place)
    ready = [
        (priority(operations[place]), place) for place, count in enumerate(waiting) if not count
    ]
    heapq.heapify(ready)
    ordered: list[Operation] = []
    while ready:
        _, place = heapq.heappop(ready)
        ordered.append(operations[place])
        for follower in followers[place]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, (priority(operations[follower]), follower))
    assert len(ordered) == len(operations), "a block whose ops wait for each other"
    return tuple(
        operation
        if not operation.regions
        else operation.with_regions(tuple(_region(one, priority) for one in operation.regions))
        for operation in ordered
    )


def _taken(operation: Operation) -> Iterator[str]:
    """The names of all values that an op takes, its regions included."""
    yield from (value.name for value in operation.operands)
    for region in operation.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _taken(inner)
