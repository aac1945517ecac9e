"""What a compiler may know about the conditions in a program.

A condition is known where it is a constant, and where the code is only run if it holds, or does not
(MLIR's canonicalization of `scf.if`, `cf.cond_br` and `arith.select`). It may be known where it is
made of constants alone: what comes out, nobody here computes.
"""

from __future__ import annotations

from reference.contracts.bodies import Bodies, Body, Key
from reference.ir import Region
from reference.ops import ConditionalBranch, HostScalar, If, Select
from reference.types import Literal, Value

Decision = If | Select | ConditionalBranch
Known = dict[str, bool]
"""From a condition to what it is where certain code is run."""


class Decisions:
    """Which sides of each decision somebody may surely take."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._decided: dict[int, bool] = {}
        """From the `id` of an op to what its condition is, where that is known."""
        self._folding: dict[Key, bool] = {}
        for body in bodies.all:
            self._enter(body.region, {})

    def sides(self, body: Body, operation: Decision) -> tuple[int, ...]:
        """0 where the condition may hold, 1 where it may not; neither where a compiler may know
        better than we do."""
        value = self._decided.get(id(operation))
        if value is not None:
            return (0 if value else 1,)
        return () if self._folds(body, operation.condition) else (0, 1)

    def _enter(self, region: Region, known: Known) -> None:
        conditions = [known for _ in region.blocks]
        edges = _single_edges(region)
        for position, block in enumerate(region.blocks):
            if position in edges:
                before, learnt = edges[position]
                conditions[position] = {**conditions[before], **learnt}
            here = conditions[position]
            for operation in block.operations:
                if isinstance(operation, If | Select | ConditionalBranch):
                    self._decide(operation, here)
                for nested in operation.regions:
                    inside = here
                    if isinstance(operation, If) and isinstance(operation.condition, Value):
                        holds = nested is operation.then
                        inside = {**here, operation.condition.name: holds}
                    self._enter(nested, inside)

    def _decide(self, operation: Decision, known: Known) -> None:
        condition = operation.condition
        if isinstance(condition, Literal):
            self._decided[id(operation)] = bool(condition.value)
        elif condition.name in known:
            self._decided[id(operation)] = known[condition.name]

    def _folds(self, body: Body, item: object) -> bool:
        """Whether a host scalar is made of constants alone once functions are inlined."""
        if not isinstance(item, Value):
            return True
        key = (body.ordinal, item.name)
        if key not in self._folding:
            # What is made of itself, in a loop or by recursion, is no constant.
            self._folding[key] = False
            self._folding[key] = self._made_of_constants(body, item)
        return self._folding[key]

    def _made_of_constants(self, body: Body, value: Value) -> bool:
        maker, _ = body.makers.get(value.name, (None, 0))
        if maker is not None:
            return isinstance(maker, HostScalar) and all(
                self._folds(body, one) for one in maker.arguments
            )
        owner, _, position, number = body.arguments.get(value.name, (None, 0, 1, 0))
        function = body.function
        if owner is not None or position > 0 or function is None or function.public:
            return False
        return any(
            self._folds(self._bodies.all[caller], call.arguments[number])
            for caller, call in self._bodies.calls[function.name]
        )


def _single_edges(region: Region) -> dict[int, tuple[int, Known]]:
    """The blocks that are entered from one earlier place only: from where, and what is known
    then."""
    found: dict[int, list[tuple[int, Known]]] = {}
    for position, block in enumerate(region.blocks):
        last = block.operations[-1]
        for side, successor in enumerate(last.successors):
            learnt: Known = {}
            if isinstance(last, ConditionalBranch) and isinstance(last.condition, Value):
                learnt = {last.condition.name: side == 0}
            found.setdefault(successor.block, []).append((position, learnt))
    return {
        block: edges[0] for block, edges in found.items() if len(edges) == 1 and edges[0][0] < block
    }
