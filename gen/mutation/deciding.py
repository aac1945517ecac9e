"""Whether a program leaves the compiler a transfer to place."""

from __future__ import annotations

from reference.ir import Operation, Program, Region, walk
from reference.ops import Barrier, Cast, Clone, Transfer
from reference.types import Value

_SAME_BYTES = (Barrier, Cast, Clone, Transfer)
"""Ops that cleanup may take away between a transfer and the one whose result it moves on."""


def has_transfer_to_decide(program: Program) -> bool:
    """Whether a transfer between devices says not itself where it executes and will be there when
    transfers are placed: something needs its result, and it is no link of a chain of transfers,
    which cleanup makes one of."""
    return any(_decides(body) for body in program.bodies())


def _decides(body: Region) -> bool:
    makers = {value.name: one for one in walk(body) for value in one.results}
    return any(
        isinstance(one, Transfer)
        and one.explicit_affinity is None
        and None not in (one.source_affinity, one.target_affinity)
        and one.source_affinity != one.target_affinity
        and not _moved_before(one.source, makers)
        for one in _needed_by_others(body, makers)
    )


def _moved_before(value: Value, makers: dict[str, Operation]) -> bool:
    """Whether a transfer made the value, or one that may be the same after cleanup."""
    maker = makers.get(value.name)
    while isinstance(maker, _SAME_BYTES):
        if isinstance(maker, Transfer):
            return True
        maker = makers.get(maker.source.name)
    return False


def _needed_by_others(body: Region, makers: dict[str, Operation]) -> list[Operation]:
    """The ops whose results some op takes that is neither a transfer nor the like, and that is not
    dead itself."""
    pending = [one for one in walk(body) if one.terminator or one.side_effects]
    alive = {id(one) for one in pending}
    needed: dict[int, Operation] = {}
    while pending:
        one = pending.pop()
        for value in one.operands:
            maker = makers.get(value.name)
            if maker is None:
                continue
            if not isinstance(one, _SAME_BYTES):
                needed[id(maker)] = maker
            if id(maker) not in alive:
                alive.add(id(maker))
                pending.append(maker)
    return list(needed.values())
