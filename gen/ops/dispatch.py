"""`stream.async.dispatch`.

A kernel's name says its interface, so that equal names are one kernel: `ex::a_wri32_tn` is kernel
`a` over a resource it reads and writes (`w`), one it reads (`r`), an i32, with one tied (`t`) and
one new (`n`) result. `o` is a resource that is written without being read.
"""

from __future__ import annotations

from collections.abc import Sequence

from gen.builder import Builder, Slot
from gen.choices import Weighted
from gen.ops import source, transfer
from reference.ops import Binding, Dispatch
from reference.ops.assembly import Range
from reference.types import F32, F64, I8, I32, I64, INDEX, RESOURCES, Index, Lifetime, Scalar, Value

_OPERANDS = Weighted.of(((1, 4.0), (2, 3.0), (3, 1.2), (0, 0.7)))
_RESULTS = Weighted.of(((1, 5.0), (2, 1.0)))
_SCALARS = Weighted.of(((0, 5.0), (1, 2.0), (2, 0.5)))
_SCALAR_TYPES = (I32, I64, I8, F32, F64, INDEX)
_WORKLOADS: tuple[tuple[int, ...], ...] = ((), (1,), (4,), (4, 2))
_KERNELS = ("a", "b")


def add(builder: Builder) -> Slot:
    """A kernel over 0–3 values of one home, the first or none of them written in place."""
    choices = builder.choices
    count = choices.weighted(_OPERANDS)
    if count == 0:
        return make(builder, (), None, None)
    if choices.chance(0.5):
        target = source.target(builder)
        return make(builder, _others(builder, target, count - 1), target, None)
    first = source.any_value(builder)
    return make(builder, (first, *_others(builder, first, count - 1)), None, None)


def _others(builder: Builder, first: Slot, count: int) -> tuple[Slot, ...]:
    """Further operands at the home of the first; fetched from elsewhere where nobody reads them."""
    others: list[Slot] = []
    for _ in range(count):
        foreign = [slot for slot in builder.values if not slot.uses and slot.home != first.home]
        if foreign and builder.choices.chance(builder.profile.gather):
            others.append(transfer.make(builder, builder.choices.pick(foreign), first.home))
            continue
        near = [slot for slot in builder.at(first.home) if slot.root != first.root]
        if near:
            others.append(builder.choose(near))
    return tuple(others)


def make(
    builder: Builder,
    operands: Sequence[Slot],
    target: Slot | None,
    lifetime: Lifetime | None,
    size: Index | None = None,
) -> Slot:
    """A kernel that reads `operands` and writes `target` in place, or a result of its own.

    `lifetime` and `size` are the first result's, which is returned.
    """
    choices = builder.choices
    home = target.home if target else operands[0].home if operands else builder.home()
    scalars = tuple(
        builder.scalar(choices.pick(_SCALAR_TYPES)) for _ in range(choices.weighted(_SCALARS))
    )
    sizes: list[Index] = []
    count = 1 if lifetime else choices.weighted(_RESULTS)
    for place in range(count):
        if place == 0 and target is not None:
            assert target.value.size is not None
            sizes.append(target.value.size)
        elif place == 0 and size is not None:
            sizes.append(size)
        else:
            sizes.append(builder.size())
    lifetimes = [
        lifetime or _lifetime(builder, target if place == 0 else None) for place in range(count)
    ]
    bindings: list[Binding] = []
    letters = ""
    if target is not None:
        assert target.value.size is not None
        hollow = builder.is_hollow(target)
        span = Range.of(0, target.value.size) if hollow else builder.span(target)
        bindings.append(Binding(builder.overwrite(target), span))
        letters = "o" if hollow else "w"
    for slot in operands:
        bindings.append(Binding(builder.read(slot), builder.span(slot)))
        letters += "r"
    letters += "".join(str(scalar.type) for scalar in scalars)
    outcome = ("t" if target is not None else "n") + "n" * (count - 1)
    outputs = _outputs(builder, lifetimes, sizes)
    arguments: tuple[Binding | Scalar, ...] = (*bindings, *scalars)
    builder.emit(
        Dispatch(
            identity=builder.identity(),
            kernel=f"ex::{choices.pick(_KERNELS)}_{letters}_{outcome}",
            workload=choices.pick(_WORKLOADS),
            arguments=arguments,
            outputs=outputs,
            ties=(None if target is None else 0, *(None,) * (count - 1)),
            affinity=builder.affinity(home) if bindings else builder.unsaid(home),
        )
    )
    slots = [builder.define(output, home) for output in outputs]
    return slots[0]


def _lifetime(builder: Builder, target: Slot | None) -> Lifetime:
    if target is None or builder.any_lifetimes or builder.choices.chance(0.3):
        return builder.lifetime()
    assert target.value.lifetime is not None
    return target.value.lifetime


def _outputs(builder: Builder, lifetimes: list[Lifetime], sizes: list[Index]) -> tuple[Value, ...]:
    first = builder.new_value(lifetimes[0], sizes[0])
    if len(sizes) == 1:
        return (first,)
    return tuple(
        Value(f"{first.name}#{place}", RESOURCES[lifetime], size)
        for place, (lifetime, size) in enumerate(zip(lifetimes, sizes, strict=True))
    )
