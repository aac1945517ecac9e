"""`stream.async.update`."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.ops import source, splat
from reference.ops import Update
from reference.types import Value


def add(builder: Builder) -> Slot:
    """A whole value written over part of another, in place."""
    return make(builder, source.target(builder))


def make(builder: Builder, target: Slot) -> Slot:
    """Some value of the same home written over part of `target`."""
    hollow = builder.is_hollow(target)
    size = target.value.size
    assert size is not None
    # A source that may share the target's storage would be written over itself.
    fitting = [
        slot
        for slot in builder.at(target.home)
        if slot.root != target.root
        and (slot.value.size == size if hollow else slot.bytes <= target.bytes)
    ]
    if fitting:
        return write(builder, builder.choose(fitting), target, None)
    return write(builder, splat.make(builder, target.home, size), target, 0)


def make_from(builder: Builder, chosen: Slot) -> Slot:
    """All of `chosen` written over a value of the same home that has room for it."""
    fitting = [
        slot
        for slot in builder.in_place_candidates()
        if slot.home == chosen.home and slot.root != chosen.root and slot.bytes >= chosen.bytes
    ]
    if fitting:
        return write(builder, chosen, builder.choose_target(fitting), None)
    size = chosen.value.size
    assert size is not None
    return write(builder, chosen, splat.make(builder, chosen.home, size), 0)


def write(builder: Builder, chosen: Slot, target: Slot, start: int | None) -> Slot:
    """All of `chosen` written over `target` from byte `start`, anywhere when None."""
    length, lifetime = chosen.value.size, target.value.lifetime
    assert length is not None
    assert lifetime is not None
    if start is None:
        room = (target.bytes - chosen.bytes) // 4
        start = 4 * builder.choices.integer(0, room) if isinstance(length, int) and room else 0
    result = builder.new_value(lifetime, target.value.size)
    builder.emit(
        Update(
            identity=builder.identity(),
            source=builder.read(chosen),
            target=builder.overwrite(target),
            start=start,
            end=length if isinstance(length, Value) else start + length,
            result=result,
            affinity=builder.affinity(target.home),
        )
    )
    return builder.define(result, target.home)
