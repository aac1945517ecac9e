"""A buffer view that a program makes and takes back, or takes and gives back."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source, tensor_export, tensor_import
from reference.ops import Import
from reference.types import Lifetime


def add(builder: Builder) -> None:
    """A value leaves as a buffer view, and the same view comes in as a value again."""
    chosen = tensor_export.external(builder, source.any_value(builder))
    tensor_export.make(builder, chosen)
    for _ in range(builder.choices.integer(1, 2)):
        _back(builder, chosen)


def _back(builder: Builder, chosen: Slot) -> None:
    size = chosen.value.size
    assert size is not None
    encoding, dimensions = tensor_import.tensor_of(size)
    result = builder.new_value(Lifetime.EXTERNAL, size)
    builder.emit(
        Import(
            identity=builder.identity(),
            source=builder.body.views[-1],
            encoding=encoding,
            dimensions=dimensions,
            result=result,
            affinity=tensor_import.pin(builder, chosen.home),
        )
    )
    slot = builder.define(result, chosen.home, chosen)
    # The caller has the same memory.
    slot.shared = True
    tensor_import.enter(builder, slot)
