"""`stream.timepoint.*`: fences of the caller's, and the host's view of when values are ready.

The forms are those that IREE's conversion makes of coarse fences
(compiler/src/iree/compiler/Dialect/Stream/Conversion/HALToStream/Patterns.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence

from gen.builder import Builder, Slot
from gen.constructs.shape import handed_on
from gen.ops import source, tensor_import
from reference.ops import (
    Await,
    ChainExternal,
    Immediate,
    Join,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
)
from reference.types import FENCE, TIMEPOINT, Value


def add_import(builder: Builder) -> None:
    """A buffer view of the caller's that is ready when a fence of the caller's says so."""
    slot = tensor_import.make_external(builder, builder.home())
    fence = builder.body.argument(Value(builder.name(), FENCE))
    timepoint = Value(builder.name(), TIMEPOINT)
    builder.emit(
        TimepointImport(
            identity=builder.identity(),
            sources=(fence,),
            result=timepoint,
            affinity=builder.stated(slot.home),
        )
    )
    (awaited,) = wait(builder, timepoint, (slot,))
    builder.values.remove(slot)
    tensor_import.enter(builder, awaited)


def add_handed_back(builder: Builder) -> None:
    """When a fence of the caller's is reached goes to another one, or back as a fence."""
    choices = builder.choices
    fence = builder.body.argument(Value(builder.name(), FENCE))
    imported = Value(builder.name(), TIMEPOINT)
    affinity = builder.stated(builder.home())
    builder.emit(
        TimepointImport(
            identity=builder.identity(), sources=(fence,), result=imported, affinity=affinity
        )
    )
    timepoints = [imported]
    if choices.chance(0.4):
        timepoints.append(_immediately(builder))
    timepoint = imported if len(timepoints) == 1 else _join(builder, timepoints)
    if choices.chance(0.4):
        signaled = builder.body.argument(Value(builder.name(), FENCE))
        builder.emit(
            ChainExternal(
                identity=builder.identity(),
                source=timepoint,
                externals=(signaled,),
                affinity=affinity,
            )
        )
        return
    exported = Value(builder.name(), FENCE)
    builder.emit(
        TimepointExport(
            identity=builder.identity(), source=timepoint, outputs=(exported,), affinity=affinity
        )
    )
    builder.body.views.append(exported)


def add_immediate(builder: Builder) -> None:
    """The host waits for what is reached from the start, be it said twice."""
    slot = handed_on(builder, source.any_value(builder))
    timepoints = [_immediately(builder) for _ in range(builder.choices.integer(1, 2))]
    wait(builder, _join(builder, timepoints), (slot,))


def add_await(builder: Builder) -> None:
    """The host waits for one or two values, and for their producers alone or for others too."""
    choices = builder.choices
    slots = [source.any_value(builder)]
    if len(builder.values) > 1 and choices.chance(0.4):
        slots.append(choices.pick([slot for slot in builder.values if slot is not slots[0]]))
    barriers = [barrier(builder, slot) for slot in slots]
    timepoint = join(builder, [reached for _, reached in barriers])
    waiting = [slot for slot, _ in barriers]
    wait(builder, timepoint, waiting if choices.chance(0.7) else waiting[:1])


def add_signal(builder: Builder) -> None:
    """A fence of the caller's, or one that goes back, is signaled when some values are ready."""
    choices = builder.choices
    slots = [source.any_value(builder)]
    if len(builder.values) > 1 and choices.chance(0.5):
        slots.append(choices.pick([slot for slot in builder.values if slot is not slots[0]]))
    barriers = [barrier(builder, slot) for slot in slots]
    timepoint = join(builder, [reached for _, reached in barriers])
    affinity = builder.affinity(slots[-1].home)
    if not builder.tensors and choices.chance(0.3):
        fence = Value(builder.name(), FENCE)
        builder.emit(
            TimepointExport(
                identity=builder.identity(),
                source=timepoint,
                outputs=(fence,),
                affinity=affinity,
            )
        )
        builder.body.views.append(fence)
        return
    fence = builder.body.argument(Value(builder.name(), FENCE))
    builder.emit(
        ChainExternal(
            identity=builder.identity(), source=timepoint, externals=(fence,), affinity=affinity
        )
    )


def barrier(builder: Builder, slot: Slot) -> tuple[Slot, Value]:
    """A value, and when it is ready.

    Of constants and variables IREE's conversion makes other values first, so that barriers do too.
    """
    slot = handed_on(builder, slot)
    result = Value(builder.name(), slot.value.type, slot.value.size)
    timepoint = Value(builder.name(), TIMEPOINT)
    builder.emit(
        TimepointBarrier(
            identity=builder.identity(),
            source=builder.read(slot),
            result=result,
            timepoint=timepoint,
            affinity=builder.affinity(slot.home),
        )
    )
    return builder.define(result, slot.home, slot), timepoint


def join(builder: Builder, timepoints: Sequence[Value]) -> Value:
    """When all are reached; sometimes with one that is from the start."""
    timepoints = list(timepoints)
    if builder.choices.chance(0.15):
        timepoints.append(_immediately(builder))
    return timepoints[0] if len(timepoints) == 1 else _join(builder, timepoints)


def _immediately(builder: Builder) -> Value:
    """What is reached from the start."""
    start = Value(builder.name(), TIMEPOINT)
    builder.emit(Immediate(identity=builder.identity(), result=start))
    return start


def _join(builder: Builder, timepoints: Sequence[Value]) -> Value:
    result = Value(builder.name(), TIMEPOINT)
    builder.emit(Join(identity=builder.identity(), sources=tuple(timepoints), result=result))
    return result


def wait(builder: Builder, timepoint: Value, slots: Sequence[Slot]) -> list[Slot]:
    """The same values, once `timepoint` is reached."""
    outputs = tuple(Value(builder.name(), slot.value.type, slot.value.size) for slot in slots)
    builder.emit(
        Await(
            identity=builder.identity(),
            awaits=timepoint,
            sources=tuple(builder.read(slot) for slot in slots),
            outputs=outputs,
        )
    )
    return [
        builder.define(output, slot.home, slot) for output, slot in zip(outputs, slots, strict=True)
    ]
