"""`stream.async.constant`: a resource with contents known at compile time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops.assembly import (
    affinity_of,
    device_lifetime_problem,
    on,
    resource,
    resource_result,
    sized,
    timepoint_problem,
    waiting,
)
from reference.types import Index, Scalar, Value, known_bytes

_SHAPE = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-z]+\d+)>")
_PLAIN_TENSOR = re.compile(r"tensor<((?:\d+x)*)[a-z]+(8|16|32|64)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Operation):
    """`result` holds `elements` (MLIR's typed attribute, printed), `length` bytes of them.

    `length` is None for element types whose packing the model does not know, such as i1. `awaits`
    is reached before the memory is written.
    """

    elements: str
    length: int | None
    result: Value
    affinity: Affinity | None
    awaits: Value | None = None

    mnemonic = "stream.async.constant"
    streamable = True
    takes_affinity = True

    @property
    def inputs(self) -> tuple[Index | Scalar | None, ...]:
        return (*self.await_timepoints, self.result.size)

    @property
    def results(self) -> tuple[Value, ...]:
        return (self.result,)

    @property
    def execution_affinity(self) -> Affinity | None:
        return self.affinity

    @property
    def await_timepoints(self) -> tuple[Value, ...]:
        return () if self.awaits is None else (self.awaits,)

    def problems(self) -> Iterator[str]:
        yield from timepoint_problem(*self.await_timepoints)
        yield from device_lifetime_problem("result", self.result)
        size = known_bytes(self.result.size)
        if size is not None and self.length is not None and size != self.length:
            yield f"result has {size} bytes but its elements have {self.length}"

    def assembly(self) -> str:
        return (
            f"%{self.result.name} = {self.mnemonic} {on(self.affinity)}{waiting(self.awaits)}"
            f": {sized(self.result)} = {self.elements}"
        )

    @classmethod
    def from_generic(cls, generic: GenericOperation) -> Constant:
        *awaits, size = generic.operands
        elements = str(generic.attributes["value"])
        if elements.startswith("dense_resource"):
            raise UnsupportedOperationError(f"{cls.mnemonic} whose contents stand elsewhere")
        return cls(
            identity=generic.identity,
            elements=elements,
            length=tensor_bytes(elements.rpartition(" : ")[2]),
            result=resource_result(generic, size),
            affinity=affinity_of(generic.attributes.get("affinity")),
            awaits=resource(awaits[0]) if awaits else None,
        )


def tensor_bytes(tensor: str) -> int | None:
    """The bytes of a tensor type, None unless it is static with elements of whole bytes."""
    match = _PLAIN_TENSOR.fullmatch(tensor)
    if match is None:
        return None
    elements = math.prod(int(extent) for extent in match[1].split("x") if extent)
    return elements * int(match[2]) // 8


def tensor_shape(tensor: str) -> tuple[tuple[int | None, ...], int] | None:
    """The dimensions of a tensor type, None where open, and the bytes of an element; None where
    these are not whole bytes."""
    match = _SHAPE.fullmatch(tensor)
    width = None if match is None else tensor_bytes(f"tensor<1x{match[2]}>")
    if match is None or width is None:
        return None
    return tuple(None if one == "?" else int(one) for one in match[1].split("x") if one), width
