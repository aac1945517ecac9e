"""What the ops around say of the size of a resource: types alone do not tell it."""

from __future__ import annotations

from reference.folding.nodes import Node
from reference.folding.values import is_usable_at
from reference.folding.working import Body
from reference.ir import Operation
from reference.ops import (
    Branch,
    Call,
    Condition,
    ConditionalBranch,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    While,
    Yield,
)
from reference.types import Index, Value

_SIZELESS: frozenset[type[Operation]] = frozenset(
    {
        Branch, Call, Condition, ConditionalBranch, For, GlobalLoad, GlobalStore, HostScalar, If,
        OpaqueOperation, OptimizationBarrier, Return, Select, While, Yield,
    }
)  # fmt: skip
"""Ops that have no `SizeAwareOpInterface`: they take and give resources without their sizes."""


def find_size(body: Body, resource: Value, before: Node) -> Index | None:
    """`SizeAwareTypeInterface::findSizeValue`, compiler/src/iree/compiler/Dialect/Util/IR/
    UtilTypes.cpp: what the op that makes a resource says of its size or, where that says nothing,
    the latest op that takes the resource and names a size that is there before `before`."""
    value = resource
    while (maker := body.definition(value)) is not None:
        operation = maker.current
        if maker.kind not in _SIZELESS:
            return next(result.size for result in operation.results if result == value)
        ties = dict(operation.tied)
        if value not in ties:
            break
        value = ties[value]
    pending = [resource]
    while pending:
        value = pending.pop()
        for user, place in body.uses(value):
            size = _size_at(user, place)
            if size is not None and is_usable_at(body, size, before):
                return size
            pending += [result for result, operand in user.current.tied if operand == value]
    return None


def _size_at(user: Node, place: int) -> Index | None:
    """What an op says of the size of an operand."""
    operation = user.current
    if isinstance(operation, ResourceSize):
        return operation.result
    item = operation.inputs[place]
    return item.size if user.kind not in _SIZELESS and isinstance(item, Value) else None
