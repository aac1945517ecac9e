"""`util.call`, and the private functions that are called."""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.constructs.condition import condition, turns
from gen.constructs.early_return import finish
from gen.constructs.shape import carried, handed_on, settle, take
from gen.module import Callee, Parameter, Result, Shape
from gen.ops import source
from gen.scope import Body, Place
from reference.ir import Function
from reference.ops import Call
from reference.types import I1, INDEX, Index, Literal, Scalar, Value

_MOST_CALLEES = 3
_DEEPEST = 2
_OPERANDS = Weighted.of(((1, 4.0), (2, 3.0), (3, 1.0), (0, 0.5)))
_RESULTS = Weighted.of(((1, 4.0), (2, 1.5)))
_STEPS, _MOST_STEPS = 2.5, 7
_REPEATED = 0.1
"""How often a function may return the same value twice."""
_NEVER_INLINED = (("inlining_policy", "#util.inline.never"),)


def add(builder: Builder) -> None:
    """A call of a function that others may call too, or of a new one."""
    if builder.body.storage is not None:
        # Stream/Transforms/EmplaceTransients.cpp refuses functions with calls.
        return
    choices, callees = builder.choices, builder.module.callees
    full = len(callees) >= _MOST_CALLEES
    if callees and (full or choices.chance(0.6)):
        _call_again(builder, choices.pick(callees))
    elif builder.body.depth < _DEEPEST and not full:
        callee = _call_new(builder)
        if choices.chance(0.35):
            _call_again(builder, callee)


def _call_new(builder: Builder) -> Callee:
    """A function made for the values there are, and the first call of it."""
    choices = builder.choices
    actual: list[Slot] = []
    for _ in range(choices.weighted(_OPERANDS)):
        actual.append(handed_on(builder, source.any_value(builder)))
    own_default = builder.own_default()
    body = Body(
        public=False,
        default=own_default or builder.module.default,
        depth=builder.body.depth + 1,
    )
    stays = choices.chance(builder.profile.never_inlined)
    sizes: dict[str, Index] = {}
    values = [_parameter(builder, body, slot, sizes) for slot in actual]
    name = builder.module.function_name()
    builder.enter_body(body, Place.CALLEE)
    first: dict[int, Slot] = {}
    slots: dict[str, Slot] = {}
    for slot, value in zip(actual, values, strict=True):
        # Equal storage outside is equal storage inside.
        inner = builder.define(value, slot.home, first.get(slot.root))
        first.setdefault(slot.root, inner)
        slots[value.name] = inner
    builder.grow(_STEPS, _MOST_STEPS)
    shapes = [
        carried(builder, source.any_value(builder)) for _ in range(choices.weighted(_RESULTS))
    ]
    returned = [settle(builder, shapes[0])]
    for shape in shapes[1:]:
        others = [slot for slot in builder.values if slot not in returned]
        repeated = choices.chance(_REPEATED)
        returned.append(take(builder, shape, builder.values if repeated else others))
    finish(builder, tuple(builder.read(slot) for slot in returned))
    callee = Callee(
        name=name,
        parameters=tuple(
            Parameter(value, slots[value.name].home, slots[value.name].root)
            if value.name in slots
            else Parameter(value, None, 0)
            for value in body.arguments
        ),
        results=tuple(
            Result(
                shape, tuple(value.name for value in values if slots[value.name].root == slot.root)
            )
            for shape, slot in zip(shapes, returned, strict=True)
        ),
    )
    builder.module.functions.append(
        Function(
            name=name,
            body=body.region(builder.leave()),
            result_types=tuple(shape.type for shape in shapes),
            public=False,
            default_affinity=own_default,
            attributes=_NEVER_INLINED if stays else (),
        )
    )
    builder.module.callees.append(callee)
    _call(
        builder,
        callee,
        {value.name: slot for slot, value in zip(actual, values, strict=True)},
        sizes,
    )
    return callee


def _parameter(builder: Builder, body: Body, slot: Slot, sizes: dict[str, Index]) -> Value:
    """The argument that a value becomes; its size becomes one too where the caller has to tell."""
    size = slot.value.size
    if isinstance(size, Value):
        known = {
            outer: inner
            for inner, outer in (
                (item, sizes.get(item.name)) for item in body.sizes if isinstance(item, Value)
            )
        }
        if size not in known:
            inner = body.argument(Value(f"n{len(body.sizes)}", INDEX, None, size.known))
            body.sizes.append(inner)
            sizes[inner.name] = size
            known[size] = inner
        size = known[size]
    elif size is not None and size not in body.sizes:
        body.sizes.append(size)
    return body.argument(Value(builder.name(), slot.value.type, size))


def _call_again(builder: Builder, callee: Callee) -> None:
    """A call of a function that there is already, with values that fit its parameters."""
    sizes: dict[str, Index] = {}
    slots: dict[str, Slot] = {}
    roots: dict[int, int] = {}
    for parameter in callee.parameters:
        value = parameter.value
        if value.lifetime is None:
            continue
        shape = Shape(value.lifetime, parameter.home, _size_here(builder, value.size, sizes))
        # What the function does not know to be the same storage must not be: it may write part of
        # one argument over another.
        apart = [
            slot
            for slot in builder.values
            if roots.get(slot.root, parameter.root) == parameter.root
        ]
        slot = take(builder, shape, apart)
        roots[slot.root] = parameter.root
        slots[value.name] = slot
    _call(builder, callee, slots, sizes)


def _size_here(builder: Builder, size: Index | None, sizes: dict[str, Index]) -> Index:
    """The caller's word for a size of the function's; the same whenever it is asked."""
    if not isinstance(size, Value):
        assert size is not None
        return size
    assert size.known is not None
    if size.name not in sizes:
        sizes[size.name] = next(
            (
                item
                for item in builder.body.sizes
                if isinstance(item, Value) and item.known == size.known
            ),
            size.known,
        )
    return sizes[size.name]


def _call(
    builder: Builder, callee: Callee, slots: dict[str, Slot], sizes: dict[str, Index]
) -> None:
    arguments = tuple(
        builder.read(slots[parameter.value.name])
        if parameter.value.name in slots
        else _scalar(builder, parameter.value, sizes)
        for parameter in callee.parameters
    )
    shapes = [
        Shape(
            result.shape.lifetime, result.shape.home, _size_here(builder, result.shape.size, sizes)
        )
        for result in callee.results
    ]
    outputs = tuple(shape.value(builder.name()) for shape in shapes)
    builder.emit(
        Call(identity=builder.identity(), callee=callee.name, arguments=arguments, outputs=outputs)
    )
    builder.body.calls = True
    for output, result in zip(outputs, callee.results, strict=True):
        defined = builder.define(output, result.shape.home)
        builder.unite((defined, *(slots[name] for name in result.storage)))


def _scalar(builder: Builder, value: Value, sizes: dict[str, Index]) -> Scalar:
    """What the caller passes in as a condition, a count of turns or a size."""
    if value.type == I1:
        return condition(builder)
    if value.known is None:
        return turns(builder)
    size = _size_here(builder, value, sizes)
    return size if isinstance(size, Value) else Literal(size, INDEX)
