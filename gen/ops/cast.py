"""`stream.async.cast`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import clone, source
from reference.ops import Cast
from reference.types import Lifetime


def add(builder: Builder) -> Slot:
    """Any value under any lifetime."""
    return make(builder, source.any_value(builder))


def make(builder: Builder, chosen: Slot, lifetime: Lifetime | None = None) -> Slot:
    """`chosen` under another lifetime, or the same; a clone where the profile has no casts."""
    if not builder.profile.casts:
        return clone.make(builder, chosen, lifetime)
    result = builder.new_value(lifetime or builder.lifetime(), chosen.value.size)
    builder.emit(
        Cast(
            identity=builder.identity(),
            source=builder.read(chosen),
            result=result,
            affinity=builder.affinity(chosen.home),
        )
    )
    return builder.define(result, chosen.home, chosen)
