"""The order that MLIR's `sortTopologically` gives to the ops of a block.

Rule from mlir/lib/Analysis/TopologicalSortUtils.cpp: the ops are looked through again and again, in
the order of the block; each time those are taken whose operands are made by ops taken before.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush


def topological_order(dependencies: Sequence[Collection[int]]) -> tuple[list[int], bool]:
    """The positions in their new order, and whether every op comes after what it depends on.

    `dependencies[i]` are the positions that position i has to come after, itself left out. Where
    none can be taken, the first one left is taken all the same.
    """
    if all(item < position for position, items in enumerate(dependencies) for item in items):
        return list(range(len(dependencies))), True
    waiting = [len(items) for items in dependencies]
    dependents: list[list[int]] = [[] for _ in dependencies]
    for position, items in enumerate(dependencies):
        for item in items:
            dependents[item].append(position)
    # In which look-through each op is taken: the one of its operands, or the next.
    rounds = [0] * len(dependencies)
    ready = [(0, position) for position, count in enumerate(waiting) if not count]
    heapify(ready)
    order: list[int] = []
    taken = [False] * len(dependencies)
    complete, first_left, last_round = True, 0, 0
    while len(order) < len(dependencies):
        if ready:
            last_round, position = heappop(ready)
        else:
            complete = False
            while taken[first_left]:
                first_left += 1
            position = first_left
            last_round += 1
            rounds[position] = last_round
        taken[position] = True
        order.append(position)
        forced = waiting[position] > 0
        for dependent in dependents[position]:
            later = forced or dependent < position
            rounds[dependent] = max(rounds[dependent], last_round + later)
            waiting[dependent] -= 1
            if not waiting[dependent] and not taken[dependent]:
                heappush(ready, (rounds[dependent], dependent))
    return order, complete
