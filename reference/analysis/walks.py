"""Where values come from and where they go, across regions, blocks, calls and globals.

Rules from `walkDefiningOps`, `walkTransitiveUses` and what they call in
compiler/src/iree/compiler/Dialect/Util/Analysis/Explorer.cpp, with the traversal actions that
compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp sets: every op of ours is recursed
into. Work is taken from the end of the list, as IREE does: the order of visits is part of the
answer where a visitor stops some of them.

A walk is incomplete where a value may come from or go to a place that nobody sees: the arguments
and results of public functions, and functions that stand in another module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reference.analysis.explorer import NO_VALUE, BlockNode, Explorer, Node
from reference.ir import UnsupportedOperationError
from reference.ops import (
    Branch,
    Call,
    Concurrent,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Return,
    StreamYield,
    While,
)
from reference.releases import Release

REGION_BRANCHES = (If, For, While, Execute, Concurrent)
"""Ops whose regions pass values on (`RegionBranchOpInterface`)."""

VisitResult = Callable[[int, Node, int], bool]
"""Of a value, the op that makes it and which result it is: whether to walk on from there."""
VisitUse = Callable[[int, Node, int], bool]
"""Of a value, an op that takes it and the operand's position: whether to walk on from there."""

_BRANCHES = (Branch, ConditionalBranch)
_FOR_CONTROLS = 3


class Walks:
    """The walks over one program, by the rules of one release."""

    def __init__(self, explorer: Explorer, release: Release) -> None:
        self._explorer = explorer
        self._release = release

    def defining_ops(self, start: int, visit: VisitResult, *, through_ties: bool = True) -> bool:
        """Visits the results that a value may be, each once; whether the walk was complete."""
        explorer = self._explorer
        complete = True
        seen: set[int] = set()
        pending = {start: None}
        while pending:
            value, _ = pending.popitem()
            if value in seen:
                continue
            seen.add(value)
            producer = explorer.producers[value]
            if producer is None:
                complete &= self._queue_sources(value, pending)
                continue
            node, result = producer
            if not visit(value, node, result):
                continue
            if through_ties and node.ties:
                tied = node.tied_operand(result)
                if tied is not None:
                    _queue(pending, [tied])
            operation = node.operation
            if isinstance(operation, Call):
                complete &= self._queue_returned(operation, result, pending)
            elif isinstance(operation, GlobalLoad):
                _queue(pending, explorer.stores(operation.symbol))
            elif node.regions:
                _queue(pending, self.returned(node, result))
        return complete

    def transitive_uses(self, start: int, visit: VisitUse, *, through_ties: bool = True) -> bool:
        """Visits the uses of a value and of what it becomes, each once; whether it was complete."""
        explorer = self._explorer
        complete = True
        seen: set[int] = set()
        pending = {start: None}
        while pending:
            value, _ = pending.popitem()
            if value in seen:
                continue
            seen.add(value)
            for node, position in reversed(explorer.uses[value]):
                if not visit(value, node, position):
                    continue
                if through_ties and node.ties:
                    _queue(pending, node.tied_results(position))
                operation = node.operation
                if operation.terminator:
                    complete &= self._queue_beyond(node, position, pending)
                elif node.regions:
                    _queue(pending, self.entered(node, position))
                elif isinstance(operation, Call):
                    callee = explorer.callee(operation)
                    if callee is None:
                        complete = False
                    else:
                        pending.setdefault(explorer.blocks[callee][0].arguments[position])
                elif isinstance(operation, GlobalStore):
                    _queue(pending, explorer.loads(operation.symbol))
        return complete

    def incoming_calls(self, body: int, visit: Callable[[Node], None]) -> bool:
        """Visits the calls of a body; whether these are all that there are."""
        for call in self._explorer.callers(body):
            visit(call)
        function = self._explorer.function(body)
        return function is None or not function.public

    def branch_arguments(self, node: Node, position: int) -> Iterator[int]:
        """The block arguments that an operand of a branch becomes."""
        first = 1 if isinstance(node.operation, ConditionalBranch) else 0
        # Only the region of a function or an initializer has several blocks.
        siblings = self._explorer.blocks[node.body]
        for successor in node.operation.successors:
            place = position - first
            if 0 <= place < len(successor.arguments):
                yield siblings[successor.block].arguments[place]
            first += len(successor.arguments)

    def entered(self, node: Node, position: int) -> list[int]:
        """The arguments that an operand of an op with regions becomes when it enters them."""
        operation = node.operation
        if isinstance(operation, For) and _trip_count(operation) == 0:
            return []
        argument = carried_from_outside(node, position)
        return [] if argument is None else [argument]

    def returned(self, node: Node, result: int) -> list[int]:
        """The values that a result of an op with regions may be (`walkReturnOperands`).

        Before change #24795 what the body of a `while` hands to its next turn was among them, by
        position.
        """
        returned = []
        for place, region in enumerate(node.regions):
            terminator = region[0].terminator
            values = _handed_on(terminator)
            ends_op = not isinstance(node.operation, While) or place == 0
            if result < len(values) and (ends_op or self._release.while_yield_reaches_results):
                returned.append(values[result])
        return returned

    def _queue_sources(self, value: int, pending: dict[int, None]) -> bool:
        """What an argument may be; whether that is all (`walkIncomingBranchOperands`)."""
        owner = self._explorer.owners[value]
        if owner is None:
            return True
        block, place = owner
        complete = True
        if block.is_entry:
            if block.around is None:
                complete = self.incoming_calls(
                    block.body, lambda call: _queue(pending, [call.inputs[place]])
                )
            else:
                _queue(pending, _region_sources(block, place))
        for branch in reversed(block.branches):
            _queue(pending, self._branch_operands(branch, block, place))
        return complete

    def _branch_operands(self, branch: Node, block: BlockNode, place: int) -> Iterator[int]:
        siblings = self._explorer.blocks[branch.body]
        first = 1 if isinstance(branch.operation, ConditionalBranch) else 0
        for successor in branch.operation.successors:
            if siblings[successor.block] is block:
                yield branch.inputs[first + place]
            first += len(successor.arguments)

    def _queue_returned(self, call: Call, result: int, pending: dict[int, None]) -> bool:
        callee = self._explorer.callee(call)
        if callee is None:
            return False
        _queue(pending, (end.inputs[result] for end in self._explorer.returns(callee)))
        return True

    def _queue_beyond(self, node: Node, position: int, pending: dict[int, None]) -> bool:
        """Where an operand of a terminator goes; whether that is all."""
        operation = node.operation
        if isinstance(operation, Return):
            return self.incoming_calls(
                node.body, lambda call: _queue(pending, [call.results[position]])
            )
        if isinstance(operation, _BRANCHES):
            _queue(pending, self.branch_arguments(node, position))
        else:
            _queue(pending, self._beyond_region(node, position))
        return True

    def _beyond_region(self, node: Node, position: int) -> list[int]:
        """What an operand of a region's terminator becomes: other regions' arguments, results."""
        around = node.around
        assert around is not None
        outer, regions = around.operation, around.regions
        if isinstance(node.operation, Condition):
            if position == 0:
                return []
            return [around.results[position - 1], regions[1][0].arguments[position - 1]]
        targets = []
        if isinstance(outer, While):
            targets.append(carried_on(around, position))
            if not self._release.while_yield_reaches_results:
                return targets
            return [*targets, result_at(around, position)]
        if isinstance(outer, For) and _trip_count(outer) != 1:
            targets.append(carried_on(around, position))
        if isinstance(node.operation, StreamYield) and position >= len(node.operation.values):
            return targets
        return [*targets, around.results[position]]


def carried_from_outside(node: Node, position: int) -> int | None:
    """The argument that an operand is inside an op with a region; None for conditions, bounds,
    sizes and timepoints."""
    if isinstance(node.operation, If):
        return None
    arguments = node.regions[0][0].arguments
    place = position - _FOR_CONTROLS + 1 if isinstance(node.operation, For) else position
    first = 1 if isinstance(node.operation, For) else 0
    return arguments[place] if first <= place < len(arguments) else None


def carried_on(node: Node, position: int) -> int:
    """The argument that what a loop's body yields is at the next turn."""
    arguments = node.regions[0][0].arguments
    return arguments[position + 1] if isinstance(node.operation, For) else arguments[position]


def result_at(node: Node, position: int) -> int:
    """The result of an op at a position that IREE does not check.

    Raises UnsupportedOperationError where there is none: IREE reads past the results.
    """
    if not 0 <= position < len(node.results):
        raise UnsupportedOperationError(
            f"{node.operation.mnemonic} with fewer results than carried values, past which this "
            "release reads"
        )
    return node.results[position]


def _region_sources(block: BlockNode, place: int) -> list[int]:
    """What an argument of a region's first block may be."""
    around = block.around
    assert around is not None
    operation, regions = around.operation, around.regions
    if isinstance(operation, While):
        if block is regions[1][0]:
            return [regions[0][0].terminator.inputs[place + 1]]
        return [around.inputs[place], regions[1][0].terminator.inputs[place]]
    if isinstance(operation, For):
        if place == 0:
            return []
        initial = around.inputs[_FOR_CONTROLS + place - 1]
        return [initial, block.terminator.inputs[place - 1]]
    return [around.inputs[place]]


def _handed_on(terminator: Node) -> list[int]:
    operation = terminator.operation
    if isinstance(operation, Condition):
        return terminator.inputs[1:]
    if isinstance(operation, StreamYield):
        return terminator.inputs[: len(operation.values)]
    return terminator.inputs


def _queue(pending: dict[int, None], values: Iterable[int]) -> None:
    """A value that waits already keeps its place."""
    for value in values:
        if value != NO_VALUE:
            pending.setdefault(value)


def _trip_count(loop: For) -> int | None:
    """How often an `scf.for` runs, None where only the program knows.

    `ForOp::getStaticTripCount`, MLIR's mlir/lib/Dialect/SCF/IR/SCF.cpp.
    """
    if loop.lower == loop.upper:
        return 0
    lower, upper, step = loop.lower, loop.upper, loop.step
    if not isinstance(lower, int) or not isinstance(upper, int) or not isinstance(step, int):
        return None
    return max(0, -((lower - upper) // step)) if step > 0 else None
