"""Who takes the values that a block makes: its own ops, ops in their regions, or other blocks.

What the partitioning of compiler/src/iree/compiler/Dialect/Stream/Analysis/Partitioning/
ReferencePartitioning.cpp asks of MLIR's use lists, gathered in one walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reference.ir import Operation, walk
from reference.types import Value


@dataclass(slots=True)
class Elsewhere:
    """The names of values that ops of other blocks take: streamable ones, and all others."""

    streamable: set[str] = field(default_factory=set)
    other: set[str] = field(default_factory=set)

    def add(self, operation: Operation) -> None:
        """Note what an op of another block takes, in its regions too."""
        for user in (operation, *nested(operation)):
            taken = self.streamable if user.streamable else self.other
            taken.update(value.name for value in user.operands)


class BlockUses:
    """The users of a block's values, by the names of values and the positions of ops in the block.

    `operands` are what each op takes itself, `results` what it makes, `makers` the position that a
    value comes from, `users` the positions that take it themselves, `holders` those that take it in
    a region of theirs.
    `taken_by_streamable` and `taken_by_other` are the values that ops in regions or in other blocks
    take.
    """

    def __init__(self, operations: Sequence[Operation], elsewhere: Elsewhere | None = None) -> None:
        self.operands = [operation.operands for operation in operations]
        self.results = [operation.results for operation in operations]
        self.makers: dict[str, int] = {}
        self.users: dict[str, list[int]] = {}
        self.holders: dict[str, list[int]] = {}
        self.taken_by_streamable: set[str] = set()
        self.taken_by_other: set[str] = set()
        for position, operation in enumerate(operations):
            for value in self.operands[position]:
                users = self.users.get(value.name)
                if users is not None:
                    users.append(position)
            if operation.regions:
                self._enter(position, operation)
            for value in self.results[position]:
                self.makers[value.name] = position
                self.users[value.name] = []
        if elsewhere is not None:
            self.taken_by_streamable |= elsewhere.streamable
            self.taken_by_other |= elsewhere.other

    def _enter(self, position: int, operation: Operation) -> None:
        inside = Elsewhere()
        for inner in nested(operation):
            inside.add(inner)
        self.taken_by_streamable |= inside.streamable
        self.taken_by_other |= inside.other
        for name in inside.streamable | inside.other:
            if name in self.users:
                self.holders.setdefault(name, []).append(position)

    def leaves(self, value: Value) -> bool:
        """Whether an op in a region or in another block takes `value`."""
        return value.name in self.taken_by_other or value.name in self.taken_by_streamable


def nested(operation: Operation) -> Iterator[Operation]:
    """The ops in the regions of an op, outer before inner."""
    for region in operation.regions:
        yield from walk(region)


def holds_back(operation: Operation) -> bool:
    """Whether nothing may move across a host op: MLIR's `wouldOpBeTriviallyDead` is false.

    Ops that only a pattern of their own erases count as effects (`Operation.erasable`).
    """
    return operation.terminator or operation.side_effects or not operation.erasable
