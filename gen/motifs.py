"""Motifs: groups of ops that random single ops seldom form, and that compilers get wrong.

Each makes its ops on one value it picks, and leaves results for others to use.
"""

from __future__ import annotations

from collections.abc import Callable

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.ops import (
    alloca,
    barrier,
    cast,
    clone,
    constant,
    copy,
    dispatch,
    fill,
    load,
    slice,
    source,
    splat,
    store,
    tensor_export,
    tensor_import,
    transfer,
    update,
)
from reference.ops.assembly import Range
from reference.types import Lifetime


def fan_out(builder: Builder) -> None:
    """One value is sent to every home but its own; three ops read it where there are not three."""
    chosen = source.any_value(builder)
    homes = [home for home in builder.homes if home != chosen.home]
    for home in homes:
        transfer.make(builder, chosen, home)
    for _ in range(3 - len(homes)):
        clone.make(builder, chosen)


def round_trip(builder: Builder) -> None:
    """A→B→A, with or without work on B; the original may be written over at the end."""
    chosen = source.any_value(builder)
    away = transfer.make(builder, chosen, builder.other_home(chosen.home))
    if builder.choices.chance(0.5):
        away = work(builder, away)
    back = transfer.make(builder, away, chosen.home)
    if builder.may_overwrite(chosen) and builder.choices.chance(0.3):
        write(builder, chosen)
    elif builder.choices.chance(0.5):
        dispatch.make(builder, (chosen, back), None, None)


def chain(builder: Builder) -> None:
    """A transfer of a transfer of a transfer."""
    chosen = source.any_value(builder)
    for _ in range(builder.choices.integer(2, 4)):
        chosen = transfer.make(builder, chosen, builder.other_home(chosen.home))


def diamond(builder: Builder) -> None:
    """One value is sent to two homes; what is made of it there meets again."""
    chosen = source.any_value(builder)
    left = transfer.make(builder, chosen, builder.other_home(chosen.home))
    right = transfer.make(builder, chosen, builder.other_home(chosen.home))
    if builder.choices.chance(0.6):
        left = work(builder, left)
    if builder.choices.chance(0.4):
        right = work(builder, right)
    meeting = builder.home()
    if left.home != meeting:
        left = transfer.make(builder, left, meeting)
    if right.home != meeting:
        right = transfer.make(builder, right, meeting)
    dispatch.make(builder, (left, right), None, None)


def write_after_send(builder: Builder) -> None:
    """A value is sent away, then written in place while what was sent is still to be read."""
    chosen = source.target(builder)
    if builder.is_hollow(chosen):
        chosen = write(builder, chosen)
    transfer.make(builder, chosen, builder.other_home(chosen.home))
    written = write(builder, chosen)
    if builder.choices.chance(0.5):
        transfer.make(builder, written, builder.other_home(written.home))


def send_both(builder: Builder) -> None:
    """A value is written in place, then both the old and the new value are sent away."""
    chosen = source.target(builder)
    if builder.is_hollow(chosen):
        chosen = write(builder, chosen)
    written = write(builder, chosen)
    home = builder.other_home(chosen.home)
    old = transfer.make(builder, chosen, home)
    new = transfer.make(builder, written, home)
    if builder.choices.chance(0.5):
        dispatch.make(builder, (old, new), None, None)


def concatenation(builder: Builder) -> None:
    """Two halves, from here or from another device, are written into an alloca or over a value."""
    whole = alloca.add(builder) if builder.choices.chance(0.7) else source.target(builder)
    size = whole.value.size
    if not isinstance(size, int) or size < 8:
        write(builder, whole)
        return
    half = size // 8 * 4
    low, high = _part(builder, whole, half), _part(builder, whole, size - half)
    written = update.write(builder, low, whole, 0)
    # Until the second half is written, nobody may read the first.
    builder.values.remove(written)
    update.write(builder, high, written, half)


def staging_trip(builder: Builder) -> None:
    """A value goes to staging, is loaded from, and a copy of it stored to, and comes back."""
    chosen = source.any_value(builder)
    read = transfer.make(builder, chosen, chosen.home, Lifetime.STAGING)
    load.make(builder, read)
    if builder.choices.chance(0.6):
        private = transfer.make(builder, chosen, builder.home(), Lifetime.STAGING)
        stored = store.make(builder, private)
        transfer.make(builder, stored, stored.home)
    if builder.choices.chance(0.4):
        splat.add(builder)


def pinned(builder: Builder) -> None:
    """The result of a transfer is exported, once or twice, as it is or through ops in place.

    Where exports say `on(…)`, they pin the result, and through ties what it was made of.
    """
    if builder.stream:
        tensor_export.add(builder)
        return
    choices = builder.choices
    chosen = tensor_import.add(builder) if choices.chance(0.4) else source.any_value(builder)
    sent = transfer.make(builder, chosen, builder.other_home(chosen.home), Lifetime.EXTERNAL)
    for _ in range(choices.integer(1, 3)):
        tensor_export.make(builder, sent)
        if choices.chance(0.4):
            sent = fill.make(builder, sent)
    if choices.chance(0.3):
        write(builder, sent)


def tied_chain(builder: Builder) -> None:
    """A value under one lifetime after the other, always the same storage, pinned at the ends.

    What reads the values in between reads pinned memory without any import or export in sight.
    """
    choices = builder.choices
    chosen = choices.weighted(_CHAIN_STARTS)(builder)
    if choices.chance(0.4):
        transfer.make(builder, chosen, builder.other_home(chosen.home))
    for _ in range(choices.integer(3, 6)):
        kind = choices.integer(0, 6)
        if kind <= 1 and not builder.stream:
            chosen = cast.make(builder, chosen)
        elif kind == 2:
            chosen = barrier.make(builder, chosen)
        elif kind <= 4:
            read(builder, chosen)
        elif builder.may_overwrite(chosen):
            chosen = write(builder, chosen)
    if choices.chance(0.7):
        tensor_export.make(builder, tensor_export.external(builder, chosen, tied=True))


_CHAIN_STARTS: Weighted[Callable[[Builder], Slot]] = Weighted.of(
    (
        (tensor_import.add, 5.0),
        (source.any_value, 3.0),
        (constant.add, 2.0),
        (splat.add, 0.5),
        (tensor_import.add_argument, 0.5),
    )
)

MOTIFS: dict[str, Callable[[Builder], None]] = {
    motif.__name__: motif
    for motif in (
        fan_out, round_trip, chain, diamond, write_after_send, send_both, concatenation,
        staging_trip, pinned, tied_chain,
    )
}  # fmt: skip
"""Every motif by its name, as profiles give it a weight."""


def work(builder: Builder, chosen: Slot) -> Slot:
    """Something made of `chosen` where it lives, in place or not."""
    if builder.may_overwrite(chosen) and builder.choices.chance(0.6):
        return write(builder, chosen)
    return dispatch.make(builder, (chosen,), None, None)


def read(builder: Builder, chosen: Slot) -> None:
    """Some op that reads `chosen` and leaves it as it is."""
    kind = builder.choices.integer(0, 4)
    if kind == 0:
        transfer.make(builder, chosen, builder.other_home(chosen.home))
    elif kind == 1:
        transfer.make(builder, chosen, chosen.home)
    elif kind == 2:
        clone.make(builder, chosen)
    elif kind == 3:
        copy.make_from(builder, chosen)
    else:
        update.make_from(builder, chosen)


def write(builder: Builder, target: Slot) -> Slot:
    """`target` written in place by some op."""
    kind = builder.choices.integer(0, 4)
    if kind == 0:
        return fill.make(builder, target)
    if kind == 1:
        return update.make(builder, target)
    if kind == 2:
        return copy.make(builder, target)
    return dispatch.make(builder, (), target, None)


def _part(builder: Builder, whole: Slot, length: int) -> Slot:
    """A value of `length` bytes at the home of `whole` that is not `whole`."""
    candidates = [
        slot for slot in builder.values if slot.bytes >= length and slot.root != whole.root
    ]
    if not candidates:
        return splat.make(builder, whole.home, length)
    part = builder.choose(candidates)
    if part.value.size != length:
        part = slice.make(builder, part, Range.of(0, length))
    if part.home != whole.home:
        part = transfer.make(builder, part, whole.home)
    return part
