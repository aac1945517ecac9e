"""What stands in the module beside the function under construction."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gen.choices import Choices
from gen.profiles import Profile
from reference.affinity import Affinity, Link, Topology
from reference.ir import Function, Global, Initializer
from reference.types import RESOURCES, Index, Lifetime, ResourceType, ScalarType, Value

_QUEUES = (1, 2, 3)
"""Queue masks: the first queue, the second, both."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What values that may stand for each other have in common."""

    lifetime: Lifetime
    home: Affinity | None
    size: Index

    @property
    def type(self) -> ResourceType:
        """Its type."""
        return RESOURCES[self.lifetime]

    def value(self, name: str) -> Value:
        """A value of this shape."""
        return Value(name, self.type, self.size)


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of a private function, and where it is to live when it is a resource.

    Arguments of equal `root` may share storage.
    """

    value: Value
    home: Affinity | None
    root: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a private function returns, and the arguments whose storage it may be, by name."""

    shape: Shape
    storage: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Callee:
    """A private function that others may call."""

    name: str
    parameters: tuple[Parameter, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A global that holds a resource of `size` bytes that lives at `home`."""

    symbol: str
    lifetime: Lifetime
    mutable: bool
    size: int
    home: Affinity | None

    def shape_in(self, stream: bool) -> Shape:
        """The shape of a value made to be stored, at level `stream` or not."""
        return Shape(Lifetime.UNKNOWN if stream else Lifetime.TRANSIENT, self.home, self.size)


@dataclass(frozen=True, slots=True)
class Counter:
    """A global that holds a scalar."""

    symbol: str
    type: ScalarType


class Module:
    """Functions, globals and attributes of a program under construction."""

    def __init__(self, choices: Choices, profile: Profile, devices: tuple[str, ...]) -> None:
        self.functions: list[Function] = []
        """The private ones that are finished; others may still be under construction."""
        self.callees: list[Callee] = []
        self.globals: list[Global] = []
        self.initializers: list[Initializer] = []
        self.variables: list[Variable] = []
        self.counters: list[Counter] = []
        self._names = 0
        self.default: Affinity | None = None
        """The default affinity of the module."""
        self.topology: Topology | None = None
        self.queue_homes: list[Affinity] = []
        """Homes that are some queues of a device."""
        if choices.chance(profile.queue_subsets):
            device = choices.pick(devices)
            first = choices.integer(0, len(_QUEUES) - 1)
            for mask in _QUEUES[first : first + choices.integer(1, 2)]:
                self.queue_homes.append(Affinity(device, mask))
        if choices.chance(profile.module_default):
            self.default = Affinity(choices.pick(devices))
        if len(devices) > 1 and choices.chance(profile.topology):
            self.topology = _topology(choices, devices)

    def function_name(self) -> str:
        """A name for another private function."""
        self._names += 1
        return f"f{self._names - 1}"


def _topology(choices: Choices, devices: tuple[str, ...]) -> Topology | None:
    """Some of the links that there may be; memory that two devices share links both ways."""
    links: list[Link] = []
    for left, right in itertools.combinations(devices, 2):
        kind = choices.integer(0, 3)
        if kind == 1:
            links += [
                Link(left, right, unified_memory=True),
                Link(right, left, unified_memory=True),
            ]
        elif kind == 2:
            links.append(Link(left, right, transparent_access=True))
        elif kind == 3:
            links.append(Link(right, left, transparent_access=True))
    return Topology(tuple(links)) if links else None
