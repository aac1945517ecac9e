"""Another value for an op to take, as long as it is of the same type and length."""

from __future__ import annotations

from gen.mutation.edits import defined, put, taking
from gen.mutation.insert_transfer import transfer
from gen.mutation.material import Material, with_device
from reference.ir import Operation, Program


def use(material: Material) -> Program | None:
    """One operand of an op becomes another value, sent to the op's device where it lives
    elsewhere."""
    choices = material.choices
    home = material.homes()
    uses = [
        (place, operation, value)
        for place, operation in material.operations()
        for value in operation.operands
        if value.lifetime is not None
    ]
    if not uses:
        return None
    place, operation, value = choices.pick(uses)
    function = material.program.functions[place]
    others = [
        one
        for one in dict.fromkeys((*function.arguments, *defined(function)))
        if one.type == value.type and one.size == value.size and one != value
        if one not in operation.results
    ]
    if not others:
        return None
    other = choices.pick(others)
    here, there = home(place, value), home(place, other)
    operations: list[Operation] = []
    if here is not None and there is not None and here.device != there.device:
        assert value.lifetime is not None
        sent = transfer(material, other, there, here, value.lifetime)
        operations.append(sent)
        other = sent.result
    operations.append(taking(operation, value, other))
    function = put(function, operation.identity, operations)
    return with_device(material.changed(place, function), here, there)
