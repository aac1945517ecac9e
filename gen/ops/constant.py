"""`stream.async.constant`."""

from __future__ import annotations

from gen.builder import Builder, Home, Slot
from gen.ops import transfer
from reference.ops import Constant
from reference.types import DEVICE_LIFETIMES, Lifetime

_SIZES = (16, 8, 32, 64)


def add(builder: Builder) -> Slot:
    """Bytes known at compile time; of lifetime constant as IREE's conversion does.

    At level `stream` a transfer to `*` follows.
    """
    choices = builder.choices
    home = builder.home()
    size = builder.size()
    length = size if isinstance(size, int) else choices.pick(_SIZES)
    lifetime = choices.pick(DEVICE_LIFETIMES) if builder.any_lifetimes else Lifetime.CONSTANT
    slot = make(builder, home, length, lifetime)
    if builder.stream:
        builder.values.remove(slot)
        return transfer.make(builder, slot, home)
    return slot


def make(builder: Builder, home: Home, length: int, lifetime: Lifetime = Lifetime.CONSTANT) -> Slot:
    """`length` bytes known at compile time."""
    result = builder.new_value(lifetime, length)
    builder.emit(
        Constant(
            identity=builder.identity(),
            elements=_elements(builder, length),
            length=length,
            result=result,
            affinity=builder.unsaid(home),
        )
    )
    return builder.define(result, home)


def _elements(builder: Builder, length: int) -> str:
    choices = builder.choices
    count = length // 4
    if choices.chance(0.5):
        return f"dense<{choices.integer(0, 9)}> : tensor<{count}xi32>"
    first = choices.integer(0, 9)
    numbers = ", ".join(str(first + index) for index in range(count))
    return f"dense<[{numbers}]> : tensor<{count}xi32>"
