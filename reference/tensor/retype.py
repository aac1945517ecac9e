"""Values as tensors: each resource is a tensor of as many bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from reference.ir import Operation, Successor, changed
from reference.ops.constant import tensor_bytes
from reference.tensor.expression import InexpressibleError
from reference.types import Index, ResourceType, TensorType, Type, Value


def tensor_type(size: Index) -> TensorType:
    """The tensor of `size` bytes; one dimension, left open where only the caller knows it."""
    return TensorType(f"tensor<{size}xi8>" if isinstance(size, int) else "tensor<?xi8>")


def initial_type(name: str, initial: str, size: int) -> TensorType:
    """The type of the initial value of a global of `size` bytes, which the global keeps. Raises
    InexpressibleError where its elements are not whole bytes that lie together."""
    told = initial.rpartition(" : ")[2]
    if tensor_bytes(told) != size:
        raise InexpressibleError(f"@{name}, whose initial value is {told} in {size} bytes")
    return TensorType(told)


def element_of(kind: Type) -> str:
    """The element type of a tensor, as it is printed."""
    return str(kind).removeprefix("tensor<").removesuffix(">").rpartition("x")[2]


def dimensions(value: Value) -> tuple[Value, ...]:
    """The dimensions that the type of a value's tensor leaves open. Raises InexpressibleError where
    nothing says what they are."""
    if value.size is None:
        raise InexpressibleError(f"%{value.name}, of which nothing says how long it is")
    return (value.size,) if isinstance(value.size, Value) else ()


def as_tensor(value: Value) -> Value:
    """A resource as a tensor. What nothing tells the length of, no op looks into."""
    if not isinstance(value.type, ResourceType):
        return value
    kind = TensorType("tensor<?xi8>") if value.size is None else tensor_type(value.size)
    return Value(value.name, kind, value.size)


def with_values(operation: Operation, change: Callable[[Value], Value]) -> Operation:
    """The op with `change(value)` for each value that it takes or makes itself."""
    changes: dict[str, Any] = {}
    for field in fields(operation):
        held = getattr(operation, field.name)
        made = _changed(held, change)
        if made is not held:
            changes[field.name] = made
    return changed(operation, changes) if changes else operation


def _changed(held: Any, change: Callable[[Value], Value]) -> Any:
    if isinstance(held, Value):
        return change(held)
    if isinstance(held, Successor):
        return Successor(held.block, _changed(held.arguments, change))
    if isinstance(held, tuple):
        made = tuple(_changed(item, change) for item in held)
        same = all(one is other for one, other in zip(made, held, strict=True))
        return held if same else made
    return held
