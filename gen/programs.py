"""Random programs: `program` by seed and number, `generate` from any source of choices."""

from __future__ import annotations

from collections.abc import Callable

from gen.builder import Builder, Slot
from gen.choices import Choices, SeededChoices, Weighted
from gen.motifs import MOTIFS
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
    splat,
    store,
    tensor_export,
    tensor_import,
    transfer,
    update,
)
from gen.profiles import Profile
from reference.ir import Block, Function, Program, Region
from reference.ops import Return
from reference.types import Lifetime, Value

Step = Callable[[Builder], object]

OPERATIONS: dict[str, Step] = {
    "splat": splat.add, "transfer": transfer.add, "dispatch": dispatch.add, "fill": fill.add,
    "update": update.add, "copy": copy.add, "clone": clone.add, "slice": slice.add,
    "cast": cast.add, "barrier": barrier.add, "alloca": alloca.add, "constant": constant.add,
    "import": tensor_import.add, "argument": tensor_import.add_argument,
    "export": tensor_export.add, "load": load.add, "store": store.add,
}  # fmt: skip
"""Every single op by the name under which profiles give it a weight."""

_STREAM_LACKS = ("cast",)
"""What IREE's conversion to `!stream.resource<*>` never makes."""

_step_tables: dict[tuple[Profile, bool], Weighted[Step]] = {}


def program(seed: int, index: int, profile: Profile) -> Program:
    """Program number `index` of a run with that seed; the same on any machine and Python."""
    return generate(SeededChoices(f"{seed}:{index}"), profile)


def generate(choices: Choices, profile: Profile) -> Program:
    """A well-formed program of one function, but for lifetimes where the profile takes any.

    In programs with any lifetimes, values may be variable or constant that IREE's own conversion
    would give another lifetime; nothing else keeps them from being well-formed.
    """
    builder = Builder(choices, profile)
    steps = _steps(profile, builder.stream)

    def step() -> None:
        choices.weighted(steps)(builder)

    while choices.more(len(builder.operations), profile.minimum, profile.average, profile.maximum):
        choices.unit(step)
    returned = _close(builder)
    builder.emit(Return(identity=builder.identity(), values=returned))
    body = Region((Block(tuple(builder.operations), tuple(builder.arguments)),))
    function = Function("main", body, tuple(value.type for value in returned))
    return Program(builder.devices, (function,))


def _nothing(builder: Builder) -> None:
    """The simplest step: shrinking makes it of a step it cannot delete at once, then deletes it."""


def _steps(profile: Profile, stream: bool) -> Weighted[Step]:
    key = (profile, stream)
    table = _step_tables.get(key)
    if table is None:
        table = Weighted.of(
            [(_nothing, 1e-9)]
            + [
                (OPERATIONS[name], 0.0 if stream and name in _STREAM_LACKS else weight)
                for name, weight in profile.operations
            ]
            + [(MOTIFS[name], weight) for name, weight in profile.motifs]
        )
        _step_tables[key] = table
    return table


def _close(builder: Builder) -> tuple[Value, ...]:
    """Uses what is unused, so that little of the program is dead; what the function returns."""
    returned: list[Value] = []
    for slot in tuple(builder.hollow):
        fill.make(builder, slot)
    for slot in _unused(builder, builder.staging):
        if builder.choices.chance(0.5):
            returned.append(builder.read(slot))
        else:
            transfer.make(builder, slot, builder.home())
    for home in builder.homes:
        _join(builder, [slot for slot in _unused(builder, builder.values) if slot.home == home])
    for slot in _unused(builder, builder.values):
        # Left dead is the simplest: a value that a shrunk program does not need costs no choices.
        if not builder.choices.chance(1 - builder.profile.dead):
            continue
        leaving = tensor_export.external(builder, slot)
        if builder.choices.chance(0.7):
            tensor_export.make(builder, leaving)
        else:
            returned.append(builder.read(leaving))
    return (*builder.views, *returned, *builder.unused_scalars.values())


def _join(builder: Builder, slots: list[Slot]) -> None:
    """Lets kernels read several values of one home at a time, until few are left.

    Where lifetimes are any, more are left: exports then pin more kinds of storage.
    """
    while len(slots) > (4 if builder.any_lifetimes else 2):
        taken, slots = slots[:3], slots[3:]
        distinct = {slot.root: slot for slot in taken}
        lifetime = Lifetime.UNKNOWN if builder.stream else Lifetime.EXTERNAL
        slots.append(dispatch.make(builder, tuple(distinct.values()), None, lifetime))


def _unused(builder: Builder, slots: list[Slot]) -> list[Slot]:
    return [slot for slot in slots if not slot.uses]
