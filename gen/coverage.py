"""Which cells of the language a program touches: op × lifetimes × pinned × reach × fan-out.

Lanes count, whoever puts runs together adds: `counts.update(cells(program))` counts a program into
a `Counter[Cell]`, and counters of blocks, lanes, shards and runs are merged by `+=`, in any order.
Who keeps names only counts `map(str, cells(program))`, and reads one with `Cell.parse`. A program
is quickest to count behind its examination, when its ops remember their operands. All the cells
that there are, so that holes can be seen, come from `gen/cell_space.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias, get_args

from reference.ir import Operation, Program, Region, walk
from reference.ops import (
    Alloca,
    Await,
    Barrier,
    Call,
    Cast,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    For,
    GlobalLoad,
    GlobalStore,
    If,
    Import,
    Load,
    OptimizationBarrier,
    Return,
    Select,
    Slice,
    Splat,
    Store,
    TimepointBarrier,
    Transfer,
    Transients,
    Update,
    While,
)
from reference.types import Value

COUNTED: tuple[type[Operation], ...] = (
    Import, Constant, Alloca, Splat, Clone, Slice, Fill, Update, Copy, Dispatch, Transfer, Barrier,
    Cast, Load, Store, Export, Return, Select, OptimizationBarrier, If, For, While, Call,
    GlobalLoad, GlobalStore, Await, TimepointBarrier, Transients,
)  # fmt: skip
"""The kinds of ops that have cells: those that take or make resources before scheduling. What ends
a region or a block hands on what its op or the next block counts."""

BY_POSITION = frozenset({Await, For, OptimizationBarrier})
"""Ops whose result number i is operand number i; of others, any operand goes with any result."""

NAMES = {kind: kind.mnemonic.removeprefix("stream.async.") for kind in COUNTED}
"""How cells name a kind of op: its MLIR name, without the dialect that most ops are of."""

_NONE = (None,)


Reach: TypeAlias = Literal["same-device", "cross-device", "unplaced"]
"""Whether an op has to do with another device.

A transfer: whether its ends are on one device. Any other op: whether an op that makes what it
takes, or takes what it makes, executes on another device than it does. `unplaced` where an end of a
transfer, or the op itself, does not say where it is.
"""

FanOut: TypeAlias = Literal["unused", "one-use", "several-uses"]
"""How often the value of a cell is taken."""

Pinned: TypeAlias = Literal["pinned", "free"]
"""Whether an op that pins (`Operation.pins`) makes the value of a cell or takes it. What is pinned
by way of other ops' storage counts as free: to find it takes longer than to make the program."""

NOTHING = "none"
"""Stands for the lifetime of an operand or result that an op does not have."""

REACHES: tuple[Reach, ...] = get_args(Reach)
FAN_OUTS: tuple[FanOut, ...] = get_args(FanOut)
PINNED: tuple[Pinned, ...] = get_args(Pinned)


class Cell(NamedTuple):
    """One op, the lifetime of a resource that it takes and of one that it makes (or `NOTHING`).

    `pinned` and `fan_out` are of the result, of the operand where there is no result. All is text,
    which is what counting is quick with.
    """

    op: str
    source: str
    result: str
    pinned: Pinned
    reach: Reach
    fan_out: FanOut

    def __str__(self) -> str:
        """As one line: `transfer external transient pinned cross-device one-use`."""
        return " ".join(self)

    @staticmethod
    def parse(text: str) -> Cell:
        """The cell that is written so. Raises ValueError for any other text."""
        words = text.split(" ")
        if (
            len(words) != len(Cell._fields)
            or words[3] not in PINNED
            or words[4] not in REACHES
            or words[5] not in FAN_OUTS
        ):
            raise ValueError(f"not a cell: {text!r}")
        return Cell(*words)  # type: ignore[arg-type]


def cells(program: Program) -> Iterator[Cell]:
    """The cells of a program, each once for every op that is in it."""
    for body in program.bodies():
        yield from _body_cells(body)


class _Use:
    """What is known of a value: where its maker executes, where its users do, and how many."""

    __slots__ = ("maker", "pinned", "users", "uses")

    def __init__(self) -> None:
        self.maker: str | None = None
        self.users: set[str] = set()
        self.pinned = False
        self.uses = 0


def _body_cells(body: Region) -> Iterator[Cell]:
    values: defaultdict[str, _Use] = defaultdict(_Use)
    found: list[tuple[Operation, list[Value], list[Value], str | None]] = []
    for op in walk(body):
        taken = [value for value in op.operands if value.type.tracked]
        made = [value for value in op.results if value.type.tracked]
        if not taken and not made:
            continue
        place = op.execution_affinity
        device = None if place is None else place.device
        pins = op.pins
        for value in taken:
            use = values[value.name]
            use.uses += 1
            if device is not None:
                use.users.add(device)
            if pins:
                use.pinned = True
        for value in made:
            use = values[value.name]
            use.maker = device
            if pins:
                use.pinned = True
        if type(op) in NAMES:
            found.append((op, taken, made, device))
    for op, taken, made, device in found:
        yield from _operation_cells(op, taken, made, device, values)


def _operation_cells(
    op: Operation,
    taken: list[Value],
    made: list[Value],
    device: str | None,
    values: dict[str, _Use],
) -> Iterable[Cell]:
    reach = _reach(op, taken, made, device, values)
    name = NAMES[type(op)]
    if type(op) in BY_POSITION:
        pairs: Iterable[tuple[Value | None, Value | None]] = zip(taken, made, strict=True)
    elif len(taken) < 2 and len(made) < 2:
        pairs = ((taken[0] if taken else None, made[0] if made else None),)
    else:
        pairs = [(source, result) for source in taken or _NONE for result in made or _NONE]
    found = []
    for source, result in pairs:
        use = values[(result or source).name]  # type: ignore[union-attr]
        found.append(
            Cell(
                name,
                _word(source),
                _word(result),
                "pinned" if use.pinned else "free",
                reach,
                FAN_OUTS[min(use.uses, 2)],
            )
        )
    return found if len(found) == 1 else set(found)


def _reach(
    op: Operation,
    taken: list[Value],
    made: list[Value],
    device: str | None,
    values: dict[str, _Use],
) -> Reach:
    if isinstance(op, Transfer):
        source, target = op.source_affinity, op.target_affinity
        if source is None or target is None:
            return "unplaced"
        return "same-device" if source.device == target.device else "cross-device"
    if device is None:
        return "unplaced"
    for value in taken:
        if values[value.name].maker not in (device, None):
            return "cross-device"
    for value in made:
        users = values[value.name].users
        if users and users != {device}:
            return "cross-device"
    return "same-device"


def _word(value: Value | None) -> str:
    lifetime = None if value is None else value.type.lifetime
    return NOTHING if lifetime is None else lifetime._value_
