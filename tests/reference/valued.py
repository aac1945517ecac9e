"""Programs for the interpreter, put together by hand: each op is named after the value it makes."""

from __future__ import annotations

from dataclasses import replace

from reference.affinity import Affinity
from reference.ir import Block, Function, Global, Initializer, Operation, Program, Region
from reference.ops import (
    Alloca,
    Barrier,
    Binding,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Fill,
    Load,
    Return,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.types import I8, I32, RESOURCES, Index, Lifetime, Literal, Scalar, ScalarType, Value
from reference.values.content import Content
from reference.values.evaluation import evaluate, evaluate_storage
from reference.values.inputs import Inputs, inputs_of
from reference.values.kernels import Interfaces
from reference.values.outcome import Outcome
from reference.values.terms import Terms

A, B = Affinity("a"), Affinity("b")
SIZE = 8
Source = Operation | Value


def resource(name: str, size: Index = SIZE, lifetime: Lifetime = Lifetime.TRANSIENT) -> Value:
    return Value(name, RESOURCES[lifetime], size)


def value_of(source: Source) -> Value:
    return source if isinstance(source, Value) else source.results[0]


def like(source: Source, name: str) -> Value:
    return replace(value_of(source), name=name)


def number(value: int | float | Scalar, kind: ScalarType = I8) -> Scalar:
    return Literal(value, kind) if isinstance(value, int | float) else value


def splat(name: str, pattern: int | Scalar, size: Index = SIZE, kind: ScalarType = I8) -> Splat:
    return Splat(
        identity=name, pattern=number(pattern, kind), result=resource(name, size), affinity=A
    )


def constant(name: str, elements: str, size: int) -> Constant:
    return Constant(
        identity=name, elements=elements, length=size, result=resource(name, size), affinity=A
    )


def alloca(name: str, size: int = SIZE) -> Alloca:
    return Alloca(identity=name, result=resource(name, size), affinity=A)


def clone(name: str, source: Source, on: Affinity = A) -> Clone:
    return Clone(identity=name, source=value_of(source), result=like(source, name), affinity=on)


def transfer(name: str, source: Source, lifetime: Lifetime = Lifetime.TRANSIENT) -> Transfer:
    return Transfer(
        identity=name, source=value_of(source),
        result=resource(name, value_of(source).size or 0, lifetime),
        source_affinity=A, target_affinity=A,
    )  # fmt: skip


def staged(name: str, source: Source) -> Transfer:
    return transfer(name, source, Lifetime.STAGING)


def barrier(name: str, source: Source) -> Barrier:
    return Barrier(identity=name, source=value_of(source), result=like(source, name), affinity=A)


def slice_of(name: str, source: Source, start: int, end: int, size: int | None = None) -> Slice:
    result = resource(name, end - start if size is None else size)
    return Slice(
        identity=name, source=value_of(source), start=start, end=end, result=result, affinity=A
    )


def fill(
    name: str,
    target: Source,
    start: int,
    length: int,
    pattern: int | Scalar,
    kind: ScalarType = I8,
    on: Affinity = A,
) -> Fill:
    return Fill(
        identity=name, pattern=number(pattern, kind), target=value_of(target),
        span=Range.of(start, length), result=like(target, name), affinity=on,
    )  # fmt: skip


def update(name: str, source: Source, target: Source, start: int, end: int) -> Update:
    return Update(
        identity=name, source=value_of(source), target=value_of(target), start=start, end=end,
        result=like(target, name), affinity=A,
    )  # fmt: skip


def copy(
    name: str, source: Source, source_start: int, target: Source, target_start: int, length: int
) -> Copy:
    return Copy(
        identity=name, source=value_of(source), source_span=Range.of(source_start, length),
        target=value_of(target), target_span=Range.of(target_start, length),
        result=like(target, name), affinity=A,
    )  # fmt: skip


def load(name: str, source: Source, offset: Index, kind: ScalarType = I32) -> Load:
    return Load(identity=name, source=value_of(source), offset=offset, result=Value(name, kind))


def store(
    name: str, target: Source, offset: Index, value: int | Scalar, kind: ScalarType = I32
) -> Store:
    return Store(
        identity=name, target=value_of(target), offset=offset, scalar=number(value, kind),
        result=like(target, name),
    )  # fmt: skip


def bound(source: Source, start: int = 0, length: Index | None = None) -> Binding:
    value = value_of(source)
    size = value.size if length is None else length
    assert size is not None
    return Binding(value, Range.of(start, size))


def dispatch(
    name: str,
    kernel: str,
    *arguments: Binding | Scalar,
    ties: tuple[int | None, ...] = (None,),
    size: int = SIZE,
    workload: tuple[Index, ...] = (),
    others: tuple[str, ...] = (),
) -> Dispatch:
    """Results `name`, or `name#0`, `name#1`, … of several; a tied one is its operand's like."""
    names = [name] if len(ties) == 1 else [f"{name}#{place}" for place in range(len(ties))]
    outputs = []
    for one, tie in zip(names, ties, strict=True):
        target = None if tie is None else arguments[tie]
        is_tied = isinstance(target, Binding)
        outputs.append(like(target.value, one) if is_tied else resource(one, size))  # type: ignore[union-attr]
    return Dispatch(
        identity=name, kernel=kernel, workload=workload, arguments=arguments,
        outputs=tuple(outputs), ties=ties, affinity=A, other_kernels=others,
    )  # fmt: skip


def function(
    *operations: Operation,
    gives: tuple[Source | Scalar, ...] = (),
    arguments: tuple[Value, ...] = (),
    name: str = "main",
    public: bool = True,
) -> Function:
    values = tuple(one.results[0] if isinstance(one, Operation) else one for one in gives)
    last = Return(identity=f"{name}_end", values=values)
    types = tuple(one.type for one in values)
    return Function(name, Region((Block((*operations, last), arguments),)), types, public)


def program(
    *functions: Function,
    globals: tuple[Global, ...] = (),
    initializers: tuple[Initializer, ...] = (),
) -> Program:
    return Program((A.device, B.device), functions, globals, initializers)


def one_block(*operations: Operation, arguments: tuple[Value, ...] = ()) -> Region:
    return Region((Block(operations, arguments),))


def evaluated(whole: Program, inputs: Inputs | None = None) -> Outcome:
    chosen = inputs or inputs_of(whole)[0]
    return evaluate(whole, chosen, Terms(), Interfaces(whole))


def as_storage(whole: Program, inputs: Inputs | None = None) -> Outcome:
    chosen = inputs or inputs_of(whole)[0]
    return evaluate_storage(whole, chosen, Terms(), Interfaces(whole))


def both(whole: Program) -> tuple[Outcome, Outcome]:
    """As SSA values and as storage, in the same terms."""
    terms, interfaces, inputs = Terms(), Interfaces(whole), inputs_of(whole)[0]
    return (
        evaluate(whole, inputs, terms, interfaces),
        evaluate_storage(whole, inputs, terms, interfaces),
    )


def values(outcome: Outcome) -> list[Content | int]:
    return [result.value for result in outcome.results]


def returns(
    *operations: Operation, gives: tuple[Source | Scalar, ...], arguments: tuple[Value, ...] = ()
) -> list[Content | int]:
    """What a function of these ops returns, as SSA values."""
    return values(evaluated(program(function(*operations, gives=gives, arguments=arguments))))


def data(*operations: Operation, gives: Source, arguments: tuple[Value, ...] = ()) -> bytes | None:
    """The known bytes of the only value that a function of these ops returns."""
    (found,) = returns(*operations, gives=(gives,), arguments=arguments)
    assert isinstance(found, Content)
    return found.known()
