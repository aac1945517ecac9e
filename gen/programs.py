"""Random programs: `program` by seed and number, `generate` from any source of choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gen.builder import Builder
from gen.choices import Choices, SeededChoices, Weighted
from gen.closing import close
from gen.constructs.early_return import finish
from gen.constructs.registry import CONSTRUCTS
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
from gen.scope import Body, Place
from reference.ir import Function, Program

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

_WITH_CALLER = ("import", "argument", "export", "pinned", "tied_chain")
"""What takes from the caller of the program or gives back to it."""

_step_tables: dict[tuple[Profile, bool], Mapping[Place, Weighted[Step]]] = {}


def program(seed: int, index: int, profile: Profile) -> Program:
    """Program number `index` of a run with that seed; the same on any machine and Python."""
    return generate(SeededChoices(f"{seed}:{index}"), profile)


def generate(choices: Choices, profile: Profile) -> Program:
    """A well-formed program, but for lifetimes and homes where the profile takes any.

    In programs with any lifetimes, values may be variable or constant that IREE's own conversion
    would give another lifetime; nothing else keeps them from being well-formed.
    """
    builder = Builder(choices, profile)
    profile = builder.profile
    builder.steps = _steps(profile, builder.stream)
    module = builder.module
    functions = [_entry(builder, "main", profile.average)]
    if choices.chance(profile.second_entry):
        functions.append(_entry(builder, "other", profile.average / 2))
    return Program(
        devices=builder.devices,
        functions=(*functions, *module.functions),
        globals=tuple(module.globals),
        initializers=tuple(module.initializers),
        default_affinity=module.default,
        topology=module.topology,
        tensors=builder.tensors,
    )


def _entry(builder: Builder, name: str, average: float) -> Function:
    """A public function of about `average` ops before it is closed."""
    choices, profile = builder.choices, builder.profile
    default = builder.own_default()
    body = Body(public=True, default=default or builder.module.default)
    builder.enter_body(body, Place.ENTRY)
    steps = builder.steps[Place.ENTRY]
    start = builder.count

    def step() -> None:
        choices.weighted(steps)(builder)

    while choices.more(builder.count - start, profile.minimum, average, profile.maximum):
        choices.unit(step)
    returned = close(builder)
    finish(builder, returned)
    return Function(
        name=name,
        body=body.region(builder.leave()),
        result_types=tuple(value.type for value in returned),
        default_affinity=default,
    )


def _nothing(builder: Builder) -> None:
    """The simplest step: shrinking makes it of a step it cannot delete at once, then deletes it."""


def _steps(profile: Profile, stream: bool) -> Mapping[Place, Weighted[Step]]:
    key = (profile, stream)
    tables = _step_tables.get(key)
    if tables is None:
        tables = {place: _table(profile, stream, place) for place in Place}
        _step_tables[key] = tables
    return tables


def _table(profile: Profile, stream: bool, place: Place) -> Weighted[Step]:
    """What may come next at a place."""
    lacking = (*(_STREAM_LACKS if stream else ()), *(() if place is Place.ENTRY else _WITH_CALLER))
    pairs: list[tuple[Step, float]] = [(_nothing, 1e-9)]
    for steps, weights in ((OPERATIONS, profile.operations), (MOTIFS, profile.motifs)):
        pairs += [(steps[name], 0.0 if name in lacking else weight) for name, weight in weights]
    for name, weight in profile.constructs:
        construct, places = CONSTRUCTS[name]
        pairs.append((construct, weight if place in places else 0.0))
    return Weighted.of(pairs)
