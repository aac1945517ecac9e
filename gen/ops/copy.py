"""`stream.async.copy`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source, splat
from reference.ops import Copy
from reference.ops.assembly import Range


def add(builder: Builder) -> Slot:
    """Part of a value written over part of another, in place; or of the same, without overlap."""
    return make(builder, source.target(builder))


def make(builder: Builder, target: Slot) -> Slot:
    """Part of some value of the same home written over part of `target`."""
    size, choices = target.value.size, builder.choices
    assert size is not None
    if builder.is_hollow(target):
        fitting = (
            [slot for slot in builder.at(target.home) if slot.bytes >= target.bytes]
            if isinstance(size, int)
            else [slot for slot in builder.at(target.home) if slot.value.size == size]
        )
        chosen = builder.choose(fitting) if fitting else splat.make(builder, target.home, size)
        return _write(builder, chosen, Range.of(0, size), target, Range.of(0, size))
    if isinstance(size, int) and size >= 8 and choices.chance(0.15):
        half = size // 8 * 4
        low, high = Range.of(0, half), Range.of(half, half)
        if choices.chance(0.5):
            low, high = high, low
        return _write(builder, target, low, target, high)
    others = [slot for slot in builder.at(target.home) if slot.root != target.root]
    chosen = builder.choose(others) if others else splat.make(builder, target.home, size)
    return _write_part(builder, chosen, target)


def make_from(builder: Builder, chosen: Slot) -> Slot:
    """Part of `chosen` written over part of another value of the same home."""
    fitting = [
        slot
        for slot in builder.in_place_candidates()
        if slot.home == chosen.home and slot.root != chosen.root
    ]
    size = chosen.value.size
    assert size is not None
    target = builder.choose_target(fitting) if fitting else splat.make(builder, chosen.home, size)
    return _write_part(builder, chosen, target)


def _write_part(builder: Builder, chosen: Slot, target: Slot) -> Slot:
    size = target.value.size
    span = builder.span(chosen)
    if not isinstance(span.length, int):
        if span.length == size:
            return _write(builder, chosen, span, target, span)
        span = Range.of(0, min(chosen.bytes, target.bytes))
    assert isinstance(span.start, int)
    assert isinstance(span.length, int)
    length = min(span.length, target.bytes)
    start = 4 * builder.choices.integer(0, (target.bytes - length) // 4)
    return _write(builder, chosen, Range.of(span.start, length), target, Range.of(start, length))


def _write(
    builder: Builder, chosen: Slot, source_span: Range, target: Slot, target_span: Range
) -> Slot:
    lifetime = target.value.lifetime
    assert lifetime is not None
    result = builder.new_value(lifetime, target.value.size)
    builder.emit(
        Copy(
            identity=builder.identity(),
            source=builder.read(chosen),
            source_span=source_span,
            target=builder.overwrite(target),
            target_span=target_span,
            result=result,
            affinity=builder.affinity(target.home),
        )
    )
    return builder.define(result, target.home)
