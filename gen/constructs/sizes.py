"""Sizes that the host computes, and sizes that it asks a resource for."""

from __future__ import annotations

from gen.builder import Builder
from gen.constructs import select
from gen.constructs.host import host
from gen.ops import source, splat
from reference.ops import ResourceSize
from reference.types import INDEX, Literal, Value, known_bytes

_KNOWN = (48, 64, 100, 200)
_ALIGNMENTS = (64, 16, 32)
_NO_OVERFLOW = ("overflowFlags", "#arith.overflow<none>")


def add_computed(builder: Builder) -> None:
    """A size made of an argument and of constants, mostly a multiple of something, and a value."""
    choices = builder.choices
    known = choices.pick(_KNOWN)
    start = Literal(known, INDEX) if choices.chance(0.2) else None
    if start is None:
        size = builder.body.argument(Value(builder.name(), INDEX, None, known))
        first = _align(builder, size, choices.pick(_ALIGNMENTS))
    else:
        first = _align(builder, start, choices.pick(_ALIGNMENTS))
    if choices.chance(0.4):
        first = _align(builder, first, choices.pick(_ALIGNMENTS))
    # MLIR makes one op of two sums or products with constants, by rules that the model lacks.
    way = choices.integer(0, 2)
    if way == 1:
        first = _sum(builder, first, choices.pick((0, 16, 64)))
    elif way == 2:
        first = _product(builder, first, choices.pick((1, 2)))
    for _ in range(choices.integer(0, 2)):
        first = _align(builder, first, choices.pick(_ALIGNMENTS))
    builder.body.sizes.append(first)
    splat.make(builder, builder.home(), first)


def _sum(builder: Builder, size: Value, other: int) -> Value:
    known = known_bytes(size)
    assert known is not None
    pair = (size, Literal(other, INDEX))
    return host(builder, "arith.addi", pair, INDEX, _NO_OVERFLOW, known + other)


def _product(builder: Builder, size: Value, other: int) -> Value:
    known = known_bytes(size)
    assert known is not None
    pair = (size, Literal(other, INDEX))
    return host(builder, "arith.muli", pair, INDEX, _NO_OVERFLOW, known * other)


def _align(builder: Builder, size: Value | Literal, alignment: int) -> Value:
    """A size, or what comes after it up to the next multiple of `alignment`."""
    known = int(size.value) if isinstance(size, Literal) else known_bytes(size)
    assert known is not None
    return host(
        builder,
        "util.align",
        (size, Literal(alignment, INDEX)),
        INDEX,
        None,
        -(-known // alignment) * alignment,
    )


def add_asked(builder: Builder) -> None:
    """How long a value is, one that a select gives or any other, for kernels to take."""
    chance = builder.choices.chance
    chosen = select.add(builder) if chance(0.5) else source.any_value(builder)
    result = Value(builder.name(), INDEX)
    builder.emit(
        ResourceSize(identity=builder.identity(), source=builder.read(chosen), result=result)
    )
    builder.define_scalar(result)
