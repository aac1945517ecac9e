"""How two ops come to touch the same storage, as far as one body tells: up the ties of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reference.ir import Operation, Program, walk
from reference.ops import Barrier, Cast, Concurrent, Execute, Export, Return, StreamYield
from reference.types import BUFFER, BUFFER_VIEW, Value

_NAMING = (Barrier, Cast)
"""Ops that do nothing but give storage another name."""

DIRECTLY = "directly"
"""Both name the storage alike."""

EXPORTED = "exported"
"""The caller was handed the storage before it was written."""

ALIASED = "aliased"
"""One names the storage as a barrier or a cast does, the other as what that takes."""

HANDED_ON = "handed-on"
"""Storage that control flow, calls or globals hand from one name to another."""


def way(program: Program, writer: Operation, reader: Operation | None, turn: int = 0) -> str:
    """How `writer` and `reader` come to share storage, in one of the words above.

    `reader` is None for the caller, which reads result after result: `turn` says how many before.
    """
    steps = dict(_steps(program))
    written = [_climb(target, steps) for _, target in writer.tied]
    taken = [(DIRECTLY, one) for one in reader.operands] if reader is not None else []
    if reader is None:
        returned = list(_returned(program))
        taken = returned and [returned[turn % len(returned)]]
    for word, value in taken:
        if value.is_resource:
            base, renamed = _climb(value, steps)
            for other, also_renamed in written:
                if base == other:
                    return ALIASED if renamed or also_renamed else word
    return HANDED_ON


def exposed(program: Program, writer: Operation) -> bool:
    """Whether `writer` writes storage in place that another op uses under another name, and not as
    what `writer` made of it: only the order in which they stand keeps the two apart."""
    steps = dict(_steps(program))
    written = [_climb(target, steps) for _, target in writer.tied]
    made = {result.name for result in writer.results}
    for user in program.operations():
        if user is writer or isinstance(user, (*_NAMING, Execute, Concurrent, StreamYield)):
            continue
        for value in user.operands:
            if value.is_resource and not _comes_from(value.name, made, steps):
                base, renamed = _climb(value, steps)
                if any(base == other and renamed | also for other, also in written):
                    return True
    return False


_Step = tuple[str, bool]
"""The name of the same storage before, and whether an op renames it between the two."""


def _steps(program: Program) -> Iterator[tuple[str, _Step]]:
    """By the name of a value, where its storage comes from: ties, captures, what regions yield."""
    for operation in program.operations():
        for result, operand in operation.tied:
            yield result.name, (operand.name, isinstance(operation, _NAMING))
        if isinstance(operation, Execute | Concurrent):
            (block,) = operation.body.blocks
            for argument, capture in zip(block.arguments, operation.captures, strict=True):
                yield argument.name, (capture.name, False)
            last = block.operations[-1]
            assert isinstance(last, StreamYield)
            for output, value in zip(operation.outputs, last.values, strict=True):
                yield output.name, (value.name, False)


def _climb(value: Value, steps: Mapping[str, _Step]) -> tuple[str, bool]:
    """The name under which storage was made, and whether an op renames it on the way there."""
    name, seen, renamed = value.name, {value.name}, False
    while (step := steps.get(name)) is not None and step[0] not in seen:
        name = step[0]
        seen.add(name)
        renamed |= step[1]
    return name, renamed


def _comes_from(name: str, made: set[str], steps: Mapping[str, _Step]) -> bool:
    """Whether storage had one of the names `made` before, or has it."""
    seen: set[str] = set()
    while name not in made:
        step = steps.get(name)
        if step is None or step[0] in seen:
            return False
        name = step[0]
        seen.add(name)
    return True


def _returned(program: Program) -> Iterator[tuple[str, Value]]:
    """What the caller gets to look into, in order, and how it came by that."""
    exported = {
        operation.result.name: operation.source
        for operation in program.operations()
        if isinstance(operation, Export)
    }
    for function in program.functions:
        for operation in walk(function.body) if function.public else ():
            for value in operation.operands if isinstance(operation, Return) else ():
                if value.is_resource:
                    yield DIRECTLY, value
                elif value.type in (BUFFER, BUFFER_VIEW):
                    yield EXPORTED, exported.get(value.name, value)
