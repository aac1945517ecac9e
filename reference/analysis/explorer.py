"""A program as a graph: who makes a value, who takes it, who calls, who loads and stores.

What `Explorer` and MLIR's own use lists give an analysis in IREE, built once a program
(compiler/src/iree/compiler/Dialect/Util/Analysis/Explorer.cpp, `initializeGlobalInfos` and
`initializeInverseCallGraph`, and `CallGraph` of MLIR). The walks over it are in
`reference/analysis/walks.py`.

Order is part of the graph, because answers depend on it. MLIR lists the uses of a value newest
first, and what a parser makes last is newest: of one op the last operand; of an op with regions,
what is in them comes before the op itself. Uses that stand in the text before the value they name
are listed the other way round, since the parser replaces what stood in for the value one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reference.affinity import AnyAffinity, parse_affinity
from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import (
    Await,
    Call,
    Concurrent,
    Dispatch,
    Execute,
    GlobalLoad,
    GlobalStore,
    Return,
)
from reference.ops.tensor_phase import TensorOperation
from reference.types import Value

NO_VALUE = -1
"""Stands for an operand that is a constant."""

_PASSAGES = (Call, GlobalLoad, GlobalStore)
_TIED_BY_POSITION = (Call, Execute, Concurrent, TensorOperation)


@dataclass(slots=True, eq=False)
class Node:
    """One op where it stands; ops are numbered throughout the program.

    `inputs` and `results` are the numbers of values, `inputs` by position. `around` is the op whose
    region it is in, None at the top of a function.
    """

    number: int
    operation: Operation
    around: Node | None
    body: int
    inputs: list[int]
    results: list[int]
    regions: list[list[BlockNode]]
    ties: tuple[tuple[int, int], ...]
    """(result, operand) positions where the result is the operand's storage."""
    leads_on: bool
    """Whether values go on through it, or come through it, in another way than by a tie."""
    pins: bool
    """Whether its values must live where it executes."""

    def tied_operand(self, result: int) -> int | None:
        """The value whose storage result number `result` is, None for storage of its own.

        `NO_VALUE` where that is a constant.
        """
        for tied, position in self.ties:
            if tied == result:
                return self.inputs[position]
        return None

    def tied_results(self, position: int) -> list[int]:
        """The values whose storage the operand at `position` is."""
        return [self.results[tied] for tied, operand in self.ties if operand == position]


@dataclass(slots=True, eq=False)
class BlockNode:
    """One block. `branches` are the terminators that name it, oldest first, twice if they do so
    twice."""

    around: Node | None
    body: int
    is_entry: bool
    arguments: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    branches: list[Node] = field(default_factory=list)

    @property
    def terminator(self) -> Node:
        """The last op."""
        return self.nodes[-1]


class Explorer:
    """The graph of one program. Values and bodies are numbered; a body's number is its position in
    `Program.bodies()`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values: list[Value] = []
        self.producers: list[tuple[Node, int] | None] = []
        """The op that makes a value, and which result it is; None for arguments."""
        self.owners: list[tuple[BlockNode, int] | None] = []
        """The block that a value is an argument of, and which; None for results."""
        self.uses: list[list[tuple[Node, int]]] = []
        """Ops that take a value, with the operand's position; to be read from the end."""
        self.tracked: list[bool] = []
        """Whether IREE tracks where the value lives."""
        self.blocks: list[list[BlockNode]] = []
        """The blocks of each body."""
        self.nodes: list[list[Node]] = []
        """All ops of each body, inner ones before the op around them."""
        self._names: list[dict[str, int]] = []
        self._nodes_by_operation: dict[int, Node] = {}
        self._functions: dict[str, int] = {}
        self.pinners: list[Node] = []
        """The ops that pin, body by body, inner ones before the op around them."""
        self._calls: list[list[Node]] = []
        self._callers: dict[int, list[Node]] | None = None
        self._loads: dict[str, list[int]] | None = None
        self._stores: dict[str, list[int]] = {}
        first = len(program.initializers)
        for body, region in enumerate(program.bodies()):
            self._names.append({})
            self._calls.append([])
            self.nodes.append([])
            self.blocks.append(self._add_region(region, None, body))
            if body >= first:
                self._functions[program.functions[body - first].name] = body

    @property
    def node_count(self) -> int:
        """How many ops there are."""
        return len(self._nodes_by_operation)

    def number(self, body: int, value: Value) -> int:
        """The number of a value. Raises KeyError for one that the body does not have."""
        return self._names[body][value.name]

    def node(self, operation: Operation) -> Node:
        """Where an op stands; it must be the very object of the program, not an equal one."""
        return self._nodes_by_operation[id(operation)]

    def body_of(self, value: int) -> int:
        """The body that a value is in."""
        producer, owner = self.producers[value], self.owners[value]
        if producer is not None:
            return producer[0].body
        assert owner is not None, "neither made nor passed in"
        return owner[0].body

    def find(self, body: int, identity: str) -> Node:
        """The op of that identity. Raises KeyError without one."""
        for node in self.nodes[body]:
            if node.operation.identity == identity:
                return node
        raise KeyError(identity)

    def function(self, body: int) -> Function | None:
        """The function of a body, None for an initializer."""
        first = len(self.program.initializers)
        return self.program.functions[body - first] if body >= first else None

    def body_affinity(self, body: int) -> AnyAffinity | None:
        """`stream.affinity` of a function: where all its ops run that do not say otherwise."""
        function = self.function(body)
        if function is None or not function.attributes:
            return None
        return parse_affinity(dict(function.attributes).get("stream.affinity", ""))

    def default_affinity(self, body: int) -> AnyAffinity | None:
        """`stream.affinity.default` of a function or else of the module."""
        function = self.function(body)
        default = None if function is None else function.default_affinity
        return default or self.program.default_affinity

    def callee(self, call: Call) -> int | None:
        """The body that a call runs, None where it stands in another module."""
        body = self._functions.get(call.callee)
        return body if body is not None and self.blocks[body] else None

    def returns(self, body: int) -> Iterator[Node]:
        """The ops that end a body."""
        for block in self.blocks[body]:
            if isinstance(block.terminator.operation, Return):
                yield block.terminator

    def callers(self, body: int) -> Sequence[Node]:
        """The calls of a body, in the order in which IREE meets them."""
        if self._callers is None:
            self._callers = {}
            for caller in self.body_order() if any(self._calls) else ():
                for node in self._calls[caller]:
                    assert isinstance(node.operation, Call)
                    callee = self.callee(node.operation)
                    if callee is not None:
                        self._callers.setdefault(callee, []).append(node)
        return self._callers.get(body, ())

    def body_order(self) -> list[int]:
        """The bodies in the order of `forEachFunctionLikeOp`: initializers, then every function
        behind those that it calls.

        Functions that call one another come in the order of Tarjan's algorithm (`llvm::scc_begin`),
        the one that was met first last.
        """
        order = list(range(len(self.program.initializers)))
        found: dict[int, int] = {}
        for body in range(len(self.blocks)):
            if self.blocks[body] and body not in found:
                order += self._components(body, found)
        return list(dict.fromkeys(order))

    def loads(self, symbol: str) -> Sequence[int]:
        """The values loaded from a global, in the order of `SymbolTable::getSymbolUses`."""
        if self._loads is None:
            self._loads = {}
            self._collect_accesses(self._loads)
        return self._loads.get(symbol, ())

    def stores(self, symbol: str) -> Sequence[int]:
        """The values stored to a global, in the order of `loads`."""
        self.loads(symbol)
        return self._stores.get(symbol, ())

    def _add_region(self, region: Region, around: Node | None, body: int) -> list[BlockNode]:
        blocks = [BlockNode(around, body, not place) for place, _ in enumerate(region.blocks)]
        for block, added in zip(region.blocks, blocks, strict=True):
            self._add_block(block, added, blocks)
        return blocks

    def _add_block(self, block: Block, added: BlockNode, siblings: list[BlockNode]) -> None:
        body, around = added.body, added.around
        nodes = self.nodes[body]
        for place, argument in enumerate(block.arguments):
            number = self._define(body, argument)
            self.owners[number] = (added, place)
            added.arguments.append(number)
        for operation in block.operations:
            regions = operation.regions
            leads_on = operation.terminator or bool(regions) or isinstance(operation, _PASSAGES)
            ties, pins = _ties(operation), operation.pins
            number = len(self._nodes_by_operation)
            node = Node(number, operation, around, body, [], [], [], ties, leads_on, pins)
            self._nodes_by_operation[id(operation)] = node
            for region in regions:
                node.regions.append(self._add_region(region, node, body))
            self._add_operands(node)
            for place, result in enumerate(operation.results):
                number = self._define(body, result)
                self.producers[number] = (node, place)
                node.results.append(number)
            added.nodes.append(node)
            nodes.append(node)
            if pins:
                self.pinners.append(node)
            if leads_on:
                if isinstance(operation, Call):
                    self._calls[body].append(node)
                for successor in operation.successors:
                    siblings[successor.block].branches.append(node)

    def _add_operands(self, node: Node) -> None:
        names, inputs, uses = self._names[node.body], node.inputs, self.uses
        for position, item in enumerate(node.operation.taken):
            if isinstance(item, Value):
                number = names.get(item.name)
                if number is None:
                    number = self._add_value(node.body, item)
                uses[number].append((node, position))
                inputs.append(number)
            else:
                inputs.append(NO_VALUE)

    def _define(self, body: int, value: Value) -> int:
        number = self._names[body].get(value.name)
        if number is None:
            return self._add_value(body, value)
        # Used further up in the text.
        self.uses[number].reverse()
        return number

    def _add_value(self, body: int, value: Value) -> int:
        number = self._names[body][value.name] = len(self.values)
        self.values.append(value)
        self.producers.append(None)
        self.owners.append(None)
        self.uses.append([])
        self.tracked.append(value.type.tracked)
        return number

    def _components(self, start: int, found: dict[int, int]) -> list[int]:
        """Strongly connected components reachable from a body, callees first. `found` gives each
        body that was met its order; emitted ones have none to go back to."""
        order: list[int] = []
        open_bodies: list[int] = []
        lowest: dict[int, int] = {}
        pending: list[tuple[int, Iterator[int]]] = []

        def enter(body: int) -> None:
            found[body] = lowest[body] = len(found)
            open_bodies.append(body)
            pending.append((body, iter(self._callees(body))))

        enter(start)
        while pending:
            body, callees = pending[-1]
            for callee in callees:
                if callee not in found:
                    enter(callee)
                    break
                if callee in lowest:
                    lowest[body] = min(lowest[body], lowest[callee])
            else:
                pending.pop()
                if pending:
                    parent = pending[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[body])
                if lowest[body] == found[body]:
                    member = None
                    while member != body:
                        member = open_bodies.pop()
                        order.append(member)
                        del lowest[member]
        return order

    def _callees(self, body: int) -> list[int]:
        calls = (node.operation for node in self._calls[body])
        called = (self.callee(call) for call in calls if isinstance(call, Call))
        return list(dict.fromkeys(callee for callee in called if callee is not None))

    def _collect_accesses(self, loads: dict[str, list[int]]) -> None:
        """A walk of regions, the last one found first; the ops of one in order."""
        pending = list(self.blocks)
        while pending:
            for block in pending.pop():
                for node in block.nodes:
                    if isinstance(node.operation, GlobalLoad):
                        loads.setdefault(node.operation.symbol, []).append(node.results[0])
                    elif isinstance(node.operation, GlobalStore):
                        self._stores.setdefault(node.operation.symbol, []).append(node.inputs[0])
                    pending += node.regions


def _ties(operation: Operation) -> tuple[tuple[int, int], ...]:
    """The (result, operand) positions that the op ties.

    A tie is a matter of the operand's position, not of its value: a dispatch may take a value
    twice and write only one of the two in place.
    """
    if type(operation).tied is Operation.tied:
        return ()
    if isinstance(operation, Dispatch):
        first = len(operation.workload)
        return tuple(
            (result, first + tie) for result, tie in enumerate(operation.ties) if tie is not None
        )
    if isinstance(operation, Await):
        return tuple((place, place) for place, _ in enumerate(operation.outputs))
    if isinstance(operation, _TIED_BY_POSITION):
        return tuple((result, tie) for result, tie in enumerate(operation.ties) if tie is not None)
    # Every other op has its tied operand, and the result that is tied to it, first.
    return ((0, 0),)
