"""Types, affinities' carriers and SSA values of the program IR.

Names and spellings are those of IREE's Stream dialect
(compiler/src/iree/compiler/Dialect/Stream/IR/StreamTypes.td and StreamBase.td).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar


class Lifetime(enum.Enum):
    """How long, and for whom, a `!stream.resource` lives."""

    UNKNOWN = "*"
    EXTERNAL = "external"
    TRANSIENT = "transient"
    VARIABLE = "variable"
    CONSTANT = "constant"
    STAGING = "staging"


DEVICE_LIFETIMES = tuple(life for life in Lifetime if life is not Lifetime.STAGING)
"""The lifetimes that every op but transfer, load, store and barrier is limited to."""


@dataclass(frozen=True, slots=True)
class ResourceType:
    """`!stream.resource<lifetime>`: bytes that live on a device or, when staging, on the host."""

    lifetime: Lifetime

    tracked: ClassVar[bool] = True
    """Whether IREE tracks where values of the type live (`AffinityTypeInterface`)."""

    def __str__(self) -> str:
        # `_value_` is `value` without the descriptor: printing spends its time here.
        return f"!stream.resource<{self.lifetime._value_}>"


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A host value: `index`, `i8` … `i64`, `f32`, `f64`; `bytes` is its width in memory."""

    name: str
    bytes: int

    lifetime: ClassVar[None] = None
    tracked: ClassVar[bool] = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type the model passes through without looking inside, such as `!hal.buffer_view`."""

    name: str

    lifetime: ClassVar[None] = None
    tracked: ClassVar[bool] = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class TensorType:
    """`tensor<…>`, which stands for a resource in the phases before Stream's own."""

    name: str

    lifetime: ClassVar[None] = None
    tracked: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.name


Type = ResourceType | ScalarType | OpaqueType | TensorType

RESOURCES = {life: ResourceType(life) for life in Lifetime}
INDEX = ScalarType("index", 8)
I8, I16, I32, I64 = (ScalarType(f"i{bits}", bits // 8) for bits in (8, 16, 32, 64))
F32, F64 = ScalarType("f32", 4), ScalarType("f64", 8)
I1 = ScalarType("i1", 1)
BUFFER = OpaqueType("!hal.buffer")
BUFFER_VIEW = OpaqueType("!hal.buffer_view")
FENCE = OpaqueType("!hal.fence")
TIMEPOINT = OpaqueType("!stream.timepoint")

PATTERN_TYPES = (I8, I16, I32, I64)
"""What a splat or a fill may repeat (StreamOps.cpp, verify of splat and fill)."""


def parse_type(text: str) -> Type:
    """The type that MLIR prints as `text`; what is no resource, scalar or tensor is opaque."""
    known = _KNOWN_TYPES.get(text)
    if known is not None:
        return known
    return TensorType(text) if text.startswith("tensor<") else OpaqueType(text)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """An SSA value. Two values are the same when their names are: names are unique in a function.

    `size` is a resource's length in bytes, constant or an index value. `known` is, for an index
    value that the caller passes in, the number it will hold when the program runs; None when the
    program was read from a file that does not say.
    """

    name: str
    type: Type
    size: int | Value | None = None
    known: int | None = None

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, Value) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def lifetime(self) -> Lifetime | None:
        """The lifetime of a resource, None for any other value."""
        return self.type.lifetime

    @property
    def is_resource(self) -> bool:
        """Whether IREE tracks where this value lives (`AffinityTypeInterface`)."""
        return self.type.tracked


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant host scalar, printed as an `arith.constant`."""

    value: int | float
    type: ScalarType


Index = int | Value
"""An offset, length or size in bytes."""

Scalar = Literal | Value
"""A host scalar that an op takes."""


def scalar_bytes(scalar: Scalar) -> int | None:
    """The width in memory of a host scalar, None for a type that has none."""
    return scalar.type.bytes if isinstance(scalar.type, ScalarType) else None


def known_bytes(index: Index | None) -> int | None:
    """The number an index stands for, None when only the caller knows."""
    return index.known if isinstance(index, Value) else index


_PLAIN_TYPES: tuple[Type, ...] = (
    INDEX, I1, I8, I16, I32, I64, F32, F64, BUFFER, BUFFER_VIEW, FENCE, TIMEPOINT,
)  # fmt: skip
_KNOWN_TYPES: dict[str, Type] = {
    str(known): known for known in (*RESOURCES.values(), *_PLAIN_TYPES)
}
