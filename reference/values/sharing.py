"""How two ops come to touch the same storage, as far as one body tells: up the ties of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reference.ir import Operation, Program
from reference.ops import Barrier, Cast, Concurrent, Execute, Export, Return, StreamYield
from reference.types import Value

_WAYS = (Barrier, Cast)
"""Ops that do nothing but give storage another name."""

HANDED_ON = "handed-on"
"""Storage that control flow, calls or globals hand from one name to another."""


def ways(program: Program, writer: Operation, reader: Operation | None) -> tuple[str, ...]:
    """The kinds of ops through which `writer` and `reader` name the storage that they share, in
    order of name; nothing where they name it directly. `reader` is None for the caller."""
    steps = dict(_steps(program))
    written = [_climb(target, steps) for _, target in writer.tied]
    taken = _taken(program) if reader is None else reader.operands
    for value in taken:
        if value.is_resource:
            base, path = _climb(value, steps)
            for other, way in written:
                if base == other:
                    return tuple(sorted(path | way))
    return (HANDED_ON,)


_Step = tuple[str, str | None]
"""The name of the same storage before, and the kind of op between the two where that matters."""


def _steps(program: Program) -> Iterator[tuple[str, _Step]]:
    """By the name of a value, where its storage comes from: ties, captures, what regions yield."""
    for operation in program.operations():
        word = operation.mnemonic.rpartition(".")[2] if isinstance(operation, _WAYS) else None
        for result, operand in operation.tied:
            yield result.name, (operand.name, word)
        if isinstance(operation, Execute | Concurrent):
            (block,) = operation.body.blocks
            for argument, capture in zip(block.arguments, operation.captures, strict=True):
                yield argument.name, (capture.name, None)
            last = block.operations[-1]
            assert isinstance(last, StreamYield)
            for output, value in zip(operation.outputs, last.values, strict=True):
                yield output.name, (value.name, None)


def _climb(value: Value, steps: Mapping[str, _Step]) -> tuple[str, frozenset[str]]:
    """The name under which storage was made, and the kinds of ops on the way there."""
    path: set[str] = set()
    name, seen = value.name, {value.name}
    while (step := steps.get(name)) is not None and step[0] not in seen:
        name, word = step
        seen.add(name)
        if word is not None:
            path.add(word)
    return name, frozenset(path)


def _taken(program: Program) -> Iterator[Value]:
    """What the caller may look at."""
    for operation in program.operations():
        if isinstance(operation, Export):
            yield operation.source
        elif isinstance(operation, Return):
            yield from operation.operands
