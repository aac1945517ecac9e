"""An op on another device: what it takes is sent there, and what it makes comes back."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from gen.mutation.edits import mapped, put, taking
from gen.mutation.insert_transfer import transfer
from gen.mutation.material import Material, with_device
from reference.affinity import Affinity
from reference.ir import Operation, Program
from reference.ops import Transfer
from reference.types import Value


def device(material: Material) -> Program | None:
    """Any op that says where it runs, transfers apart."""
    found = [
        (place, one)
        for place, one in material.operations()
        if one.streamable and not isinstance(one, Transfer) and not one.regions and _says(one)
    ]
    if not found:
        return None
    place, chosen = material.choices.pick(found)
    home = chosen.execution_affinity
    away = material.elsewhere(home)
    before: list[Operation] = []
    moved = chosen
    for value in dict.fromkeys(one for one in chosen.operands if one.lifetime is not None):
        assert value.lifetime is not None
        sent = transfer(material, value, home, away, value.lifetime)
        before.append(sent)
        moved = taking(moved, value, sent.result)
    after: list[Operation] = []
    for value in chosen.results:
        if value.lifetime is not None:
            made = material.value(value.lifetime, value)
            moved = _making(moved, value, made)
            back = transfer(material, made, away, home, value.lifetime)
            after.append(replace(back, result=value))
    function = put(
        material.program.functions[place], chosen.identity, (*before, _on(moved, away), *after)
    )
    return with_device(material.changed(place, function), away)


def _says(operation: Operation) -> bool:
    named = any(one.name == "affinity" for one in fields(operation))
    return named and operation.execution_affinity is not None


def _on(operation: Operation, where: Affinity) -> Operation:
    changes: dict[str, Any] = {"affinity": where}
    return replace(operation, **changes)


def _making(operation: Operation, old: Value, new: Value) -> Operation:
    """The op with another name for what it makes."""
    return mapped(operation, lambda value: new if value == old else value)
