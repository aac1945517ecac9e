"""Ops as linked nodes, in blocks, in regions: what a `Body` is made of."""

from __future__ import annotations

from collections.abc import Iterator

from reference.folding.layouts import Input, with_inputs
from reference.ir import Operation
from reference.types import Value

_STRIDE = 1 << 20
"""Between the order numbers of neighbours, so that most inserts renumber nothing."""


class Node:
    """One op in a `Body`.

    `inputs` are what it takes now, in MLIR's operand order; `current` is the op around them.
    """

    __slots__ = (
        "_operation", "_stale", "block", "inputs", "kind", "next", "order", "previous", "regions",
        "results", "settled_at", "slot", "successors",
    )  # fmt: skip

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._stale = False
        self.kind = type(operation)
        self.inputs: list[Input] = list(operation.taken)
        self.results: tuple[Value, ...] = operation.results
        self.block: NodeBlock | None = None
        self.previous: Node | None = None
        self.next: Node | None = None
        self.order = 0
        self.regions: list[NodeRegion] = []
        self.successors: list[NodeBlock] = []
        self.slot = -1
        """The node's place in the driver's worklist, -1 when it is in none."""
        self.settled_at = -1
        """`Rewriter.changes` when no rule had anything to do here, -1 before that."""

    @property
    def current(self) -> Operation:
        """The op around its inputs of now. Nested regions and successors in it may be old."""
        if self._stale:
            self._operation = with_inputs(self._operation, self.inputs)
            self.results = self._operation.results
            self._stale = False
        return self._operation

    @property
    def parent(self) -> Node | None:
        """The op whose region holds this one; None at the top of the body."""
        block = self.block
        assert block is not None
        return block.region.parent

    @property
    def home(self) -> NodeBlock:
        """The block that holds the op, which is not erased."""
        assert self.block is not None
        return self.block

    def set_input(self, place: int, item: Input) -> None:
        self.inputs[place] = item
        self._stale = True

    def set_operation(self, operation: Operation) -> None:
        self._operation = operation
        self._stale = False
        self.inputs = list(operation.taken)
        self.results = operation.results


class NodeBlock:
    """Arguments, and ops from `first` to `last`."""

    __slots__ = ("arguments", "first", "last", "region")

    def __init__(self, region: NodeRegion, arguments: tuple[Value, ...]) -> None:
        self.region = region
        self.arguments = list(arguments)
        self.first: Node | None = None
        self.last: Node | None = None

    def __iter__(self) -> Iterator[Node]:
        """The ops in order; the op at hand may be erased meanwhile."""
        node = self.first
        while node is not None:
            following = node.next
            yield node
            node = following

    @property
    def terminator(self) -> Node:
        assert self.last is not None
        return self.last

    def insert(self, node: Node, before: Node | None) -> None:
        """Puts an op that is in no block before another one, or last."""
        after = self.last if before is None else before.previous
        node.block, node.previous, node.next = self, after, before
        if after is None:
            self.first = node
        else:
            after.next = node
        if before is None:
            self.last = node
        else:
            before.previous = node
        low = after.order if after else (before.order - 2 * _STRIDE if before else 0)
        node.order = (low + before.order) // 2 if before else low + _STRIDE
        if before is not None and node.order == low:
            for number, other in enumerate(self):
                other.order = number * _STRIDE

    def remove(self, node: Node) -> None:
        """Takes an op out of the block."""
        if node.previous is None:
            self.first = node.next
        else:
            node.previous.next = node.next
        if node.next is None:
            self.last = node.previous
        else:
            node.next.previous = node.previous
        node.block = node.previous = node.next = None


class NodeRegion:
    """Blocks, the first the entry. `parent` is None for the region of a function."""

    __slots__ = ("blocks", "parent")

    def __init__(self, parent: Node | None) -> None:
        self.parent = parent
        self.blocks: list[NodeBlock] = []

    def walk(self) -> Iterator[Node]:
        """Every op, outer before inner, in order; the op at hand may be erased meanwhile."""
        for block in self.blocks:
            node = block.first
            while node is not None:
                following = node.next
                yield node
                for region in node.regions:
                    yield from region.walk()
                node = following

    def release(self) -> None:
        """Takes the region apart, for good: nodes that refer to one another would wait for the
        collector, which costs more than all else here."""
        for block in self.blocks:
            for node in block:
                node.block = node.previous = node.next = None
                for region in node.regions:
                    region.release()
                node.regions = []
            block.first = block.last = None
        self.blocks = []

    def walk_post_order(self) -> Iterator[Node]:
        """Every op, inner before outer, in order."""
        for block in self.blocks:
            for node in block:
                for region in node.regions:
                    yield from region.walk_post_order()
                yield node
