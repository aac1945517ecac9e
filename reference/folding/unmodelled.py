"""Arithmetic that MLIR simplifies and the model does not: it is refused, by name.

The folds are in mlir/lib/Dialect/Arith/IR/ArithOps.cpp, the patterns in ArithCanonicalization.td
beside it. What is refused is a little more than what they match, never less.
"""

from __future__ import annotations

from reference.folding.constants import same_value
from reference.folding.nodes import Node
from reference.folding.rewriter import Rewriter
from reference.ir import UnsupportedOperationError
from reference.ops import HostScalar
from reference.types import Scalar

_SUMS = frozenset({"arith.addi", "arith.subi"})
_EXTENSIONS = frozenset({"arith.extsi", "arith.extui"})
_CASTS = _EXTENSIONS | {
    f"arith.{name}"
    for name in (
        "trunci", "index_cast", "index_castui", "extf", "truncf", "sitofp", "uitofp", "fptosi",
        "fptoui", "bitcast",
    )
}  # fmt: skip

_CAST_OF = {**dict.fromkeys(_CASTS, _CASTS), "arith.negf": frozenset({"arith.negf"})}
"""Ops of one operand that are simplified with the op that makes it."""

_RELATED = {
    "arith.addi": _SUMS | {"arith.muli"},
    "arith.subi": _SUMS,
    "arith.muli": frozenset({"arith.muli"}),
    "arith.divsi": frozenset({"arith.muli"}),
    "arith.divui": frozenset({"arith.muli"}),
    "arith.andi": frozenset({"arith.andi"}),
    "arith.ori": frozenset({"arith.ori"}),
    "arith.xori": frozenset({"arith.xori"}),
    "arith.select": frozenset({"arith.cmpi"}),
}
"""Ops that are simplified with the op that makes an operand, where the two have an operand in
common or the inner one, unless it compares, has a constant."""

_NEGATED = {"arith.xori": "arith.cmpi", "arith.mulf": "arith.negf", "arith.divf": "arith.negf"}
_EXTENDED = frozenset({"arith.andi", "arith.ori", "arith.xori", "arith.cmpi"})
_TRUNCATED = frozenset({"arith.shrsi", "arith.shrui", "arith.muli"})
_OF_ITSELF = frozenset(
    f"arith.{name}"
    for name in (
        "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi", "maxsi",
        "maxui", "minsi", "minui", "maximumf", "minimumf", "shli", "shrsi", "shrui",
    )
)  # fmt: skip
"""Ops that are something simple where both operands are the same."""


def refuse_combinations(rewriter: Rewriter, node: Node) -> bool:
    """Raises UnsupportedOperationError where MLIR may simplify an op that nothing else matched."""
    host = node.current
    assert isinstance(host, HostScalar)
    arguments = host.arguments
    if host.name.startswith("affine."):
        raise UnsupportedOperationError(f"folding {host.name}")
    if host.name in _OF_ITSELF and same_value(*arguments):
        raise UnsupportedOperationError(f"folding {host.name} of the same value twice")
    makers = [rewriter.defining(argument, HostScalar) for argument in arguments]
    for argument, inner in zip(arguments, makers, strict=True):
        if inner is not None and _simplified(rewriter, host, inner, argument):
            raise UnsupportedOperationError(f"folding {host.name} of {inner.name}")
    if host.name in _EXTENDED and all(_is_extension(maker) for maker in makers):
        raise UnsupportedOperationError(f"folding {host.name} of extended values")
    return False


def _simplified(rewriter: Rewriter, outer: HostScalar, inner: HostScalar, value: Scalar) -> bool:
    if inner.name in _CAST_OF.get(outer.name, ()) or _NEGATED.get(outer.name) == inner.name:
        return True
    if outer.name == "arith.trunci" and inner.name in _TRUNCATED:
        return True
    if inner.name not in _RELATED.get(outer.name, ()):
        return False
    others = [argument for argument in outer.arguments if argument is not value]
    if any(same_value(item, other) for item in inner.arguments for other in others):
        return True
    constants = any(rewriter.constant_of(item) is not None for item in inner.arguments)
    return constants and inner.name != "arith.cmpi"


def _is_extension(maker: HostScalar | None) -> bool:
    return maker is not None and maker.name in _EXTENSIONS
