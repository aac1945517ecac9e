"""Another lifetime of a value, by itself or by a cast on its way to an op."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import defined, mapped, put, taking, with_signature
from gen.mutation.material import GIVEN_LIFETIMES, Material
from reference.ir import Function, Program, walk
from reference.ops import Barrier, Cast, Copy, Fill, Slice, Update
from reference.types import DEVICE_LIFETIMES, RESOURCES, Lifetime, Value

_BY_CAST = 0.3
_SAME_TYPE = {Barrier: "source", Slice: "source", Fill: "target", Update: "target", Copy: "target"}
"""Ops whose result has the type of one operand, with the field of that."""


def lifetime(material: Material) -> Program | None:
    """A value that an op makes, with all that has to be of its type, or one use of a value."""
    if material.features.casts and material.choices.chance(_BY_CAST):
        return _cast(material)
    found = [
        (place, value)
        for place, function in material.functions
        for value in defined(function)
        if value.lifetime is not None
    ]
    if not found:
        return None
    place, chosen = material.choices.pick(found)
    function = material.program.functions[place]
    names = _of_one_type(function, chosen)
    others = [one for one in (*GIVEN_LIFETIMES, Lifetime.STAGING) if one is not chosen.lifetime]
    kind = RESOURCES[material.choices.pick(others)]

    def retyped(value: Value) -> Value:
        return replace(value, type=kind) if value.name in names else value

    return material.changed(place, with_signature(mapped(function, retyped)))


def _of_one_type(function: Function, chosen: Value) -> set[str]:
    """The names of the values that must have the type of `chosen`, itself among them."""
    names = {chosen.name}
    links = [
        {one.results[0].name, getattr(one, field).name}
        for one in walk(function.body)
        if (field := _SAME_TYPE.get(type(one))) is not None
    ]
    grew = True
    while grew:
        before = len(names)
        for link in links:
            if link & names:
                names |= link
        grew = len(names) > before
    return names


def _cast(material: Material) -> Program | None:
    uses = [
        (place, operation, value)
        for place, operation in material.operations()
        for value in operation.operands
        if value.lifetime in DEVICE_LIFETIMES
    ]
    if not uses:
        return None
    place, operation, value = material.choices.pick(uses)
    others = [one for one in GIVEN_LIFETIMES if one is not value.lifetime]
    made = Cast(
        identity=material.name(),
        source=value,
        result=material.value(material.choices.pick(others), value),
        affinity=material.homes()(place, value),
    )
    ops = made, taking(operation, value, made.result)
    function = put(material.program.functions[place], operation.identity, ops)
    return material.changed(place, with_signature(function))
