"""`stream.async.transfer`."""

from __future__ import annotations

from gen.builder import Builder, Home, Slot
from gen.ops import source
from reference.affinity import Affinity
from reference.ops import Transfer
from reference.types import Lifetime


def add(builder: Builder) -> Slot:
    """A transfer of any value, mostly to another device, sometimes to or from staging."""
    choices = builder.choices
    slots = builder.values + builder.staging
    chosen = builder.choose(slots) if slots else source.any_value(builder)
    lifetime = (
        Lifetime.STAGING
        if choices.chance(builder.profile.to_staging * (3 if chosen in builder.staging else 1))
        else None
    )
    far = choices.chance(builder.profile.cross)
    return make(builder, chosen, builder.other_home(chosen.home) if far else chosen.home, lifetime)


def make(builder: Builder, chosen: Slot, home: Home, lifetime: Lifetime | None = None) -> Slot:
    """A transfer of `chosen` to `home`, with a result of that lifetime."""
    result = builder.new_value(lifetime or builder.lifetime(), chosen.value.size)
    builder.emit(
        Transfer(
            identity=builder.identity(),
            source=builder.read(chosen),
            result=result,
            source_affinity=builder.stated(chosen.home),
            target_affinity=home,
            explicit_affinity=_explicit(builder, chosen.home, home),
        )
    )
    slot = builder.define(result, home)
    # Transfers between staging values may be elided: such a result is not private memory.
    slot.storable = (
        result.lifetime is Lifetime.STAGING and chosen.value.lifetime is not Lifetime.STAGING
    )
    return slot


def _explicit(builder: Builder, start: Home, end: Home) -> Affinity | None:
    """`on(…)`: either end, or a device that is neither."""
    choices = builder.choices
    if not choices.chance(builder.profile.explicit_on):
        return None
    if len(builder.homes) > 2 and choices.chance(0.25):
        return choices.pick([home for home in builder.homes if home not in (start, end)])
    return choices.pick((start, end))
