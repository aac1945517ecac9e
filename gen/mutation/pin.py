"""A pin more or less: imports and exports pin a value to a device where they say `on(…)`."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import giving_back, put, visible_at_end
from gen.mutation.insert_transfer import transfer
from gen.mutation.material import Material, with_device
from reference.ir import Operation, Program
from reference.ops import Export, Import
from reference.types import BUFFER_VIEW, Index, Lifetime, Value

_EXPORTED = 0.6
_SENT = 0.5


def pin(material: Material) -> Program | None:
    """Pins by an export that is new, or adds or takes away the `on(…)` of one that is there."""
    if material.choices.chance(_EXPORTED):
        return _exported(material)
    home = material.homes()
    found = [
        (place, one) for place, one in material.operations() if isinstance(one, Export | Import)
    ]
    if not found:
        return None
    place, chosen = material.choices.pick(found)
    value = chosen.source if isinstance(chosen, Export) else chosen.result
    where = None if chosen.affinity is not None else home(place, value)
    where = where or (None if chosen.affinity is not None else material.elsewhere(None))
    changed = replace(chosen, affinity=where)
    function = put(material.program.functions[place], chosen.identity, (changed,))
    return with_device(material.changed(place, function), where)


def _exported(material: Material) -> Program | None:
    """A value goes to the caller as a buffer view that is pinned, from here or from elsewhere."""
    choices = material.choices
    place, function = choices.pick(material.functions)
    values = visible_at_end(function)
    if not values:
        return None
    value = choices.pick(values)
    home = material.home(place, value)
    target = home
    operations: list[Operation] = []
    if value.lifetime is not Lifetime.EXTERNAL or home is None or choices.chance(_SENT):
        target = material.elsewhere(home)
        sent = transfer(material, value, home, target, Lifetime.EXTERNAL)
        operations.append(sent)
        value = sent.result
    encoding, dimensions = _bytes_of(value)
    view = Value(material.name(), BUFFER_VIEW)
    operations.append(
        Export(
            identity=material.name(),
            source=value,
            encoding=encoding,
            dimensions=dimensions,
            result=view,
            affinity=target,
        )
    )
    longer = giving_back(function, operations, view)
    return None if longer is None else with_device(material.changed(place, longer), target)


def _bytes_of(value: Value) -> tuple[str, tuple[Index, ...]]:
    """A tensor type of as many bytes, and its dynamic dimensions."""
    if isinstance(value.size, Value):
        return "tensor<?xi8>", (value.size,)
    return f"tensor<{value.size}xi8>", ()
