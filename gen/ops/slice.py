"""`stream.async.slice`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source
from reference.ops import Slice
from reference.ops.assembly import Range


def add(builder: Builder) -> Slot:
    """Part of any value."""
    chosen = source.any_value(builder)
    return make(builder, chosen, builder.span(chosen))


def make(builder: Builder, chosen: Slot, span: Range) -> Slot:
    """The bytes `span` of `chosen`."""
    lifetime = chosen.value.lifetime
    assert lifetime is not None
    result = builder.new_value(lifetime, span.length)
    builder.emit(
        Slice(
            identity=builder.identity(),
            source=builder.read(chosen),
            start=span.start,
            end=span.end,
            result=result,
            affinity=builder.affinity(chosen.home),
        )
    )
    return builder.define(result, chosen.home)
