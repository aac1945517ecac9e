"""`stream.async.fill`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source, splat
from reference.ops import Fill
from reference.ops.assembly import Range


def add(builder: Builder) -> Slot:
    """A pattern over part of a value, in place; over all of an alloca."""
    return make(builder, source.target(builder))


def make(builder: Builder, target: Slot) -> Slot:
    """A pattern over part of `target`, over all of it when it is an alloca."""
    lifetime, size = target.value.lifetime, target.value.size
    assert lifetime is not None
    assert size is not None
    kind = splat.pattern_type(builder, size)
    hollow = builder.is_hollow(target)
    span = Range.of(0, size) if hollow else builder.span(target, kind.bytes)
    result = builder.new_value(lifetime, size)
    builder.emit(
        Fill(
            identity=builder.identity(),
            pattern=builder.scalar(kind),
            target=builder.overwrite(target),
            span=span,
            result=result,
            affinity=builder.affinity(target.home),
        )
    )
    return builder.define(result, target.home)
