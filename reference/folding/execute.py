"""`stream.async.execute` and `stream.async.concurrent`: `AsyncExecuteOp` and `AsyncConcurrentOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp, and `optimizeClosureLikeOp` in
compiler/src/iree/compiler/Dialect/Util/IR/ClosureOpUtils.cpp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reference.folding.layouts import sized
from reference.folding.nodes import Node, NodeBlock
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.folding.timepoint import is_immediate, make_immediate
from reference.folding.values import tied_base
from reference.ir import Region, changed
from reference.ops import Await, Concurrent, Execute, Join, StreamYield
from reference.types import TIMEPOINT, Value

_REGIONS = (Execute, Concurrent)


def elide_immediate_wait(rewriter: Rewriter, node: Node) -> bool:
    """`ElideImmediateTimepointWait`: nothing to wait for."""
    execute = _execute(node)
    if execute.awaits is None or not is_immediate(rewriter, execute.awaits):
        return False
    rewriter.modify(node, replace(execute, awaits=None))
    return True


def chain_dependent_awaits(rewriter: Rewriter, node: Node) -> bool:
    """`ChainDependentAwaits`: the device waits for what the host would have waited for.

    What the region waited for before is forgotten, as in the source.
    """
    execute = _execute(node)
    makers = [rewriter.defining(capture, Await) for capture in execute.captures]
    waits = {place: wait for place, wait in enumerate(makers) if wait and not wait.sync}
    if not waits:
        return False
    timepoints = [wait.awaits for wait in waits.values()]
    captures = list(execute.captures)
    for place, wait in waits.items():
        source = wait.sources[wait.outputs.index(captures[place])]
        captures[place] = sized(source, captures[place].size)
    awaits = timepoints[0]
    if len(timepoints) > 1:
        join = Join(
            identity=execute.identity,
            sources=tuple(timepoints),
            result=rewriter.fresh(TIMEPOINT),
        )
        awaits = rewriter.insert(join, node).results[0]
    rewriter.modify(node, changed(execute, {"awaits": awaits, "captures": tuple(captures)}))
    return True


def elide_no_op(rewriter: Rewriter, node: Node) -> bool:
    """`ElideNoOpAsyncExecuteOp`: a region that only hands on what it captures."""
    execute = _execute(node)
    (block,) = node.regions[0].blocks
    if block.first is not block.last:
        return False
    places = {argument: place for place, argument in enumerate(block.arguments)}
    results = [execute.captures[places[value]] for value in _yielded(block).values]
    immediate = make_immediate(rewriter, execute.identity, node)
    rewriter.replace(node, (*results, immediate))
    return True


def optimize_closure(rewriter: Rewriter, node: Node) -> bool:
    """`ClosureOptimizationPattern`: captures that nothing takes or that come twice go, and results
    that are yielded twice. A result that nobody takes stays: its own yield counts as a reader."""
    operation = node.current
    assert isinstance(operation, _REGIONS)
    (block,) = node.regions[0].blocks
    first: dict[str, int] = {}
    instead: dict[int, int | None] = {}
    for place, argument in enumerate(block.arguments):
        capture = operation.captures[place]
        if not rewriter.body.is_used(argument):
            instead[place] = None
        elif first.setdefault(capture.name, place) != place:
            instead[place] = first[capture.name]
    leaders = _leaders(_yielded(block).values)
    if not instead and all(place == leader for place, leader in enumerate(leaders)):
        return False
    for place, leader in instead.items():
        if leader is not None:
            rewriter.replace_uses(block.arguments[place], block.arguments[leader])
    for place, leader in enumerate(leaders):
        if leader != place:
            rewriter.replace_uses(operation.outputs[place], operation.outputs[leader])
    results = [place for place, leader in enumerate(leaders) if place == leader]
    captures = [place for place in range(len(operation.captures)) if place not in instead]
    _rebuild(rewriter, node, captures, results)
    return True


def _leaders(values: Sequence[Value]) -> list[int]:
    """For each value, the first place where it stands."""
    first: dict[str, int] = {}
    return [first.setdefault(value.name, place) for place, value in enumerate(values)]


def _rebuild(
    rewriter: Rewriter, node: Node, captures: Sequence[int], results: Sequence[int]
) -> None:
    """The op again with some of its captures and results, around the same ops."""
    operation = node.current
    assert isinstance(operation, _REGIONS)
    (block,) = node.regions[0].blocks
    outputs = [operation.outputs[place] for place in results]
    made = replace(
        operation,
        captures=tuple(operation.captures[place] for place in captures),
        outputs=tuple(rewriter.fresh(output.type, output.size) for output in outputs),
        ties=_ties(operation.ties, captures, results),
        body=Region(()),
    )
    if isinstance(made, Execute):
        made = replace(made, timepoint=rewriter.fresh(TIMEPOINT))
    new = rewriter.insert(made, node)
    rewriter.body.move_regions(node, new)
    handed_on = _yielded(block)
    rewriter.body.set_operation(
        block.terminator,
        replace(handed_on, values=tuple(handed_on.values[place] for place in results)),
    )
    rewriter.body.set_arguments(block, [block.arguments[place] for place in captures])
    if isinstance(operation, Execute):
        rewriter.replace_uses(operation.timepoint, new.results[-1])
    for output, result in zip(outputs, new.results, strict=False):
        rewriter.replace_uses(output, result)
    rewriter.erase(node)


def _ties(
    ties: Sequence[int | None], captures: Sequence[int], results: Sequence[int]
) -> tuple[int | None, ...]:
    """Ties between the captures and results that are left; empty where no tie is."""
    if not ties:
        return ()
    places = {old: new for new, old in enumerate(captures)}
    kept = (ties[place] for place in results)
    left = tuple(None if tie is None else places.get(tie) for tie in kept)
    return () if all(tie is None for tie in left) else left


def tie_results(rewriter: Rewriter, node: Node) -> bool:
    """`TieRegionResults`: a result whose storage is that of a capture is tied to it."""
    operation = node.current
    assert isinstance(operation, _REGIONS)
    (block,) = node.regions[0].blocks
    places = {argument.name: place for place, argument in enumerate(block.arguments)}
    old = operation.ties or (None,) * len(operation.outputs)
    ties = tuple(
        [
            places.get(tied_base(rewriter, value).name) if tie is None else tie
            for tie, value in zip(old, _yielded(block).values, strict=True)
        ]
    )
    if ties == old:
        return False
    # The op takes what it took: its uses stay in their places.
    node.set_operation(changed(operation, {"ties": ties}))
    rewriter.push(node)
    return True


def _yielded(block: NodeBlock) -> StreamYield:
    handed_on = block.terminator.current
    assert isinstance(handed_on, StreamYield)
    return handed_on


def _execute(node: Node) -> Execute:
    execute = node.current
    assert isinstance(execute, Execute)
    return execute


EXECUTE = Rules(
    None,
    (
        Pattern(elide_immediate_wait),
        Pattern(chain_dependent_awaits),
        Pattern(elide_no_op),
        Pattern(optimize_closure),
        Pattern(tie_results),
        ELIDE_UNUSED,
    ),
)
CONCURRENT = Rules(None, (Pattern(optimize_closure), Pattern(tie_results), ELIDE_UNUSED))
