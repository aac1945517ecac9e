"""Straight-line programs put together by hand: each op is named after the value it makes."""

from __future__ import annotations

from collections.abc import Iterable

from reference.affinity import Affinity
from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import (
    Barrier,
    Binding,
    Clone,
    Dispatch,
    Export,
    Fill,
    Import,
    Load,
    Return,
    Splat,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.types import BUFFER_VIEW, I8, I32, RESOURCES, Lifetime, Literal, Value

A, B, C = (Affinity(f"device_{letter}") for letter in "abc")
A0 = Affinity("device_a", 1)
"""Queue 0 of device A: executable with A, not the other way round."""

SIZE = 16
EXTERNAL, TRANSIENT, STAGING = Lifetime.EXTERNAL, Lifetime.TRANSIENT, Lifetime.STAGING
Source = Operation | Value


def resource(name: str, lifetime: Lifetime = TRANSIENT) -> Value:
    return Value(name, RESOURCES[lifetime], SIZE)


def value_of(source: Source) -> Value:
    return source if isinstance(source, Value) else source.results[0]


def splat(name: str, on: Affinity | None, lifetime: Lifetime = TRANSIENT) -> Splat:
    result = resource(name, lifetime)
    return Splat(identity=name, pattern=Literal(7, I8), result=result, affinity=on)


def clone(name: str, source: Source, on: Affinity | None) -> Clone:
    return Clone(identity=name, source=value_of(source), result=resource(name), affinity=on)


def dispatch(
    name: str,
    *sources: Source,
    on: Affinity | None,
    ties: tuple[int | None, ...] = (None,),
    lifetime: Lifetime = TRANSIENT,
    workload: tuple[int, ...] = (),
) -> Dispatch:
    """Results `name`, or `name#0`, `name#1`, … of several."""
    names = [name] if len(ties) == 1 else [f"{name}#{index}" for index in range(len(ties))]
    return Dispatch(
        identity=name,
        kernel="ex::d",
        workload=workload,
        arguments=tuple(Binding(value_of(source), Range.of(0, SIZE)) for source in sources),
        outputs=tuple(resource(item, lifetime) for item in names),
        ties=ties,
        affinity=on,
    )


def fill(name: str, target: Source, on: Affinity | None) -> Fill:
    value = value_of(target)
    return Fill(
        identity=name,
        pattern=Literal(1, I8),
        target=value,
        span=Range.of(0, 4),
        result=Value(name, value.type, SIZE),
        affinity=on,
    )


def update(name: str, source: Source, target: Source, on: Affinity | None) -> Update:
    value = value_of(target)
    return Update(
        identity=name,
        source=value_of(source),
        target=value,
        start=0,
        end=SIZE,
        result=Value(name, value.type, SIZE),
        affinity=on,
    )


def transfer(
    name: str,
    source: Source,
    source_affinity: Affinity | None,
    target_affinity: Affinity | None,
    lifetime: Lifetime = EXTERNAL,
    on: Affinity | None = None,
) -> Transfer:
    return Transfer(
        identity=name,
        source=value_of(source),
        result=resource(name, lifetime),
        source_affinity=source_affinity,
        target_affinity=target_affinity,
        explicit_affinity=on,
    )


def barrier(name: str, source: Source, on: Affinity | None) -> Barrier:
    value = value_of(source)
    result = Value(name, value.type, SIZE)
    return Barrier(identity=name, source=value, result=result, affinity=on)


def load(name: str, source: Source) -> Load:
    return Load(identity=name, source=value_of(source), offset=0, result=Value(name, I32))


def imported(name: str, on: Affinity | None) -> Import:
    return Import(
        identity=name,
        source=Value("view", BUFFER_VIEW),
        encoding="tensor<16xi8>",
        dimensions=(),
        result=resource(name, EXTERNAL),
        affinity=on,
    )


def exported(name: str, source: Source, on: Affinity | None) -> Export:
    return Export(
        identity=name,
        source=value_of(source),
        encoding="tensor<16xi8>",
        dimensions=(),
        result=Value(name, BUFFER_VIEW),
        affinity=on,
    )


def block(operations: Iterable[Operation], *returned: Source) -> Block:
    """The ops and a return; every value that no op makes is an argument."""
    values = tuple(map(value_of, returned))
    body = (*operations, Return(identity="return", values=values))
    made = {result for operation in body for result in operation.results}
    taken = dict.fromkeys(value for operation in body for value in operation.operands)
    return Block(body, tuple(value for value in taken if value not in made))


def function(operations: Iterable[Operation], *returned: Source, name: str = "f") -> Function:
    body = block(operations, *returned)
    results = tuple(value_of(item).type for item in returned)
    return Function(name, Region((body,)), results)


def program(operations: Iterable[Operation], *returned: Source) -> Program:
    """One function over three devices."""
    return Program(("device_a", "device_b", "device_c"), (function(operations, *returned),))
