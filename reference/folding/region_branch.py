"""Patterns of all ops that branch into their regions: `scf.if`, `scf.for` and `scf.while`.

Rules from `populateRegionBranchOpInterfaceCanonicalizationPatterns` and
`populateRegionBranchOpInterfaceInliningPattern` (mlir/lib/Interfaces/ControlFlowInterfaces.cpp),
and from what the ops say of their regions (mlir/lib/Dialect/SCF/IR/SCF.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reference.folding.constants import same_value, truth, value_key
from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node, NodeBlock
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.ir import Operation, Region
from reference.ops import Condition, For, If, While, Yield
from reference.types import Value

Branching = TypeVar("Branching", For, If, While)

_FIRST_CARRIED = 3
"""The place of the first carried value among the inputs of `scf.for`."""


@dataclass(frozen=True, slots=True)
class _Flow:
    """An operand that is handed on, and the results and block arguments that it may become."""

    node: Node
    place: int
    inputs: tuple[Value, ...]

    @property
    def value(self) -> Input:
        return self.node.inputs[self.place]


def make_inputs_dead(rewriter: Rewriter, node: Node) -> bool:
    """`MakeRegionBranchOpSuccessorInputsDead`: what can only be one value is that value."""
    by_input = _by_input(rewriter, node)
    changed = False
    for name, (value, _) in by_input.items():
        if not rewriter.body.is_used(value):
            continue
        reachable = _reachable(name, by_input)
        if len(reachable) != 1:
            continue
        (only,) = reachable.values()
        if not _is_defined_before(rewriter, node, only, value):
            continue
        rewriter.replace_uses(value, only)
        changed = True
    return changed


def remove_duplicates(rewriter: Rewriter, node: Node) -> bool:
    """`RemoveDuplicateSuccessorInputUses`: of two that always are the same, the first is used."""
    by_input = _by_input(rewriter, node)
    places = _places(node)
    ordered = sorted(by_input.values(), key=lambda entry: places[entry[0].name][1])
    changed = False
    for number, (first, flows) in enumerate(ordered):
        for second, others in ordered[number + 1 :]:
            same_owner = places[first.name][0] is places[second.name][0]
            if not rewriter.body.is_used(second) or not same_owner:
                continue
            values = {id(flow.node): flow.value for flow in flows}
            other_values = {id(flow.node): flow.value for flow in others}
            if values.keys() == other_values.keys() and all(
                same_value(values[key], other_values[key]) for key in values
            ):
                rewriter.replace_uses(second, first)
                changed = True
    return changed


def remove_dead_inputs(rewriter: Rewriter, node: Node) -> bool:
    """`RemoveDeadRegionBranchOpSuccessorInputs`: results and block arguments that nobody uses go,
    with what is handed on to them. Those that one operand may become go together."""
    flows = _flows(rewriter, node)
    dead = _dead_inputs(rewriter, flows)
    if not dead:
        return False
    removed: dict[int, tuple[Node, set[int]]] = {}
    for flow in flows:
        if any(value.name in dead for value in flow.inputs):
            removed.setdefault(id(flow.node), (flow.node, set()))[1].add(flow.place)
    for owner, places in removed.values():
        kept = [item for place, item in enumerate(owner.inputs) if place not in places]
        rewriter.modify(owner, _with_handed_on(owner, kept))
    for region in node.regions:
        for block in region.blocks[:1]:
            kept_arguments = [value for value in block.arguments if value.name not in dead]
            if len(kept_arguments) != len(block.arguments):
                rewriter.body.set_arguments(block, kept_arguments)
                rewriter.push(node)
    kept_results = [place for place, value in enumerate(node.results) if value.name not in dead]
    if len(kept_results) != len(node.results):
        erase_results(rewriter, node, kept_results)
    return True


def inline_single_path(rewriter: Rewriter, node: Node) -> bool:
    """`InlineRegionBranchOp`: an op whose regions are gone through in one way only, and once.

    The index of a loop that runs once is its lower bound.
    """
    operation = node.current
    if isinstance(operation, If):
        return _inline_if(rewriter, node, operation)
    if isinstance(operation, For):
        return _inline_for(rewriter, node, operation)
    (before, _) = node.regions
    (block,) = before.blocks
    if truth(rewriter.constant_of(block.terminator.inputs[0])) is not False:
        return False
    _inline_block(rewriter, node, block, node.inputs, skipped=1)
    return True


def inline_loop_first(rewriter: Rewriter, node: Node) -> bool:
    """`InlineRegionBranchOp` of `scf.for`, where the release tries it before the other patterns."""
    return rewriter.release.inlines_single_turn_loops_first and inline_single_path(rewriter, node)


def erase_results(rewriter: Rewriter, node: Node, kept: Sequence[int]) -> Node:
    """`RewriterBase::eraseOpResults`: the op again, around the same regions, with fewer results."""
    operation = node.current
    assert isinstance(operation, For | If | While)
    outputs = [operation.outputs[place] for place in kept]
    fresh = tuple(rewriter.fresh(output.type, output.size) for output in outputs)
    new = rewriter.insert(_with_outputs(operation, fresh), node)
    rewriter.body.move_regions(node, new)
    for output, result in zip(outputs, new.results, strict=True):
        rewriter.replace_uses(output, result)
    rewriter.erase(node)
    return new


def without_regions(operation: Branching) -> Branching:
    """The op with regions that have no blocks."""
    bare = operation.with_regions(tuple(Region(()) for _ in operation.regions))
    assert isinstance(bare, type(operation))
    return bare


def _with_outputs(operation: For | If | While, outputs: tuple[Value, ...]) -> For | If | While:
    """The op with other results, and regions that have no blocks."""
    if isinstance(operation, For):
        return replace(without_regions(operation), outputs=outputs)
    if isinstance(operation, If):
        return replace(without_regions(operation), outputs=outputs)
    return replace(without_regions(operation), outputs=outputs)


def trip_count(rewriter: Rewriter, operation: For) -> int | None:
    """How often a loop runs, None where that is not known (`constantTripCount`)."""
    if same_value(operation.lower, operation.upper):
        return 0
    bounds = (operation.lower, operation.upper, operation.step)
    lower, upper, step = (rewriter.constant_of(bound) for bound in bounds)
    if not isinstance(lower, int) or not isinstance(upper, int):
        return None
    if upper <= lower:
        return 0
    if not isinstance(step, int) or step == 0:
        return None
    return -(-(upper - lower) // step)


def _inline_if(rewriter: Rewriter, node: Node, operation: If) -> bool:
    chosen = truth(rewriter.constant_of(operation.condition))
    if chosen is None:
        return False
    region = node.regions[0 if chosen else 1]
    if not region.blocks:
        rewriter.erase(node)
        return True
    _inline_block(rewriter, node, region.blocks[0], ())
    return True


def _inline_for(rewriter: Rewriter, node: Node, operation: For) -> bool:
    count = trip_count(rewriter, operation)
    carried = node.inputs[_FIRST_CARRIED:]
    if count == 0:
        rewriter.replace(node, carried)
    elif count == 1:
        (block,) = node.regions[0].blocks
        _inline_block(rewriter, node, block, (node.inputs[0], *carried))
    return count in (0, 1)


def _inline_block(
    rewriter: Rewriter, node: Node, block: NodeBlock, values: Sequence[Input], skipped: int = 0
) -> None:
    """The ops of a region in place of the op; its results are what the terminator hands on."""
    terminator = block.terminator
    rewriter.inline(block, values, node)
    results = terminator.inputs[skipped:]
    rewriter.erase(terminator)
    rewriter.replace(node, results)


def _flows(rewriter: Rewriter, node: Node) -> list[_Flow]:
    """Every operand that the op or a terminator of its regions hands on, and whither."""
    operation = node.current
    if isinstance(operation, If):
        return [
            _Flow(region.blocks[-1].terminator, place, (result,))
            for region in node.regions
            if region.blocks
            for place, result in enumerate(node.results)
        ]
    if isinstance(operation, For):
        return list(_for_flows(node, trip_count(rewriter, operation)))
    (before,), (after,) = (region.blocks for region in node.regions)
    return [
        *(_Flow(node, place, (value,)) for place, value in enumerate(before.arguments)),
        *(
            _Flow(before.terminator, place + 1, pair)
            for place, pair in enumerate(zip(node.results, after.arguments, strict=True))
        ),
        *(_Flow(after.terminator, place, (value,)) for place, value in enumerate(before.arguments)),
    ]


def _for_flows(node: Node, count: int | None) -> Iterator[_Flow]:
    """A loop that runs once hands its first values on to the body, and the body's to the results:
    the two may be told apart, and lose different ones of them, until the loop is inlined."""
    (block,) = node.regions[0].blocks
    arguments, results = block.arguments[1:], node.results
    for place in range(len(node.inputs) - _FIRST_CARRIED):
        argument = () if count == 0 else (arguments[place],)
        result = (results[place],) if count in (None, 0) else ()
        yield _Flow(node, place + _FIRST_CARRIED, (*argument, *result))
    for place in range(len(block.terminator.inputs)):
        argument = () if count == 1 else (arguments[place],)
        yield _Flow(block.terminator, place, (*argument, results[place]))


def _by_input(rewriter: Rewriter, node: Node) -> dict[str, tuple[Value, list[_Flow]]]:
    """Each result and block argument with all that may become it."""
    found: dict[str, tuple[Value, list[_Flow]]] = {}
    for flow in _flows(rewriter, node):
        for value in flow.inputs:
            found.setdefault(value.name, (value, []))[1].append(flow)
    return found


def _reachable(
    name: str, by_input: dict[str, tuple[Value, list[_Flow]]]
) -> dict[tuple[str, int | float | str], Input]:
    """The values that a result or block argument may have in the end, those in between left out."""
    reachable: dict[tuple[str, int | float | str], Input] = {}
    seen: set[tuple[str, int | float | str]] = set()
    pending = [name]
    while pending:
        for flow in by_input[pending.pop()][1]:
            value = flow.value
            assert value is not None
            key = value_key(value)
            if key in seen:
                continue
            seen.add(key)
            if isinstance(value, Value) and value.name in by_input:
                pending.append(value.name)
            else:
                reachable[key] = value
    return reachable


def _is_defined_before(rewriter: Rewriter, node: Node, value: Input, instead_of: Value) -> bool:
    """Whether a value is there wherever a result or block argument of the op is."""
    if not isinstance(value, Value):
        return True
    maker = rewriter.body.definition(value)
    block = maker.block if maker else rewriter.body.block_of_argument(value)
    if block is None or block.region.parent is not node:
        return True
    return maker is None and rewriter.body.block_of_argument(instead_of) is block


def _places(node: Node) -> dict[str, tuple[object, int]]:
    """The owner of each result and block argument, and its number there."""
    found: dict[str, tuple[object, int]] = {
        value.name: (node, number) for number, value in enumerate(node.results)
    }
    for region in node.regions:
        for block in region.blocks:
            for number, value in enumerate(block.arguments):
                found[value.name] = (block, number)
    return found


def _dead_inputs(rewriter: Rewriter, flows: Sequence[_Flow]) -> set[str]:
    """The names of the results and block arguments that may go."""
    leader: dict[str, str] = {}
    values: dict[str, Value] = {}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for flow in flows:
        for value in flow.inputs:
            leader.setdefault(value.name, value.name)
            values[value.name] = value
            leader[find(value.name)] = find(flow.inputs[0].name)
    alive = {find(name) for name, value in values.items() if rewriter.body.is_used(value)}
    return {name for name in values if find(name) not in alive}


def _with_handed_on(node: Node, inputs: Sequence[Input]) -> Operation:
    """The op with fewer operands handed on; `inputs` are all that it is to take."""
    operation = node.current
    scalars = tuple(as_scalar(item) for item in inputs)
    if isinstance(operation, Yield):
        return replace(operation, values=scalars)
    if isinstance(operation, Condition):
        return replace(operation, values=scalars[1:])
    if isinstance(operation, For):
        return replace(operation, initial=scalars[_FIRST_CARRIED:])
    assert isinstance(operation, While)
    return replace(operation, initial=scalars)


PATTERNS = (
    Pattern(make_inputs_dead),
    Pattern(remove_duplicates),
    Pattern(remove_dead_inputs),
    Pattern(inline_single_path),
)
"""In the order of registration."""

FOR = Rules(None, (Pattern(inline_loop_first), *PATTERNS))
