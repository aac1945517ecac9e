"""Storage that two ops share while no value goes from one to the other: at the async level, before
there are regions, nothing else orders them on different devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.ir import Operation, Program
from reference.ops import Concurrent, Constant, Execute, StreamYield
from reference.types import Lifetime


def unordered(program: Program, concerns: Callable[[Operation], bool]) -> bool:
    """Whether an op writes in place what another uses, and neither needs what the other makes.

    Only ops that `concerns` says yes to are looked at. Values are taken to have names that are
    unique in the program, as those that were read from a compiler's output have.
    """
    storage = _storage(program)
    operations = tuple(program.operations())
    makers = {result.name: operation for operation in operations for result in operation.results}
    concerned = tuple(filter(concerns, operations))
    for writer in concerned:
        written = _written(writer, storage)
        for user in concerned:
            if user is writer or written.isdisjoint(_used(user, storage)):
                continue
            if not (_needs(writer, user, makers) or _needs(user, writer, makers)):
                return True
    return False


def overlapping(program: Program, concerns: Callable[[Operation], bool]) -> bool:
    """Whether an op writes in place storage that it also takes under another name, or twice."""
    storage = _storage(program)
    for operation in filter(concerns, program.operations()):
        used = [_root(value.name, storage) for value in operation.operands if value.is_resource]
        if any(used.count(root) > 1 for root in _written(operation, storage)):
            return True
    return False


def constant_written(program: Program, concerns: Callable[[Operation], bool]) -> bool:
    """Whether an op writes in place what is a constant's storage, and remains a constant's."""
    storage = _storage(program)
    constants = {
        operation.result.name
        for operation in program.operations()
        if isinstance(operation, Constant) and operation.result.lifetime is Lifetime.CONSTANT
    }
    return any(
        not constants.isdisjoint(_written(operation, storage))
        for operation in filter(concerns, program.operations())
    )


def _storage(program: Program) -> dict[str, str]:
    """For names of storage that has others: one that it had before."""
    found: dict[str, str] = {}
    for operation in program.operations():
        found.update((result.name, operand.name) for result, operand in operation.tied)
        if isinstance(operation, Concurrent | Execute):
            (block,) = operation.body.blocks
            last = block.operations[-1]
            assert isinstance(last, StreamYield)
            pairs = (
                *zip(block.arguments, operation.captures, strict=True),
                *zip(operation.outputs, last.values, strict=True),
            )
            found.update((name.name, before.name) for name, before in pairs)
    return found


def _written(operation: Operation, storage: Mapping[str, str]) -> set[str]:
    return {_root(operand.name, storage) for _, operand in operation.tied}


def _used(operation: Operation, storage: Mapping[str, str]) -> set[str]:
    return {_root(value.name, storage) for value in operation.operands if value.is_resource}


def _root(name: str, storage: Mapping[str, str]) -> str:
    while name in storage:
        name = storage[name]
    return name


def _needs(later: Operation, earlier: Operation, makers: Mapping[str, Operation]) -> bool:
    """Whether an op takes what another makes, or what is made of that."""
    pending, seen = [later], {id(later)}
    while pending:
        for value in pending.pop().operands:
            maker = makers.get(value.name)
            if maker is earlier:
                return True
            if maker is not None and id(maker) not in seen:
                seen.add(id(maker))
                pending.append(maker)
    return False
