"""Where values are handed over: by control flow, calls and globals, not by what an op makes.

What is given has the type, the size and the home of what is taken: it is the same value under
another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reference.ir import Operation, Program, Region, walk
from reference.ops import (
    Call,
    Concurrent,
    Condition,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    OptimizationBarrier,
    Return,
    Select,
    StreamYield,
    While,
    Yield,
)
from reference.ops.assembly import scalar
from reference.types import Scalar, Value


@dataclass(frozen=True, slots=True)
class Handover:
    """`operation` gives each of `given` under the name that stands at its place in `taken`."""

    operation: Operation
    given: tuple[Scalar, ...]
    taken: tuple[Value, ...]
    what: str
    """What takes, for people: `the arguments of ^bb1`."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A value of one body that is the value of another: (position of the body, value) twice.

    `operation` is the call, the load or the store. A global's value stands in no body: its
    position is None and its name the global's.
    """

    operation: Operation
    source: tuple[int | None, Scalar]
    target: tuple[int | None, Value]


def handovers(region: Region) -> Iterator[Handover]:
    """All within a body, in order: outer before inner, blocks in turn."""
    for block in region.blocks:
        for operation in block.operations:
            for successor in operation.successors:
                if 0 <= successor.block < len(region.blocks):
                    taken = region.blocks[successor.block].arguments
                    what = f"the arguments of ^bb{successor.block}"
                    yield Handover(operation, tuple(map(scalar, successor.arguments)), taken, what)
            rule = _RULES.get(type(operation))
            if rule is not None:
                yield from rule(operation)
            for nested in operation.regions:
                yield from handovers(nested)


def passages(program: Program) -> Iterator[Passage]:
    """All between bodies: arguments and results of calls, what globals hold.

    A call whose callee is not there, or takes or gives another number, hands nothing over.
    """
    count = len(program.initializers)
    places = {item.name: count + place for place, item in enumerate(program.functions)}
    functions = {function.name: function for function in program.functions}
    for here, body in enumerate(program.bodies()):
        for operation in walk(body):
            if isinstance(operation, GlobalStore):
                held = Value(operation.symbol, operation.source.type)
                yield Passage(operation, (here, operation.source), (None, held))
            elif isinstance(operation, GlobalLoad):
                held = Value(operation.symbol, operation.result.type)
                yield Passage(operation, (None, held), (here, operation.result))
            elif isinstance(operation, Call) and operation.callee in functions:
                callee, there = functions[operation.callee], places[operation.callee]
                for given, taken in zip(operation.arguments, callee.arguments, strict=False):
                    yield Passage(operation, (here, given), (there, taken))
                for block in callee.body.blocks:
                    last = block.operations[-1] if block.operations else None
                    if isinstance(last, Return):
                        for given, taken in zip(last.values, operation.outputs, strict=False):
                            yield Passage(operation, (there, given), (here, taken))


def _of_if(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, If)
    for region in operation.regions:
        if region.blocks:
            yield from _yielded(region, operation.outputs, "the results of the scf.if")


def _of_for(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, For)
    carried = _arguments(operation.body)[1:]
    results = "the results of the scf.for"
    yield Handover(operation, operation.initial, carried, "the carried values of the scf.for")
    yield Handover(operation, operation.initial, operation.outputs, results)
    yield from _yielded(operation.body, carried, "the carried values of the scf.for")
    yield from _yielded(operation.body, operation.outputs, results)


def _of_while(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, While)
    before = _arguments(operation.before)
    yield Handover(operation, operation.initial, before, "the carried values of the scf.while")
    after = _arguments(operation.after)
    yield from _yielded(operation.before, after, "the arguments of the body")
    results = "the results of the scf.while"
    yield from _yielded(operation.before, operation.outputs, results)
    yield from _yielded(operation.after, before, "the carried values of the scf.while")


def _of_work(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, Execute | Concurrent)
    arguments = _arguments(operation.body)
    yield Handover(operation, operation.captures, arguments, "the arguments of its region")
    yield from _yielded(operation.body, operation.outputs, f"the results of {operation.mnemonic}")


def _of_select(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, Select)
    for given in (operation.then, operation.otherwise):
        yield Handover(operation, (given,), (operation.result,), "its result")


def _of_barrier(operation: Operation) -> Iterator[Handover]:
    assert isinstance(operation, OptimizationBarrier)
    yield Handover(operation, operation.sources, operation.outputs, "its results")


_RULES: dict[type[Operation], Callable[[Operation], Iterator[Handover]]] = {
    If: _of_if,
    For: _of_for,
    While: _of_while,
    Execute: _of_work,
    Concurrent: _of_work,
    Select: _of_select,
    OptimizationBarrier: _of_barrier,
}


def _yielded(region: Region, taken: tuple[Value, ...], what: str) -> Iterator[Handover]:
    """What the terminators of a region hand on."""
    for block in region.blocks:
        last = block.operations[-1] if block.operations else None
        if isinstance(last, Condition | StreamYield | Yield):
            yield Handover(last, last.values, taken, what)


def _arguments(region: Region) -> tuple[Value, ...]:
    return region.blocks[0].arguments if region.blocks else ()
