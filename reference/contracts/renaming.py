"""Programs that are the same but for the names of their devices.

IREE sorts affinities by their printed form
(`AffinityAnalysis::tryLookupResourceAffinity`, compiler/src/iree/compiler/Dialect/Stream/Analysis/
Affinity.cpp), so only a renaming that keeps that order changes names alone: `,` and digits sort
before `>`, hence `@dev` and `@dev1` as `@dev1`, `@dev`, but queues of `@dev` before both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from reference.affinity import Affinity, Link
from reference.ir import Program
from reference.ops import Dispatch
from reference.types import Literal, Value

_SPREAD = (
    "ant",
    "bear",
    "crow",
    "deer",
    "eel",
    "fox",
    "gnu",
    "hare",
    "ibis",
    "jay",
    "kite",
    "lynx",
)


def keeping_order(program: Program) -> dict[str, str]:
    """New names for all devices of a program; the order of its printed affinities stays."""
    found = set(affinities(program))
    names = {*program.devices, *(one.device for one in found)}
    order = sorted(names, key=lambda name: str(Affinity(name)))
    if len(order) <= len(_SPREAD) and _symbols(program).isdisjoint(_SPREAD):
        renaming = dict(zip(order, _SPREAD, strict=False))
        if _keeps_order(found, renaming):
            return renaming
    # A common start changes no order.
    return {name: f"renamed_{name}" for name in order}


def reversing_order(program: Program) -> dict[str, str]:
    """The names of a program's devices dealt out in the opposite order."""
    order = sorted(program.devices, key=lambda name: str(Affinity(name)))
    return dict(zip(order, reversed(order), strict=True))


def rename_devices(program: Program, names: Mapping[str, str]) -> Program:
    """The program with its devices renamed; names that are not mentioned stay."""
    renamed = _renamed(program, names)
    assert isinstance(renamed, Program)
    return replace(renamed, devices=tuple(names.get(name, name) for name in program.devices))


def affinities(item: Any) -> Iterator[Affinity]:
    """Every affinity of one device in a program, or in a part of one."""
    if isinstance(item, Affinity):
        yield item
    elif isinstance(item, tuple):
        for inner in item:
            yield from affinities(inner)
    else:
        for name in _parts(item.__class__):
            yield from affinities(getattr(item, name))


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a kind of object in which an affinity may be."""
    if not is_dataclass(kind) or kind in (Literal, Value):
        return ()
    return tuple(one.name for one in fields(kind))


def _symbols(program: Program) -> set[str]:
    """The names of all that is no device."""
    kernels = {
        operation.kernel.partition("::")[0]
        for operation in program.operations()
        if isinstance(operation, Dispatch)
    }
    functions = {function.name for function in program.functions}
    return kernels | functions | {item.name for item in program.globals}


def _keeps_order(found: Collection[Affinity], names: Mapping[str, str]) -> bool:
    order = sorted(found, key=str)
    return order == sorted(order, key=lambda one: str(_renamed(one, names)))


def _renamed(item: Any, names: Mapping[str, str]) -> Any:
    """The item with its devices renamed; the same object where it has none."""
    if isinstance(item, Affinity):
        return replace(item, device=names.get(item.device, item.device))
    if isinstance(item, Link):
        source, target = (names.get(name, name) for name in (item.source, item.target))
        return replace(item, source=source, target=target)
    if isinstance(item, tuple):
        new = tuple(_renamed(inner, names) for inner in item)
        return new if any(one is not other for one, other in zip(new, item, strict=True)) else item
    changes = {
        name: new
        for name in _parts(item.__class__)
        if (new := _renamed(old := getattr(item, name), names)) is not old
    }
    return replace(item, **changes) if changes else item
