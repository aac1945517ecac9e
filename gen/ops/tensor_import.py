"""`stream.tensor.import`, and resources that the caller passes in as they are."""

from __future__ import annotations

from gen.builder import Builder, Home, Slot
from gen.choices import Weighted
from gen.ops import transfer
from reference.affinity import Affinity
from reference.ops import Import
from reference.types import BUFFER_VIEW, RESOURCES, Index, Lifetime, Value

_ARGUMENT_LIFETIMES = Weighted.of(
    ((Lifetime.EXTERNAL, 3.0), (Lifetime.VARIABLE, 1.0), (Lifetime.CONSTANT, 1.0))
)


def add(builder: Builder) -> Slot:
    """A buffer view of the caller's as a value; at level `stream` a transfer to `*` follows."""
    return make(builder, builder.home())


def make(builder: Builder, home: Home) -> Slot:
    """A buffer view of the caller's as a value that lives at `home`."""
    return enter(builder, make_external(builder, home))


def make_external(builder: Builder, home: Home) -> Slot:
    """A buffer view of the caller's as an external value that lives at `home`."""
    size = builder.size()
    view = builder.body.argument(Value(f"arg{len(builder.body.arguments)}", BUFFER_VIEW))
    result = builder.new_value(Lifetime.EXTERNAL, size)
    encoding, dimensions = tensor_of(size)
    builder.emit(
        Import(
            identity=builder.identity(),
            source=view,
            encoding=encoding,
            dimensions=dimensions,
            result=result,
            affinity=pin(builder, home),
            consume=builder.choices.chance(builder.profile.consumed),
        )
    )
    return builder.define(result, home)


def add_argument(builder: Builder) -> Slot:
    """A resource that the caller passes in; it lives where it is used first."""
    lifetime = (
        Lifetime.EXTERNAL if builder.stream else builder.choices.weighted(_ARGUMENT_LIFETIMES)
    )
    value = Value(f"arg{len(builder.body.arguments)}", RESOURCES[lifetime], builder.size())
    return enter(builder, builder.define(builder.body.argument(value), builder.home()))


def tensor_of(size: Index) -> tuple[str, tuple[Index, ...]]:
    """A tensor type of `size` bytes, and its dynamic dimensions."""
    if isinstance(size, int) and size % 4 == 0:
        return f"tensor<{size // 4}xi32>", ()
    return ("tensor<?xi8>", (size,)) if isinstance(size, Value) else (f"tensor<{size}xi8>", ())


def pin(builder: Builder, home: Home) -> Affinity | None:
    """`on(…)` of an import or export; what lives nowhere may be pinned to the first device."""
    if not builder.choices.chance(builder.pins):
        return None
    return builder.claimed(home) or Affinity(builder.devices[0])


def enter(builder: Builder, slot: Slot) -> Slot:
    """An external value as the level has it: at level `stream`, a transfer to `*` follows."""
    if not builder.stream:
        return slot
    builder.values.remove(slot)
    return transfer.make(builder, slot, slot.home)
