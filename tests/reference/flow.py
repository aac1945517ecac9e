"""Programs with control flow, calls, globals and execution regions, put together by hand.

As in `straight.py`, each op is named after the value it makes; of several values, `name#0` and on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from straight import SIZE, TRANSIENT, Source, resource, value_of

from reference.affinity import Affinity
from reference.ir import (
    Block,
    Function,
    Global,
    Initializer,
    Operation,
    Program,
    Region,
    Successor,
)
from reference.ops import (
    Await,
    Branch,
    Call,
    Concurrent,
    Condition,
    ConditionalBranch,
    Execute,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    OptimizationBarrier,
    Return,
    Select,
    StreamYield,
    TimepointBarrier,
    Transients,
    While,
    Yield,
)
from reference.types import I1, INDEX, RESOURCES, TIMEPOINT, Index, Value

CHOICE = Value("choice", I1)
"""An i1 that only the caller knows."""
COUNT = Value("count", INDEX)
"""An index that only the caller knows."""
REACHED = Value("reached", TIMEPOINT)

Ops = Sequence[Operation]


def names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}#{place}" for place in range(count)]


def _values(sources: Iterable[Source]) -> tuple[Value, ...]:
    return tuple(map(value_of, sources))


def _results(name: str, count: int) -> tuple[Value, ...]:
    return tuple(map(resource, names(name, count)))


def region(*operations: Operation, arguments: Iterable[Value] = ()) -> Region:
    return Region((Block(operations, tuple(arguments)),))


def yielded(*sources: Source) -> Yield:
    return Yield(identity="yield", values=_values(sources))


def choose(name: str, then: Ops, then_value: Source, other: Ops, other_value: Source) -> If:
    return If(
        identity=name,
        condition=CHOICE,
        outputs=(resource(name),),
        then=region(*then, yielded(then_value)),
        otherwise=region(*other, yielded(other_value)),
    )


def when(name: str, *operations: Operation) -> If:
    """An `scf.if` without results or another side."""
    return If(
        identity=name, condition=CHOICE, outputs=(), then=region(*operations, yielded()),
        otherwise=Region(()),
    )  # fmt: skip


def count_loop(
    name: str,
    initial: Sequence[Source],
    arguments: Sequence[Value],
    operations: Ops,
    carried: Sequence[Source],
    upper: Index = COUNT,
) -> For:
    index = Value(f"{name}_index", INDEX)
    return For(
        identity=name,
        lower=0,
        upper=upper,
        step=1,
        initial=_values(initial),
        outputs=_results(name, len(initial)),
        body=region(*operations, yielded(*carried), arguments=(index, *arguments)),
    )


def while_loop(
    name: str,
    initial: Sequence[Source],
    before: tuple[Sequence[Value], Ops, Sequence[Source]],
    after: tuple[Sequence[Value], Ops, Sequence[Source]],
) -> While:
    """`before` and `after` are arguments, ops, and what is handed on."""
    asked, asking, handed = before
    turned, turning, carried = after
    condition = Condition(identity="condition", condition=CHOICE, values=_values(handed))
    return While(
        identity=name,
        initial=_values(initial),
        outputs=_results(name, len(handed)),
        before=region(*asking, condition, arguments=asked),
        after=region(*turning, yielded(*carried), arguments=turned),
    )


def call(
    name: str, callee: str, *sources: Source, results: int = 1, ties: tuple[int | None, ...] = ()
) -> Call:
    return Call(
        identity=name, callee=callee, arguments=_values(sources), outputs=_results(name, results),
        ties=ties,
    )  # fmt: skip


def load_global(name: str, symbol: str) -> GlobalLoad:
    return GlobalLoad(identity=name, symbol=symbol, result=resource(name))


def store_global(name: str, source: Source, symbol: str) -> GlobalStore:
    return GlobalStore(identity=name, symbol=symbol, source=value_of(source))


def select(name: str, then: Source, otherwise: Source) -> Select:
    return Select(
        identity=name, condition=CHOICE, then=value_of(then), otherwise=value_of(otherwise),
        result=resource(name),
    )  # fmt: skip


def opaque(name: str, *sources: Source) -> OptimizationBarrier:
    return OptimizationBarrier(
        identity=name, sources=_values(sources), outputs=_results(name, len(sources))
    )


def awaited(name: str, *sources: Source) -> Await:
    return Await(
        identity=name, awaits=REACHED, sources=_values(sources),
        outputs=_results(name, len(sources)),
    )  # fmt: skip


def timed(name: str, source: Source, on: Affinity | None) -> TimepointBarrier:
    return TimepointBarrier(
        identity=name, source=value_of(source), result=resource(name),
        timepoint=Value(f"{name}_time", TIMEPOINT), affinity=on,
    )  # fmt: skip


def transients(name: str, source: Source, storage: Source, on: Affinity | None) -> Transients:
    value = value_of(source)
    return Transients(
        identity=name, source=value, storage=value_of(storage), awaits=None,
        result=Value(name, value.type, SIZE), timepoint=Value(f"{name}_time", TIMEPOINT),
        affinity=on,
    )  # fmt: skip


def stream_yielded(*sources: Source) -> StreamYield:
    return StreamYield(identity="stream_yield", values=_values(sources))


def execute(
    name: str,
    captures: Sequence[Source],
    arguments: Sequence[Value],
    operations: Ops,
    results: Sequence[Source],
    on: Affinity | None,
    ties: tuple[int | None, ...] = (),
) -> Execute:
    return Execute(
        identity=name,
        captures=_values(captures),
        awaits=None,
        outputs=_results(name, len(results)),
        timepoint=Value(f"{name}_time", TIMEPOINT),
        body=region(*operations, stream_yielded(*results), arguments=arguments),
        affinity=on,
        ties=ties,
    )


def concurrent(
    name: str, capture: Source, argument: Value, operations: Ops, result: Source
) -> Concurrent:
    return Concurrent(
        identity=name, captures=_values([capture]), outputs=(resource(name),),
        body=region(*operations, stream_yielded(result), arguments=(argument,)),
    )  # fmt: skip


def go(block: int, *sources: Source) -> Branch:
    return Branch(identity=f"to_{block}", target=Successor(block, _values(sources)))


def fork(one: tuple[int, Sequence[Source]], other: tuple[int, Sequence[Source]]) -> Operation:
    return ConditionalBranch(
        identity="fork",
        condition=CHOICE,
        then=Successor(one[0], _values(one[1])),
        otherwise=Successor(other[0], _values(other[1])),
    )


def ended(*sources: Source) -> Return:
    return Return(identity="return", values=_values(sources))


def blocks(*contents: tuple[Sequence[Value], Ops]) -> Region:
    """A region of several blocks, each its arguments and its ops."""
    return Region(tuple(Block(tuple(ops), tuple(arguments)) for arguments, ops in contents))


def func(
    name: str,
    arguments: Sequence[Value],
    *operations: Operation,
    public: bool = True,
    default: Affinity | None = None,
    body: Region | None = None,
    attributes: tuple[tuple[str, str], ...] = (),
) -> Function:
    """A function of one block, or of the blocks of `body`. Its last op is the return."""
    whole = region(*operations, arguments=(*arguments, CHOICE, COUNT, REACHED))
    body = whole if body is None else body
    results = tuple(value.type for value in body.blocks[-1].operations[-1].operands)
    return Function(
        name, body, results, public=public, default_affinity=default, attributes=attributes
    )


def declared(name: str) -> Function:
    return Function(name, Region(()), ())


def kept(name: str, on: Affinity | None = None) -> Global:
    return Global(name, RESOURCES[TRANSIENT], mutable=True, affinity=on)


def initializer(*operations: Operation) -> Initializer:
    return Initializer(region(*operations, ended()))


def module(
    *functions: Function,
    globals: Sequence[Global] = (),
    initializers: Sequence[Initializer] = (),
    default: Affinity | None = None,
) -> Program:
    return Program(
        ("device_a", "device_b", "device_c"), functions, tuple(globals), tuple(initializers),
        default_affinity=default,
    )  # fmt: skip
