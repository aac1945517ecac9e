"""All the cells that the language has, whether any program was seen in them or not.

Which lifetimes an op takes and makes is asked of the program verifier, with a program of that one
op: the rules are told there, and only there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from gen.coverage import FAN_OUTS, NAMES, NOTHING, PINNED, REACHES, Cell, FanOut, Pinned, Reach
from reference.affinity import Affinity
from reference.ir import Block, Function, Global, Operation, Program, Region
from reference.ops import (
    Alloca,
    Await,
    Barrier,
    Binding,
    Call,
    Cast,
    Clone,
    Condition,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Import,
    Load,
    OptimizationBarrier,
    Return,
    Select,
    Slice,
    Splat,
    Store,
    TimepointBarrier,
    Transfer,
    Transients,
    Update,
    While,
    Yield,
)
from reference.ops.assembly import Range
from reference.releases import Release
from reference.types import (
    BUFFER_VIEW,
    I1,
    I32,
    INDEX,
    RESOURCES,
    TIMEPOINT,
    Lifetime,
    Literal,
    Value,
)
from reference.verifier import level_of, verify

_SIZE = 16
_HERE = Affinity("device")
_ENCODING = "tensor<4xi32>"
_ELEMENTS = "dense<[1, 2, 3, 4]> : tensor<4xi32>"
_CHOICE, _VIEW = Value("choice", I1), Value("view", BUFFER_VIEW)
_TIME = Value("time", TIMEPOINT)
_GLOBAL, _CALLEE = "state", "callee"
_SEVEN = Literal(7, I32)
_WHOLE = Range.of(0, _SIZE)

Lifetimes = tuple[Lifetime | None, Lifetime | None]
"""What an op takes and what it makes; None for nothing."""


@cache
def cell_space(release: Release) -> frozenset[Cell]:
    """Every cell that a valid program of a release can have."""
    return frozenset(
        cell
        for kind in NAMES
        if release.async_cast or kind is not Cast
        for lifetimes in _lifetimes(kind)
        for cell in _cells(kind, *lifetimes)
    )


def _lifetimes(kind: type[Operation]) -> tuple[Lifetimes, ...]:
    """The lifetimes with which an op is valid."""
    every = (None, *Lifetime)
    return tuple(
        (source, result)
        for source, result in itertools.product(every, every)
        if (program := _program(kind, source, result)) is not None
        and level_of(verify(program)) is not None
    )


def _cells(
    kind: type[Operation], source: Lifetime | None, result: Lifetime | None
) -> Iterator[Cell]:
    operation = _operation(kind, source, result)
    assert operation is not None
    words = (_word(source), _word(result))
    for pinned, reach, fan_out in itertools.product(PINNED, REACHES, FAN_OUTS):
        if _possible(operation, source, result, pinned, reach, fan_out):
            yield Cell(NAMES[kind], *words, pinned, reach, fan_out)


def _possible(
    operation: Operation,
    source: Lifetime | None,
    result: Lifetime | None,
    pinned: Pinned,
    reach: Reach,
    fan_out: FanOut,
) -> bool:
    """Whether an op can be in such surroundings; `operation` says where it executes, if it may."""
    itself = operation.pins and reach != "unplaced"
    if not operation.takes_affinity and reach != "unplaced":
        return False
    if itself and pinned == "free":
        return False
    if fan_out == "unused":
        if result is None or (pinned == "pinned" and not itself):
            return False
        if source is None and reach == "cross-device":
            return False
    return True


def _word(lifetime: Lifetime | None) -> str:
    return NOTHING if lifetime is None else lifetime.value


def _program(
    kind: type[Operation], source: Lifetime | None, result: Lifetime | None
) -> Program | None:
    """A program of one op, None where there is no such op."""
    operation = _operation(kind, source, result)
    if operation is None:
        return None
    operations: tuple[Operation, ...] = (operation,)
    if not operation.terminator:
        operations = (operation, Return(identity="end", values=()))
    arguments = [_CHOICE, _VIEW, _TIME]
    arguments += [Value("source", RESOURCES[source], _SIZE)] if source else []
    arguments += [Value("other", RESOURCES[result], _SIZE)] if result else []
    returned = tuple(value.type for value in operations[-1].operands)
    functions = [Function("main", _region(*operations, arguments=tuple(arguments)), returned)]
    if kind is Call:
        gives = (RESOURCES[result],) if result else ()
        takes = (RESOURCES[source],) if source else ()
        functions.append(Function(_CALLEE, Region(()), gives, public=False, declared=takes))
    held = source or result
    assert held is not None
    kept = Global(_GLOBAL, RESOURCES[held], mutable=True)
    return Program((_HERE.device,), tuple(functions), (kept,))


def _operation(
    kind: type[Operation], source: Lifetime | None, result: Lifetime | None
) -> Operation | None:
    """An op of that kind with these lifetimes, None where it has no such operand or result."""
    form, make = _MAKERS[kind]
    given = (source is not None, result is not None)
    if given not in _GIVEN[form]:
        return None
    lives = (life or Lifetime.UNKNOWN for life in (source, result))
    taken, made = (
        Value(name, RESOURCES[life], _SIZE)
        for name, life in zip(("source", "result"), lives, strict=True)
    )
    if form == "any":
        return make((taken,) if source else (), (made,) if result else ())
    return make(taken, made)


def _region(*operations: Operation, arguments: tuple[Value, ...] = ()) -> Region:
    return Region((Block(operations, arguments),))


def _other(result: Value) -> Value:
    """A second value of the same type."""
    return Value("other", result.type, _SIZE)


def _if(result: Value) -> Operation:
    then, otherwise = (
        _region(Yield(identity=name, values=(_other(result),))) for name in ("then", "else")
    )
    return If(identity="op", condition=_CHOICE, outputs=(result,), then=then, otherwise=otherwise)


def _for(source: Value, result: Value) -> Operation:
    carried = Value("carried", source.type, _SIZE)
    body = _region(
        Yield(identity="yield", values=(carried,)), arguments=(Value("turn", INDEX), carried)
    )
    return For(
        identity="op", lower=0, upper=2, step=1, initial=(source,), outputs=(result,), body=body
    )


def _while(taken: tuple[Value, ...], made: tuple[Value, ...]) -> Operation:
    asked = tuple(Value("asked", value.type, _SIZE) for value in taken)
    going = tuple(Value("going", value.type, _SIZE) for value in made)
    outside = Value("source", taken[0].type, _SIZE) if taken else None
    return While(
        identity="op",
        initial=taken,
        outputs=made,
        before=_region(
            Condition(identity="ask", condition=_CHOICE, values=tuple(map(_other, made))),
            arguments=asked,
        ),
        after=_region(
            Yield(identity="yield", values=() if outside is None else (outside,)), arguments=going
        ),
    )


def _dispatch(taken: tuple[Value, ...], made: tuple[Value, ...]) -> Operation:
    return Dispatch(
        identity="op",
        kernel="ex::kernel",
        workload=(),
        arguments=tuple(Binding(value, _WHOLE) for value in taken),
        outputs=made,
        ties=(None,) * len(made),
        affinity=_HERE,
    )


_AT: dict[str, Any] = {"identity": "op", "affinity": _HERE}
_GIVEN: dict[str, frozenset[tuple[bool, bool]]] = {
    "makes": frozenset({(False, True)}),
    "takes": frozenset({(True, False)}),
    "both": frozenset({(True, True)}),
    "any": frozenset({(True, True), (True, False), (False, True)}),
}
"""Whether there is an operand and a result, by the form of an op."""

_MAKERS: dict[type[Operation], tuple[str, Callable[[Any, Any], Operation]]] = {
    Import: ("makes", lambda _, made: Import(
        source=_VIEW, encoding=_ENCODING, dimensions=(), result=made, **_AT)),
    Constant: ("makes", lambda _, made: Constant(
        elements=_ELEMENTS, length=_SIZE, result=made, **_AT)),
    Alloca: ("makes", lambda _, made: Alloca(result=made, **_AT)),
    Splat: ("makes", lambda _, made: Splat(pattern=_SEVEN, result=made, **_AT)),
    Clone: ("both", lambda taken, made: Clone(source=taken, result=made, **_AT)),
    Slice: ("both", lambda taken, made: Slice(
        source=taken, start=0, end=_SIZE, result=made, **_AT)),
    Fill: ("both", lambda taken, made: Fill(
        pattern=_SEVEN, target=taken, span=_WHOLE, result=made, **_AT)),
    Update: ("both", lambda taken, made: Update(
        source=taken, target=_other(made), start=0, end=_SIZE, result=made, **_AT)),
    Copy: ("both", lambda taken, made: Copy(
        source=taken, source_span=_WHOLE, target=_other(made), target_span=_WHOLE, result=made,
        **_AT)),
    Dispatch: ("any", _dispatch),
    Transfer: ("both", lambda taken, made: Transfer(
        identity="op", source=taken, result=made, source_affinity=_HERE, target_affinity=_HERE)),
    Barrier: ("both", lambda taken, made: Barrier(source=taken, result=made, **_AT)),
    Cast: ("both", lambda taken, made: Cast(source=taken, result=made, **_AT)),
    Load: ("takes", lambda taken, _: Load(
        identity="op", source=taken, offset=0, result=Value("scalar", I32))),
    Store: ("both", lambda taken, made: Store(
        identity="op", target=taken, offset=0, scalar=_SEVEN, result=made)),
    Export: ("takes", lambda taken, _: Export(
        source=taken, encoding=_ENCODING, dimensions=(), result=Value("seen", BUFFER_VIEW),
        **_AT)),
    Return: ("takes", lambda taken, _: Return(identity="op", values=(taken,))),
    Select: ("both", lambda taken, made: Select(
        identity="op", condition=_CHOICE, then=taken, otherwise=_other(made), result=made)),
    OptimizationBarrier: ("both", lambda taken, made: OptimizationBarrier(
        identity="op", sources=(taken,), outputs=(made,))),
    If: ("makes", lambda _, made: _if(made)),
    For: ("both", _for),
    While: ("any", _while),
    Call: ("any", lambda taken, made: Call(
        identity="op", callee=_CALLEE, arguments=taken, outputs=made)),
    GlobalLoad: ("makes", lambda _, made: GlobalLoad(
        identity="op", symbol=_GLOBAL, result=made)),
    GlobalStore: ("takes", lambda taken, _: GlobalStore(
        identity="op", symbol=_GLOBAL, source=taken)),
    Await: ("both", lambda taken, made: Await(
        identity="op", awaits=_TIME, sources=(taken,), outputs=(made,))),
    TimepointBarrier: ("both", lambda taken, made: TimepointBarrier(
        source=taken, result=made, timepoint=Value("reached", TIMEPOINT), **_AT)),
    Transients: ("both", lambda taken, made: Transients(
        source=_other(made), storage=taken, awaits=None, result=made,
        timepoint=Value("reached", TIMEPOINT), **_AT)),
}  # fmt: skip
"""The form of each kind of op, and how one is made of its operand and its result."""
