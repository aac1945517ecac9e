"""A program with inputs, what the model says it returns, and what the runtime has to say to that.

A trial is one set of inputs. Every byte that the caller passes in is pseudo-random and known by
its argument, whatever the devices.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, cast

from oracle.compiling.answers import Json
from oracle.running.kernels import KernelInterfaces
from oracle.running.numeric import Bytes, Evaluator, NumericInputs
from reference.ir import Function, Program, UnsupportedOperationError, walk
from reference.ops import ChainExternal, Import
from reference.types import (
    BUFFER,
    BUFFER_VIEW,
    F32,
    F64,
    FENCE,
    ResourceType,
    ScalarType,
    Type,
    Value,
)
from reference.values.content import Content, OutOfBoundsError
from reference.values.evaluation import Observer, evaluate
from reference.values.inputs import Inputs, inputs_of
from reference.values.machine import EndlessError
from reference.values.numbers import as_float, bit_width, same_number
from reference.values.terms import Terms

SETS = 2
"""Sets of inputs a program."""

_LONGEST = 1 << 20
_FLOATS = (F32, F64)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a function returns: `what` says which result, `kind` is the type of a number."""

    what: str
    value: Bytes | int
    kind: Type


@dataclass(frozen=True, slots=True)
class Argument:
    """Something that is passed in: a number's bits, bytes, or for a fence whether it is reached."""

    type: Type
    value: int | bytes


@dataclass(frozen=True, slots=True)
class Call:
    """A function, what it is given, and the types of what it returns."""

    function: str
    arguments: tuple[Argument, ...]
    results: tuple[Type, ...] = ()


@dataclass(frozen=True)
class Trial:
    """Calls in order, and what they return together."""

    calls: tuple[Call, ...]
    expected: tuple[Expected, ...]
    inputs: NumericInputs

    def returned(self, told: Sequence[Sequence[Json]]) -> list[Json]:
        """What the runtime tells of each expected result, in order: a fence is none of them."""
        return [
            one
            for call, answers in zip(self.calls, told, strict=True)
            for kind, one in zip(call.results, answers, strict=False)
            if kind != FENCE
        ]

    @cached_property
    def request(self) -> list[Json]:
        """The calls in the words of `oracle/running/runtime_worker.py`."""
        return [[call.function, [_plain(one) for one in call.arguments]] for call in self.calls]


def trials(program: Program) -> tuple[Trial, ...]:
    """Two sets of inputs, and what the program returns for each.

    `program` is one whose kernels can be run (`oracle/running/arming.py`). Raises
    UnsupportedOperationError where the model cannot tell, or where the result depends on bytes
    that nobody wrote.
    """
    given = inputs_of(program)
    further = tuple(replace(given[0], seed=seed) for seed in range(len(given), SETS))
    return tuple(_trial(program, _numeric(inputs)) for inputs in (*given, *further))


def tried_again(program: Program, trial: Trial) -> Trial:
    """A trial with another program of the same functions. Raises UnsupportedOperationError."""
    return _trial(program, trial.inputs)


def rerun(program: Program, trial: Trial, observe: Observer) -> None:
    """Runs a trial in the model once more, for what can be seen on the way."""
    evaluate(program, trial.inputs, Terms(), KernelInterfaces(), observe=observe)


def difference(expected: Expected, actual: Json) -> int | None:
    """The first byte that the runtime got wrong, 0 for a number; None where it is right.

    A length other than expected differs behind the last byte that both have. `actual` is empty for
    a result that is missing.
    """
    told = cast(dict[str, Any], actual)
    if not told:
        return 0
    if isinstance(expected.value, int):
        same = same_number(_bits(told, expected.kind), expected.value, expected.kind)
        return None if same else 0
    data = base64.b64decode(told.get("bytes", ""))
    wanted, defined = expected.value.data, expected.value.defined
    if data == wanted:
        return None
    for place, (one, other, meant) in enumerate(zip(wanted, data, defined, strict=False)):
        if one != other and meant:
            return place
    return None if len(data) == len(wanted) else min(len(data), len(wanted))


def shown(actual: Json, kind: Type) -> Bytes | int:
    """What the runtime returned, as values; no bytes for a result that is missing."""
    told = cast(dict[str, Any], actual)
    if "bytes" in told or not isinstance(kind, ScalarType):
        data = base64.b64decode(told.get("bytes", ""))
        return Bytes(data, b"\1" * len(data))
    return _bits(told, kind)


def _bits(told: dict[str, Any], kind: Type) -> int:
    if "real" in told:
        wide, real = ("<I", "<f") if kind == F32 else ("<Q", "<d")
        (bits,) = struct.unpack(wide, struct.pack(real, told["real"]))
        return int(bits)
    return int(told.get("i64", -1)) & ((1 << bit_width(kind)) - 1)


def _plain(argument: Argument) -> Json:
    if isinstance(argument.value, bytes):
        data = base64.b64encode(argument.value).decode()
        return {"view": data} if argument.type == BUFFER_VIEW else {"buffer": data}
    if argument.type in _FLOATS:
        return {str(argument.type): argument.value}
    if argument.type == FENCE:
        return {"fence": argument.value}
    return {"i64": signed(argument)}


def signed(argument: Argument) -> int:
    """An integer argument as the number that its bits spell in two's complement."""
    assert isinstance(argument.value, int)
    width = bit_width(argument.type)
    top = width > 1 and argument.value >> (width - 1)
    return argument.value - (1 << width) if top else argument.value


def real(argument: Argument) -> float:
    """A float argument."""
    assert isinstance(argument.value, int)
    return as_float(argument.value, argument.type)


def _numeric(inputs: Inputs) -> NumericInputs:
    kept = {field.name: getattr(inputs, field.name) for field in fields(Inputs)}
    return NumericInputs(**kept, evaluator=Evaluator(inputs.seed))


def _trial(program: Program, inputs: NumericInputs) -> Trial:
    calls = tuple(_calls(program, inputs))
    try:
        outcome = evaluate(program, inputs, Terms(), KernelInterfaces())
    except (EndlessError, OutOfBoundsError) as error:
        raise UnsupportedOperationError(f"a run of a program with {error}") from None
    if outcome.undefined:
        raise UnsupportedOperationError("a run that depends on bytes that nobody wrote")
    kinds = _result_types(program, inputs.calls)
    found = [one for one in outcome.results if one.what in kinds]
    expected = [
        Expected(one.what, _value(one.value, inputs.evaluator), kinds[one.what]) for one in found
    ]
    if len(expected) != len(kinds):
        raise UnsupportedOperationError("a run that returns what the model does not look into")
    return Trial(calls, tuple(expected), inputs)


def _value(value: Content | int, evaluator: Evaluator) -> Bytes | int:
    if isinstance(value, int):
        return value
    if value.length > _LONGEST:
        raise UnsupportedOperationError("a run that returns bytes of unknown length")
    return evaluator.content(value)


def _public(program: Program) -> list[Function]:
    return [one for one in program.functions if one.public and not one.is_declaration]


def _result_types(program: Program, calls: int) -> dict[str, Type]:
    """The type of each result by the name that an outcome has for it, in order."""
    return {
        f"result {place} of @{function.name}{_turn(call)}": kind
        for call in range(calls)
        for function in _public(program)
        for place, kind in enumerate(function.result_types)
        if kind != FENCE
    }


def _turn(call: int) -> str:
    return f", call {call + 1}" if call else ""


def _calls(program: Program, inputs: NumericInputs) -> Iterator[Call]:
    for call in range(inputs.calls):
        for function in _public(program):
            numbers = inputs.numbers[function.name]
            arguments = [
                _argument(function, place, value, numbers, inputs.evaluator, _turn(call))
                for place, value in enumerate(function.arguments)
            ]
            yield Call(function.name, tuple(arguments), function.result_types)


def _argument(
    function: Function,
    place: int,
    value: Value,
    numbers: Sequence[int | None],
    evaluator: Evaluator,
    turn: str,
) -> Argument:
    kind, number = value.type, numbers[place]
    if isinstance(kind, ScalarType):
        assert number is not None
        return Argument(kind, number)
    if kind == FENCE:
        return Argument(kind, int(not _is_reached_by(function, value)))
    if not isinstance(kind, ResourceType) and kind not in (BUFFER, BUFFER_VIEW):
        raise UnsupportedOperationError(f"a run that is given a {kind}")
    if not isinstance(kind, ResourceType):
        number = _imported_size(function, value, numbers)
    if number is None:
        raise UnsupportedOperationError(f"a run that is given a {kind} of unknown length")
    name = f"argument {place} of @{function.name}{turn}"
    return Argument(kind, evaluator.input(name, number))


def _is_reached_by(function: Function, fence: Value) -> bool:
    """Whether it is for a function to reach a fence that it is given, not to wait for."""
    return any(
        isinstance(operation, ChainExternal) and fence in operation.externals
        for operation in walk(function.body)
    )


def _imported_size(function: Function, value: Value, numbers: Sequence[int | None]) -> int | None:
    """The bytes of a buffer that a function imports: as many as its imports ask for."""
    given = {one.name: number for one, number in zip(function.arguments, numbers, strict=True)}
    sizes = [
        size if isinstance(size, int) else given.get(size.name)
        for operation in walk(function.body)
        if isinstance(operation, Import) and operation.source == value
        if (size := operation.result.size) is not None
    ]
    known = [size for size in sizes if size is not None]
    return max(known) if known and len(known) == len(sizes) else None
