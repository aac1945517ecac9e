"""`stream.timepoint.*`: `TimepointAwaitOp`, `TimepointJoinOp`, `TimepointBarrierOp`,
`TimepointExportOp` and `TimepointChainExternalOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding.dominance import nearest_common_dominator
from reference.folding.layouts import Input
from reference.folding.nodes import Node
from reference.folding.opaque import FENCE
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.sinking import can_stably_sink
from reference.folding.working import Body
from reference.ops import (
    Await,
    ChainExternal,
    Immediate,
    Import,
    Join,
    OpaqueOperation,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
)
from reference.types import TIMEPOINT, Value


def is_immediate(rewriter: Rewriter, timepoint: Input) -> bool:
    """Whether a timepoint is reached from the start."""
    return rewriter.defining(timepoint, Immediate) is not None


def make_immediate(rewriter: Rewriter, identity: str, before: Node) -> Value:
    """A new timepoint that is reached from the start."""
    immediate = Immediate(identity=identity, result=rewriter.fresh(TIMEPOINT))
    return rewriter.insert(immediate, before).results[0]


def fold_export_of_import(rewriter: Rewriter, node: Node) -> Sequence[Value] | None:
    """`TimepointExportOp::fold`: what was imported as the same types comes back as it was."""
    exported = node.current
    assert isinstance(exported, TimepointExport)
    imported = rewriter.defining(exported.source, TimepointImport)
    if imported is None:
        return None
    same_types = [one.type for one in imported.sources] == [one.type for one in exported.outputs]
    return imported.sources if same_types else None


def pass_through_chain(rewriter: Rewriter, node: Node) -> bool:
    """`PassThroughChainExternal`: what is chained to an imported fence is that fence.

    Only where it is made in this function.
    """
    chain = node.current
    assert isinstance(chain, ChainExternal)
    imported = rewriter.defining(chain.source, TimepointImport)
    if imported is None:
        return False
    types = [[value.type for value in side] for side in (imported.sources, chain.externals)]
    if types[0] != types[1]:
        return False
    for external in chain.externals:
        maker = rewriter.defining(external, OpaqueOperation)
        if maker is None or maker.name != FENCE:
            return False
    for external, source in zip(chain.externals, imported.sources, strict=True):
        rewriter.replace_uses(external, source)
    rewriter.erase(node)
    return True


def fold_join(rewriter: Rewriter, node: Node) -> Sequence[Value] | None:
    """`TimepointJoinOp::fold`: all immediate, or one timepoint alone."""
    join = node.current
    assert isinstance(join, Join)
    if all(is_immediate(rewriter, source) for source in join.sources):
        return (make_immediate(rewriter, join.identity, node),)
    return join.sources if len(join.sources) == 1 else None


def elide_immediate_sources(rewriter: Rewriter, node: Node) -> bool:
    """`ElideImmediateTimepointJoinOperands`."""
    join = node.current
    assert isinstance(join, Join)
    sources = tuple(source for source in join.sources if not is_immediate(rewriter, source))
    return _join_of(rewriter, node, sources, len(sources) != len(join.sources))


def fold_duplicate_sources(rewriter: Rewriter, node: Node) -> bool:
    """`FoldDuplicateTimepointJoinOperands`: each timepoint once."""
    join = node.current
    assert isinstance(join, Join)
    sources = tuple(dict.fromkeys(join.sources))
    return _join_of(rewriter, node, sources, len(sources) != len(join.sources))


def expand_joins(rewriter: Rewriter, node: Node) -> bool:
    """`ExpandTimepointJoinOperands`: a join of joins is one join."""
    join = node.current
    assert isinstance(join, Join)
    expanded: dict[Value, None] = {}
    changed = False
    for source in join.sources:
        inner = rewriter.defining(source, Join)
        changed |= inner is not None
        expanded.update(dict.fromkeys((source,) if inner is None else inner.sources))
    return _join_of(rewriter, node, tuple(expanded), changed)


def _join_of(rewriter: Rewriter, node: Node, sources: tuple[Value, ...], changed: bool) -> bool:
    if changed:
        join = node.current
        assert isinstance(join, Join)
        rewriter.modify(node, replace(join, sources=sources))
    return changed


def elide_immediate_barrier(rewriter: Rewriter, node: Node) -> bool:
    """`ElideImmediateBarrier`: what was imported is there already."""
    barrier = node.current
    assert isinstance(barrier, TimepointBarrier)
    if rewriter.defining(barrier.source, Import) is None:
        return False
    immediate = make_immediate(rewriter, barrier.identity, node)
    rewriter.replace(node, (barrier.source, immediate))
    return True


def chain_timepoints(rewriter: Rewriter, node: Node) -> bool:
    """`ChainTimepoints`: what was awaited just before is ready when the wait was over."""
    barrier = node.current
    assert isinstance(barrier, TimepointBarrier)
    wait = rewriter.defining(barrier.source, Await)
    if wait is None or wait.sync:
        return False
    source = wait.sources[wait.outputs.index(barrier.source)]
    rewriter.replace(node, (source, wait.awaits))
    return True


def fold_immediate_await(rewriter: Rewriter, node: Node) -> Sequence[Value] | None:
    """`TimepointAwaitOp::fold` and `ElideImmediateHostAwaits`: nothing to wait for."""
    wait = _await(node)
    return wait.sources if is_immediate(rewriter, wait.awaits) else None


def sink_to_first_consumer(rewriter: Rewriter, node: Node) -> bool:
    """`SinkAwaitToFirstConsumer`: down to the first op that needs a result, or to the end of the
    block that leads to all of them."""
    users = _users_beside(rewriter.body, node)
    if _await(node).sync or not users:
        return False
    block = users[0].home
    for user in users[1:]:
        block = nearest_common_dominator(block, user.home)
    first = min(
        (user for user in users if user.block is block),
        key=lambda user: user.order,
        default=block.terminator,
    )
    if not can_stably_sink(rewriter, node, first):
        return False
    rewriter.body.move(node, first)
    rewriter.push(node)
    return True


def _users_beside(body: Body, node: Node) -> list[Node]:
    """The ops of the same region that take a result, or hold ops that do."""
    users: dict[int, Node] = {}
    for result in node.results:
        for user in body.users(result):
            owner: Node = user
            while owner.parent is not node.parent:
                assert owner.parent is not None
                owner = owner.parent
            users[id(owner)] = owner
    return list(users.values())


def group_by_timepoint(rewriter: Rewriter, node: Node) -> bool:
    """`GroupAwaitsByTimepoint`: later waits of the block for the same timepoint join this one.

    The result is no `sync` wait, even where this one is.
    """
    wait = _await(node)
    body = rewriter.body
    covered = [
        user
        for user in body.users(wait.awaits)
        if user.kind is Await
        and user.block is node.block
        and user.order > node.order
        and not _await(user).sync
        and all(_is_made_before(body, item, node) for item in user.inputs)
    ]
    if not covered:
        return False
    covered = sorted((node, *covered), key=lambda one: one.order)
    sources = tuple(source for one in covered for source in _await(one).sources)
    made = rewriter.insert(_await_of(rewriter, wait, sources), node)
    results = iter(made.results)
    for one in covered:
        for result in one.results:
            rewriter.replace_uses(result, next(results))
        rewriter.erase(one)
    return True


def _is_made_before(body: Body, item: Input, node: Node) -> bool:
    """Whether what another op of the block takes is there before `node`, or is made by it.

    The second is as in the source (`DominanceInfo::dominates` of a value and an op): a wait that
    takes what this one gives is merged into it, and takes its own result then.
    """
    maker = body.definition(item)
    return maker is None or maker.block is not node.block or maker.order <= node.order


def fold_duplicate_resources(rewriter: Rewriter, node: Node) -> bool:
    """`FoldDuplicateAwaitResources`: each resource once."""
    wait = _await(node)
    sources = tuple(dict.fromkeys(wait.sources))
    if len(sources) == len(wait.sources):
        return False
    made = rewriter.insert(replace(_await_of(rewriter, wait, sources), sync=wait.sync), node)
    outputs = dict(zip(sources, made.results, strict=True))
    for source, output in zip(wait.sources, wait.outputs, strict=True):
        rewriter.replace_uses(output, outputs[source])
    rewriter.erase(node)
    return True


def _await_of(rewriter: Rewriter, wait: Await, sources: Sequence[Value]) -> Await:
    return Await(
        identity=wait.identity,
        awaits=wait.awaits,
        sources=tuple(sources),
        outputs=tuple(rewriter.fresh(source.type, source.size) for source in sources),
    )


def _await(node: Node) -> Await:
    wait = node.current
    assert isinstance(wait, Await)
    return wait


AWAIT = Rules(
    fold_immediate_await,
    (
        Pattern(sink_to_first_consumer),
        Pattern(group_by_timepoint),
        Pattern(fold_duplicate_resources),
    ),
)
"""`ElideUnusedTimepointAwait` never has anything to do: an unused wait, being pure, is dead."""

JOIN = Rules(
    fold_join,
    (Pattern(elide_immediate_sources), Pattern(fold_duplicate_sources), Pattern(expand_joins)),
)
BARRIER = Rules(None, (Pattern(elide_immediate_barrier), Pattern(chain_timepoints)))
EXPORT = Rules(fold_export_of_import)
CHAIN = Rules(None, (Pattern(pass_through_chain),))
