"""What a rule is, and in which order the rules of an op are tried.

An op's fold comes first; then its patterns, by benefit and, among equals, in the order in which
IREE registers them (`PatternApplicator::applyCostModel`, mlir/lib/Rewrite/PatternApplicator.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reference.folding.layouts import Input
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter

Fold: TypeAlias = Callable[[Rewriter, Node], "Sequence[Input] | None"]
"""What stands for each result of an op instead of it; None where the op stays, `()` where it was
changed in place."""

Rewrite: TypeAlias = Callable[[Rewriter, Node], bool]
"""Changes the body around an op and says so; False where it changed nothing."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A canonicalization pattern of one kind of op."""

    rewrite: Rewrite
    benefit: int = 1


@dataclass(frozen=True, slots=True)
class Rules:
    """The fold and the patterns of one kind of op, the patterns in the order of registration."""

    fold: Fold | None = None
    patterns: tuple[Pattern, ...] = ()
    ordered: tuple[Rewrite, ...] = field(init=False)
    """The patterns in the order in which they are tried."""

    def __post_init__(self) -> None:
        by_benefit = sorted(self.patterns, key=lambda pattern: -pattern.benefit)
        object.__setattr__(self, "ordered", tuple(pattern.rewrite for pattern in by_benefit))

    def with_patterns(self, *patterns: Pattern) -> Rules:
        """The same rules and further patterns, registered after them."""
        return Rules(self.fold, (*self.patterns, *patterns))


def elide_unused(rewriter: Rewriter, node: Node) -> bool:
    """`ElideUnusedOp`: an op whose results nobody uses goes."""
    if not rewriter.body.is_unused(node):
        return False
    rewriter.erase(node)
    return True


ELIDE_UNUSED = Pattern(elide_unused, benefit=1000)
