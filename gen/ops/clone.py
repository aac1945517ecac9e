"""`stream.async.clone`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source
from reference.ops import Clone
from reference.types import Lifetime


def add(builder: Builder) -> Slot:
    """A copy of any value, under any lifetime."""
    return make(builder, source.any_value(builder))


def make(builder: Builder, chosen: Slot, lifetime: Lifetime | None = None) -> Slot:
    """A copy of `chosen`."""
    result = builder.new_value(lifetime or builder.lifetime(), chosen.value.size)
    builder.emit(
        Clone(
            identity=builder.identity(),
            source=builder.read(chosen),
            result=result,
            affinity=builder.affinity(chosen.home),
        )
    )
    return builder.define(result, chosen.home)
