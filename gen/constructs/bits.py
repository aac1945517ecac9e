"""Loads and stores of numbers whose bits are then taken for another type's: `arith.bitcast`."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs.host import host
from gen.ops import load, source, store, transfer
from reference.types import F32, F64, I32, I64, Lifetime, ScalarType, Value

_SAME_WIDTH = {I32: F32, I64: F64, F32: I32, F64: I64}
_TYPES = tuple(_SAME_WIDTH)


def add(builder: Builder) -> None:
    """A number loaded as another type's, for others to take, or stored as such."""
    choices = builder.choices
    if builder.staging:
        chosen = builder.choose(builder.staging)
    else:
        read = source.any_value(builder)
        chosen = transfer.make(builder, read, read.home, Lifetime.STAGING)
    loaded = load.make_of(builder, chosen, choices.pick(_TYPES))
    assert isinstance(loaded.type, ScalarType)
    if loaded.type not in _SAME_WIDTH:
        return
    stored = choices.chance(0.4)
    # What others take too is loaded as it was.
    if choices.chance(0.4 if stored else 0.7):
        builder.unused_scalars.pop(loaded.name)
        others = [scalar for scalar in builder.scalars.pop(loaded.type) if scalar != loaded]
        if others:
            builder.scalars[loaded.type] = others
    cast = _cast(builder, loaded)
    if not stored:
        builder.define_scalar(cast)
        return
    read = source.any_value(builder)
    target = transfer.make(builder, read, read.home, Lifetime.STAGING)
    store.make_of(builder, target, cast)


def _cast(builder: Builder, scalar: Value) -> Value:
    assert isinstance(scalar.type, ScalarType)
    return host(builder, "arith.bitcast", (scalar,), _SAME_WIDTH[scalar.type])
