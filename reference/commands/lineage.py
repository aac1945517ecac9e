"""Storage that an op uses under several names at the async level."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference.ir import Operation, Program
from reference.ops import Concurrent, Constant, Execute, StreamYield
from reference.types import Lifetime


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


def _root(name: str, storage: Mapping[str, str]) -> str:
    while name in storage:
        name = storage[name]
    return name
