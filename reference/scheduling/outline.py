"""Execution regions made out of a body: `iree-stream-schedule-execution` before its cleanup.

Rules from `processRegion` and `ExecutePartitionBuilder` in
compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleExecution.cpp. Ops are copied into the
regions; what nothing needs any more is erased, what something needs remains among the host's ops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reference.affinity import Affinity
from reference.folding.sizes import find_size
from reference.folding.working import Body, Node, NodeBlock, NodeRegion
from reference.ir import UNKNOWN_PLACE, Block, Operation, Region
from reference.ops import Await, Execute, For, If, Join, StreamYield, Transfer, While
from reference.releases import Release
from reference.scheduling.block_uses import Elsewhere
from reference.scheduling.partition_fault import (
    PartitionFault,
    ScheduleRefusedError,
    partition_fault,
)
from reference.scheduling.partitioner import Partition, partition_block
from reference.scheduling.renaming import named, renamed
from reference.scheduling.topological import topological_order
from reference.types import TIMEPOINT, Value

_ENTERED = (If, For, While)
"""`RegionBranchOpInterface`, without the execution regions themselves."""


def outline_execution(body: Body, release: Release) -> bool:
    """Puts the streamable ops of a body into execution regions, in place.

    Returns whether values are made before they are used: where they are not, a release that does
    not look at it goes on. Raises ScheduleRefusedError where the compiler stops.
    """
    outliner = _Outliner(body, release)
    outliner.enter(body.region)
    return outliner.ordered


class _Outliner:
    def __init__(self, body: Body, release: Release) -> None:
        self.body = body
        self.release = release
        self.ordered = True
        # The streamable ops that remained, by what they make.
        self.left: dict[Value, Operation] = {}
        # How many ops were put into regions, while the ops around remember them as they were.
        self.repeated = 0

    def enter(self, region: NodeRegion) -> None:
        """All blocks of a region, then the regions of their ops."""
        blocks = dominance_order(region)
        for block in blocks:
            self._block(region, block)
        for block in blocks:
            for node in block:
                if node.kind in _ENTERED:
                    for inner in node.regions:
                        self.enter(inner)

    def _block(self, region: NodeRegion, block: NodeBlock) -> None:
        nodes = list(block)
        operations = [self._current(node) for node in nodes]
        elsewhere: Elsewhere | None = None
        if len(region.blocks) > 1:
            elsewhere = Elsewhere()
            for other in region.blocks:
                if other is not block:
                    for node in other:
                        elsewhere.add(self._current(node))
        partitions = partition_block(Block(tuple(operations)), self.release, elsewhere, self.left)
        if not partitions:
            return
        fault = partition_fault(operations, partitions)
        if fault is not None:
            raise ScheduleRefusedError(fault)
        self._build(block, nodes, partitions)
        streamed = [node for node in nodes if node.kind.streamable]
        if elsewhere is not None or any(node.regions for node in nodes):
            self._repeat_in_other_blocks(block, streamed)
        for node in reversed(streamed):
            if self.body.is_unused(node):
                self.body.erase(node)
            else:
                self.left.update(dict.fromkeys(node.results, node.current))
        if not self._sort(block):
            if self.release.refuses_cyclic_schedule:
                raise ScheduleRefusedError(PartitionFault.CYCLE)
            self.ordered = False

    def _current(self, node: Node) -> Operation:
        """The op with its regions as they are now."""
        if not self.repeated or not node.regions:
            return node.current
        return node.current.with_regions(
            tuple(
                Region(
                    tuple(
                        Block(tuple(self._current(inner) for inner in block))
                        for block in region.blocks
                    )
                )
                for region in node.regions
            )
        )

    def _build(
        self, block: NodeBlock, nodes: Sequence[Node], partitions: Sequence[Partition]
    ) -> None:
        places = {node.current.identity: place for place, node in enumerate(nodes)}
        built: list[Node] = []
        for partition in partitions:
            members = [nodes[places[identity]] for identity in partition.operations]
            # After its last member, before whatever was put there already.
            before = members[-1].next if members else block.first
            assert before is not None
            awaits = [
                value
                for identity in partition.order
                for value in nodes[places[identity]].current.await_timepoints
            ]
            built.append(self._region(partition, members, awaits, before))
        for partition, node in zip(partitions, built, strict=True):
            execute = node.current
            assert isinstance(execute, Execute)
            after = node.next
            assert after is not None
            for result, output in zip(partition.results, execute.outputs, strict=True):
                awaited = self._fresh(result)
                self.body.insert(
                    Await(
                        identity=execute.identity,
                        awaits=execute.timepoint,
                        sources=(output,),
                        outputs=(awaited,),
                    ),
                    after,
                )
                for user, place in self.body.uses(result):
                    self.body.set_input(user, place, awaited)

    def _region(
        self,
        partition: Partition,
        members: Sequence[Node],
        awaits: Sequence[Value],
        before: Node,
    ) -> Node:
        """An execution region around copies of a partition's ops."""
        identity = fused(partition.order)
        captures = tuple(self._sized(value, before) for value in partition.captures)
        arguments = tuple(self._fresh(capture) for capture in captures)
        names = {
            capture.name: argument.name
            for capture, argument in zip(captures, arguments, strict=True)
        }
        inside: list[Operation] = []
        for node in members:
            for result in node.results:
                names[result.name] = self.body.fresh_name()
            inside.append(_member(node.current, names, partition.affinity))
        inside.append(
            StreamYield(
                identity=identity,
                values=tuple(named(result, names) for result in partition.results),
            )
        )
        awaited = awaits[0] if awaits else None
        if len(awaits) > 1:
            awaited = self.body.fresh(TIMEPOINT)
            self.body.insert(Join(identity=identity, sources=tuple(awaits), result=awaited), before)
        execute = Execute(
            identity=identity,
            captures=captures,
            awaits=awaited,
            outputs=tuple(self._fresh(result) for result in partition.results),
            timepoint=self.body.fresh(TIMEPOINT),
            body=Region((Block(tuple(inside), arguments),)),
            affinity=partition.affinity,
        )
        return self.body.insert(execute, before)

    def _sized(self, value: Value, before: Node) -> Value:
        """The value with the size by which the compiler knows it, whatever its user here says."""
        # A member says one that is there already, wherever the region goes.
        size = find_size(self.body, value, before)
        return value if size is None else Value(value.name, value.type, size, value.known)

    def _fresh(self, value: Value) -> Value:
        return self.body.fresh(value.type, value.size)

    def _repeat_in_other_blocks(self, block: NodeBlock, streamed: Iterable[Node]) -> None:
        """Ops that are repeated rather than handed out: one at the start of the block of each use.

        Uses are taken up from the latest to the first, so that the copies stand the other way
        round. The copies' own operands are uses that come too late for the ops before.
        """
        for node in streamed:
            operation = node.current
            if not operation.prefers_clone_to_consumers:
                continue
            for place, result in enumerate(node.results):
                for user, taken in self.body.uses(result):
                    home = user.home
                    if home is block:
                        continue
                    names = {made.name: self.body.fresh_name() for made in node.results}
                    assert home.first is not None
                    self.repeated += 1
                    identity = f"{operation.identity}~r{self.repeated}"
                    copy = self.body.insert(
                        renamed(operation, names, identity=identity), home.first
                    )
                    self.body.set_input(user, taken, copy.results[place])

    def _sort(self, block: NodeBlock) -> bool:
        """Puts the ops in order; whether that is possible."""
        nodes = list(block)[:-1]
        places = {id(node): place for place, node in enumerate(nodes)}
        order, complete = topological_order(
            [self._dependencies(place, node, places) for place, node in enumerate(nodes)]
        )
        expected = block.first
        for place in order:
            node = nodes[place]
            if node is expected:
                expected = node.next
            else:
                assert expected is not None
                self.body.move(node, expected)
        return complete

    def _dependencies(self, place: int, node: Node, places: dict[int, int]) -> set[int]:
        """The ops of the block that an op, or one in its regions, takes something from."""
        found: set[int] = set()
        for inner in _with_nested(node):
            for item in inner.inputs:
                maker = self.body.definition(item) if isinstance(item, Value) else None
                while maker is not None and id(maker) not in places:
                    maker = maker.parent
                if maker is not None:
                    found.add(places[id(maker)])
        found.discard(place)
        return found


def fused(identities: Iterable[str]) -> str:
    """The identity of an op made from others: where all of them come from, each place once.

    An unknown place counts where there is no other (`FusedLoc::get`, mlir/lib/IR/Location.cpp).
    """
    places = dict.fromkeys(part.partition("~")[0] for one in identities for part in one.split("+"))
    return "+".join([place for place in places if place != UNKNOWN_PLACE]) or UNKNOWN_PLACE


def _member(operation: Operation, names: dict[str, str], affinity: Affinity | None) -> Operation:
    """An op's copy in a region: affinities that the region says already go, and so do waits."""
    changes: dict[str, object] = {}
    if isinstance(operation, Transfer):
        for end in ("explicit_affinity", "source_affinity", "target_affinity"):
            if getattr(operation, end) == affinity:
                changes[end] = None
    elif operation.takes_affinity and operation.execution_affinity == affinity:
        changes["affinity"] = None
    if operation.await_timepoints:
        changes["awaits"] = None
    return renamed(operation, names, **changes)


def dominance_order(region: NodeRegion) -> list[NodeBlock]:
    """The blocks that control can reach, each after those that it has to come through.

    Reverse post-order from the entry. IREE's own order differs among blocks of which none comes
    before the other, where it makes no difference.
    """
    order: list[NodeBlock] = []
    seen = {id(region.blocks[0])} if region.blocks else set()
    pending = [(block, 0) for block in region.blocks[:1]]
    while pending:
        block, place = pending.pop()
        following = block.terminator.successors
        if place == len(following):
            order.append(block)
            continue
        pending.append((block, place + 1))
        if id(following[place]) not in seen:
            seen.add(id(following[place]))
            pending.append((following[place], 0))
    return order[::-1]


def _with_nested(node: Node) -> Iterator[Node]:
    yield node
    for region in node.regions:
        yield from region.walk()
