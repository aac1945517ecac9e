"""What each op of a run took and made: what two runs are held against each other by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reference.ir import Operation, Program, UnsupportedOperationError
from reference.ops import (
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    GlobalLoad,
    GlobalStore,
    Return,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.values.content import OutOfBoundsError
from reference.values.evaluation import evaluate
from reference.values.inputs import Inputs
from reference.values.kernels import Interfaces
from reference.values.machine import EndlessError, Machine
from reference.values.outcome import Outcome
from reference.values.terms import Terms

Origin = Callable[[str], str]
"""From an op's identity to what is the same for all copies of it."""

_WRITERS = (
    Clone,
    Constant,
    Copy,
    Dispatch,
    Fill,
    GlobalLoad,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
"""Ops whose results are looked at; a load of a global, since a pass may move it."""


_TAKERS = (Export, GlobalStore, Return)
"""Ops that make nothing and yet tell what they were given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What both sides of a comparison are run with."""

    inputs: Inputs
    terms: Terms
    interfaces: Interfaces

    @property
    def parts(self) -> tuple[Inputs, Terms, Interfaces]:
        """In the order in which a run takes them."""
        return self.inputs, self.terms, self.interfaces


@dataclass(frozen=True, slots=True)
class Work:
    """What one op took and made in a run; `identity` is the same for all copies of it, and for
    what else comes from its place, `kind` for the copies only."""

    identity: str
    kind: tuple[str, str] | None
    operation: Operation
    taken: list[Any]
    made: list[Any]

    def does_as(self, other: Work) -> bool:
        """Whether both do the same with values that may be others."""
        kinds = [None if one.kind is None else one.kind[0] for one in (self, other)]
        return kinds[0] == kinds[1] and len(self.taken) == len(other.taken) > 0


def work_of(
    program: Program, setting: Setting, origin: Origin
) -> tuple[list[Work], Exception | None]:
    """What each op that makes, changes or hands on resources took and made, in the order of the
    run, and what stopped the run on the way."""
    found: list[Work] = []

    def observe(operation: Operation, machine: Machine[Any]) -> None:
        if isinstance(operation, _WRITERS + _TAKERS):
            taken, made = (
                [machine.values[one.name] for one in values if one.is_resource]
                for values in (operation.operands, operation.results)
            )
            kind = kind_of(operation, origin)
            found.append(Work(origin(operation.identity), kind, operation, taken, made))

    return found, quietly(lambda: evaluate(program, *setting.parts, observe=observe))


def quietly(run: Callable[[], Outcome]) -> Exception | None:
    """A run of which only what was noted on the way is of interest, as far as it goes; what stopped
    it, None where it came to its end."""
    try:
        run()
    except (EndlessError, OutOfBoundsError, UnsupportedOperationError) as error:
        return error
    return None


def kind_of(operation: Operation | None, origin: Origin) -> tuple[str, str] | None:
    """What an op is known by in the programs of two stages; None for the caller. A transfer may
    become a clone."""
    if operation is None:
        return None
    copies = isinstance(operation, Clone | Transfer)
    return "copy" if copies else operation.mnemonic, origin(operation.identity)


def shown(operation: Operation) -> str:
    """An op for people."""
    return f"{operation.identity}: {operation.assembly()}"


def word(operation: Operation) -> str:
    """An op's name without its dialect's."""
    return operation.mnemonic.rpartition(".")[2]
