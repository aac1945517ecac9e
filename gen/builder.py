"""A program under construction: which values there are, where they live and who reads them.

The strategies in `gen/ops/` and the motifs in `gen/motifs.py` ask a `Builder` for values and give
it ops. It keeps what makes a program well-formed: every value has one home, an op reads values of
one home and runs there, only a transfer changes a home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gen.choices import Choices, Weighted
from gen.module import Module
from gen.profiles import Level, Profile, on_tensors
from gen.scope import INNER, Body, Place
from reference.affinity import Affinity
from reference.ir import Block, Operation
from reference.ops.assembly import Range
from reference.types import (
    INDEX,
    RESOURCES,
    Index,
    Lifetime,
    Literal,
    Scalar,
    ScalarType,
    Value,
    known_bytes,
)

DEVICES = ("dev_a", "dev_b", "dev_c", "dev_d")
Home = Affinity | None
"""Where a value lives; None: nowhere in particular, as everything in a program without devices."""

_STATIC_SIZES = (16, 32, 64, 8, 128)
_KNOWN_SIZES = (64, 128, 256)
_PATTERN_VALUES = (0, 1, 7, 42, -1, 85, 127)
_FLOATS = (0.5, 1.0, 2.5)
_MAXIMUM_SIZES = 3
_GIVEN_LIFETIMES = Weighted.of(
    ((Lifetime.TRANSIENT, 3.0), (Lifetime.EXTERNAL, 1.2), (Lifetime.UNKNOWN, 0.6))
)
"""What IREE's conversion makes; variable and constant flow from arguments and constants only."""
_ANY_LIFETIMES = Weighted.of(
    (
        (Lifetime.TRANSIENT, 1.0),
        (Lifetime.EXTERNAL, 0.5),
        (Lifetime.UNKNOWN, 1.0),
        (Lifetime.VARIABLE, 1.3),
        (Lifetime.CONSTANT, 1.3),
    )
)
"""Imports and exports make external values enough, and nothing else makes variable ones."""


@dataclass(slots=True, eq=False)
class Slot:
    """A resource value and what the generator knows of it."""

    value: Value
    home: Home
    root: int
    """Equal roots may share storage with no copy between: barriers and casts keep the root."""
    uses: int = 0
    storable: bool = False
    """Staging that a store may write: private memory, nobody reads it but through this value."""
    shared: bool = False
    """Memory that a global holds: what writes it in place stores it again."""

    @property
    def bytes(self) -> int:
        """The length in bytes when the program runs; every generated size is known."""
        count = known_bytes(self.value.size)
        assert count is not None
        return count


@dataclass(slots=True, eq=False)
class Scope:
    """A block under construction that was left for another one, and what its ops may take."""

    place: Place
    body: Body
    operations: list[Operation]
    values: list[Slot]
    hollow: list[Slot]
    staging: list[Slot]
    scalars: dict[ScalarType, list[Value]]
    unused_scalars: dict[str, Value]


class Builder:
    """Ops so far, the values they made, and the choices still to make."""

    def __init__(self, choices: Choices, profile: Profile) -> None:
        self.choices = choices
        self.tensors = profile.level is Level.TENSOR or choices.chance(profile.tensor_share)
        """Whether the program is written down on tensors."""
        self.profile = profile = on_tensors(profile) if self.tensors else profile
        self.steps: Mapping[Place, Weighted[Callable[[Builder], object]]] = {}
        """What may come next, by where it stands."""
        self.place = Place.ENTRY
        self.body = Body(public=True)
        self.count = 0
        """How many ops there are so far, in all bodies."""
        self.operations: list[Operation] = []
        """The ops of the block under construction."""
        self.values: list[Slot] = []
        """Device values whose bytes are all written."""
        self.hollow: list[Slot] = []
        """Allocas that nothing has written yet: only a write of all their bytes may take them."""
        self.staging: list[Slot] = []
        self.scalars: dict[ScalarType, list[Value]] = {}
        self.unused_scalars: dict[str, Value] = {}
        count = choices.weighted(_device_table(profile.device_weights))
        self.devices = DEVICES[:count]
        self.stream = (
            self.tensors or profile.level is Level.STREAM or choices.chance(profile.stream_share)
        )
        self.any_lifetimes = not self.stream and choices.chance(profile.any_lifetimes)
        self.pins = 1.0 if choices.chance(profile.all_pinned) else profile.pins
        self.homes: list[Home] = [Affinity(device) for device in self.devices]
        if choices.chance(profile.queues):
            self.homes.append(Affinity(self.devices[0], 1))
        if choices.chance(profile.absent_home):
            self.homes.append(None)
        self.module = Module(choices, profile, self.devices)
        self.homes += [home for home in self.module.queue_homes if home not in self.homes]
        self._scopes: list[Scope] = []
        self._names = 0
        self._roots = 0

    # What an op is made of.

    def identity(self) -> str:
        """The identity of the next op; taken once, before the identities of ops within it."""
        self.count += 1
        return f"op{self.count - 1}"

    def name(self) -> str:
        """A value name that is not taken."""
        self._names += 1
        return f"v{self._names - 1}"

    def emit(self, operation: Operation) -> None:
        """Append an op."""
        self.operations.append(operation)

    def own_default(self) -> Affinity | None:
        """The default affinity that a function sets for itself, None where it sets none."""
        if not self.choices.chance(self.profile.function_default):
            return None
        return Affinity(self.choices.pick(self.devices))

    def home(self) -> Home:
        """A home for a value that depends on none."""
        return self.choices.pick(self.homes)

    def other_home(self, home: Home) -> Home:
        """Another home than this one, or the same where there is no other."""
        others = [candidate for candidate in self.homes if candidate != home]
        return self.choices.pick(others) if others else home

    def affinity(self, home: Home) -> Affinity | None:
        """The `on(…)` of an op whose operands live at `home`."""
        return None if self.choices.chance(self.profile.omitted) else self.stated(home)

    def stated(self, home: Home) -> Affinity | None:
        """Where an op says that values live which live at `home`, if it says it at all."""
        return self.unsaid(self.claimed(home))

    def claimed(self, home: Home) -> Home:
        """Where an op takes values to live which live at `home`."""
        return self.home() if self.choices.chance(self.profile.stray) else home

    def unsaid(self, home: Home) -> Affinity | None:
        """`home`, or nothing where it goes without saying: by default, everything lives there."""
        default = self.body.default
        return None if default and home == default and self.choices.chance(0.5) else home

    def lifetime(self) -> Lifetime:
        """The lifetime of a new device value."""
        if self.stream:
            return Lifetime.UNKNOWN
        if self.any_lifetimes:
            return self.choices.weighted(_ANY_LIFETIMES)
        return self.choices.weighted(_GIVEN_LIFETIMES)

    def size(self) -> Index:
        """A size in bytes, mostly one that the program already uses: equal sizes combine."""
        choices, sizes = self.choices, self.body.sizes
        if sizes and (len(sizes) >= _MAXIMUM_SIZES or choices.chance(0.7)):
            return choices.pick(sizes)
        size: Index
        if choices.chance(self.profile.dynamic_sizes):
            known = choices.pick(_KNOWN_SIZES)
            size = self.body.argument(Value(f"n{len(sizes)}", INDEX, None, known))
        else:
            size = choices.pick(_STATIC_SIZES)
        if size not in sizes:
            sizes.append(size)
        return size

    def scalar(self, kind: ScalarType) -> Scalar:
        """A host scalar: loaded from staging memory where there is one, else a constant."""
        loaded = self.scalars.get(kind)
        if loaded and self.choices.chance(self.profile.loaded_scalars):
            value = self.choices.pick(loaded)
            self.unused_scalars.pop(value.name, None)
            return value
        if kind.name.startswith("f"):
            return Literal(self.choices.pick(_FLOATS), kind)
        return Literal(self.choices.pick(_PATTERN_VALUES), kind)

    def span(self, slot: Slot, width: int = 4) -> Range:
        """Bytes of a value, in multiples of `width`; those of dynamic length are all of it."""
        size = slot.value.size
        assert size is not None
        count = slot.bytes // width
        if count < 2 or not self.choices.chance(0.6):
            return Range.of(0, size)
        start = self.choices.integer(0, count - 1)
        length = self.choices.integer(1, count - start)
        return Range.of(start * width, length * width)

    # Blocks within, and bodies of their own.

    def enter(self, place: Place) -> None:
        """Start a block within this one: its ops may take what there is, `leave` forgets theirs."""
        self._push()
        self.place = place
        self.values = list(self.values)
        # What only one op may write, or only before any other op reads it, stays outside.
        self.hollow = []
        self.staging = [slot for slot in self.staging if not slot.storable]
        self.scalars = {kind: list(values) for kind, values in self.scalars.items()}

    def enter_region(self) -> None:
        """Start a region of an op that stands here."""
        self.enter(INNER[self.place])

    def enter_body(self, body: Body, place: Place) -> None:
        """Start a function or an initializer, which sees none of the values there are."""
        self._push()
        self.place, self.body = place, body
        self.values, self.hollow, self.staging, self.scalars = [], [], [], {}

    def leave(self) -> tuple[Operation, ...]:
        """Back to the block around; the ops of the block that ends here."""
        operations = tuple(self.operations)
        outer = self._scopes.pop()
        self.place, self.body, self.operations = outer.place, outer.body, outer.operations
        self.values, self.hollow, self.staging = outer.values, outer.hollow, outer.staging
        self.scalars, self.unused_scalars = outer.scalars, outer.unused_scalars
        return operations

    def _push(self) -> None:
        self._scopes.append(
            Scope(
                self.place, self.body, self.operations, self.values, self.hollow, self.staging,
                self.scalars, self.unused_scalars,
            )
        )  # fmt: skip
        self.operations, self.unused_scalars = [], {}

    def end_block(self, terminator: Operation, arguments: tuple[Value, ...]) -> None:
        """End this block of the body; the next ops stand in one that is entered with arguments."""
        self.emit(terminator)
        self.body.blocks.append(Block(tuple(self.operations), self.body.entered_with))
        self.operations, self.body.entered_with = [], arguments
        for slot in self.staging:
            # IREE's copy-on-write looks at one block at a time.
            slot.storable = False

    def made_here(self) -> list[Slot]:
        """The device values that ops of the innermost block made."""
        outer = self._scopes[-1]
        return self.values[len(outer.values) :] if outer.body is self.body else self.values

    def staging_made_here(self) -> list[Slot]:
        """The staging values that ops of the innermost block made."""
        outer = self._scopes[-1]
        return [slot for slot in self.staging if slot not in outer.staging]

    def grow(self, average: float, maximum: int) -> None:
        """Some ops more, about `average`, that fit where they stand."""
        choices, steps = self.choices, self.steps[self.place]
        taken = 0
        while self.count < self.profile.maximum and choices.more(taken, 1, average, maximum):
            choices.unit(lambda: choices.weighted(steps)(self))
            taken += 1

    # The values there are.

    def new_value(self, lifetime: Lifetime, size: Index | None) -> Value:
        """A fresh resource value; pass it to `define` once its op is emitted."""
        return Value(self.name(), RESOURCES[lifetime], size)

    def define(self, value: Value, home: Home, source: Slot | None = None) -> Slot:
        """Make a value that an op returned available; `source` is the value that it still is."""
        if source is None:
            self._roots += 1
            slot = Slot(value, home, self._roots)
        else:
            slot = Slot(value, home, source.root, shared=source.shared)
        if value.lifetime is Lifetime.STAGING:
            self.staging.append(slot)
        else:
            self.values.append(slot)
        return slot

    def define_hollow(self, value: Value, home: Home) -> Slot:
        """Make an alloca's result available to whatever overwrites it."""
        self._roots += 1
        slot = Slot(value, home, self._roots)
        self.hollow.append(slot)
        return slot

    def unite(self, slots: Iterable[Slot]) -> None:
        """Say that these values may be the same storage, which of them depending on the run."""
        united = tuple(slots)
        roots = {slot.root for slot in united}
        root, shared = min(roots), any(slot.shared for slot in united)
        if len(roots) == 1 and not shared:
            return
        known = [united, self.values, self.hollow, self.staging]
        for scope in self._scopes:
            known += [scope.values, scope.hollow, scope.staging]
        for slot in (slot for some in known for slot in some):
            if slot.root in roots:
                slot.root, slot.shared = root, shared

    def define_scalar(self, value: Value) -> None:
        """Make a scalar that an op returned available."""
        assert isinstance(value.type, ScalarType)
        self.scalars.setdefault(value.type, []).append(value)
        self.unused_scalars[value.name] = value

    def read(self, slot: Slot) -> Value:
        """The value of a slot, which an op takes."""
        slot.uses += 1
        return slot.value

    def overwrite(self, slot: Slot) -> Value:
        """The value of a slot, which an op writes in place."""
        slot.uses += 1
        if slot in self.hollow:
            self.hollow.remove(slot)
        return slot.value

    def is_hollow(self, slot: Slot) -> bool:
        """Whether a write must cover all of the value."""
        return slot in self.hollow

    def choose(self, slots: Sequence[Slot]) -> Slot:
        """One of the slots, of which there must be one; rather one that nobody reads yet."""
        unused = [slot for slot in slots if not slot.uses]
        if unused and self.choices.chance(self.profile.unused_first):
            return self.choices.pick(unused)
        return self.choices.pick(slots)

    def at(self, home: Home) -> list[Slot]:
        """The device values that live at `home`."""
        return [slot for slot in self.values if slot.home == home]

    def may_overwrite(self, slot: Slot) -> bool:
        """Whether an op may write a value in place: IREE's conversion never writes a constant."""
        if slot.shared:
            return False
        return self.any_lifetimes or slot.value.lifetime is not Lifetime.CONSTANT

    def in_place_candidates(self) -> list[Slot]:
        """What an op may write in place."""
        if self.any_lifetimes and not self.module.globals:
            return self.values
        return [slot for slot in self.values if self.may_overwrite(slot)]

    def choose_target(self, slots: Sequence[Slot]) -> Slot:
        """One of the slots to write over; rather one that others read, so that a copy is due."""
        used = [slot for slot in slots if slot.uses]
        if used and self.choices.chance(self.profile.in_place_of_used):
            return self.choices.pick(used)
        return self.choices.pick(slots)


_DEVICE_TABLES: dict[tuple[float, ...], Weighted[int]] = {}


def _device_table(weights: tuple[float, ...]) -> Weighted[int]:
    table = _DEVICE_TABLES.get(weights)
    if table is None:
        table = Weighted.of((index + 1, weight) for index, weight in enumerate(weights))
        _DEVICE_TABLES[weights] = table
    return table
