"""The state of an interpreted program, and how ops follow one another in it.

What each kind of op does is a rule: `reference/values/work.py` has those of resources,
`reference/values/control.py` those of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from reference.ir import Block, Function, Operation, Program, Region, UnsupportedOperationError
from reference.ops import Branch, ConditionalBranch, Return
from reference.types import Index, Literal, Scalar, Value
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.memory import Memory, Reference
from reference.values.numbers import bits_of
from reference.values.terms import Terms

LONGEST_RUN = 20_000
"""Ops, over all functions and turns of loops, after which a run is given up."""


class EndlessError(Exception):
    """The program did not come to its end within `LONGEST_RUN` ops."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that the model passes on without looking inside, such as a fence."""

    name: str


@dataclass(frozen=True, slots=True)
class View(Generic[Reference]):
    """A buffer view: memory that the caller sees, `size` bytes of it."""

    held: Reference
    size: int


Rule = Callable[["Machine[Any]", Any], None]
Values = dict[str, Any]
"""Values by name: a number, an `Opaque`, a `View`, or what the memory holds resources by. Which of
them it is, the types of a program that verifies tell."""


class Machine(Generic[Reference]):
    """One run of a program. `observe` is called after each op, of a block's last before it
    is followed, for those who want to know."""

    def __init__(
        self,
        program: Program,
        memory: Memory[Reference],
        terms: Terms,
        interfaces: Interfaces,
        inputs: Inputs,
        rules: Mapping[type[Operation], Rule],
        observe: Callable[[Operation, Machine[Reference]], None] | None = None,
    ) -> None:
        self.functions = {function.name: function for function in program.functions}
        self.memory = memory
        self.terms = terms
        self.interfaces = interfaces
        self.inputs = inputs
        self.values: Values = {}
        self.globals: Values = {}
        self.undefined = False
        """Whether the host has read bytes that nobody wrote: what follows may be anything."""
        self._program = program
        self._rules = rules
        self._observe = observe
        self._steps = 0

    @cached_property
    def used(self) -> frozenset[str]:
        """The names of values that any op takes."""
        operations = self._program.operations()
        return frozenset(value.name for one in operations for value in one.operands)

    def value(self, item: Index | Scalar) -> Any:
        """What an op takes."""
        if isinstance(item, Value):
            return self.values[item.name]
        return bits_of(item) if isinstance(item, Literal) else item

    def number(self, item: Index | Scalar) -> int:
        """A number that an op takes. Raises UnsupportedOperationError for anything else."""
        found = self.value(item)
        if not isinstance(found, int):
            raise UnsupportedOperationError(f"{item} as a number")
        return found

    def size(self, value: Value) -> int:
        """The size that an op gives to a resource that it takes or makes."""
        if value.size is None:
            raise UnsupportedOperationError(f"%{value.name} without a size")
        return self.number(value.size)

    def call(self, function: Function, arguments: Sequence[Any]) -> list[Any]:
        """What a function returns."""
        outer, self.values = self.values, {}
        returned = self.enter(function.body, arguments)
        given = [self.value(item) for item in returned.values]
        self.values = outer
        return given

    def enter(self, body: Region, arguments: Sequence[Any]) -> Return:
        """The op that ends a function's or an initializer's body; its values are those of `self`.

        Raises EndlessError, OutOfBoundsError, and UnsupportedOperationError for ops without a rule.
        """
        place = 0
        while True:
            block = body.blocks[place]
            self.bind(block.arguments, arguments)
            last = self.run(block)
            if isinstance(last, Return):
                return last
            if isinstance(last, Branch):
                target = last.target
            elif isinstance(last, ConditionalBranch):
                target = last.then if self.number(last.condition) else last.otherwise
            else:
                raise UnsupportedOperationError(last.mnemonic)
            place, arguments = target.block, [self.value(item) for item in target.arguments]

    def region(self, region: Region, arguments: Sequence[Any]) -> Operation:
        """The terminator of the only block of a nested region, which sees the values around it."""
        (block,) = region.blocks
        self.bind(block.arguments, arguments)
        return self.run(block)

    def bind(self, names: Sequence[Value], values: Sequence[Any]) -> None:
        """Gives values to names."""
        for name, value in zip(names, values, strict=True):
            self.values[name.name] = value

    def run(self, block: Block, before_each: Callable[[], None] | None = None) -> Operation:
        """The terminator of a block, after all before it were run."""
        *operations, last = block.operations
        self._steps += len(operations) + 1
        if self._steps > LONGEST_RUN:
            raise EndlessError(f"no end after {LONGEST_RUN} ops")
        rules, observe = self._rules, self._observe
        for operation in operations:
            rule = rules.get(type(operation))
            if rule is None:
                raise UnsupportedOperationError(operation.mnemonic)
            if before_each is not None:
                before_each()
            rule(self, operation)
            if observe is not None:
                observe(operation, self)
        if observe is not None:
            observe(last, self)
        return last
