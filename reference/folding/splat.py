"""`stream.async.splat` and `stream.async.alloca`: `AsyncSplatOp` and `AsyncAllocaOp` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp."""

from __future__ import annotations

import struct
from dataclasses import replace

from reference.folding.constants import signed
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import ELIDE_UNUSED, Pattern, Rules
from reference.folding.sinking import sink_to_consumers
from reference.ops import Fill, Splat
from reference.types import I8, I16, I32, Literal, ScalarType

_NARROWER: tuple[ScalarType, ...] = (I8, I16, I32)


def narrow_pattern(rewriter: Rewriter, node: Node) -> bool:
    """`NarrowFillPattern`: a constant pattern of equal parts becomes one of its parts."""
    operation = node.current
    assert isinstance(operation, Fill | Splat)
    pattern = rewriter.constant_of(operation.pattern)
    if not isinstance(pattern, Literal):
        return False
    narrowed = _narrowed(pattern)
    if narrowed is pattern:
        return False
    made = rewriter.make_constant(narrowed, operation.identity, node)
    rewriter.modify(node, replace(operation, pattern=made))
    return True


def _narrowed(pattern: Literal) -> Literal:
    """The same bytes, repeated, as a constant of the smallest type that holds them."""
    width = pattern.type.bytes
    if width == 1:
        return pattern
    part = _bytes(pattern)
    for kind in _NARROWER:
        if kind.bytes < width and part == part[: kind.bytes] * (width // kind.bytes):
            return Literal(_signed_bytes(part[: kind.bytes], kind), kind)
    return pattern


def _bytes(pattern: Literal) -> bytes:
    value, width = pattern.value, pattern.type.bytes
    if isinstance(value, int):
        return (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    return struct.pack("<f" if width == 4 else "<d", value)


def _signed_bytes(part: bytes, kind: ScalarType) -> int:
    number = signed(Literal(int.from_bytes(part, "little"), kind))
    assert isinstance(number, int)
    return number


SPLAT = Rules(None, (Pattern(narrow_pattern), Pattern(sink_to_consumers), ELIDE_UNUSED))
ALLOCA = Rules(None, (ELIDE_UNUSED, Pattern(sink_to_consumers)))
