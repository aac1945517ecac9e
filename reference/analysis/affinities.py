"""The whole-program affinity analysis: where every op runs and every resource lives.

Rules from `AffinityAnalysis` in compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp.
All that `iree-stream-annotate-affinities` prints comes from the questions answered here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference.affinity import AnyAffinity
from reference.analysis.elements import Elements
from reference.analysis.explorer import Explorer, Node
from reference.analysis.pins import explored_pins
from reference.analysis.solver import Element, Solver
from reference.analysis.walks import REGION_BRANCHES
from reference.ir import Operation, Program
from reference.releases import Release
from reference.types import Value

Affinities = tuple[AnyAffinity, ...]
"""Distinct affinities in IREE's order, by their printed form."""


@dataclass(frozen=True, slots=True, eq=False)
class AffinityAnalysis:
    """The answers for one program. `body` is a position in `Program.bodies()`.

    Each answer is None where IREE's lookup fails. An op is named by the very object of the program
    or by its identity. A value or op that the body does not have raises KeyError.
    """

    explorer: Explorer
    converged: bool
    """False where the solver gave up: every pass that asks for the analysis then fails, and says
    nothing about why."""
    _elements: Elements
    _pins: Mapping[int, Affinities]

    def resource(self, body: int, value: Value) -> Affinities | None:
        """Where a value may live: where it is pinned, else where it may have been made
        (`tryLookupResourceAffinity`)."""
        return self.resource_of(self.explorer.number(body, value))

    def usage(self, body: int, value: Value) -> Affinities | None:
        """Where a value may live or be used (`tryLookupResourceUsageAffinity`)."""
        return self.usage_of(self.explorer.number(body, value))

    def pinned(self, body: int, value: Value) -> Affinities | None:
        """Where a value must live, None if nothing pins it (`tryLookupPinnedAffinities`)."""
        return self._pins.get(self.explorer.number(body, value))

    def execution(self, body: int, operation: Operation | str) -> Affinities | None:
        """Where an op may run (`tryLookupExecutionAffinity`).

        An op that nobody analyses, or whose analysis failed, runs where its surroundings do.
        """
        return self.execution_of(self._node(body, operation))

    def global_affinity(self, name: str) -> Affinities | None:
        """Where a global may live (`tryLookupGlobalAffinity`)."""
        element = self._elements.glob(name)
        default = self.explorer.program.default_affinity
        if not _is_known(element) or not element.members:
            return None if default is None else (default,)
        return self._elements.sets.affinities(element.members)

    def resource_of(self, value: int) -> Affinities | None:
        """`resource`, of a value by its number in `explorer`."""
        pinned = self._pins.get(value)
        if pinned is not None:
            return pinned
        element = self._elements.producer(value)
        return (
            self._members(element.members, self.explorer.body_of(value))
            if _is_known(element)
            else None
        )

    def usage_of(self, value: int) -> Affinities | None:
        """`usage`, of a value by its number in `explorer`."""
        members = 0
        for element in (self._elements.producer(value), self._elements.consumer(value)):
            if _is_known(element):
                members |= element.members
        for affinity in self._pins.get(value, ()):
            members |= self._elements.sets.mask(affinity)
        return self._members(members, self.explorer.body_of(value))

    def execution_of(self, node: Node) -> Affinities | None:
        """`execution`, of an op of `explorer`."""
        element = self._elements.op(node)
        return self._members(element.members if _is_known(element) else 0, node.body)

    def _members(self, members: int, body: int) -> Affinities | None:
        """The members of a set; of an empty one, the default of what is around."""
        if members:
            return self._elements.sets.affinities(members)
        default = self.explorer.default_affinity(body)
        return None if default is None else (default,)

    def _node(self, body: int, operation: Operation | str) -> Node:
        if isinstance(operation, str):
            return self.explorer.find(body, operation)
        return self.explorer.node(operation)


def analyze(program: Program, release: Release) -> AffinityAnalysis:
    """The affinity analysis of a program by the rules of a release.

    Raises UnsupportedOperationError where the release's own analysis is undefined.
    """
    explorer = Explorer(program)
    elements = Elements(explorer, release)
    solver = Solver()
    for one in program.globals:
        if one.type.tracked:
            solver.add(elements.glob(one.name))
    for body in explorer.body_order():
        _seed(solver, elements, explorer, body)
    return AffinityAnalysis(
        explorer=explorer,
        converged=solver.run(),
        _elements=elements,
        _pins=explored_pins(explorer, release),
    )


def _seed(solver: Solver, elements: Elements, explorer: Explorer, body: int) -> None:
    """Asks for all that is tracked, in the order of `AffinityAnalysis::run`."""
    tracked, add = explorer.tracked, solver.add
    for block in explorer.blocks[body]:
        for argument in block.arguments:
            if tracked[argument]:
                add(elements.producer(argument))
    for node in explorer.nodes[body]:
        operation = node.operation
        if node.regions and isinstance(operation, REGION_BRANCHES):
            for region in node.regions:
                for argument in region[0].arguments if region else ():
                    if tracked[argument]:
                        add(elements.producer(argument))
        if operation.requires_affinity:
            add(elements.op(node))
        for result in node.results:
            if tracked[result]:
                add(elements.producer(result))
                add(elements.consumer(result))


def _is_known(element: Element) -> bool:
    return element.exists and element.valid
