"""`stream.async.store`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source, transfer
from reference.ops import Store
from reference.types import F32, I8, I16, I32, I64, Lifetime, Scalar, ScalarType, Value

_TYPES = (I32, I8, I64, I16, F32)


def add(builder: Builder) -> Slot:
    """A scalar written to staging memory that nothing else reads."""
    private = [slot for slot in builder.staging if slot.storable and not slot.uses]
    if private:
        return make(builder, builder.choices.pick(private))
    read = source.any_value(builder)
    return make(builder, transfer.make(builder, read, read.home, Lifetime.STAGING))


def make(builder: Builder, target: Slot) -> Slot:
    """A scalar written to `target`, which is private staging and not to be read any more."""
    kind = builder.choices.pick(_TYPES)
    if kind.bytes > target.bytes:
        kind = I8
    result, offset = _room(builder, target, kind)
    return _write(builder, target, offset, builder.scalar(kind), result)


def make_of(builder: Builder, target: Slot, scalar: Value) -> Slot:
    """`scalar`, for which there is room, written to `target` in the same way."""
    assert isinstance(scalar.type, ScalarType)
    result, offset = _room(builder, target, scalar.type)
    return _write(builder, target, offset, scalar, result)


def _room(builder: Builder, target: Slot, kind: ScalarType) -> tuple[Value, int]:
    """The value that a store makes, and where it writes a scalar of that type."""
    result = builder.new_value(Lifetime.STAGING, target.value.size)
    offset = kind.bytes * builder.choices.integer(0, target.bytes // kind.bytes - 1)
    builder.staging.remove(target)
    return result, offset


def _write(builder: Builder, target: Slot, offset: int, scalar: Scalar, result: Value) -> Slot:
    identity, written = builder.identity(), builder.overwrite(target)
    builder.emit(
        Store(identity=identity, target=written, offset=offset, scalar=scalar, result=result)
    )
    slot = builder.define(result, target.home, target)
    slot.storable = True
    return slot
