"""The work inside execution regions, put side by side: `iree-stream-schedule-concurrency`.

Rules from compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleConcurrency.cpp. Only
regions in the blocks of a function itself are looked at, not those within control flow ops. A wave
of one op stays as it is. The pass verifies the waves as if they were partitions, which never fails:
an op is never in a wave that runs after one of an op that takes what it makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from reference.ir import Block, Operation, Program, Region, walk
from reference.ops import Concurrent, Execute, StreamYield
from reference.scheduling.block_uses import nested
from reference.scheduling.outline import fused
from reference.scheduling.partitioner import Partition
from reference.scheduling.renaming import named, renamed
from reference.scheduling.topological import topological_order
from reference.scheduling.waves import DEFAULT_FAVOR, Favor, region_waves
from reference.types import Value


def schedule_concurrency(program: Program, favor: Favor = DEFAULT_FAVOR) -> Program:
    """The program after the pass, for one value of `--iree-stream-partitioning-favor`."""
    return replace(
        program,
        initializers=tuple(
            replace(initializer, body=_body(initializer.body, favor))
            for initializer in program.initializers
        ),
        functions=tuple(
            replace(function, body=_body(function.body, favor)) for function in program.functions
        ),
    )


def _body(region: Region, favor: Favor) -> Region:
    if favor is Favor.DEBUG or not any(
        isinstance(operation, Execute) for block in region.blocks for operation in block.operations
    ):
        return region
    names = _fresh_names(region)
    return Region(
        tuple(
            Block(
                tuple(
                    replace(operation, body=_execution_region(operation.body, favor, names))
                    if isinstance(operation, Execute)
                    else operation
                    for operation in block.operations
                ),
                block.arguments,
            )
            for block in region.blocks
        )
    )


def _fresh_names(region: Region) -> Iterator[str]:
    taken = {value.name for block in region.blocks for value in block.arguments}
    for operation in walk(region):
        taken.update([value.name for value in operation.results])
        for inner in operation.regions:
            taken.update(value.name for block in inner.blocks for value in block.arguments)
    return (name for number in count() if (name := f"wave_{number}") not in taken)


def _execution_region(region: Region, favor: Favor, names: Iterator[str]) -> Region:
    (block,) = region.blocks
    waves = region_waves(block.operations, favor)
    gathered = [wave for wave in waves if len(wave.operations) > 1]
    if not gathered:
        return region
    operations, order = _with_waves(block.operations, gathered, names)
    return Region((Block((*(operations[place] for place in order),), block.arguments),))


def _with_waves(
    operations: Sequence[Operation], waves: Sequence[Partition], names: Iterator[str]
) -> tuple[list[Operation], list[int]]:
    """The ops of a block with its waves made into ops, and the order that they come to stand in."""
    places = {operation.identity: place for place, operation in enumerate(operations)}
    makers = {
        result.name: (place, result)
        for place, operation in enumerate(operations)
        for result in operation.results
    }
    # `SizeAwareTypeInterface::findSizeValue` (Dialect/Util/IR/UtilTypes.cpp): the size that the
    # maker of a value gives it or, of what the region is given, the one that its latest user says.
    sized = {value.name: value for operation in operations for value in operation.operands}
    sized.update((name, result) for name, (_, result) in makers.items())
    moved = {identity for wave in waves for identity in wave.operations}
    handed_out: dict[str, str] = {}
    # Where each op stands, the newest of those that were put at one place first.
    placed: list[tuple[int, int, Operation]] = [
        (place, -len(waves), operation)
        for place, operation in enumerate(operations)
        if operation.identity not in moved
    ]
    for number, wave in enumerate(waves):
        after = max(
            (makers[value.name][0] for value in wave.inputs if value.name in makers), default=-1
        )
        members = [operations[places[identity]] for identity in wave.operations]
        captures = tuple(sized[value.name] for value in wave.captures)
        concurrent = _wave(wave, captures, members, names)
        placed.append((after, -number, concurrent))
        handed_out.update(
            (result.name, output.name)
            for result, output in zip(wave.results, concurrent.outputs, strict=True)
        )
    placed.sort(key=lambda item: item[:2])
    standing = [renamed(operation, handed_out) for _, _, operation in placed]
    order, _ = topological_order(_dependencies(standing[:-1]))
    return standing, [*order, len(standing) - 1]


def _wave(
    wave: Partition,
    captures: tuple[Value, ...],
    members: Sequence[Operation],
    names: Iterator[str],
) -> Concurrent:
    inside = {capture.name: next(names) for capture in captures}
    arguments = tuple(named(capture, inside) for capture in captures)
    inside.update((result.name, next(names)) for member in members for result in member.results)
    identity = fused(wave.order)
    handed_on = StreamYield(
        identity=identity, values=tuple(named(result, inside) for result in wave.results)
    )
    copies = [renamed(member, inside) for member in members]
    return Concurrent(
        identity=identity,
        captures=captures,
        outputs=tuple(named(result, {result.name: next(names)}) for result in wave.results),
        body=Region((Block((*copies, handed_on), arguments),)),
    )


def _dependencies(operations: Sequence[Operation]) -> list[set[int]]:
    """The places of the ops that each op takes something from, its region's scalars included."""
    makers = {
        result.name: place
        for place, operation in enumerate(operations)
        for result in operation.results
    }
    found = []
    for place, operation in enumerate(operations):
        taken = {makers[value.name] for value in operation.operands if value.name in makers}
        for inner in nested(operation):
            for value in inner.operands:
                if value.name in makers:
                    taken.add(makers[value.name])
        taken.discard(place)
        found.append(taken)
    return found
