"""The program after `iree-stream-schedule-execution`.

Rules from compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleExecution.cpp: the
execution regions of `outline.py`, then all canonicalization patterns, and barriers vanish.
"""

from __future__ import annotations

from dataclasses import replace

from reference.folding.barrier import remove_barrier
from reference.folding.catalogue import RULES
from reference.folding.driver import DEFAULT, rewrite
from reference.folding.rules import Pattern, Rules
from reference.folding.values import ancestor_in
from reference.folding.working import Body, Names
from reference.ir import Program, Region
from reference.ops import Barrier
from reference.releases import Release
from reference.scheduling.outline import outline_execution
from reference.scheduling.partition_fault import PartitionFault, ScheduleRefusedError

RULES_AND_BARRIERS = {
    **RULES,
    Barrier: RULES.get(Barrier, Rules()).with_patterns(Pattern(remove_barrier)),
}
"""Every canonicalization rule, and the one that the pass adds."""


def schedule_execution(program: Program, release: Release) -> Program:
    """The program after the pass; identities of regions are those of their members, joined by `+`.

    Raises ScheduleRefusedError where the compiler stops, UnsupportedOperationError where a rule
    would apply that is not modelled.
    """
    names = Names()
    return replace(
        program,
        initializers=tuple(
            replace(initializer, body=_scheduled(initializer.body, release, names))
            for initializer in program.initializers
        ),
        functions=tuple(
            replace(function, body=_scheduled(function.body, release, names))
            for function in program.functions
        ),
    )


def _scheduled(region: Region, release: Release, names: Names) -> Region:
    if not region.blocks:
        return region
    body = scheduled_body(region, release)
    scheduled = body.to_region(names)
    body.release()
    return scheduled


def scheduled_body(region: Region, release: Release) -> Body:
    """A body after the pass. Raises what `schedule_execution` raises."""
    body = Body(region)
    ordered = outline_execution(body, release)
    rewrite(body, RULES_AND_BARRIERS, release, DEFAULT)
    if not ordered and not _is_ordered(body):
        raise ScheduleRefusedError(PartitionFault.CYCLE)
    return body


def _is_ordered(body: Body) -> bool:
    """Whether every value is made before it is used, as MLIR's verifier wants it."""
    for node in body.region.walk():
        for item in node.inputs:
            maker = body.definition(item)
            if maker is None:
                continue
            place = ancestor_in(node, maker.home)
            if place is not None and place.order <= maker.order:
                return False
    return True
