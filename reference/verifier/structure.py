"""The rules of a valid body: blocks, terminators, dominance, and what is handed over where.

IREE and MLIR check all of these when they read a program, but for sizes, which nobody compares.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference.ir import Block, Function, Operation, Region, walk
from reference.ops import (
    Branch,
    Concurrent,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    HostScalar,
    If,
    OpaqueOperation,
    Return,
    StreamYield,
    While,
    Yield,
)
from reference.ops.assembly import listed
from reference.types import INDEX, Value, known_bytes
from reference.verifier.handovers import handovers
from reference.verifier.problems import Rule, where

_ENDS_OF_BODY = (Return, Branch, ConditionalBranch)
_IN_WORK = (HostScalar, OpaqueOperation, Concurrent, StreamYield)

Found = Iterator[tuple[str | None, str]]


def whole_blocks(function: Function) -> Found:
    """IREE checks: a block ends in its terminator and has no other; control may reach it, and
    reaches the first block of a body only from outside."""
    for around, region in regions_of(function.body):
        for block in region.blocks:
            if not block.operations or not block.operations[-1].terminator:
                yield None, "a block does not end in a terminator; add a util.return"
            for op in block.operations[:-1]:
                if op.terminator:
                    yield op.identity, f"{where(op)} stands before the end of its block"
            for op in block.operations:
                for successor in op.successors:
                    if not 0 < successor.block < len(region.blocks):
                        yield op.identity, f"{where(op)} goes on to ^bb{successor.block}"
        if around is not None:
            yield from _nested_blocks(around, region)
        reached = {block for block, _ in dominator_order(region)}
        for place in range(len(region.blocks)):
            if place not in reached:
                yield None, f"^bb{place} cannot be reached; leave it out"


def right_terminators(function: Function) -> Found:
    """IREE checks: each op with regions has a terminator of its own; a body ends in a return or
    goes on to another of its blocks."""
    for around, region in regions_of(function.body):
        for block in region.blocks:
            last = block.operations[-1] if block.operations else None
            if last is None or not last.terminator:
                continue
            if not isinstance(last, _ends(around, region)):
                of = "a body" if around is None else where(around)
                yield last.identity, f"{where(last)} does not end a region of {of}"


def fitting_regions(function: Function) -> Found:
    """IREE checks: the arguments of regions and blocks are what is handed to them.

    That sizes agree is nobody's check: a value has its bytes under every name.
    """
    for handover in handovers(function.body):
        op = handover.operation
        given = tuple(item.type for item in handover.given)
        taken = tuple(value.type for value in handover.taken)
        if given != taken:
            message = f"{where(op)} hands {listed(given)} to {handover.what}, {listed(taken)}"
            yield op.identity, message
            continue
        for item, value in zip(handover.given, handover.taken, strict=True):
            one = known_bytes(item.size) if isinstance(item, Value) else None
            other = known_bytes(value.size)
            # A size that is not known may be handed over beside the resource, under another name.
            if isinstance(item, Value) and None not in (one, other) and one != other:
                message = (
                    f"{where(op)} hands %{item.name} of {one} bytes to %{value.name} of {other}"
                )
                yield op.identity, message


def loop_indices(function: Function) -> Found:
    """IREE checks: the first argument of a loop's region is its index."""
    for op in walk(function.body):
        if isinstance(op, For):
            arguments = op.body.blocks[0].arguments if op.body.blocks else ()
            if not arguments or arguments[0].type != INDEX:
                yield op.identity, f"{where(op)} has no index for its first argument"


def captured_resources(function: Function) -> Found:
    """IREE checks: work takes resources only as captures; a wave stands within work.

    What else stands in an execution region is nobody's check: ops that may be submitted, waves,
    and what computes numbers.
    """
    for around, region in regions_of(function.body):
        for block in region.blocks:
            in_work = isinstance(around, Execute | Concurrent)
            own = {value.name for value in block.arguments}
            for op in block.operations:
                if isinstance(op, Concurrent) and not in_work:
                    yield op.identity, f"{where(op)} stands outside of an execution region"
                if in_work and not (op.streamable or isinstance(op, _IN_WORK)):
                    yield op.identity, f"{where(op)} cannot stand in {where(around)}"  # type: ignore[arg-type]
                if in_work:
                    for value in op.operands:
                        if value.is_resource and value.name not in own:
                            message = f"{where(op)} takes %{value.name}, which is not captured"
                            yield op.identity, message
                own.update(value.name for value in op.results)


def returned_types(function: Function) -> Found:
    """IREE checks: a function returns what it declares."""
    for op in walk(function.body):
        if isinstance(op, Return):
            types = tuple(value.type for value in op.values)
            if types != function.result_types:
                returned, declared = listed(types), listed(function.result_types)
                yield op.identity, f"{where(op)} returns {returned}, the function {declared}"


def defined_before_use(function: Function) -> Found:
    """IREE checks: every value that an op takes was made before it, and as what the op says."""
    yield from _uses_in(function.body, {})


STRUCTURE_RULES: tuple[Rule, ...] = (
    whole_blocks, right_terminators, loop_indices, fitting_regions, captured_resources,
    returned_types, defined_before_use,
)  # fmt: skip
"""Rules of how a body is built."""


def regions_of(body: Region) -> Iterator[tuple[Operation | None, Region]]:
    """The body (with None) and the regions within (with their ops), outer before inner."""
    yield None, body
    for op in walk(body):
        for region in op.regions:
            yield op, region


def dominator_order(region: Region) -> list[tuple[int, int]]:
    """The blocks that control may reach, each after those that dominate it, in the order of a walk
    down the dominator tree: (position, depth in the tree).

    Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
    """
    blocks = region.blocks
    if len(blocks) <= 1:
        return [(0, 0)] if blocks else []
    order = _reverse_postorder(blocks)
    number = {block: place for place, block in enumerate(order)}
    before: dict[int, list[int]] = {}
    for block in order:
        for target in _targets(blocks, block):
            before.setdefault(target, []).append(block)
    parent = {0: 0}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [one for one in before[block] if one in parent]
            best = known[0]
            for other in known[1:]:
                while best != other:
                    if number[best] > number[other]:
                        best = parent[best]
                    else:
                        other = parent[other]
            if parent.get(block) != best:
                parent[block] = best
                changed = True
    children: dict[int, list[int]] = {}
    for block in order[1:]:
        children.setdefault(parent[block], []).append(block)
    found, pending = [], [(0, 0)]
    while pending:
        block, depth = pending.pop()
        found.append((block, depth))
        pending += [(child, depth + 1) for child in reversed(children.get(block, ()))]
    return found


def _reverse_postorder(blocks: tuple[Block, ...]) -> list[int]:
    order: list[int] = []
    seen = {0}
    pending = [(0, iter(_targets(blocks, 0)))]
    while pending:
        block, targets = pending[-1]
        target = next((one for one in targets if one not in seen), None)
        if target is None:
            order.append(block)
            pending.pop()
        else:
            seen.add(target)
            pending.append((target, iter(_targets(blocks, target))))
    return order[::-1]


def _targets(blocks: tuple[Block, ...], block: int) -> list[int]:
    operations = blocks[block].operations
    found = operations[-1].successors if operations else ()
    return [one.block for one in found if 0 <= one.block < len(blocks)]


def _nested_blocks(around: Operation, region: Region) -> Found:
    optional = isinstance(around, If) and region is around.otherwise
    if len(region.blocks) > 1 or not (region.blocks or optional):
        yield around.identity, f"{where(around)} has a region of {len(region.blocks)} blocks"


def _ends(around: Operation | None, region: Region) -> tuple[type[Operation], ...]:
    """The terminators that a region of an op may have."""
    if around is None:
        return _ENDS_OF_BODY
    if isinstance(around, While):
        return (Condition,) if region is around.before else (Yield,)
    return (Yield,) if isinstance(around, If | For) else (StreamYield,)


def _uses_in(region: Region, visible: dict[str, Value]) -> Found:
    """The breaches in a region; `visible` are the values made around it, left as it was."""
    scopes: list[list[str]] = []
    for place, depth in dominator_order(region):
        while len(scopes) > depth:
            _forget(visible, scopes.pop())
        names: list[str] = []
        scopes.append(names)
        block = region.blocks[place]
        _remember(visible, names, block.arguments)
        for op in block.operations:
            for value in dict.fromkeys(op.operands):
                for message in _misuse(value, visible.get(value.name)):
                    yield op.identity, f"{where(op)} takes {message}"
            for nested in op.regions:
                yield from _uses_in(nested, visible)
            _remember(visible, names, op.results)
    for names in scopes:
        _forget(visible, names)


def _remember(visible: dict[str, Value], names: list[str], made: tuple[Value, ...]) -> None:
    names += [value.name for value in made if value.name not in visible]
    visible.update((value.name, value) for value in made)


def _forget(visible: dict[str, Value], names: list[str]) -> None:
    for name in names:
        del visible[name]


def _misuse(value: Value, made: Value | None) -> Iterator[str]:
    if made is None:
        yield f"%{value.name}, which nothing before makes"
    elif made.type != value.type:
        yield f"%{value.name} as {value.type}; it is {made.type}"
    elif made.size is not None and value.size is not None and made.size != value.size:
        yield f"%{value.name} with another size"
