"""The greedy rewriter: rules are applied to a body until none has anything to do.

Rules from mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp and
mlir/lib/Transforms/Canonicalizer.cpp. An op that comes off the worklist is erased if it is dead,
else folded, else the first of its patterns that applies is. When the worklist is empty the regions
are cleaned up, and all is done again, at most ten times, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference.folding.constants import MadeConstant, value_key
from reference.folding.dead import is_trivially_dead
from reference.folding.nodes import Node
from reference.folding.regions import RegionCleanup, simplify_regions
from reference.folding.rewriter import Rewriter, Worklist
from reference.folding.rules import Rules
from reference.folding.working import Body
from reference.ir import Operation, UnsupportedOperationError
from reference.ops import Immediate
from reference.releases import Release
from reference.types import Value

Key = tuple[str, int | float | str]

MAX_ITERATIONS = 10


@dataclass(frozen=True, slots=True)
class GreedyConfig:
    """`GreedyRewriteConfig`: where the worklist starts, and how regions are cleaned up."""

    top_down: bool
    cleanup: RegionCleanup


CANONICALIZE = GreedyConfig(top_down=True, cleanup=RegionCleanup.NORMAL)
"""What the pass `canonicalize` uses."""

DEFAULT = GreedyConfig(top_down=False, cleanup=RegionCleanup.AGGRESSIVE)
"""What `applyPatternsGreedily` uses where nothing is said."""


def rewrite(
    body: Body, rules: Mapping[type[Operation], Rules], release: Release, config: GreedyConfig
) -> None:
    """Applies `rules` to a body, in place.

    Raises UnsupportedOperationError where a rule applies that is not modelled.
    """
    rewriter = Rewriter(body, release, Worklist())
    for _ in range(MAX_ITERATIONS):
        _start(rewriter, config)
        changed = _process(rewriter, rules)
        changed |= simplify_regions(rewriter, config.cleanup)
        if not changed:
            break
    _settle_all(rewriter)


def _start(rewriter: Rewriter, config: GreedyConfig) -> None:
    """Puts every op on the worklist, so that they come off in order or in reverse.

    On the way equal constants become one, and what uses the others goes onto the worklist at once
    (`OperationFolder::insertKnownConstant`, mlir/lib/Transforms/Utils/FoldUtils.cpp). Of constants
    in the program IR that are ops, `stream.timepoint.immediate` is the only one.
    """
    body, worklist = rewriter.body, rewriter.worklist
    worklist.clear()
    nodes = list(body.region.walk() if config.top_down else body.region.walk_post_order())
    known: set[Key] = set()
    if rewriter.made_constants:
        known = _constants(nodes)
        rewriter.made_constants = False
        rewriter.changes += 1
    immediate: Node | None = None
    for node in nodes:
        if node.kind is MadeConstant:
            _settle(rewriter, node, known)
            continue
        if node.kind is Immediate:
            if immediate is not None:
                rewriter.replace(node, immediate.results)
                rewriter.changes += 1
                continue
            immediate = node
            first = body.region.blocks[0].first
            assert first is not None
            if first is not node:
                body.move(node, first)
                rewriter.changes += 1
        rewriter.push(node)
    if config.top_down:
        worklist.reverse()


def _settle_all(rewriter: Rewriter) -> None:
    if rewriter.made_constants:
        for node in list(rewriter.body.region.walk()):
            if node.kind is MadeConstant:
                _settle(rewriter, node, set())


def _constants(nodes: list[Node]) -> set[Key]:
    return {
        value_key(item)
        for node in nodes
        for item in node.inputs
        if not isinstance(item, Value) and item is not None
    }


def _settle(rewriter: Rewriter, node: Node, known: set[Key]) -> None:
    """Makes a constant that a rule made part of its users, like all others."""
    made = node.current
    assert isinstance(made, MadeConstant)
    key = value_key(made.number)
    if key in known:
        rewriter.replace(node, (made.number,))
        return
    known.add(key)
    body = rewriter.body
    for user, place in body.uses(made.result):
        body.set_input(user, place, made.number)
    body.erase(node)


def _process(rewriter: Rewriter, rules: Mapping[type[Operation], Rules]) -> bool:
    """Works the worklist off; whether anything changed."""
    before = rewriter.changes
    body, worklist = rewriter.body, rewriter.worklist
    while (node := worklist.pop()) is not None:
        if node.settled_at == rewriter.changes:
            continue
        if is_trivially_dead(body, node):
            rewriter.erase(node)
            rewriter.changes += 1
            continue
        known = rules.get(node.kind)
        if known is None:
            name = getattr(node.current, "name", node.kind.mnemonic)
            raise UnsupportedOperationError(f"folding {name}")
        if _apply(rewriter, node, known):
            rewriter.changes += 1
        else:
            node.settled_at = rewriter.changes
    return rewriter.changes != before


def _apply(rewriter: Rewriter, node: Node, rules: Rules) -> bool:
    if rules.fold is not None:
        values = rules.fold(rewriter, node)
        if values is not None:
            if values:
                rewriter.replace(node, values)
            else:
                rewriter.push(node)
            return True
    for pattern in rules.ordered:  # noqa: SIM110 - the inner loop of the model
        if pattern(rewriter, node):
            return True
    return False
