"""Copies of ops that take and make values of other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from operator import is_
from typing import Any

from reference.ir import Operation, changed
from reference.ops import Binding
from reference.types import Value


def renamed(operation: Operation, names: Mapping[str, str], **changes: object) -> Operation:
    """The op with its values under the names that `names` has for theirs, sizes as they were.

    `changes` are fields to set besides. What stands in the op's regions stays as it is.
    """
    kind: Any = type(operation)
    for name in _fields(kind):
        if name not in changes:
            old = getattr(operation, name)
            new = _renamed(old, names)
            if new is not old:
                changes[name] = new
    return changed(operation, changes) if changes else operation


def named(value: Value, names: Mapping[str, str]) -> Value:
    """The value under the name that `names` has for it, if any."""
    name = names.get(value.name)
    return value if name is None else Value(name, value.type, value.size, value.known)


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    """The fields that may hold values: by their annotations, which are text."""
    return tuple(
        item.name
        for item in fields(kind)
        if any(word in str(item.type) for word in ("Value", "Binding", "Scalar", "Index"))
    )


def _renamed(item: Any, names: Mapping[str, str]) -> Any:
    """The item with its values renamed; the same object where nothing changes."""
    if isinstance(item, Value):
        return named(item, names)
    if isinstance(item, tuple):
        new = tuple([_renamed(inner, names) for inner in item])
        return item if all(map(is_, new, item)) else new
    if isinstance(item, Binding):
        value = named(item.value, names)
        return item if value is item.value else Binding(value, item.span)
    return item
