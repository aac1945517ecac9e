"""Runs of a program that show that an op is needed.

What a compiler may leave out of a program depends on all that it can find out about it: which
functions it inlines, which loops it unrolls, which conditions it folds. So no walk over a program
tells what is needed for sure, but a run does: where a program returns something else once an op
makes other bytes, every correct compiler's program has the op's work in it. An op without such a
run is accused of nothing. Runs are those of `reference/values/`, over several sets of inputs; a
program that cannot be run accuses nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any
from zlib import crc32

from reference.contracts.rewrites import written
from reference.ir import Operation, Program, UnsupportedOperationError, map_operations
from reference.ops import (
    Binding,
    Copy,
    Dispatch,
    Fill,
    OpaqueOperation,
    OptimizationBarrier,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.types import I1, Value
from reference.values.content import Content, OutOfBoundsError, Piece, agrees
from reference.values.evaluation import Observer, evaluate
from reference.values.inputs import Inputs, inputs_of
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError, Machine
from reference.values.memory import ValueMemory
from reference.values.outcome import Outcome, difference
from reference.values.terms import Term, Terms

RUNS = 8
"""The most sets of inputs that a program is run with."""

_ONE, _OTHER = "changed::one", "changed::other"
"""Kernels that no program has."""

_SHOWN = OptimizationBarrier | OpaqueOperation
"""Ops that show what they take to somebody whom the model does not know."""


class Witness:
    """What the runs of one program show."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._terms = Terms()
        self._interfaces = Interfaces(program)
        self._inputs = tuple(_varied(program))
        self._plain: dict[int, _Run | None] = {}

    def misses(self, body: int, operation: Operation) -> bool:
        """Whether some run shows that an op of body number `body` is needed.

        A transfer is, where what it makes is taken by something else than by other transfers: these
        may take from where it does, too.
        """
        if not isinstance(operation, Transfer):
            return self._differs(None, self._changed(body, operation, _OTHER))
        return self._differs(
            self._changed(body, operation, _ONE), self._changed(body, operation, _OTHER)
        )

    def is_made_by(self, operation: Operation, others: Collection[Operation]) -> bool:
        """Whether all that an op makes, whenever it is run, others make too."""
        known = self._all_made
        made = {content for one in others for content in known.get(id(one), ())}
        return known.get(id(operation), set()) <= made

    @cached_property
    def _all_made(self) -> dict[int, set[tuple[Content | int, ...]]]:
        """The contents of each op's results, by the op's `id`."""
        found: dict[int, set[tuple[Content | int, ...]]] = {}

        def observe(operation: Operation, machine: Machine[Any]) -> None:
            if operation.streamable:
                contents = tuple(_contents(machine, operation.results))
                found.setdefault(id(operation), set()).add(contents)

        for inputs in self._inputs:
            self._run(self._program, inputs, observe)
        return found

    def _differs(self, one: Program | None, other: Program) -> bool:
        """Whether two programs, the first the program itself where it is None, ever return two
        things."""
        for place, inputs in enumerate(self._inputs):
            expected = self._unchanged(place) if one is None else self._run(one, inputs)
            actual = None if expected is None else self._run(other, inputs)
            if expected is not None and actual is not None and not expected.agrees(actual):
                return True
        return False

    def _unchanged(self, place: int) -> _Run | None:
        """The run of the program itself with a set of inputs."""
        if place not in self._plain:
            self._plain[place] = self._run(self._program, self._inputs[place])
        return self._plain[place]

    def _run(
        self, program: Program, inputs: Inputs, observe: Observer | None = None
    ) -> _Run | None:
        """A run, None where it says nothing: it does not end, is not modelled, or depends on bytes
        that nobody wrote."""
        shown: list[Content | int] = []

        def look(operation: Operation, machine: Machine[Any]) -> None:
            if isinstance(operation, _SHOWN) and operation.side_effects:
                shown.extend(_contents(machine, operation.operands))
            if observe is not None:
                observe(operation, machine)

        try:
            memory = _Transferring(self._terms)
            outcome = evaluate(program, inputs, self._terms, self._interfaces, memory, look)
        except (EndlessError, OutOfBoundsError, UnsupportedOperationError):
            return None
        return None if outcome.undefined else _Run(outcome, tuple(shown))

    def _changed(self, body: int, operation: Operation, kernel: str) -> Program:
        """The program in which an op makes other bytes."""

        def replaced(one: Operation) -> Operation:
            return _of_other_bytes(one, kernel) if one is operation else one

        program = self._program
        place = body - len(program.initializers)
        if place < 0:
            before = program.initializers[body]
            changed = replace(before, body=map_operations(before.body, replaced))
            rest = program.initializers
            return replace(program, initializers=(*rest[:body], changed, *rest[body + 1 :]))
        function = program.functions[place]
        new = replace(function, body=map_operations(function.body, replaced))
        others = program.functions
        return replace(program, functions=(*others[:place], new, *others[place + 1 :]))


class _Transferring(ValueMemory):
    """SSA where transfers hide which bytes an op that was changed has made; what is made of these
    bytes is not hidden."""

    def __init__(self, terms: Terms) -> None:
        super().__init__()
        self._hidden = terms.foreign("changed")

    def read(self, held: Content, start: int, length: int, operation: Operation | None) -> Content:
        """A part of the value."""
        found = super().read(held, start, length, operation)
        if not isinstance(operation, Transfer):
            return found
        return replace(found, pieces=tuple(map(self._hide, found.pieces)))

    def _hide(self, piece: Piece) -> Piece:
        source, offset, length = piece
        if isinstance(source, Term) and source.name in (_ONE, _OTHER):
            return self._hidden, offset, length
        return piece


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run returns, and what its ops show to others, in order."""

    outcome: Outcome
    shown: tuple[Content | int, ...]

    def agrees(self, other: _Run) -> bool:
        """Whether another run is what this one allows."""
        if difference(self.outcome, other.outcome) or len(self.shown) != len(other.shown):
            return False
        return all(
            agrees(one, two)
            if isinstance(one, Content) and isinstance(two, Content)
            else one == two
            for one, two in zip(self.shown, other.shown, strict=True)
        )


def _contents(machine: Machine[Any], values: Iterable[Value]) -> Iterator[Content | int]:
    """The bytes of resources, and numbers."""
    for value in values:
        held = machine.values[value.name]
        if value.is_resource:
            yield machine.memory.look(held)
        elif isinstance(held, int):
            yield held


def _of_other_bytes(operation: Operation, kernel: str) -> Operation:
    """An op that makes bytes of its own in the place of another's: those that it writes where it
    writes in place, all of them otherwise."""
    if isinstance(operation, Dispatch):
        return replace(operation, kernel=kernel, other_kernels=())
    wrote = written(operation)
    arguments: tuple[Binding, ...] = ()
    if wrote is not None:
        target, *_ = wrote
        arguments = (Binding(target, _written_range(operation)),)
    return Dispatch(
        identity=operation.identity,
        kernel=kernel,
        workload=(),
        arguments=arguments,
        outputs=operation.results,
        ties=tuple(0 if arguments else None for _ in operation.results),
        affinity=None,
    )


def _written_range(operation: Operation) -> Range:
    match operation:
        case Fill():
            return operation.span
        case Copy():
            return operation.target_span
        case _:
            assert isinstance(operation, Update)
            assert operation.source.size is not None
            return Range(operation.start, operation.end, operation.source.size)


def _varied(program: Program) -> Iterator[Inputs]:
    """Sets of inputs: several where the program has choices to make, so that what callers choose
    and what is loaded differs."""
    told = inputs_of(program)
    if len(told) == 1:
        yield from told
        return
    flags = {
        function.name: [value.type == I1 for value in function.arguments]
        for function in program.functions
        if function.name in told[0].numbers
    }
    exhaustive = sum(map(sum, flags.values())) <= RUNS.bit_length() - 1
    for number in range(RUNS):
        one = told[number % len(told)]
        place = count()
        numbers = {
            name: tuple(
                _flag(number, next(place), exhaustive) if is_flag else given
                for is_flag, given in zip(flags[name], one.numbers[name], strict=True)
            )
            for name in one.numbers
        }
        yield replace(one, seed=number, numbers=numbers)


def _flag(number: int, place: int, exhaustive: bool) -> int:
    """A flag of run `number`: all combinations in turn, or any."""
    return (number >> place if exhaustive else crc32(bytes((number, place)))) & 1
