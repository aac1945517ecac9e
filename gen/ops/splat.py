"""`stream.async.splat`."""

from __future__ import annotations

from gen.builder import Builder, Home, Slot
from reference.ops import Splat
from reference.types import PATTERN_TYPES, Index, Lifetime, ScalarType, known_bytes


def add(builder: Builder) -> Slot:
    """A new value, on any device."""
    return make(builder, builder.home(), builder.size())


def make(builder: Builder, home: Home, size: Index, lifetime: Lifetime | None = None) -> Slot:
    """A new value of that home and size."""
    result = builder.new_value(lifetime or builder.lifetime(), size)
    builder.emit(
        Splat(
            identity=builder.identity(),
            pattern=builder.scalar(pattern_type(builder, size)),
            result=result,
            affinity=builder.unsaid(home),
        )
    )
    return builder.define(result, home)


def pattern_type(builder: Builder, size: Index) -> ScalarType:
    """A type that `size` bytes are a multiple of."""
    count = known_bytes(size) or 0
    return builder.choices.pick([kind for kind in PATTERN_TYPES if count % kind.bytes == 0])
