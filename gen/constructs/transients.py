"""`stream.resource.transients`, as IREE's conversion makes it of `hal.tensor.transients`.

(compiler/src/iree/compiler/Dialect/Stream/Conversion/HALToStream/Patterns.cpp.) A function has one
storage for all its transients, and no calls: emplacing them refuses anything else.
"""

from __future__ import annotations

from gen.builder import Builder, Home
from gen.constructs import timepoints
from gen.ops import source
from reference.ops import Import, Transients
from reference.types import INDEX, RESOURCES, TIMEPOINT, Lifetime, OpaqueType, Value

BUFFER = OpaqueType("!hal.buffer")
_STORAGE_BYTES = 1 << 16


def add(builder: Builder) -> None:
    """The transient memory of a value comes from storage of the caller's."""
    if builder.body.calls:
        return
    storage = builder.body.storage
    home = builder.body.storage_home
    near = builder.at(home) if storage else []
    if storage and not near:
        return
    chosen = builder.choose(near) if storage else source.any_value(builder)
    slot, ready = timepoints.barrier(builder, chosen)
    affinity = slot.home
    if storage is None:
        storage = _storage(builder, slot.home)
    result = Value(builder.name(), slot.value.type, slot.value.size)
    timepoint = Value(builder.name(), TIMEPOINT)
    builder.emit(
        Transients(
            identity=builder.identity(),
            source=builder.read(slot),
            storage=storage,
            awaits=ready,
            result=result,
            timepoint=timepoint,
            affinity=affinity,
        )
    )
    annotated = builder.define(result, slot.home, slot)
    timepoints.wait(builder, timepoint, (annotated,))


def _storage(builder: Builder, home: Home) -> Value:
    buffer = builder.body.argument(Value(builder.name(), BUFFER))
    size = builder.body.argument(Value(builder.name(), INDEX, None, _STORAGE_BYTES))
    storage = Value(builder.name(), RESOURCES[Lifetime.TRANSIENT], size)
    builder.emit(
        Import(
            identity=builder.identity(),
            source=buffer,
            encoding="tensor<?xi8>",
            dimensions=(size,),
            result=storage,
            affinity=home,
        )
    )
    builder.body.storage, builder.body.storage_home = storage, home
    return storage
