"""What a rule may do to a body, and which ops are looked at again because of it.

Rules from `RewriterBase` (mlir/lib/IR/PatternMatch.cpp) and `GreedyPatternRewriteDriver`
(mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp): an op that is made or modified goes onto
the worklist, and so do the makers of what an erased op took. The worklist is a stack; an op that
waits on it keeps its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from reference.folding.constants import MadeConstant, constant_type
from reference.folding.layouts import Input
from reference.folding.nodes import Node, NodeBlock, NodeRegion
from reference.folding.working import Body
from reference.ir import Operation
from reference.releases import Release
from reference.types import INDEX, Index, Literal, Type, Value

Kind = TypeVar("Kind", bound=Operation)


class Worklist:
    """Ops that wait, the one put there last coming first."""

    def __init__(self) -> None:
        self._waiting: list[Node | None] = []

    def push(self, node: Node) -> None:
        """Puts an op on top, unless it waits already."""
        if node.slot < 0:
            node.slot = len(self._waiting)
            self._waiting.append(node)

    def pop(self) -> Node | None:
        """Takes the op on top; None when nothing waits."""
        waiting = self._waiting
        while waiting:
            node = waiting.pop()
            if node is not None:
                node.slot = -1
                return node
        return None

    def remove(self, node: Node) -> None:
        """Takes an op off, wherever it is."""
        if node.slot >= 0:
            self._waiting[node.slot] = None
            node.slot = -1

    def clear(self) -> None:
        """Takes all off."""
        for node in self._waiting:
            if node is not None:
                node.slot = -1
        self._waiting.clear()

    def reverse(self) -> None:
        self._waiting.reverse()
        for slot, node in enumerate(self._waiting):
            if node is not None:
                node.slot = slot


@dataclass(slots=True)
class Rewriter:
    """The only way in which rules change a body."""

    body: Body
    release: Release
    worklist: Worklist
    made_constants: bool = False
    """Whether there may be constants that rules made."""
    changes: int = 0
    """Grows with every change: a rule that had nothing to do has nothing to do until it grows."""

    def defining(self, value: Input, kind: type[Kind]) -> Kind | None:
        """The op that makes `value`, if it is of this kind."""
        node = self.body.definition(value)
        if node is None or node.kind is not kind:
            return None
        operation = node.current
        assert isinstance(operation, kind)
        return operation

    def constant_of(self, item: Input) -> int | Literal | None:
        """The constant that an operand is, an index as `int`; None for any other value."""
        if isinstance(item, Value):
            made = self.defining(item, MadeConstant) if self.made_constants else None
            return None if made is None else made.number
        return item.value if isinstance(item, Literal) and item.type == INDEX else item  # type: ignore[return-value]

    def make_constant(self, number: int | Literal, identity: str, before: Node) -> Value:
        """A new constant before an op."""
        result = self.fresh(constant_type(number))
        self.insert(MadeConstant(identity=identity, number=number, result=result), before)
        self.made_constants = True
        return result

    def fresh(self, kind: Type, size: Index | None = None) -> Value:
        """A value for the result of an op to come."""
        return self.body.fresh(kind, size)

    def insert(
        self, operation: Operation, before: Node, successors: Sequence[NodeBlock] = ()
    ) -> Node:
        """A new op before another one; its regions, if any, are empty."""
        node = self.body.insert(operation, before)
        node.successors = list(successors)
        self.push(node)
        return node

    def append(self, operation: Operation, block: NodeBlock) -> Node:
        """A new op at the end of a block."""
        node = self.body.append(operation, block)
        self.push(node)
        return node

    def replace_with(
        self, node: Node, operation: Operation, successors: Sequence[NodeBlock] = ()
    ) -> Node:
        """A new op instead of another one, result for result."""
        made = self.insert(operation, node, successors)
        self.replace(node, made.results)
        return made

    def replace(self, node: Node, values: Sequence[Input]) -> None:
        """Values instead of an op's results."""
        for result, value in zip(node.results, values, strict=True):
            self.replace_uses(result, value)
        self.erase(node)

    def replace_uses(self, old: Value, new: Input, but: Node | None = None) -> None:
        """Another value wherever `old` is used, except by `but`."""
        body = self.body
        for node, place in body.uses(old):
            if node is not but:
                body.set_input(node, place, new)
                self.push(node)
        body.note_replaced(old, new)

    def modify(self, node: Node, operation: Operation) -> None:
        """Makes an op another one in place."""
        self.body.set_operation(node, operation)
        self.push(node)

    def inline(self, block: NodeBlock, values: Sequence[Input], before: Node) -> None:
        """Moves the ops of a block before an op of another block, `values` for its arguments."""
        self.substitute(block, values)
        for node in block:
            self.body.move(node, before)
            self.push(node)

    def merge(self, block: NodeBlock, values: Sequence[Input], into: NodeBlock) -> None:
        """Moves the ops of a block to the end of another one, `values` for its arguments."""
        self.substitute(block, values)
        for node in block:
            self.body.move_to_end(node, into)
            self.push(node)

    def substitute(self, block: NodeBlock, values: Sequence[Input]) -> None:
        """Values instead of a block's arguments, which go."""
        for argument, value in zip(list(block.arguments), values, strict=True):
            self.replace_uses(argument, value)
        self.body.set_arguments(block, [])

    def erase(self, node: Node) -> None:
        """Takes an op out, with all within it: the last first, the op itself at the end."""
        for region in reversed(node.regions):
            self.erase_region(region)
        self._push_makers(node)
        self.worklist.remove(node)
        self.body.erase(node)

    def erase_region(self, region: NodeRegion) -> None:
        """Takes all blocks out of a region, successors before the blocks that lead to them."""
        for block in post_order(region):
            for inner in reversed(list(block)):
                self.erase(inner)
            self.body.set_arguments(block, [])
        region.blocks.clear()

    def push(self, node: Node) -> None:
        """Lets an op be looked at again, and then the ops around it."""
        current: Node | None = node
        while current is not None:
            if current.slot < 0:
                self.worklist.push(current)
            current = current.parent

    def _push_makers(self, node: Node) -> None:
        """The makers of what an op takes, where at most one other op takes it too."""
        for item in node.inputs:
            maker = self.body.definition(item)
            if maker is None:
                continue
            assert isinstance(item, Value)
            if self.body.at_most_one_other_user(item, node):
                self.push(maker)


def post_order(region: NodeRegion, reachable_only: bool = False) -> list[NodeBlock]:
    """The blocks, each after those that it leads to, from the entry on; then those left."""
    order: list[NodeBlock] = []
    seen: set[int] = set()
    for root in region.blocks[:1] if reachable_only else region.blocks:
        pending: list[tuple[NodeBlock, int]] = [] if id(root) in seen else [(root, 0)]
        seen.add(id(root))
        while pending:
            block, place = pending.pop()
            following = block.last.successors if block.last else []
            if place == len(following):
                order.append(block)
                continue
            pending.append((block, place + 1))
            if id(following[place]) not in seen:
                seen.add(id(following[place]))
                pending.append((following[place], 0))
    return order
