"""The shapes of tensors: what their types say, and what ops say of the dimensions left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reference.ir import UnsupportedOperationError
from reference.ops.constant import tensor_shape
from reference.ops.tensor_assembly import grouped
from reference.ops.tensor_phase import TensorOperation
from reference.types import Index, Literal, Scalar, TensorType, Type, Value

Groups = list[tuple[Scalar, ...]]
Pairs = list[tuple[Scalar, tuple[Scalar, ...]]]


@dataclass(frozen=True, slots=True)
class Shape:
    """Dimensions, None where open, and the bytes of an element."""

    extents: tuple[int | None, ...]
    width: int


def shape_of(kind: Type) -> Shape:
    shape = tensor_shape(str(kind))
    if shape is None:
        raise UnsupportedOperationError(f"a value of type {kind}")
    return Shape(*shape)


def index_of(item: Scalar) -> Index:
    return int(item.value) if isinstance(item, Literal) else item


def require_one_piece(op: TensorOperation, value: Scalar, lengths: tuple[Scalar, ...]) -> None:
    """Whether a part of a tensor has its bytes next to each other, as far as it is known."""
    shape = shape_of(value.type)
    known = [one.value if isinstance(one, Literal) else None for one in lengths]
    whole = [
        extent is not None and extent == one
        for extent, one in zip(shape.extents, known, strict=True)
    ]
    rows = next((place for place, one in enumerate(known) if one != 1), len(known))
    if not all(whole[rows + 1 :]):
        raise UnsupportedOperationError(f"{op.name} of bytes that do not lie together")


def told_dimensions(op: TensorOperation) -> list[tuple[Value, tuple[Index, ...]]]:
    """The tensors that an op says the open dimensions of, with these."""
    groups = grouped(op.arguments, op.attributes)
    find = _OPEN.get(op.name)
    pairs: list[tuple[Scalar, tuple[Scalar, ...]]] = []
    if op.name == "flow.dispatch":
        _, arguments, dimensions, given = groups
        for values, told in ((arguments, iter(dimensions)), (op.outputs, iter(given))):
            for value in values:
                count = str(value.type).count("?")
                pairs.append((value, tuple(next(told) for _ in range(count))))
    elif find is not None:
        pairs = find(op, groups)
    return [
        (value, tuple(map(index_of, told)))
        for value, told in pairs
        if isinstance(value, Value) and isinstance(value.type, TensorType)
    ]


def _first_alone(op: TensorOperation, groups: Groups) -> Pairs:
    first, *rest = groups[0]
    pairs = [(first, tuple(rest))]
    return [*pairs, (op.outputs[0], tuple(rest))] if op.name != "hal.tensor.export" else pairs


_OPEN: dict[str, Callable[[TensorOperation, Groups], Pairs]] = {
    **dict.fromkeys(
        (
            "flow.tensor.clone", "flow.tensor.transfer", "flow.tensor.barrier", "hal.tensor.export",
            "flow.tensor.splat",
        ),
        _first_alone,
    ),
    **dict.fromkeys(
        ("flow.tensor.empty", "flow.tensor.alloca"),
        lambda op, groups: [(op.outputs[0], groups[0])],
    ),
    "flow.tensor.slice": lambda op, groups: [(groups[0][0], groups[1]), (op.outputs[0], groups[4])],
    "flow.tensor.update": lambda op, groups: [
        (groups[0][0], groups[1]), (groups[3][0], groups[4]), (op.outputs[0], groups[1])
    ],
    "flow.tensor.load": lambda op, groups: [(groups[0][0], groups[1])],
    "flow.tensor.store": lambda op, groups: [(groups[1][0], groups[2]), (op.outputs[0], groups[2])],
    **dict.fromkeys(
        ("flow.tensor.bitcast", "flow.tensor.reshape"),
        lambda op, groups: [(groups[0][0], groups[1]), (op.outputs[0], groups[2])],
    ),
    "hal.tensor.import": lambda op, groups: [(op.outputs[0], groups[1])],
}  # fmt: skip
