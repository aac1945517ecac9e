"""`util.global`, its initializer, loads and stores.

Globals are of the lifetimes that IREE's conversion gives them: variable when they are mutable,
constant when not (compiler/src/iree/compiler/Dialect/Stream/Conversion/UtilToStream/Patterns.cpp).
"""

from __future__ import annotations

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.module import Counter, Variable
from gen.ops import constant, dispatch, fill, splat, transfer, update
from gen.scope import Body, Place
from reference.ir import Block, Global, Initializer, Region
from reference.ops import GlobalLoad, GlobalStore, Return
from reference.types import I8, I32, I64, INDEX, RESOURCES, Lifetime, ScalarType, Value

_MOST_VARIABLES = 3
_MOST_COUNTERS = 2
_SIZES = (16, 64, 32)
_COUNTER_TYPES: tuple[ScalarType, ...] = (I32, I64, INDEX, I8)
_COUNTER_VALUES = (0, 1, 7)
_INITIAL = Weighted.of((("constant", 2.0), ("splat", 1.0), ("dispatch", 1.0)))


def add_load(builder: Builder) -> None:
    """What a global holds; at level `stream` a transfer to `*` follows, elsewhere it may."""
    counters = builder.module.counters
    if builder.choices.chance(0.2):
        fresh = len(counters) < _MOST_COUNTERS and builder.choices.chance(0.5)
        load_counter(builder, _declare_counter(builder) if fresh or not counters else None)
        return
    load(builder, variable(builder, mutable=not builder.choices.chance(0.4)))


def load(builder: Builder, held: Variable) -> Slot:
    """What `held` holds."""
    result = builder.new_value(held.lifetime, held.size)
    immutable = not held.mutable and builder.choices.chance(0.5)
    builder.emit(
        GlobalLoad(
            identity=builder.identity(), symbol=held.symbol, result=result, immutable=immutable
        )
    )
    slot = builder.define(result, held.home)
    slot.shared = True
    if builder.stream:
        builder.values.remove(slot)
        return transfer.make(builder, slot, held.home)
    if builder.choices.chance(0.3):
        return transfer.make(builder, slot, held.home)
    return slot


def load_counter(builder: Builder, counter: Counter | None) -> None:
    """What a scalar global holds, any when None."""
    held = counter or builder.choices.pick(builder.module.counters)
    result = Value(builder.name(), held.type)
    builder.emit(GlobalLoad(identity=builder.identity(), symbol=held.symbol, result=result))
    builder.define_scalar(result)


def add_store(builder: Builder) -> None:
    """A value, or a scalar, that a global holds from here on."""
    choices = builder.choices
    for counter in builder.module.counters:
        if builder.scalars.get(counter.type) and choices.chance(0.5):
            value = choices.pick(builder.scalars[counter.type])
            builder.unused_scalars.pop(value.name, None)
            builder.emit(
                GlobalStore(identity=builder.identity(), symbol=counter.symbol, source=value)
            )
            return
    held = variable(builder, mutable=True)
    fitting = [slot for slot in builder.values if slot.value.size == held.size]
    store(
        builder,
        builder.choose(fitting) if fitting else splat.make(builder, held.home, held.size),
        held,
    )


def store(builder: Builder, chosen: Slot, held: Variable) -> None:
    """`held` holds `chosen` from here on, which is sent to where it lives."""
    if chosen.home != held.home or chosen.value.lifetime is not held.lifetime:
        chosen = transfer.make(builder, chosen, held.home, held.lifetime)
        builder.values.remove(chosen)
    chosen.shared = True
    builder.emit(
        GlobalStore(identity=builder.identity(), symbol=held.symbol, source=builder.read(chosen))
    )


def add_update(builder: Builder) -> None:
    """A global is loaded, written in place and stored again."""
    held = variable(builder, mutable=True)
    slot = load(builder, held)
    slot.shared = False
    kind = builder.choices.integer(0, 2)
    if kind == 0:
        written = fill.make(builder, slot)
    elif kind == 1:
        written = update.make(builder, slot)
    else:
        written = dispatch.make(builder, (), slot, slot.value.lifetime)
    store(builder, written, held)


def variable(builder: Builder, mutable: bool) -> Variable:
    """A global that holds a resource, one that there is or a new one."""
    variables = [held for held in builder.module.variables if held.mutable is mutable]
    full = len(builder.module.variables) >= _MOST_VARIABLES
    if variables and (full or builder.choices.chance(0.6)):
        return builder.choices.pick(variables)
    return _declare(builder, mutable)


def _declare(builder: Builder, mutable: bool) -> Variable:
    module, choices = builder.module, builder.choices
    held = Variable(
        symbol=f"g{len(module.globals)}",
        lifetime=Lifetime.VARIABLE if mutable else Lifetime.CONSTANT,
        mutable=mutable,
        size=choices.pick(_SIZES),
        home=builder.home(),
    )
    module.globals.append(
        Global(
            name=held.symbol,
            type=RESOURCES[held.lifetime],
            mutable=mutable,
            affinity=held.home if choices.chance(0.3) else None,
        )
    )
    module.variables.append(held)
    body = Body(public=False, default=module.default, sizes=list(_SIZES))
    builder.enter_body(body, Place.CALLEE)
    chosen = _initial(builder, held)
    builder.emit(
        GlobalStore(identity=builder.identity(), symbol=held.symbol, source=builder.read(chosen))
    )
    builder.emit(Return(identity=builder.identity(), values=()))
    module.initializers.append(Initializer(Region((Block(builder.leave()),))))
    return held


def _initial(builder: Builder, held: Variable) -> Slot:
    """What a global holds at first."""
    way = builder.choices.weighted(_INITIAL)
    home = builder.home() if builder.choices.chance(0.2) else held.home
    if way == "constant":
        slot = constant.make(builder, home, held.size)
        if home == held.home and not held.mutable:
            return slot
    elif way == "splat":
        slot = splat.make(builder, home, held.size)
    else:
        slot = dispatch.make(builder, (), splat.make(builder, home, held.size), None)
    return transfer.make(builder, slot, held.home, held.lifetime)


def _declare_counter(builder: Builder) -> Counter:
    module, choices = builder.module, builder.choices
    counter = Counter(f"g{len(module.globals)}", choices.pick(_COUNTER_TYPES))
    module.globals.append(
        Global(
            name=counter.symbol,
            type=counter.type,
            mutable=True,
            initial=f"{choices.pick(_COUNTER_VALUES)} : {counter.type}",
        )
    )
    module.counters.append(counter)
    return counter
