"""A transfer to another device: its users follow, or a second transfer brings the value to them."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import put
from gen.mutation.insert_transfer import transfer
from gen.mutation.material import Material, with_device
from reference.affinity import Affinity
from reference.ir import Operation, Program, map_operations
from reference.ops import Return, Transfer
from reference.types import Lifetime


def retarget_transfer(material: Material) -> Program | None:
    """Any transfer that says where it goes to."""
    found = [
        (place, one)
        for place, one in material.operations()
        if isinstance(one, Transfer) and one.target_affinity is not None
    ]
    if not found:
        return None
    place, chosen = material.choices.pick(found)
    away = material.elsewhere(chosen.target_affinity)
    function = material.program.functions[place]
    users = [
        one
        for other, one in material.operations()
        if other == place and chosen.result in one.operands
    ]
    if all(isinstance(one, Transfer | Return) for one in users):
        made = replace(chosen, target_affinity=away, explicit_affinity=_moved(chosen, away))
        function = put(function, chosen.identity, (made,))

        def follow(operation: Operation) -> Operation:
            if isinstance(operation, Transfer) and operation.source == chosen.result:
                return replace(operation, source_affinity=away)
            return operation

        function = replace(function, body=map_operations(function.body, follow))
        return with_device(material.changed(place, function), away)
    between = material.value(chosen.result.lifetime or Lifetime.TRANSIENT, chosen.result)
    first = replace(
        chosen, result=between, target_affinity=away, explicit_affinity=_moved(chosen, away)
    )
    second = replace(
        transfer(material, between, away, chosen.target_affinity, chosen.result.lifetime),
        result=chosen.result,
    )
    function = put(function, chosen.identity, (first, second))
    return with_device(material.changed(place, function), away)


def _moved(chosen: Transfer, away: Affinity) -> Affinity | None:
    """Where the transfer executes: with its target where it did, else where it did."""
    explicit = chosen.explicit_affinity
    return away if explicit is not None and explicit == chosen.target_affinity else explicit
