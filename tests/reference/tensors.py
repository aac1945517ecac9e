"""Ops on tensors put together by hand, and what they mean: each is named after what it makes."""

from __future__ import annotations

from collections.abc import Sequence

from valued import evaluated, values

from reference.affinity import Affinity
from reference.ir import Block, Function, Global, Operation, Program, Region
from reference.ops import Return
from reference.ops.tensor_assembly import SEGMENTS, segments_text
from reference.ops.tensor_phase import TENSOR_OPERATIONS, TensorOperation
from reference.tensor import lowered
from reference.types import INDEX, Index, Literal, Scalar, TensorType, Value
from reference.values.content import Content

A, B = Affinity("a"), Affinity("b")
N = Value("n", INDEX, known=12)
"""An index that only the caller knows."""

_SEGMENTED = frozenset(
    {
        "hal.tensor.import", "flow.tensor.slice", "flow.tensor.update", "flow.tensor.load",
        "flow.tensor.store", "flow.tensor.bitcast", "flow.tensor.reshape", "flow.dispatch",
    }
)  # fmt: skip
"""Ops that tell their operands apart by `operandSegmentSizes`."""


def tensor(name: str, kind: str) -> Value:
    return Value(name, TensorType(f"tensor<{kind}>"))


def on_tensors(
    name: str,
    *groups: Sequence[Index | Scalar],
    gives: Value | Sequence[Value],
    on: Affinity | None = None,
    ties: Sequence[int | None] | None = None,
    attributes: Sequence[tuple[str, str]] = (),
) -> TensorOperation:
    """An op with its operands in the groups of its definition, at the place of its first result."""
    outputs = (gives,) if isinstance(gives, Value) else tuple(gives)
    told = list(attributes)
    if name in _SEGMENTED:
        told.append((SEGMENTS, segments_text(*map(len, groups))))
    return TENSOR_OPERATIONS[name](
        identity=outputs[0].name.partition("#")[0],
        name=name,
        arguments=tuple(
            Literal(item, INDEX) if isinstance(item, int) else item
            for group in groups
            for item in group
        ),
        outputs=outputs,
        ties=(None,) * len(outputs) if ties is None else tuple(ties),
        affinity=on,
        attributes=tuple(told),
    )


def dense(name: str, elements: str, kind: str, on: Affinity | None = None) -> TensorOperation:
    """A constant, of `[1, 2]` or of one number everywhere."""
    value = (("value", f"dense<{elements}> : tensor<{kind}>"),)
    return on_tensors("flow.tensor.constant", gives=tensor(name, kind), on=on, attributes=value)


def program_of(
    *operations: Operation,
    gives: Sequence[Scalar] = (),
    arguments: Sequence[Value] = (),
    globals: Sequence[Global] = (),
) -> Program:
    """A module as it is read, with one function of these ops."""
    end = Return(identity="end", values=tuple(gives))
    body = Region((Block((*operations, end), tuple(arguments)),))
    main = Function("main", body, tuple(one.type for one in gives))
    return Program((A.device, B.device), (main,), tuple(globals))


def meaning(
    *operations: Operation, gives: Sequence[Scalar] = (), arguments: Sequence[Value] = ()
) -> tuple[Operation, ...]:
    """The ops of the Stream phase that these mean."""
    return body_of(lowered(program_of(*operations, gives=gives, arguments=arguments)))


def body_of(program: Program) -> tuple[Operation, ...]:
    """The ops of the only function, without the return."""
    (main,) = program.functions
    return main.entry.operations[:-1]


def contents(
    *operations: Operation, gives: Sequence[Scalar], arguments: Sequence[Value] = ()
) -> list[Content | int]:
    """What a function of these ops returns."""
    return values(evaluated(lowered(program_of(*operations, gives=gives, arguments=arguments))))


def known_bytes(*operations: Operation, gives: Value) -> bytes | None:
    """The bytes of the only value that a function of these ops returns, where they are known."""
    (found,) = contents(*operations, gives=(gives,))
    assert isinstance(found, Content)
    return found.known()
