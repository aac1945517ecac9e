"""A transfer more: a value makes a detour on its way to an op, or is sent away and handed back."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import giving_back, put, taking, visible_at_end, with_signature
from gen.mutation.material import GIVEN_LIFETIMES, Material, with_device
from reference.affinity import Affinity
from reference.ir import Operation, Program
from reference.ops import Return, Transfer
from reference.types import Lifetime, Value

_HANDED_BACK = 0.3
_STAGING = 0.15
_ON = 0.2


def insert_transfer(material: Material) -> Program | None:
    """One transfer, or two there and back, before an op that takes a resource."""
    if material.choices.chance(_HANDED_BACK):
        return send_to_caller(material)
    uses = [
        (place, operation, value)
        for place, operation in material.operations()
        for value in operation.operands
        if value.lifetime is not None
    ]
    if not uses:
        return None
    place, operation, value = material.choices.pick(uses)
    home = material.home(place, value)
    away = material.elsewhere(home)
    made = transfer(material, value, home, away)
    ops: tuple[Operation, ...]
    if isinstance(operation, Return):
        ops = made, taking(operation, value, made.result)
    elif isinstance(operation, Transfer):
        moved = taking(operation, value, made.result)
        assert isinstance(moved, Transfer)
        ops = made, replace(moved, source_affinity=away)
    else:
        assert value.lifetime is not None
        back = transfer(material, made.result, away, home, value.lifetime)
        ops = made, back, taking(operation, value, back.result)
    function = material.program.functions[place]
    function = with_signature(put(function, operation.identity, ops))
    return with_device(material.changed(place, function), away)


def send_to_caller(material: Material, decided: bool = True) -> Program | None:
    """One transfer of some value whose result the function returns, too; without `decided` never
    one that says itself where it executes."""
    place, function = material.choices.pick(material.functions)
    values = visible_at_end(function)
    if not values:
        return None
    value = material.choices.pick(values)
    home = material.home(place, value)
    away = material.elsewhere(home)
    made = transfer(material, value, home, away, material.choices.pick(GIVEN_LIFETIMES))
    if not decided:
        made = replace(made, explicit_affinity=None)
    longer = giving_back(function, (made,), made.result)
    return None if longer is None else with_device(material.changed(place, longer), away)


def transfer(
    material: Material,
    value: Value,
    home: Affinity | None,
    target: Affinity | None,
    lifetime: Lifetime | None = None,
) -> Transfer:
    """A transfer of `value` from its home to `target`, of some lifetime unless that is given, now
    and then with an `on` where the release has it."""
    choices = material.choices
    if lifetime is None:
        lifetime = choices.pick(GIVEN_LIFETIMES)
        if value.lifetime is Lifetime.UNKNOWN:
            lifetime = Lifetime.UNKNOWN
        elif choices.chance(_STAGING):
            lifetime = Lifetime.STAGING
    explicit = None
    if material.features.explicit_on and choices.chance(_ON):
        explicit = choices.pick((home, target))
    return Transfer(
        identity=material.name(),
        source=value,
        result=material.value(lifetime, value),
        source_affinity=home,
        target_affinity=target,
        explicit_affinity=explicit,
    )
