"""A transfer less: what took its result takes its source."""

from __future__ import annotations

from dataclasses import replace

from gen.mutation.edits import put, with_signature, with_uses
from gen.mutation.material import Material
from reference.ir import Operation, Program, map_operations
from reference.ops import Transfer


def drop_transfer(material: Material) -> Program | None:
    """Any transfer; the transfers behind it are from where its source lives."""
    found = [(place, one) for place, one in material.operations() if isinstance(one, Transfer)]
    if not found:
        return None
    place, dropped = material.choices.pick(found)

    def closer(operation: Operation) -> Operation:
        if isinstance(operation, Transfer) and operation.source == dropped.result:
            return replace(operation, source_affinity=dropped.source_affinity)
        return operation

    function = put(material.program.functions[place], dropped.identity, ())
    function = replace(function, body=map_operations(function.body, closer))
    function = with_uses(function, dropped.result, dropped.source)
    return material.changed(place, with_signature(function))
