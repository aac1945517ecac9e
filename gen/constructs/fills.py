"""Fills one after another, which may be one fill (`CoalesceAdjacentFills` in
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp)."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source
from reference.ops import Fill
from reference.ops.assembly import Range
from reference.types import I32, Literal, Scalar

_WIDTH = 4


def add(builder: Builder) -> None:
    """Two fills of one value, next to each other or not, mostly with the same pattern."""
    choices = builder.choices
    slot = source.target(builder)
    pattern = Literal(choices.pick((0, 7)), I32)
    count = slot.bytes // _WIDTH
    if count < 2 or builder.is_hollow(slot):
        return
    start = choices.integer(0, count - 2)
    length = choices.integer(1, count - start - 1)
    first, second = (start, length), (start + length, choices.integer(1, count - start - length))
    if choices.chance(0.4):
        first, second = second, first
    elif choices.chance(0.3):
        second = (choices.integer(0, count - 1), 1)
    for at, width in (first, second):
        if choices.chance(0.15):
            pattern = Literal(1, I32)
        slot = _fill(builder, slot, pattern, Range.of(at * _WIDTH, width * _WIDTH))


def _fill(builder: Builder, target: Slot, pattern: Scalar, span: Range) -> Slot:
    lifetime = target.value.lifetime
    assert lifetime is not None
    result = builder.new_value(lifetime, target.value.size)
    builder.emit(
        Fill(
            identity=builder.identity(),
            pattern=pattern,
            target=builder.overwrite(target),
            span=span,
            result=result,
            affinity=builder.affinity(target.home),
        )
    )
    return builder.define(result, target.home)
