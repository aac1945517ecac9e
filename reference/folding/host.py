"""Arithmetic of the host, as far as programs of the model compute with constants.

Rules from mlir/lib/Dialect/Arith/IR/ArithOps.cpp. Whatever else may fold where a constant is among
the operands is refused, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from reference.folding.align import fold_align
from reference.folding.constants import integer_bits, same_value, signed, truth, value_key
from reference.folding.layouts import Input, as_scalar
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.folding.rules import Pattern, Rules
from reference.folding.unmodelled import refuse_combinations
from reference.ir import UnsupportedOperationError
from reference.ops import HostScalar
from reference.types import I1, INDEX, Index, Literal, Scalar, ScalarType

_COMMUTATIVE = frozenset({"arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori"})

_BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda left, right: left + right,
    "arith.subi": lambda left, right: left - right,
    "arith.muli": lambda left, right: left * right,
    "arith.andi": lambda left, right: left & right,
    "arith.ori": lambda left, right: left | right,
    "arith.xori": lambda left, right: left ^ right,
}

_EXTENSIONS = frozenset({"arith.extsi", "arith.extui"})
_CASTS = _EXTENSIONS | {"arith.trunci", "arith.index_cast", "arith.index_castui"}
_DIVISIONS = frozenset({"arith.divsi", "arith.divui", "arith.remsi", "arith.remui"})
_ALIGN = "util.align"

_SIGNED: tuple[Callable[[int, int], bool], ...] = (
    lambda left, right: left == right,
    lambda left, right: left != right,
    lambda left, right: left < right,
    lambda left, right: left <= right,
    lambda left, right: left > right,
    lambda left, right: left >= right,
)
"""`arith.cmpi`'s predicates 0 to 5; those that follow are 2 to 5 on unsigned numbers."""

_MIRRORED = {2: 4, 3: 5, 4: 2, 5: 3, 6: 8, 7: 9, 8: 6, 9: 7}
"""The predicate that says the same with the operands the other way round, where it is another."""

CONTRARY = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2, 6: 9, 7: 8, 8: 7, 9: 6}
"""The predicate that holds where another does not."""

_REFLEXIVE = frozenset({0, 3, 5, 7, 9})
"""The predicates that hold of a value and itself."""


def fold(rewriter: Rewriter, node: Node) -> Sequence[Input] | None:
    """What an op of the host folds to; `()` where only its operands change places."""
    host = node.current
    assert isinstance(host, HostScalar)
    constants = [rewriter.constant_of(argument) for argument in host.arguments]
    if host.name == "arith.cmpi":
        return _fold_comparison(rewriter, node, host, constants)
    if host.name == "arith.select":
        return fold_select(rewriter, host.arguments)
    if host.name in _CASTS:
        return _fold_cast(rewriter, node, host, constants[0])
    if host.name in _DIVISIONS:
        return _fold_division(rewriter, node, host, constants)
    if host.name == _ALIGN:
        return fold_align(rewriter, node, host)
    if host.name not in _BINARY:
        if any(constant is not None for constant in constants):
            raise UnsupportedOperationError(f"folding {host.name} of constants")
        return None
    if host.name in _COMMUTATIVE and constants[0] is not None and constants[1] is None:
        swapped = (host.arguments[1], host.arguments[0])
        rewriter.body.set_operation(node, replace(host, arguments=swapped))
        return ()
    return _fold_binary(rewriter, node, host, constants)


def fold_select(rewriter: Rewriter, arguments: Sequence[Input]) -> Sequence[Input] | None:
    """`arith::SelectOp::fold`: both values the same, a constant condition, or one that decides
    which value it is."""
    condition, then, otherwise = arguments
    if same_value(then, otherwise):
        return (then,)
    chosen = truth(rewriter.constant_of(condition))
    if chosen is not None:
        return (then if chosen else otherwise,)
    constants = [rewriter.constant_of(item) for item in (then, otherwise)]
    known = None not in constants
    if known and is_i1(constants[0]) and truth(constants[0]) and not truth(constants[1]):
        return (condition,)
    if (equal := _says_equal(rewriter, condition, (then, otherwise))) is not None:
        return (otherwise if equal else then,)
    return None


def _says_equal(rewriter: Rewriter, condition: Input, values: tuple[Input, Input]) -> bool | None:
    """Whether a condition is that two values are the same, or False for that they are not; None
    where it is about something else."""
    host = rewriter.defining(condition, HostScalar)
    if host is None or host.name != "arith.cmpi" or predicate_of(host) > 1:
        return None
    one, other = host.arguments
    if all(map(same_value, values, (one, other))) or all(map(same_value, values, (other, one))):
        return predicate_of(host) == 0
    return None


def add(rewriter: Rewriter, left: Index, right: Index, identity: str, before: Node) -> Index:
    """`createOrFold<arith::AddIOp>`: a sum of indices, or the op that computes it."""
    one, other = rewriter.constant_of(left), rewriter.constant_of(right)
    if other == 0:
        return left
    if isinstance(one, int) and isinstance(other, int):
        return rewriter.make_constant(one + other, identity, before)
    host = HostScalar(
        identity=identity,
        name="arith.addi",
        arguments=(as_scalar(left), as_scalar(right)),
        outputs=(rewriter.fresh(INDEX),),
        attributes=_NO_OVERFLOW,
    )
    return rewriter.insert(host, before).results[0]


def is_negation(rewriter: Rewriter, condition: Input) -> Scalar | None:
    """What a condition is the negation of (`arith.xori` with true); None where it is none."""
    host = rewriter.defining(condition, HostScalar)
    return None if host is None else is_negation_of(rewriter, host)


def is_negation_of(rewriter: Rewriter, host: HostScalar) -> Scalar | None:
    """What an op gives the negation of; None where it gives something else."""
    if host.name != "arith.xori" or not truth(rewriter.constant_of(host.arguments[1])):
        return None
    return host.arguments[0]


def _fold_binary(
    rewriter: Rewriter, node: Node, host: HostScalar, constants: list[int | Literal | None]
) -> Sequence[Input] | None:
    left, right = host.arguments
    kind = host.outputs[0].type
    assert isinstance(kind, ScalarType)
    if constants[1] is not None:
        known = _fold_with_constant(rewriter, node, host, _number(constants[1]), kind)
        if known is not None or constants[0] is None:
            return known
        value = _BINARY[host.name](_number(constants[0]), _number(constants[1]))
        return (_made(rewriter, node, value, kind),)
    if same_value(left, right):
        if host.name in ("arith.subi", "arith.xori"):
            return (_made(rewriter, node, 0, kind),)
        if host.name in ("arith.andi", "arith.ori"):
            return (left,)
    if host.name in ("arith.andi", "arith.ori") and _are_contrary(rewriter, left, right):
        return (_made(rewriter, node, 0 if host.name == "arith.andi" else -1, kind),)
    if host.name == "arith.andi":
        return _fold_nested_and(rewriter, left, right)
    if host.name == "arith.xori":
        return _fold_nested_xor(rewriter, left, right)
    return None


def _fold_with_constant(
    rewriter: Rewriter, node: Node, host: HostScalar, number: int, kind: ScalarType
) -> Sequence[Input] | None:
    """The right operand is a constant. What an operand is already is not made again, so that
    nothing is in the place of the op."""
    left, right = host.arguments
    neutral = {"arith.muli": 1, "arith.andi": -1}.get(host.name, 0)
    if number == neutral or (neutral and kind == I1 and number & 1):
        return (left,)
    if host.name in ("arith.muli", "arith.andi") and number == 0:
        return (right,)
    if host.name == "arith.ori" and (number == -1 or (kind == I1 and number & 1)):
        return (_made(rewriter, node, -1, kind),)
    if host.name == "arith.xori":
        return _fold_nested_xor(rewriter, *host.arguments)
    return None


_NO_OVERFLOW = (("overflowFlags", "#arith.overflow<none>"),)


def _fold_nested_and(rewriter: Rewriter, left: Scalar, right: Scalar) -> Sequence[Input] | None:
    """`foldAndIofAndI`: and of an and with one of its operands."""
    for inner, other in ((left, right), (right, left)):
        host = rewriter.defining(inner, HostScalar)
        if host is None or host.name != "arith.andi":
            continue
        if any(same_value(argument, other) for argument in host.arguments):
            return (inner,)
    return None


def _are_contrary(rewriter: Rewriter, left: Scalar, right: Scalar) -> bool:
    """`AndIOp::fold`, `OrIOp::fold`: whether one of two numbers has the bits the other lacks."""
    for inner, other in ((left, right), (right, left)):
        host = rewriter.defining(inner, HostScalar)
        if host is None or host.name != "arith.xori" or not same_value(host.arguments[0], other):
            continue
        constant = rewriter.constant_of(host.arguments[1])
        if constant is not None and _number(constant) == -1:
            return True
    return False


def _fold_nested_xor(rewriter: Rewriter, left: Scalar, right: Scalar) -> Sequence[Input] | None:
    """`XOrIOp::fold`: an exclusive or of an exclusive or and one of its operands is the other."""
    for inner, other in ((left, right), (right, left)):
        host = rewriter.defining(inner, HostScalar)
        if host is None or host.name != "arith.xori":
            continue
        one, two = host.arguments
        if same_value(two, other):
            return (one,)
        if same_value(one, other):
            return (two,)
    return None


def negated_comparison(rewriter: Rewriter, node: Node) -> bool:
    """`XOrINotCmpI`: the contrary of a comparison is the contrary comparison."""
    host = node.current
    assert isinstance(host, HostScalar)
    if host.name != "arith.xori":
        return False
    comparison = rewriter.defining(is_negation_of(rewriter, host), HostScalar)
    if comparison is None or comparison.name != "arith.cmpi":
        return False
    contrary = (("predicate", str(CONTRARY[predicate_of(comparison)])),)
    made = replace(
        comparison,
        identity=f"{host.identity}+{comparison.identity}",
        outputs=(rewriter.fresh(I1),),
        attributes=contrary,
    )
    rewriter.replace_with(node, made)
    return True


def _fold_comparison(
    rewriter: Rewriter, node: Node, host: HostScalar, constants: list[int | Literal | None]
) -> Sequence[Input] | None:
    left, right = host.arguments
    predicate = predicate_of(host)
    if same_value(left, right):
        return (_made(rewriter, node, int(predicate in _REFLEXIVE), I1),)
    if constants[0] is None and constants[1] is None:
        return None
    if constants[0] is not None and constants[1] is not None:
        one, other = _number(constants[0]), _number(constants[1])
        if predicate > 5:
            one, other = _unsigned(one, _kind(left)), _unsigned(other, _kind(left))
        holds = _SIGNED[predicate if predicate < 6 else predicate - 4](one, other)
        return (_made(rewriter, node, int(holds), I1),)
    if constants[0] is not None:
        swapped = (("predicate", str(_MIRRORED.get(predicate, predicate))),)
        changed = replace(host, arguments=(right, left), attributes=swapped)
        rewriter.body.set_operation(node, changed)
        return ()
    if _kind(left) == I1 and truth(constants[1]) == (predicate == 0) and predicate in (0, 1):
        return (left,)
    inner = rewriter.defining(left, HostScalar)
    if inner is not None and inner.name in _EXTENSIONS and _is_zero(constants[1]):
        (extended,) = inner.arguments
        if predicate == 1 and extended.type == I1:
            return (extended,)
    return None


def predicate_of(host: HostScalar) -> int:
    """The predicate of an `arith.cmpi`."""
    return int(dict(host.attributes)["predicate"].partition(" ")[0])


def _is_zero(constant: int | Literal | None) -> bool:
    """Whether a constant is 0."""
    return constant is not None and _number(constant) == 0


def _fold_cast(
    rewriter: Rewriter, node: Node, host: HostScalar, constant: int | Literal | None
) -> Sequence[Input] | None:
    """A constant in another integer type."""
    (argument,) = host.arguments
    kind = host.outputs[0].type
    assert isinstance(kind, ScalarType)
    if constant is not None:
        number = _number(constant)
        if host.name in ("arith.extui", "arith.index_castui"):
            number = _unsigned(number, _kind(argument))
        return (_made(rewriter, node, number, kind),)
    return None


def _fold_division(
    rewriter: Rewriter, node: Node, host: HostScalar, constants: list[int | Literal | None]
) -> Sequence[Input] | None:
    """A division by one, or of constants by a constant that is not zero."""
    kind = host.outputs[0].type
    assert isinstance(kind, ScalarType)
    if constants[1] is None:
        if constants[0] is not None:
            raise UnsupportedOperationError(f"folding {host.name} of constants")
        return None
    divisor = _number(constants[1])
    if divisor == 1 or (kind == I1 and divisor & 1):
        whole = host.name.startswith("arith.div")
        return (host.arguments[0] if whole else _made(rewriter, node, 0, kind),)
    if constants[0] is None:
        return None
    if divisor == 0:
        raise UnsupportedOperationError(f"folding {host.name} by zero")
    dividend = _number(constants[0])
    if host.name.endswith("ui"):
        dividend, divisor = _unsigned(dividend, kind), _unsigned(divisor, kind)
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    whole = host.name.startswith("arith.div")
    return (_made(rewriter, node, quotient if whole else dividend - quotient * divisor, kind),)


def _made(rewriter: Rewriter, node: Node, value: int, kind: ScalarType) -> Input:
    """A constant of a type, made before an op."""
    number = signed(Literal(value, kind))
    assert isinstance(number, int)
    constant = number if kind == INDEX else Literal(number, kind)
    return rewriter.make_constant(constant, node.current.identity, node)


def _unsigned(number: int, kind: ScalarType) -> int:
    return number & (1 << integer_bits(kind)) - 1


def _number(constant: int | Literal | None) -> int:
    assert constant is not None
    _, number = value_key(constant)
    assert isinstance(number, int)
    return number


def _kind(argument: Scalar) -> ScalarType:
    assert isinstance(argument.type, ScalarType)
    return argument.type


def is_i1(constant: int | Literal | None) -> bool:
    """Whether it is a constant condition."""
    return isinstance(constant, Literal) and constant.type == I1


RULES = Rules(
    fold, (Pattern(negated_comparison, benefit=2), Pattern(refuse_combinations, benefit=0))
)
