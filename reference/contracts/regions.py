"""Where the ops of a scheduled program are: in which execution region, or in none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from reference.contracts.breach import Origin
from reference.ir import Operation, Program, Region, walk
from reference.ops import Execute


@dataclass(frozen=True, slots=True)
class Site:
    """One op in a program, and the execution region that holds it, if any."""

    operation: Operation
    region: Execute | None


def sites_by_origin(program: Program, origin: Origin) -> dict[str, list[Site]]:
    """Every streamable op of a program by the location that it comes from."""
    found: dict[str, list[Site]] = defaultdict(list)
    for body in program.bodies():
        for operation, region in located(body):
            if operation.streamable:
                found[origin(operation.identity)].append(Site(operation, region))
    return found


def located(body: Region) -> Iterator[tuple[Operation, Execute | None]]:
    """Every op of a body but those within regions' waves and kernels, with its execution region."""
    for block in body.blocks:
        for operation in block.operations:
            yield operation, None
            if isinstance(operation, Execute):
                yield from ((inner, operation) for inner in walk(operation.body))
            else:
                for nested in operation.regions:
                    yield from located(nested)
