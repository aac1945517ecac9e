"""`stream.tensor.export`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.ops import cast, clone, dispatch, source, tensor_import, transfer
from reference.ops import Export
from reference.types import BUFFER_VIEW, Lifetime, Value

_WAYS = Weighted.of((("transfer", 0.4), ("cast", 0.3), ("clone", 0.15), ("dispatch", 0.15)))
_ANY_WAYS = Weighted.of((("transfer", 0.2), ("cast", 0.45), ("clone", 0.15), ("dispatch", 0.2)))
_TIED_WAYS = Weighted.of((("cast", 0.6), ("dispatch", 0.4)))
"""How a value becomes external. Where lifetimes are any, rather in place: pins then reach them."""


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
    builder.body.views.append(view)


def external(builder: Builder, chosen: Slot, tied: bool = False) -> Slot:
    """`chosen` as an external value: itself, or what a transfer, cast, clone or kernel makes.

    `tied` keeps its storage wherever the level has an op for that.
    """
    lifetime, choices = chosen.value.lifetime, builder.choices
    if lifetime is Lifetime.EXTERNAL:
        return chosen
    if builder.stream or lifetime is Lifetime.STAGING:
        way = "transfer"
    else:
        table = _TIED_WAYS if tied else _ANY_WAYS if builder.any_lifetimes else _WAYS
        way = choices.weighted(table)
    if way == "transfer":
        far = not builder.stream and choices.chance(builder.profile.cross)
        home = builder.other_home(chosen.home) if far else chosen.home
        slot = transfer.make(builder, chosen, home, Lifetime.EXTERNAL)
    elif way == "clone" or not builder.may_overwrite(chosen):
        slot = clone.make(builder, chosen, Lifetime.EXTERNAL)
    elif way == "cast":
        slot = cast.make(builder, chosen, Lifetime.EXTERNAL)
    else:
        slot = dispatch.make(builder, (), chosen, Lifetime.EXTERNAL)
    if builder.stream:
        builder.values.remove(slot)
    return slot
