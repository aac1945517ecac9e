"""What `iree-stream-annotate-affinities` writes on ops, taken off them again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from oracle.reading.raw import RawAttribute, RawOperation, plain
from reference.ir import UnsupportedOperationError
from reference.ops.encoded import SIZEOF, known_size
from reference.types import INDEX, Literal, TensorType, parse_type

PREFIX = "stream.affinities"
GLOBAL = "util.global"
_CONSTANT = "arith.constant"
_PROMISE = "#hal.device.promise<"
_BODIES = ("util.initializer", "util.func")

Annotations = dict[str, RawAttribute]
"""What the pass says of one op: by the attribute's name without the prefix."""


def strip_globals(module: RawOperation) -> dict[str, tuple[RawOperation, Annotations]]:
    """Takes the annotations off all globals, by name."""
    top = module["regions"][0][0]["operations"]
    return {
        str(op["attributes"]["sym_name"]): (op, _strip_one(op))
        for op in top
        if op["name"] == GLOBAL
    }


def strip(module: RawOperation, tensors: bool) -> Iterator[tuple[RawOperation, Annotations]]:
    """Takes the annotations off all ops in bodies that the reader makes ops of, asked for `tensors`
    or not: initializers first, outer before inner."""
    top = module["regions"][0][0]["operations"]
    for kind in _BODIES:
        for op in top:
            if op["name"] == kind:
                yield from _strip_regions(op, tensors)


def _strip_regions(op: RawOperation, tensors: bool) -> Iterator[tuple[RawOperation, Annotations]]:
    for region in op["regions"]:
        for block in region:
            for inner in block["operations"]:
                if _becomes_part_of_users(inner, tensors):
                    continue
                yield inner, _strip_one(inner)
                if inner["regions"]:
                    yield from _strip_regions(inner, tensors)


def _strip_one(op: RawOperation) -> Annotations:
    annotations = annotations_of(op)
    for name in annotations:
        del op["attributes"][PREFIX + name]
    return annotations


def resolved(value: RawAttribute) -> RawAttribute:
    """What is told of promises, told of the devices that they become, as the reader does."""
    if isinstance(value, list):
        return [resolved(item) for item in value]
    if isinstance(value, dict):
        return {"text": str(value["text"]).replace(_PROMISE, "#hal.device.affinity<")}
    return value


def _becomes_part_of_users(op: RawOperation, tensors: bool) -> bool:
    """Whether the reader makes no op of it: a constant of the host, or a size that is known."""
    if op["name"] == _CONSTANT:
        return not isinstance(parse_type(op["results"][0][1]), TensorType)
    if op["name"] != SIZEOF or tensors:
        return False
    any_size = Literal(1, INDEX)
    with contextlib.suppress(UnsupportedOperationError):
        encoding = plain(op["attributes"]["encoding"])
        return known_size(encoding, [any_size] * len(op["operands"])) is not None
    return False


def annotations_of(op: RawOperation) -> Annotations:
    return {
        name.removeprefix(PREFIX): value
        for name, value in op["attributes"].items()
        if name.startswith(PREFIX)
    }
