"""`stream.tensor.export`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import cast, clone, dispatch, source, tensor_import, transfer
from reference.ops import Export
from reference.types import BUFFER_VIEW, Lifetime, Value


def add(builder: Builder) -> Slot:
    """A value becomes a buffer view, and may be read and written over later."""
    chosen = external(builder, source.any_value(builder))
    make(builder, chosen)
    return chosen


def make(builder: Builder, chosen: Slot) -> None:
    """`chosen`, which is external, as a buffer view that the function returns."""
    size = chosen.value.size
    assert size is not None
    encoding, dimensions = tensor_import.tensor_of(size)
    view = Value(builder.name(), BUFFER_VIEW)
    builder.emit(
        Export(
            identity=builder.identity(),
            source=builder.read(chosen),
            encoding=encoding,
            dimensions=dimensions,
            result=view,
            affinity=tensor_import.pin(builder, chosen.home),
        )
    )
    builder.views.append(view)


def external(builder: Builder, chosen: Slot, tied: bool = False) -> Slot:
    """`chosen` as an external value: itself, or what a transfer, cast, clone or kernel makes.

    `tied` keeps its storage wherever the level has an op for that.
    """
    lifetime, choices = chosen.value.lifetime, builder.choices
    if lifetime is Lifetime.EXTERNAL:
        return chosen
    must_move = builder.stream or lifetime is Lifetime.STAGING
    if must_move or (not tied and choices.chance(0.2 if builder.any_lifetimes else 0.4)):
        far = not builder.stream and choices.chance(builder.profile.cross)
        home = builder.other_home(chosen.home) if far else chosen.home
        slot = transfer.make(builder, chosen, home, Lifetime.EXTERNAL)
    elif choices.chance(0.6):
        slot = cast.make(builder, chosen, Lifetime.EXTERNAL)
    elif not tied and choices.chance(0.4):
        slot = clone.make(builder, chosen, Lifetime.EXTERNAL)
    else:
        slot = dispatch.make(builder, (), chosen, Lifetime.EXTERNAL)
    if builder.stream:
        builder.values.remove(slot)
    return slot
