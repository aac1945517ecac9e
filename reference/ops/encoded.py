"""`stream.tensor.*`: ops on resources that still know the types of their tensors.

They live for a few passes, from IREE's conversion of tensors on to the encoding of their sizes
(compiler/src/iree/compiler/Dialect/Stream/IR/StreamOps.td, EncodeTensors.cpp). Each is read as the
op on bytes that it means: `stream.tensor.slice` as a slice, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from reference.ir import Attribute, GenericOperation, Operation, UnsupportedOperationError
from reference.ops.alloca import Alloca
from reference.ops.assembly import (
    Range,
    affinity_of,
    index,
    resource,
    resource_result,
    scalar,
    segments,
    ties_of,
)
from reference.ops.clone import Clone
from reference.ops.constant import Constant, tensor_bytes, tensor_shape
from reference.ops.dispatch import Binding, Dispatch
from reference.ops.fill import Fill
from reference.ops.host import HostScalar
from reference.ops.load import Load
from reference.ops.slice import Slice
from reference.ops.splat import Splat
from reference.ops.store import Store
from reference.ops.update import Update
from reference.types import INDEX, Index, Literal, Scalar, Value

_NO_OVERFLOW = (("overflowFlags", "#arith.overflow<none>"),)


def _shape(encoding: Attribute) -> tuple[tuple[int | None, ...], int]:
    """The dimensions of an encoding, None where open, and the bytes of an element."""
    shape = tensor_shape(str(encoding))
    if shape is None:
        raise UnsupportedOperationError(f"the encoding {encoding}")
    return shape


def _offset(encoding: Attribute, places: Sequence[Index | Literal]) -> Index:
    """The offset in bytes of an element."""
    extents, width = _shape(encoding)
    if len(places) == 1 and width == 1:
        return index(places[0])
    offset = 0
    for place, extent in zip(places, extents, strict=True):
        if not isinstance(place, int) or (extent is None and offset):
            raise UnsupportedOperationError(f"a place in {encoding} that is computed")
        offset = offset * (extent or 1) + place
    return offset * width


def _require_rows(encoding: Attribute, lengths: Sequence[Index | Literal]) -> None:
    """Whether a part of a tensor has its bytes next to each other, as far as it is known."""
    extents, _ = _shape(encoding)
    first = next((place for place, one in enumerate(lengths) if one != 1), len(lengths))
    for extent, length in list(zip(extents, lengths, strict=True))[first + 1 :]:
        if extent is None or extent != length:
            raise UnsupportedOperationError(f"a part of {encoding} that does not lie together")


def _span(start: Index, length: Index) -> Range:
    if isinstance(start, int) and isinstance(length, int):
        return Range(start, start + length, length)
    if start == 0:
        return Range(0, length, length)
    raise UnsupportedOperationError("a range whose end would have to be computed")


def known_size(encoding: Attribute, dimensions: Sequence[Index | Literal]) -> Index | None:
    """The bytes of an encoding where nothing has to be computed: all is constant, or its only open
    dimension is their number. Raises UnsupportedOperationError for an unknown encoding."""
    extents, width = _shape(encoding)
    known = width * math.prod(one for one in extents if one is not None)
    if not dimensions:
        return known
    return index(dimensions[0]) if len(dimensions) == 1 and known == 1 else None


def _sizeof(generic: GenericOperation) -> Operation:
    extents, width = _shape(generic.attributes["encoding"])
    known = width * math.prod(one for one in extents if one is not None)
    unknown = [scalar(item) for item in generic.operands]
    if len(unknown) != 1:
        raise UnsupportedOperationError(f"{generic.name} of several open dimensions")
    return HostScalar(
        identity=generic.identity,
        name="arith.muli",
        arguments=(*unknown, Literal(known, INDEX)),
        outputs=generic.results,
        attributes=_NO_OVERFLOW,
    )


def _constant(generic: GenericOperation) -> Operation:
    attributes = generic.attributes
    elements = str(attributes["value"])
    length = tensor_bytes(str(attributes["result_encoding"]))
    if length is None or elements.startswith("dense_resource"):
        raise UnsupportedOperationError(f"{generic.name} whose contents are not known")
    (result,) = generic.results
    return Constant(
        identity=generic.identity,
        elements=elements,
        length=tensor_bytes(elements.rpartition(" : ")[2]),
        result=Value(result.name, result.type, length),
        affinity=affinity_of(attributes.get("affinity")),
    )


def _empty(generic: GenericOperation) -> Operation:
    return Alloca(
        identity=generic.identity,
        result=resource_result(generic, generic.operands[-1]),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _splat(generic: GenericOperation) -> Operation:
    return Splat(
        identity=generic.identity,
        pattern=scalar(generic.operands[0]),
        result=resource_result(generic, generic.operands[-1]),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _clone(generic: GenericOperation) -> Operation:
    (source,), _, (size,), _, (result_size,) = segments(generic)
    return Clone(
        identity=generic.identity,
        source=resource(source, size),
        result=resource_result(generic, result_size),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _slice(generic: GenericOperation) -> Operation:
    (source,), _, (size,), starts, lengths, _, (result_size,) = segments(generic)
    encoding = generic.attributes["source_encoding"]
    _require_rows(encoding, lengths)
    span = _span(_offset(encoding, starts), index(result_size))
    return Slice(
        identity=generic.identity,
        source=resource(source, size),
        start=span.start,
        end=span.end,
        result=resource_result(generic, result_size),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _fill(generic: GenericOperation) -> Operation:
    (target,), _, (size,), starts, lengths, (pattern,) = segments(generic)
    encoding = generic.attributes["target_encoding"]
    _require_rows(encoding, lengths)
    _, width = _shape(encoding)
    if len(lengths) == 1 and width == 1:
        length = index(lengths[0])
    elif all(isinstance(one, int) for one in lengths):
        length = width * math.prod(one for one in lengths if isinstance(one, int))
    else:
        raise UnsupportedOperationError(f"{generic.name} of a length that is computed")
    return Fill(
        identity=generic.identity,
        pattern=scalar(pattern),
        target=resource(target, size),
        span=_span(_offset(encoding, starts), length),
        result=resource_result(generic, size),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _update(generic: GenericOperation) -> Operation:
    (target,), _, (size,), starts, (source,), _, (source_size,) = segments(generic)
    encoding = generic.attributes["target_encoding"]
    extents, _ = _shape(generic.attributes["update_encoding"])
    _require_rows(encoding, [-1 if one is None else one for one in extents])
    span = _span(_offset(encoding, starts), index(source_size))
    return Update(
        identity=generic.identity,
        source=resource(source, source_size),
        target=resource(target, size),
        start=span.start,
        end=span.end,
        result=resource_result(generic, size),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


def _load(generic: GenericOperation) -> Operation:
    (source,), _, (size,), places = segments(generic)
    (result,) = generic.results
    return Load(
        identity=generic.identity,
        source=resource(source, size),
        offset=_offset(generic.attributes["source_encoding"], places),
        result=result,
    )


def _store(generic: GenericOperation) -> Operation:
    (target,), _, (size,), places, (value,) = segments(generic)
    return Store(
        identity=generic.identity,
        target=resource(target, size),
        offset=_offset(generic.attributes["target_encoding"], places),
        scalar=scalar(value),
        result=resource_result(generic, size),
    )


def _dispatch(generic: GenericOperation) -> Operation:
    workload, mixed, sizes, _, result_sizes, _ = segments(generic)
    points = generic.attributes["entry_points"]
    if not isinstance(points, tuple) or len(points) != 1:
        raise UnsupportedOperationError(f"{generic.name} of one of several kernels")
    left = iter(sizes)
    arguments: list[Binding | Scalar] = []
    for item in mixed:
        if isinstance(item, Value) and item.is_resource:
            held = resource(item, next(left))
            assert held.size is not None
            arguments.append(Binding(held, Range.of(0, held.size)))
        else:
            arguments.append(scalar(item))
    return Dispatch(
        identity=generic.identity,
        kernel="::".join(part.lstrip("@") for part in str(points[0]).split("::")),
        workload=tuple(map(index, workload)),
        arguments=tuple(arguments),
        outputs=tuple(
            Value(result.name, result.type, index(size))
            for result, size in zip(generic.results, result_sizes, strict=True)
        ),
        ties=ties_of(generic.attributes.get("tied_operands")) or (None,) * len(generic.results),
        affinity=affinity_of(generic.attributes.get("affinity")),
    )


SIZEOF = "stream.tensor.sizeof"

ENCODED: dict[str, Callable[[GenericOperation], Operation]] = {
    SIZEOF: _sizeof,
    "stream.tensor.constant": _constant,
    "stream.tensor.empty": _empty,
    "stream.tensor.splat": _splat,
    "stream.tensor.clone": _clone,
    "stream.tensor.slice": _slice,
    "stream.tensor.fill": _fill,
    "stream.tensor.update": _update,
    "stream.tensor.load": _load,
    "stream.tensor.store": _store,
    "stream.tensor.dispatch": _dispatch,
}
"""What reads each, by MLIR name."""
