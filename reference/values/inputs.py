"""What the caller passes in, and what the host reads from bytes that only have a name.

Bytes are symbolic, but every host scalar is a number: conditions and bounds are decided, and
arithmetic that a pass folds another way still gives the same. A program with choices to make is
run with two sets of inputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from reference.ir import Function, Operation, Program, Region, walk
from reference.ops import (
    ConditionalBranch,
    Constant,
    For,
    GlobalStore,
    HostScalar,
    If,
    Select,
    Transients,
    While,
)
from reference.types import F32, F64, I1, INDEX, Literal, ScalarType, Type, Value
from reference.values.content import Content
from reference.values.numbers import bit_width, bits_of, float_bits
from reference.values.terms import Terms

_CHOICES = (ConditionalBranch, For, If, Select, While)
_FLOATS = (F32, F64)
_UNSAID_SIZE = 64
_UNSAID_COUNT = 2
_TRANSIENTS = 1 << 16
"""Bytes that the caller gives for transient memory: more than a program of ours needs."""
_LARGEST_INDEX = 1 << 10


@dataclass(frozen=True, slots=True)
class Inputs:
    """One set of inputs. `numbers` are those of each public function's arguments: a scalar, or the
    size of a resource; None where there is none to tell. `compared` are the constants that the
    program compares with."""

    seed: int
    numbers: Mapping[str, tuple[int | None, ...]]
    compared: tuple[int, ...]
    calls: int = 1
    """How often the public functions are called: twice where one may leave something behind in a
    global."""
    results: Mapping[str, tuple[Type, ...]] = field(default_factory=dict)
    """What each public function returns as it was written."""
    globals: frozenset[str] = frozenset()
    """The public globals that the program was written with: what was a tensor there has a size
    beside it later (compiler/src/iree/compiler/Dialect/Stream/Conversion/UtilToStream/)."""

    def sample(self, content: Content, kind: Type, terms: Terms) -> int:
        """The bits of a scalar whose bytes are not known: any, but always the same for the same
        bytes, as a number of whichever kind they are read. One in four is something that the
        program compares with."""
        return self.drawn(content.digest(terms), kind)

    def drawn(self, name: bytes, kind: Type) -> int:
        """The bits of a scalar that is known by a name."""
        width = bit_width(kind)
        mark = hashlib.blake2b(name + f":{width}:{self.seed}".encode(), digest_size=9).digest()
        number = int.from_bytes(mark[1:], "little")
        if self.compared and kind != I1 and mark[0] % 4 == 0:
            number = self.compared[number % len(self.compared)]
        elif width == bit_width(INDEX):
            # What may be an index, whichever kind of number it is read as first.
            number %= _LARGEST_INDEX
        elif width == bit_width(F32):
            # Finite, should the same bytes be read as a floating-point number.
            number &= ~(1 << width - 2)
        return number & ((1 << width) - 1)


def inputs_of(program: Program) -> tuple[Inputs, ...]:
    """The sets of inputs to run a program with: two where it has choices to make."""
    flags = any(value.type == I1 for one in program.functions for value in one.arguments)
    choices = flags or any(isinstance(operation, _CHOICES) for operation in program.operations())
    compared = tuple(dict.fromkeys(_compared(program)))
    functions = [one for one in program.functions if one.public and not one.is_declaration]
    longest = max(map(_longest, program.bodies()), default=1)
    stores = any(
        isinstance(operation, GlobalStore)
        for function in program.functions
        for operation in walk(function.body)
    )
    return tuple(
        Inputs(
            seed=seed,
            numbers={one.name: tuple(_numbers(one, seed, longest)) for one in functions},
            compared=compared,
            calls=2 if stores else 1,
            results={one.name: one.result_types for one in functions},
            globals=frozenset(one.name for one in program.globals if one.public),
        )
        for seed in range(2 if choices else 1)
    )


def _compared(program: Program) -> Iterator[int]:
    for operation in program.operations():
        if isinstance(operation, HostScalar) and operation.name == "arith.cmpi":
            for argument in operation.arguments:
                if isinstance(argument, Literal):
                    yield bits_of(argument)


def _numbers(function: Function, seed: int, longest: int) -> list[int | None]:
    bounds = _bounds(function, longest)
    scalars = {
        value.name: _scalar(value, position, seed, bounds)
        for position, value in enumerate(function.arguments)
    }
    found: list[int | None] = []
    for value in function.arguments:
        size = value.size
        if value.is_resource:
            found.append(scalars.get(size.name) if isinstance(size, Value) else size)
        else:
            found.append(scalars[value.name])
    return found


def _longest(body: Region) -> int:
    """The largest number that an op on resources takes, such as the end of a range."""
    found = 1
    for operation in walk(body):
        if any(one.is_resource for one in operation.operands):
            found = max([found, *(item for item in operation.inputs if isinstance(item, int))])
    return found


def _bounds(function: Function, longest: int) -> dict[str, int]:
    """A number for each index value that is a size: the length of a constant that has it, room for
    transient memory, or else for all ranges of the program's ops, since it may be handed to any
    function, whole elements of any type."""
    names: set[str] = set()
    exact: dict[str, int] = {}
    for operation in walk(function.body):
        sizes = {one.size.name for one in _values(operation) if isinstance(one.size, Value)}
        if isinstance(operation, Constant) and operation.length is not None:
            exact.update(dict.fromkeys(sizes, operation.length))
        if isinstance(operation, Transients) and isinstance(operation.storage.size, Value):
            exact[operation.storage.size.name] = _TRANSIENTS
        names |= sizes
    return dict.fromkeys(names, -(-longest // _UNSAID_SIZE) * _UNSAID_SIZE) | exact


def _values(operation: Operation) -> tuple[Value, ...]:
    return (*operation.operands, *operation.results)


def _scalar(value: Value, position: int, seed: int, bounds: Mapping[str, int]) -> int | None:
    kind = value.type
    if not isinstance(kind, ScalarType):
        return None
    if kind == I1:
        # Not what the generator knows: a program goes the same ways when it is read from a file.
        return position + seed & 1
    if value.known is not None:
        return value.known & ((1 << bit_width(kind)) - 1)
    if kind == INDEX:
        return bounds.get(value.name, _UNSAID_COUNT + seed)
    if kind in _FLOATS:
        return float_bits(position + seed + 1.5, kind)
    return 37 + 2 * position + seed
