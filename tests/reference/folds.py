"""Small functions for rules of `canonicalize`, and what is left of them."""

from __future__ import annotations

from collections.abc import Sequence

from samples import patterns_applied

from reference.folding.canonicalize import canonicalize
from reference.folding.catalogue import RULES as FOLDS
from reference.ir import Block, Function, Operation, Program, Region, Successor, walk
from reference.ops import (
    Branch,
    ConditionalBranch,
    HostScalar,
    OpaqueOperation,
    OptimizationBarrier,
    Return,
    Yield,
)
from reference.releases import release_rules
from reference.types import I1, I32, INDEX, Literal, Scalar, ScalarType, Value

RELEASE, _ = release_rules("3.13")
C, D = Value("c", I1), Value("d", I1)
M, N, O = (Value(name, I32) for name in "mno")  # noqa: E741
X, Y, Z = (Value(name, INDEX) for name in "xyz")
TRUE, FALSE = Literal(-1, I1), Literal(0, I1)
"""As MLIR prints them, signed."""
Contents = tuple[Sequence[Value], Sequence[Operation]]
"""The arguments and the ops of a block."""

ARGUMENTS = (C, D, M, N, O, X, Y, Z)

_WORDS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
PREDICATES = {word: str(place) for place, word in enumerate(_WORDS)}


def host(
    name: str,
    operation: str,
    *arguments: Scalar,
    gives: ScalarType | None = None,
    attributes: Sequence[tuple[str, str]] = (),
) -> HostScalar:
    """`arith.OPERATION`, or any other op with a dot; gives what it takes unless told."""
    kind = arguments[-1].type if gives is None else gives
    return HostScalar(
        identity=name,
        name=operation if "." in operation else f"arith.{operation}",
        arguments=arguments,
        outputs=(Value(name, kind),),
        attributes=tuple(attributes),
    )


def number(value: int, kind: ScalarType = I32) -> Literal:
    return Literal(value, kind)


def compare(name: str, predicate: str, left: Scalar, right: Scalar) -> HostScalar:
    attributes = (("predicate", PREDICATES[predicate]),)
    return host(name, "cmpi", left, right, gives=I1, attributes=attributes)


def negation(name: str, of: Scalar) -> HostScalar:
    return host(name, "xori", of, TRUE)


def kept(name: str, *sources: Scalar) -> OptimizationBarrier:
    """What nothing is known of; results `name`, or `name#0`, `name#1`, … of several."""
    names = [name] if len(sources) == 1 else [f"{name}#{place}" for place in range(len(sources))]
    outputs = tuple(Value(one, source.type) for one, source in zip(names, sources, strict=True))
    values = tuple(source for source in sources if isinstance(source, Value))
    assert len(values) == len(sources)
    return OptimizationBarrier(identity=name, sources=values, outputs=outputs)


def one_block(*operations: Operation, arguments: Sequence[Value] = ()) -> Region:
    return Region((Block(operations, tuple(arguments)),))


def yields(*values: Scalar) -> Yield:
    return Yield(identity="yield", values=values)


def returns(*values: Scalar) -> Return:
    return Return(identity="return", values=values)


def body_of(*operations: Operation, gives: Sequence[Scalar]) -> Region:
    """The body of a function of one block."""
    return one_block(*operations, returns(*gives), arguments=ARGUMENTS)


def canonical_body(region: Region) -> Region:
    """What the pass `canonicalize` leaves of a body."""
    function = Function("f", region, ())
    (found,) = canonicalize(Program((), (function,)), RELEASE).functions
    return found.body


def merged_body(region: Region) -> Region:
    """What the rewriter's default configuration leaves, which also makes one of equal blocks."""
    return patterns_applied(region, FOLDS, RELEASE)


def folded(*operations: Operation, gives: Sequence[Scalar]) -> Region:
    return canonical_body(body_of(*operations, gives=gives))


def left(region: Region) -> list[str]:
    """The ops in order, nested ones after the op around: `kind@identity` but for terminators, the
    identity without the number of a copy."""
    return [_kind(one) if one.terminator else _told(one) for one in walk(region)]


def _told(operation: Operation) -> str:
    return f"{_kind(operation)}@{operation.identity.partition('~')[0]}"


def _kind(operation: Operation) -> str:
    if isinstance(operation, HostScalar | OpaqueOperation):
        return operation.name.rpartition(".")[2]
    return operation.mnemonic.rpartition(".")[2]


def given(region: Region) -> tuple[Scalar, ...]:
    """What the function returns."""
    (last,) = [operation for operation in walk(region) if isinstance(operation, Return)]
    return last.values


def blocks(first: Sequence[Operation], *others: Contents) -> Region:
    """A body: the ops of the entry, then the arguments and ops of each further block."""
    whole = [Block(tuple(first), ARGUMENTS)]
    whole += [Block(tuple(operations), tuple(arguments)) for arguments, operations in others]
    return Region(tuple(whole))


def go(block: int, *values: Scalar) -> Branch:
    return Branch(identity=f"to_{block}", target=Successor(block, values))


def fork(
    then: int,
    otherwise: int,
    condition: Scalar = C,
    gives: tuple[Sequence[Scalar], Sequence[Scalar]] = ((), ()),
) -> ConditionalBranch:
    return ConditionalBranch(
        identity="fork", condition=condition, then=Successor(then, tuple(gives[0])),
        otherwise=Successor(otherwise, tuple(gives[1])),
    )  # fmt: skip


def kinds(region: Region) -> list[list[str]]:
    """The ops of each block."""
    return [left(Region((block,))) for block in region.blocks]
