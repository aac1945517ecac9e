"""Runs a program: `evaluate` as SSA values, `evaluate_storage` as storage written in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reference.ir import Function, Global, Operation, Program, UnsupportedOperationError
from reference.ops.constant import tensor_bytes
from reference.types import (
    BUFFER,
    BUFFER_VIEW,
    TIMEPOINT,
    Index,
    Literal,
    ResourceType,
    Scalar,
    ScalarType,
    Type,
    Value,
)
from reference.values.constants import constant_content
from reference.values.content import ENDLESS, Content, made_of
from reference.values.control import CONTROL_RULES
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.machine import Machine, Opaque, Rule, View
from reference.values.memory import Memory, Reference, ValueMemory
from reference.values.numbers import bits_of
from reference.values.outcome import Outcome, Result
from reference.values.storage import Storage, StorageMemory
from reference.values.terms import UNWRITTEN, Terms
from reference.values.work import WORK_RULES

RULES: dict[type[Operation], Rule] = {**WORK_RULES, **CONTROL_RULES}

_INITIAL = re.compile(r"(-?\d+(?:\.\d+(?:[eE][+-]?\d+)?)?|0x[0-9A-Fa-f]+) : \w+")
_FLAGS = {"true": 1, "false": 0}

Observer = Callable[[Operation, Machine[Any]], None]


def evaluate(
    program: Program,
    inputs: Inputs,
    terms: Terms,
    interfaces: Interfaces,
    memory: ValueMemory | None = None,
    observe: Observer | None = None,
) -> Outcome:
    """What the public functions return, called in order, and what globals hold then: SSA values.

    Outcomes may be compared that were made with the same `terms` and `interfaces`. Raises
    OutOfBoundsError, EndlessError, and UnsupportedOperationError for what is not modelled.
    """
    machine: Machine[Content] = Machine(
        program, memory or ValueMemory(), terms, interfaces, inputs, RULES, observe
    )
    results = tuple(results_of(program, machine))
    return Outcome(results, undefined=machine.undefined)


def evaluate_storage(
    program: Program,
    inputs: Inputs,
    terms: Terms,
    interfaces: Interfaces,
    memory: StorageMemory | None = None,
    observe: Observer | None = None,
) -> Outcome:
    """The same where a tied result is its operand's storage, and ops write in place.

    Memory of the caller's that a function wrote in place is not looked at afterwards: IREE does
    that to what is imported. Raises as `evaluate` does.
    """
    memory = memory or StorageMemory()
    machine: Machine[Storage] = Machine(program, memory, terms, interfaces, inputs, RULES, observe)
    results = tuple(results_of(program, machine))
    return Outcome(results, tuple(memory.races), machine.undefined)


def results_of(program: Program, machine: Machine[Reference]) -> Iterator[Result]:
    """The program once through: initializers, public functions as often as they are called, public
    globals."""
    _initialize_globals(program, machine)
    for initializer in program.initializers:
        machine.values = {}
        machine.enter(initializer.body, ())
    for call in range(machine.inputs.calls):
        for function in program.functions:
            if function.public and not function.is_declaration:
                yield from _call(machine, function, call)
    for one in program.globals:
        if one.public and one.name in machine.globals and one.name in machine.inputs.globals:
            yield from _held(machine, one)


def _initialize_globals(program: Program, machine: Machine[Reference]) -> None:
    for one in program.globals:
        initial = _initial(one.initial, one.type)
        if isinstance(one.type, ResourceType):
            content = _initial_content(one.initial, machine.terms)
            machine.globals[one.name] = machine.memory.new(content, None)
        elif initial is not None:
            machine.globals[one.name] = initial
        elif one.initial is not None and not isinstance(one.type, ScalarType):
            # A timepoint that is there from the start, or what the model does not look into.
            machine.globals[one.name] = Opaque(one.initial)


def _initial_content(text: str | None, terms: Terms) -> Content:
    """The bytes of a global's initial value; nobody's without one, or where it is of unknown
    length."""
    length = None if text is None else tensor_bytes(text.rpartition(" : ")[2])
    if text is None or length is None:
        return made_of(UNWRITTEN, ENDLESS)
    return constant_content(text, length, terms)


def _initial(text: str | None, kind: Type) -> int | None:
    """The bits of a global's initial value; 0 without one, None for what is no scalar."""
    if not isinstance(kind, ScalarType):
        return None
    if text is None:
        return 0
    if text in _FLAGS:
        return _FLAGS[text]
    match = _INITIAL.fullmatch(text)
    if match is None:
        return None
    number = match[1]
    if number.startswith("0x"):
        return int(number, 16)
    return bits_of(Literal(float(number) if kind.name.startswith("f") else int(number), kind))


def _call(machine: Machine[Reference], function: Function, call: int) -> Iterator[Result]:
    calls = f", call {call + 1}" if call else ""
    if len(machine.inputs.numbers.get(function.name, ())) != len(function.arguments):
        raise UnsupportedOperationError(f"@{function.name}, which a pass gave other arguments")
    arguments = [
        _argument(machine, function.name, place, value.type, calls)
        for place, value in enumerate(function.arguments)
    ]
    machine.values = {}
    returned = machine.enter(function.body, arguments)
    for item in returned.values:
        found = machine.value(item)
        if item.type == TIMEPOINT and isinstance(found, int):
            machine.memory.tell(found)
    written = machine.inputs.results.get(function.name, function.result_types)
    for place, (item, size) in enumerate(_as_written(returned.values, written)):
        what = f"result {place} of @{function.name}{calls}"
        yield from _result(machine, what, machine.value(item), item.type, size)


def _as_written(
    returned: Sequence[Scalar], written: Sequence[Type]
) -> Iterator[tuple[Scalar, Index | Scalar | None]]:
    """What a function returns, one for each result that it was written with, and its size.

    Conversion gives each result that was a tensor a size of its own, right behind it
    (compiler/src/iree/compiler/Dialect/Stream/Conversion/UtilToStream/Patterns.cpp).
    """
    wider = [part for kind in written for part in ((True, False) if kind.tracked else (False,))]
    if len(wider) == len(written) or [item.type.tracked for item in returned] != wider:
        for item in returned:
            yield item, item.size if isinstance(item, Value) else None
        return
    items = iter(returned)
    for item in items:
        yield item, next(items) if item.type.tracked else None


def _argument(
    machine: Machine[Reference], function: str, place: int, kind: Type, calls: str
) -> Any:
    name = f"argument {place} of @{function}{calls}"
    number = machine.inputs.numbers[function][place]
    if isinstance(kind, ScalarType):
        return number
    if isinstance(kind, ResourceType) or kind in (BUFFER, BUFFER_VIEW):
        size = ENDLESS if number is None else number
        held = machine.memory.new(made_of(machine.terms.input(name), size), None)
        return held if isinstance(kind, ResourceType) else View(held, size)
    return Opaque(name)


def _held(machine: Machine[Reference], one: Global) -> Iterator[Result]:
    """What a global holds in the end: the part of its memory that the globals beside it say, where
    there are such (compiler/src/iree/compiler/Dialect/Util/Transforms/PropagateSubranges.cpp)."""
    found, what = machine.globals[one.name], f"@{one.name}"
    start, length = (machine.globals.get(f"{one.name}__{word}") for word in ("offset", "length"))
    if isinstance(one.type, ResourceType) and isinstance(start, int) and length:
        yield Result(what, machine.memory.read(found, start, length, None))
    else:
        yield from _result(machine, what, found, one.type, None)


def _result(
    machine: Machine[Reference],
    what: str,
    found: Any,
    kind: Type,
    size: Index | Scalar | None,
) -> Iterator[Result]:
    """A value that outlives the run; nothing for timepoints and what else is opaque."""
    memory: Memory[Reference] = machine.memory
    if isinstance(found, View):
        length = min(found.size, memory.look(found.held).length)
        yield Result(what, memory.read(found.held, 0, length, None))
    elif isinstance(kind, ResourceType):
        length = memory.look(found).length if size is None else machine.number(size)
        yield Result(what, memory.read(found, 0, length, None))
    elif isinstance(kind, ScalarType):
        yield Result(what, found)
