"""`util.align`: `AlignOp` in compiler/src/iree/compiler/Dialect/Util/IR/UtilOpFolders.cpp."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reference.folding.constants import same_value
from reference.folding.layouts import Input
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.ops import HostScalar
from reference.types import INDEX

_SUMS = frozenset({"arith.addi", "arith.subi"})


def fold_align(rewriter: Rewriter, node: Node, align: HostScalar) -> Sequence[Input] | None:
    """`fold`: what is aligned already, or a constant."""
    value, alignment = align.arguments
    if _is_aligned(rewriter, value, alignment):
        return (value,)
    number, multiple = rewriter.constant_of(value), rewriter.constant_of(alignment)
    if not isinstance(number, int) or not isinstance(multiple, int) or value.type != INDEX:
        return None
    return (rewriter.make_constant(-(-number // multiple) * multiple, align.identity, node),)


def _is_aligned(rewriter: Rewriter, value: Input, alignment: Input) -> bool:
    """`isAlignedTo`: whether a value is a multiple of another, as far as can be seen near by."""
    number, multiple = rewriter.constant_of(value), rewriter.constant_of(alignment)
    static = isinstance(number, int) and isinstance(multiple, int) and multiple != 0
    if static and number % multiple == 0:  # type: ignore[operator]
        return True
    host = rewriter.defining(value, HostScalar)
    if host is None:
        return False
    if host.name == "util.align":
        inner, by = host.arguments
        known = rewriter.constant_of(by)
        divides = (
            isinstance(known, int)
            and isinstance(multiple, int)
            and known >= multiple
            and math.gcd(known, multiple) == multiple
        )
        return same_value(by, alignment) or divides or _is_aligned(rewriter, inner, alignment)
    aligned = (_is_aligned(rewriter, item, alignment) for item in host.arguments)
    if host.name in _SUMS:
        return all(aligned)
    return host.name == "arith.muli" and any(aligned)
