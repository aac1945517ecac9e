"""What `iree-stream-annotate-affinities` writes on ops, taken off them again."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.reading.raw import RawAttribute, RawOperation
from reference.types import TensorType, parse_type

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


def strip(module: RawOperation) -> Iterator[tuple[RawOperation, Annotations]]:
    """Takes the annotations off all ops in bodies but constants of the host: initializers first,
    outer before inner."""
    top = module["regions"][0][0]["operations"]
    for kind in _BODIES:
        for op in top:
            if op["name"] == kind:
                yield from _strip_regions(op)


def _strip_regions(op: RawOperation) -> Iterator[tuple[RawOperation, Annotations]]:
    for region in op["regions"]:
        for block in region:
            for inner in block["operations"]:
                if inner["name"] == _CONSTANT and not _makes_tensor(inner):
                    continue
                yield inner, _strip_one(inner)
                if inner["regions"]:
                    yield from _strip_regions(inner)


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


def _makes_tensor(op: RawOperation) -> bool:
    return isinstance(parse_type(op["results"][0][1]), TensorType)


def annotations_of(op: RawOperation) -> Annotations:
    return {
        name.removeprefix(PREFIX): value
        for name, value in op["attributes"].items()
        if name.startswith(PREFIX)
    }
