"""`stream.async.barrier`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source
from reference.ops import Barrier


def add(builder: Builder) -> Slot:
    """Any value, staging too, which scheduling may not move work across."""
    if builder.staging and builder.choices.chance(0.3):
        return make(builder, builder.choose(builder.staging))
    return make(builder, source.any_value(builder))


def make(builder: Builder, chosen: Slot) -> Slot:
    """A barrier of `chosen`, where it lives."""
    lifetime = chosen.value.lifetime
    assert lifetime is not None
    result = builder.new_value(lifetime, chosen.value.size)
    builder.emit(
        Barrier(
            identity=builder.identity(),
            source=builder.read(chosen),
            result=result,
            affinity=builder.affinity(chosen.home),
        )
    )
    return builder.define(result, chosen.home, chosen)
