"""`stream.async.load`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.ops import source, transfer
from reference.ops import Load
from reference.types import F32, F64, I8, I16, I32, I64, INDEX, Lifetime, ScalarType, Value

_TYPES = Weighted.of(
    ((I32, 2.0), (I8, 2.0), (I16, 1.5), (I64, 2.0), (F32, 1.0), (F64, 1.0), (INDEX, 1.5))
)


def add(builder: Builder) -> Slot:
    """A scalar read from staging memory, for splats, fills, stores and kernels to take."""
    if builder.staging:
        chosen = builder.choose(builder.staging)
    else:
        read = source.any_value(builder)
        chosen = transfer.make(builder, read, read.home, Lifetime.STAGING)
    return make(builder, chosen)


def make(builder: Builder, chosen: Slot) -> Slot:
    """A scalar read from `chosen`, which is staging."""
    make_of(builder, chosen, builder.choices.weighted(_TYPES))
    return chosen


def make_of(builder: Builder, chosen: Slot, kind: ScalarType) -> Value:
    """A scalar of that type read from `chosen`, or an i8 where that has no room."""
    if kind.bytes > chosen.bytes:
        kind = I8
    result = Value(builder.name(), kind)
    offset = kind.bytes * builder.choices.integer(0, chosen.bytes // kind.bytes - 1)
    builder.emit(
        Load(
            identity=builder.identity(),
            source=builder.read(chosen),
            offset=offset,
            result=result,
        )
    )
    builder.define_scalar(result)
    return result
