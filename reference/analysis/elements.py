"""What the elements of the affinity analysis are made of: values, ops and globals.

Rules from `ValueProducerAffinityPVS`, `ValueConsumerAffinityPVS`, `OpAffinityPVS` and
`GlobalAffinityPVS` in compiler/src/iree/compiler/Dialect/Stream/Analysis/Affinity.cpp:

- a value's **producers**: where it may have been made, through ties;
- a value's **consumers**: where it may be used, through ties, and where transfers send it;
- an **op**: where it says that it runs, or whatever it is in does; else where its operands were
  made; without resource operands, where its results are used;
- a **global**: where it says that it lives; else where its loads are used; never loaded, where its
  stores come from.
"""

from __future__ import annotations

from functools import partial

from reference.affinity import AnyAffinity, affinity_order
from reference.analysis.explorer import NO_VALUE, Explorer, Node
from reference.analysis.solver import (
    DIRECT,
    GUARDED_OPTIONAL,
    GUARDED_UNPREPARED,
    OPTIONAL,
    REQUIRED,
    UNPREPARED,
    Element,
    Recipe,
)
from reference.analysis.walks import Walks, carried_from_outside, carried_on, result_at
from reference.ops import (
    Branch,
    Call,
    Condition,
    ConditionalBranch,
    Dispatch,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    OptimizationBarrier,
    Return,
    Select,
    StreamYield,
    Transfer,
    While,
)
from reference.releases import Release

_BRANCHES = (Branch, ConditionalBranch)
_LOOPS = (For, While)


class AffinitySets:
    """Affinities as bits, and sets of them as masks."""

    def __init__(self) -> None:
        self._bits: dict[AnyAffinity, int] = {}
        self._ordered: dict[int, tuple[AnyAffinity, ...]] = {0: ()}

    def mask(self, affinity: AnyAffinity | None) -> int:
        """The set of one affinity; empty for none."""
        if affinity is None:
            return 0
        bit = self._bits.get(affinity)
        if bit is None:
            bit = self._bits[affinity] = 1 << len(self._bits)
        return bit

    def affinities(self, mask: int) -> tuple[AnyAffinity, ...]:
        """The members of a set, in IREE's order."""
        ordered = self._ordered.get(mask)
        if ordered is None:
            members = (affinity for affinity, bit in self._bits.items() if mask & bit)
            ordered = self._ordered[mask] = affinity_order(members)
        return ordered


class Elements:
    """The elements of one program, made when first asked for."""

    def __init__(self, explorer: Explorer, release: Release) -> None:
        self.sets = AffinitySets()
        self._explorer = explorer
        self._release = release
        self._walks = Walks(explorer, release)
        self._producers: list[Element | None] = [None] * len(explorer.values)
        self._consumers: list[Element | None] = [None] * len(explorer.values)
        self._ops: list[Element | None] = [None] * explorer.node_count
        self._globals: dict[str, Element] = {}
        self._global_affinities = {one.name: one.affinity for one in explorer.program.globals}

    def producer(self, value: int) -> Element:
        """Where a value may have been made."""
        element = self._producers[value]
        if element is None:
            element = self._producers[value] = Element(partial(self._producer_recipe, value))
        return element

    def consumer(self, value: int) -> Element:
        """Where a value may be used."""
        element = self._consumers[value]
        if element is None:
            element = self._consumers[value] = Element(partial(self._consumer_recipe, value))
        return element

    def op(self, node: Node) -> Element:
        """Where an op may run."""
        element = self._ops[node.number]
        if element is None:
            element = self._ops[node.number] = Element(partial(self._op_recipe, node))
            explicit = self._explicit(node)
            if explicit is not None:
                element.fix(self.sets.mask(explicit))
        return element

    def glob(self, symbol: str) -> Element:
        """Where a global may live."""
        element = self._globals.get(symbol)
        if element is None:
            element = self._globals[symbol] = Element(partial(self._global_recipe, symbol))
            explicit = self._global_affinities.get(symbol)
            if explicit is not None:
                element.fix(self.sets.mask(explicit))
        return element

    def _explicit(self, node: Node) -> AnyAffinity | None:
        """What an op says of itself, or else the nearest op around it (`AffinityAttr::lookup`)."""
        around: Node | None = node
        while around is not None:
            affinity = around.operation.execution_affinity
            if affinity is not None:
                return affinity
            around = around.around
        return self._explorer.body_affinity(node.body)

    def _op_recipe(self, node: Node) -> Recipe:
        tracked = self._explorer.tracked
        operands = [value for value in node.inputs if value != NO_VALUE and tracked[value]]
        if operands:
            return Recipe([(REQUIRED, self.producer(value)) for value in operands])
        results = (value for value in node.results if tracked[value])
        return Recipe([(REQUIRED, self.consumer(value)) for value in results])

    def _global_recipe(self, symbol: str) -> Recipe:
        loads = self._explorer.loads(symbol)
        if loads:
            return Recipe([(GUARDED_OPTIONAL, self.consumer(value)) for value in loads])
        stores = self._explorer.stores(symbol)
        return Recipe([(GUARDED_OPTIONAL, self.producer(value)) for value in stores])

    def _producer_recipe(self, value: int) -> Recipe:
        """Barriers and loads of globals end the search for a producer, when it begins there."""
        recipe = Recipe()
        producer = self._explorer.producers[value]
        if producer is not None:
            node, result = producer
            if isinstance(node.operation, OptimizationBarrier):
                recipe.terms.append((REQUIRED, self.producer(node.inputs[result])))
                return recipe
            if isinstance(node.operation, GlobalLoad):
                recipe.terms.append((REQUIRED, self.glob(node.operation.symbol)))
                return recipe
            if not node.leads_on:
                self._add_maker(recipe, value, node, result)
                return recipe

        def visit(made: int, node: Node, result: int) -> bool:
            self._add_maker(recipe, made, node, result)
            return True

        recipe.complete = self._walks.defining_ops(value, visit, through_ties=False)
        return recipe

    def _add_maker(self, recipe: Recipe, made: int, node: Node, result: int) -> None:
        """What the op that makes a value says of where it is made.

        An op that pins is trusted: nothing that it cannot see makes its results unknown.
        """
        operation, terms, pins = node.operation, recipe.terms, node.pins
        if isinstance(operation, Call):
            return
        if pins:
            terms.append((REQUIRED, self.op(node)))
        tied = node.tied_operand(result) if node.ties else None
        if tied is not None:
            if tied != NO_VALUE:
                terms.append((GUARDED_OPTIONAL if pins else OPTIONAL, self.producer(tied)))
            if (
                self._release.dispatch_affinity_reaches_tied_results
                and isinstance(operation, Dispatch)
                and operation.affinity is not None
            ):
                terms.append((REQUIRED, self.op(node)))
        elif operation.takes_affinity:
            terms.append((GUARDED_UNPREPARED if pins else UNPREPARED, self.op(node)))
        elif isinstance(operation, GlobalLoad):
            terms.append((REQUIRED, self.glob(operation.symbol)))
        elif isinstance(operation, Select):
            terms += [(REQUIRED, self.producer(value)) for value in node.inputs[1:]]
        else:
            terms.append((OPTIONAL, self.producer(made)))

    def _consumer_recipe(self, value: int) -> Recipe:
        recipe = Recipe()
        uses = self._explorer.uses[value]
        for node, _ in uses:
            if node.leads_on:
                break
        else:
            for node, position in reversed(uses):
                self._add_user(recipe, value, node, position)
            return recipe
        complete = True

        def visit(used: int, node: Node, position: int) -> bool:
            nonlocal complete
            complete &= self._add_user(recipe, used, node, position)
            return True

        walked = self._walks.transitive_uses(value, visit, through_ties=False)
        recipe.complete = complete and walked
        return recipe

    def _add_user(self, recipe: Recipe, used: int, node: Node, position: int) -> bool:
        """What an op that takes a value says of where it is used; whether that is all."""
        operation, terms = node.operation, recipe.terms
        takes_affinity = operation.takes_affinity
        if takes_affinity:
            terms.append((REQUIRED, self.op(node)))
            if isinstance(operation, Transfer):
                recipe.constant |= self.sets.mask(operation.target_affinity)
        for result, tied in node.ties:
            if tied == position:
                terms.append((REQUIRED, self.consumer(node.results[result])))
        if takes_affinity:
            return True
        if isinstance(operation, Select):
            terms.append((REQUIRED, self.consumer(node.results[0])))
        elif isinstance(operation, OptimizationBarrier):
            terms.append((REQUIRED, self.consumer(node.results[position])))
        elif isinstance(operation, GlobalStore):
            terms.append((REQUIRED, self.glob(operation.symbol)))
        elif isinstance(operation, _LOOPS):
            carried = carried_from_outside(node, position)
            if carried is not None:
                terms.append((REQUIRED, self.consumer(carried)))
        elif isinstance(operation, Return):
            return self._walks.incoming_calls(
                node.body,
                lambda call: terms.append((DIRECT, self.consumer(call.results[position]))),
            )
        elif operation.terminator:
            self._add_terminator(recipe, used, node, position)
        return True

    def _add_terminator(self, recipe: Recipe, used: int, node: Node, position: int) -> None:
        operation, around = node.operation, node.around
        if isinstance(operation, _BRANCHES):
            arguments = self._walks.branch_arguments(node, position)
            recipe.terms += [(OPTIONAL, self.consumer(argument)) for argument in arguments]
            return
        assert around is not None
        if isinstance(operation, Condition):
            place = position - 1
            reached = [result_at(around, place), around.regions[1][0].arguments[place]]
        elif isinstance(operation, StreamYield):
            reached = [result_at(around, position)]
        elif isinstance(around.operation, If):
            reached = [used, around.results[position]]
        else:
            reached = [carried_on(around, position)]
            if isinstance(around.operation, For):
                reached.append(around.results[position])
            elif self._release.while_yield_reaches_results:
                reached.append(result_at(around, position))
        recipe.terms += [(REQUIRED, self.consumer(value)) for value in reached]
