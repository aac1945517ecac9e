"""What a mutation is given: a program, where its values live, choices to make, and new names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gen.choices import Choices
from gen.mutation.edits import with_function
from reference.affinity import Affinity
from reference.ir import Function, Operation, Program, walk
from reference.types import RESOURCES, Lifetime, Value
from reference.verifier.wellformed import homes_of

_MOST_DEVICES = 4
_SETTLED = 0.8

GIVEN_LIFETIMES = (Lifetime.TRANSIENT, Lifetime.EXTERNAL)
"""The lifetimes that IREE's conversion gives to what an op makes."""


@dataclass(frozen=True, slots=True)
class Features:
    """What a release can parse: `on(…)` of a transfer, and casts."""

    explicit_on: bool = True
    casts: bool = True


@dataclass(slots=True)
class Material:
    """A well-formed program to be changed; `others` may be joined with it."""

    program: Program
    choices: Choices
    others: Sequence[Program] = ()
    features: Features = field(default_factory=Features)
    _taken: set[str] = field(init=False)
    _numbers: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = itertools.count()
        self._taken = {one.identity for one in self.program.operations()}
        for function in self.program.functions:
            self._taken.update(value.name for value in function.arguments)
            for operation in walk(function.body):
                self._taken.update(value.name for value in operation.results)

    @property
    def functions(self) -> tuple[tuple[int, Function], ...]:
        """The functions with a body, each with its place in the program."""
        return tuple(
            (place, one)
            for place, one in enumerate(self.program.functions)
            if not one.is_declaration
        )

    def operations(self) -> list[tuple[int, Operation]]:
        """Every op of a function, each with the place of its function."""
        return [(place, one) for place, body in self.functions for one in walk(body.body)]

    def changed(self, place: int, function: Function) -> Program:
        """The program with another function at `place`."""
        return with_function(self.program, place, function)

    def name(self) -> str:
        """A name that no op and no value has."""
        while True:
            name = f"m{next(self._numbers)}"
            if name not in self._taken:
                self._taken.add(name)
                return name

    def value(self, lifetime: Lifetime, like: Value) -> Value:
        """A new value of that lifetime and the length of `like`."""
        return Value(self.name(), RESOURCES[lifetime], like.size)

    def homes(self) -> Callable[[int, Value], Affinity | None]:
        """Where the values of a function, by its place, live; None where nothing says."""
        homes = homes_of(self.program)
        first = len(self.program.initializers)

        def home(place: int, value: Value) -> Affinity | None:
            known = homes.of((first + place, value.name))
            return None if known is None else known[0]

        return home

    def home(self, place: int, value: Value) -> Affinity | None:
        """Where a value of a function lives. Where nothing says, it may live on any device, and
        mostly does from now on."""
        known = self.homes()(place, value)
        if known is None and self.program.devices and self.choices.chance(_SETTLED):
            return Affinity(self.choices.pick(self.program.devices))
        return known

    def elsewhere(self, home: Affinity | None) -> Affinity:
        """A device that is not `home`: one of the program's, or a new one where there are few.

        A program that gets a new device has to be given it by `with_device`.
        """
        devices = [Affinity(one) for one in self.program.devices]
        away = [one for one in devices if home is None or one.device != home.device]
        few = len(devices) < _MOST_DEVICES and (not away or self.choices.chance(0.1))
        if not few:
            return self.choices.pick(away)
        names = {*self.program.devices, *(one.name for one in self.program.globals)}
        names.update(one.name for one in self.program.functions)
        free = next(
            name for number in itertools.count() if (name := f"device_{number}") not in names
        )
        return Affinity(free)


Mutation: TypeAlias = Callable[[Material], Program | None]
"""Changes a program; None where there is nothing of the kind to change. What comes of it need not
be well-formed: who asks looks, and asks again."""


def with_device(program: Program, *homes: Affinity | None) -> Program:
    """The program with the devices of these homes among its own."""
    named = (one.device for one in homes if one is not None)
    devices = tuple(dict.fromkeys((*program.devices, *named)))
    return program if devices == program.devices else replace(program, devices=devices)
