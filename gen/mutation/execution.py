"""Another `on(…)` of a transfer: where it executes, whatever its ends say."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import put
from gen.mutation.material import Material, with_device
from reference.ir import Program
from reference.ops import Transfer

_THIRD = 0.25


def execution(material: Material) -> Program | None:
    """Takes away the `on(…)` of a transfer, or gives it one: either end, or a device of neither."""
    found = [(place, one) for place, one in material.operations() if isinstance(one, Transfer)]
    if not found:
        return None
    choices = material.choices
    place, chosen = choices.pick(found)
    ends = [one for one in (chosen.source_affinity, chosen.target_affinity) if one is not None]
    if chosen.explicit_affinity is not None and choices.chance(0.5):
        explicit = None
    elif not material.features.explicit_on:
        return None
    elif not ends or choices.chance(_THIRD):
        explicit = material.elsewhere(ends[0] if ends else None)
    else:
        explicit = choices.pick(ends)
    if explicit == chosen.explicit_affinity:
        return None
    changed = replace(chosen, explicit_affinity=explicit)
    function = put(material.program.functions[place], chosen.identity, (changed,))
    return with_device(material.changed(place, function), explicit)
