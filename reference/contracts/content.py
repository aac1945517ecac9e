"""Which values of a program surely have the same bytes, wherever they live.

Two values have the same content when they are made by the same ops of the same contents; copies
(transfers, clones, barriers, casts, whole slices and updates) have their source's. So CSE may merge
the ops of two such values, once other passes have left out what stands between.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import count

from reference.affinity import Affinity, OptimalAffinity
from reference.contracts.regions import located
from reference.contracts.rewrites import copied
from reference.ir import Operation, Program
from reference.ops import Alloca, Binding, HostScalar, Load
from reference.ops.assembly import Range
from reference.types import Literal, Value


class Contents:
    """A number for every content of a program."""

    def __init__(self, program: Program) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[tuple[int, str], int] = {}
        self._fresh = count()
        for ordinal, body in enumerate(program.bodies()):
            for operation, _ in located(body):
                self._enter(ordinal, operation)

    def of(self, body: int, value: Value) -> int:
        """The content of a value of that body."""
        key = body, value.name
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = self._number(("value", *key))
        return number

    def _enter(self, body: int, operation: Operation) -> None:
        source = copied(operation)
        if source is not None:
            self._known[body, operation.results[0].name] = self.of(body, source)
        elif _is_pure(operation):
            made = frozenset(operation.results)
            work = (
                type(operation),
                *(
                    self._plain(body, getattr(operation, item.name), made)
                    for item in fields(operation)
                    if item.name != "identity"
                ),
            )
            for place, result in enumerate(operation.results):
                self._known[body, result.name] = self._number((work, place))

    def _plain(self, body: int, item: object, made: frozenset[Value]) -> object:
        """A field of an op, values by content; None for affinities and for what the op makes."""
        match item:
            case Value():
                return None if item in made else self.of(body, item)
            case Affinity() | OptimalAffinity():
                return None
            case Binding():
                return self.of(body, item.value), self._plain(body, item.span, made)
            case Range():
                return tuple(
                    self._plain(body, bound, made) for bound in (item.start, item.end, item.length)
                )
            case Literal():
                return str(item.type), item.value
            case tuple():
                return tuple(self._plain(body, inner, made) for inner in item)
        return item

    def _number(self, content: object) -> int:
        return self._numbers.setdefault(content, len(self._numbers))


def _is_pure(operation: Operation) -> bool:
    """Whether the op makes the same of the same; what an alloca holds is nobody's business."""
    if isinstance(operation, HostScalar | Load):
        return True
    return operation.streamable and not isinstance(operation, Alloca)
