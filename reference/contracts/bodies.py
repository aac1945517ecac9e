"""A program's bodies, with what makes each of their values and who calls whom."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from reference.ir import Function, Operation, Program, Region
from reference.ops import Call, GlobalStore, Return

Key = tuple[int, str]
"""A value: the position of its body in `Program.bodies()`, and its name there."""


@dataclass(slots=True)
class Body:
    """One body of a program; `function` is None for an initializer."""

    ordinal: int
    region: Region
    function: Function | None
    makers: dict[str, tuple[Operation, int]] = field(default_factory=dict)
    """From a result to its op and its position there."""
    arguments: dict[str, tuple[Operation | None, int, int, int]] = field(default_factory=dict)
    """From a block argument to the op around it (None for the body itself), and the positions of
    its region, block and self."""
    returns: list[Return] = field(default_factory=list)

    @property
    def is_called_from_outside(self) -> bool:
        """Whether somebody else runs it: a public function, or an initializer."""
        return self.function is None or self.function.public


class Bodies:
    """All bodies of a program, in order."""

    def __init__(self, program: Program) -> None:
        functions = (*(None for _ in program.initializers), *program.functions)
        self.all = [
            Body(ordinal, region, function)
            for ordinal, (region, function) in enumerate(
                zip(program.bodies(), functions, strict=True)
            )
        ]
        self.by_name = {
            body.function.name: body
            for body in self.all
            if body.function is not None and body.region.blocks
        }
        self.stores: dict[str, list[tuple[int, GlobalStore]]] = defaultdict(list)
        """The stores to each global, each with the ordinal of its body."""
        self.calls: dict[str, list[tuple[int, Call]]] = defaultdict(list)
        """The calls of each function, each with the ordinal of its body."""
        for body in self.all:
            self._enter(body, body.region, None, 0)

    def _enter(self, body: Body, region: Region, owner: Operation | None, place: int) -> None:
        for position, block in enumerate(region.blocks):
            for number, value in enumerate(block.arguments):
                body.arguments[value.name] = (owner, place, position, number)
            for operation in block.operations:
                for number, result in enumerate(operation.results):
                    body.makers[result.name] = (operation, number)
                match operation:
                    case Return():
                        body.returns.append(operation)
                    case GlobalStore():
                        self.stores[operation.symbol].append((body.ordinal, operation))
                    case Call():
                        self.calls[operation.callee].append((body.ordinal, operation))
                for ordinal, nested in enumerate(operation.regions):
                    self._enter(body, nested, operation, ordinal)
