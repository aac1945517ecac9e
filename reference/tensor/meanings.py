"""What each op on tensors means: ops on resources of as many bytes."""

from __future__ import annotations

from collections.abc import Callable

from reference.ir import UnsupportedOperationError
from reference.ops import (
    Alloca,
    Await,
    Barrier,
    Binding,
    ChainExternal,
    Clone,
    Constant,
    Dispatch,
    Export,
    HostScalar,
    Import,
    Join,
    Load,
    Slice,
    Splat,
    Store,
    TimepointBarrier,
    TimepointImport,
    Update,
)
from reference.ops.assembly import Range
from reference.ops.constant import tensor_bytes
from reference.ops.tensor_phase import TensorOperation
from reference.tensor.lowering import Lowering
from reference.tensor.shapes import Groups, index_of, require_one_piece, shape_of
from reference.types import (
    INDEX,
    RESOURCES,
    TIMEPOINT,
    Index,
    Lifetime,
    Literal,
    Scalar,
    TensorType,
    Value,
)

_EXTERNAL = RESOURCES[Lifetime.EXTERNAL]
_CONSTANT = RESOURCES[Lifetime.CONSTANT]
_STAGING = RESOURCES[Lifetime.STAGING]


def _tensor(body: Lowering, item: Scalar) -> Value:
    assert isinstance(item, Value)
    return body.of(item)


def _import(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    (source,), dimensions, fence, *rest = groups
    if rest and rest[0]:
        raise UnsupportedOperationError(f"{op.name} at an offset")
    assert isinstance(source, Value)
    result = body.output(op)
    held = Value(body.name(result, "external"), _EXTERNAL, result.size)
    body.made.append(
        Import(
            identity=op.identity,
            source=source,
            encoding=str(op.outputs[0].type),
            dimensions=tuple(map(index_of, dimensions)),
            result=held,
            affinity=op.affinity,
            consume=any(name == "consume" for name, _ in op.attributes),
        )
    )
    if fence:
        (waited,) = fence
        assert isinstance(waited, Value)
        timepoint = Value(body.name(result, "ready"), TIMEPOINT)
        ready = Value(body.name(result, "awaited"), _EXTERNAL, result.size)
        body.made.append(
            TimepointImport(
                identity=body.identity(op, "fence"),
                sources=(waited,),
                result=timepoint,
                affinity=op.affinity,
            )
        )
        body.made.append(
            Await(
                identity=body.identity(op, "await"),
                awaits=timepoint,
                sources=(held,),
                outputs=(ready,),
            )
        )
        held = ready
    body.transfer(body.identity(op, "lifetime"), held, result, op.affinity, op.affinity)


def _export(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    source, *dimensions = groups[0]
    held = _tensor(body, source)
    outer = Value(body.name(held, "external"), _EXTERNAL, held.size)
    body.transfer(body.identity(op, "lifetime"), held, outer, op.affinity, op.affinity)
    body.made.append(
        Export(
            identity=op.identity,
            source=outer,
            encoding=str(source.type),
            dimensions=tuple(map(index_of, dimensions)),
            result=op.outputs[0],
            affinity=op.affinity,
        )
    )


def _constant(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    result = body.output(op)
    elements = dict(op.attributes)["value"]
    held = Value(body.name(result, "constant"), _CONSTANT, result.size)
    body.made.append(
        Constant(
            identity=op.identity,
            elements=elements,
            length=tensor_bytes(elements.rpartition(" : ")[2]),
            result=held,
            affinity=op.affinity,
        )
    )
    body.transfer(body.identity(op, "lifetime"), held, result, op.affinity, op.affinity)


def _alloca(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    body.made.append(Alloca(identity=op.identity, result=body.output(op), affinity=op.affinity))


def _splat(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    body.made.append(
        Splat(
            identity=op.identity,
            pattern=groups[0][0],
            result=body.output(op),
            affinity=op.affinity,
        )
    )


def _clone(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    source = _tensor(body, groups[0][0])
    body.made.append(
        Clone(identity=op.identity, source=source, result=body.output(op), affinity=op.affinity)
    )


def _transfer(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    source = _tensor(body, groups[0][0])
    body.transfer(op.identity, source, body.output(op), None, op.affinity)


def _barrier(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    source = _tensor(body, groups[0][0])
    body.made.append(
        Barrier(identity=op.identity, source=source, result=body.output(op), affinity=op.affinity)
    )


def _slice(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    (source,), _, starts, lengths, _ = groups
    require_one_piece(op, source, lengths)
    result = body.output(op)
    start = body.bytes_at(op, source, starts)
    end = _end(body, op, start, result.size)
    body.made.append(
        Slice(
            identity=op.identity,
            source=_tensor(body, source),
            start=start,
            end=end,
            result=result,
            affinity=op.affinity,
        )
    )


def _update(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    (target,), _, starts, (source,), _ = groups
    extents = tuple(Literal(one or -1, INDEX) for one in shape_of(source.type).extents)
    require_one_piece(op, target, extents)
    taken = _tensor(body, source)
    start = body.bytes_at(op, target, starts)
    body.made.append(
        Update(
            identity=op.identity,
            source=taken,
            target=_tensor(body, target),
            start=start,
            end=_end(body, op, start, taken.size),
            result=body.output(op),
            affinity=op.affinity,
        )
    )


def _end(body: Lowering, op: TensorOperation, start: Index, length: Index | None) -> Index:
    if length is None:
        raise UnsupportedOperationError(f"{op.name} of unknown length")
    if start == 0:
        return length
    if isinstance(start, int) and isinstance(length, int):
        return start + length
    end = Value(f"{op.outputs[0].name.replace('#', '_')}_end", INDEX)
    told = [Literal(one, INDEX) if isinstance(one, int) else one for one in (start, length)]
    body.made.append(
        HostScalar(
            identity=body.identity(op, "end"),
            name="arith.addi",
            arguments=tuple(told),
            outputs=(end,),
            attributes=(("overflowFlags", "#arith.overflow<none>"),),
        )
    )
    return end


def _load(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    (source,), _, places = groups
    body.made.append(
        Load(
            identity=op.identity,
            source=_staged(body, op, source),
            offset=body.bytes_at(op, source, places),
            result=op.outputs[0],
        )
    )


def _staged(body: Lowering, op: TensorOperation, item: Scalar) -> Value:
    """A tensor in memory of the host."""
    held = _tensor(body, item)
    staging = Value(body.name(held, "staging"), _STAGING, held.size)
    body.transfer(body.identity(op, "staging"), held, staging, None, None)
    return staging


def _store(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    (scalar,), (target,), _, places = groups
    staging = _staged(body, op, target)
    written = Value(body.name(staging, "stored"), staging.type, staging.size)
    body.made.append(
        Store(
            identity=op.identity,
            target=staging,
            offset=body.bytes_at(op, target, places),
            scalar=scalar,
            result=written,
        )
    )
    body.transfer(body.identity(op, "device"), written, body.output(op), None, None)


def _cast(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    source = _tensor(body, groups[0][0])
    size = body.size(op.outputs[0])
    if size is not None and size != source.size:
        source = Value(source.name, source.type, size)
    body.same(op.outputs[0], source)


def _dispatch(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    workload, arguments, _, _ = groups
    bindings: list[Binding | Scalar] = []
    for item in arguments:
        if isinstance(item, Value) and isinstance(item.type, TensorType):
            held = body.of(item)
            if held.size is None:
                raise UnsupportedOperationError(f"{op.name} of unknown length")
            bindings.append(Binding(held, Range.of(0, held.size)))
        else:
            bindings.append(item)
    first = len(workload)
    points = dict(op.attributes)["entry_points"].strip("[]").split(", ")
    if len(points) > 1:
        raise UnsupportedOperationError(f"{op.name} of one of several kernels")
    body.made.append(
        Dispatch(
            identity=op.identity,
            kernel="::".join(part.lstrip("@") for part in points[0].split("::")),
            workload=tuple(map(index_of, workload)),
            arguments=tuple(bindings),
            outputs=tuple(map(body.of, op.outputs)),
            ties=tuple(None if tie is None else tie - first for tie in op.ties),
            affinity=op.affinity,
        )
    )


def _signal(body: Lowering, op: TensorOperation, groups: Groups) -> None:
    *sources, fence = groups[0]
    assert isinstance(fence, Value)
    reached = []
    for place, item in enumerate(sources):
        timepoint = Value(f"{op.outputs[place].name.replace('#', '_')}_ready", TIMEPOINT)
        held, output = _tensor(body, item), op.outputs[place]
        # The op does not say how long its tensors are.
        body.same(output, Value(output.name, held.type, held.size))
        body.made.append(
            TimepointBarrier(
                identity=body.identity(op, "ready") if place else op.identity,
                source=held,
                result=body.output(op, place),
                timepoint=timepoint,
                affinity=None,
            )
        )
        reached.append(timepoint)
    if len(reached) > 1:
        joined = Value(f"{reached[0].name}_all", TIMEPOINT)
        body.made.append(
            Join(identity=body.identity(op, "join"), sources=tuple(reached), result=joined)
        )
        reached = [joined]
    body.made.append(
        ChainExternal(
            identity=body.identity(op, "signal"),
            source=reached[0],
            externals=(fence,),
            affinity=None,
        )
    )


MEANINGS: dict[str, Callable[[Lowering, TensorOperation, Groups], None]] = {
    "hal.tensor.import": _import,
    "hal.tensor.export": _export,
    "hal.tensor.barrier": _signal,
    "flow.tensor.constant": _constant,
    "arith.constant": _constant,
    "flow.tensor.alloca": _alloca,
    "flow.tensor.empty": _alloca,
    "flow.tensor.splat": _splat,
    "flow.tensor.clone": _clone,
    "flow.tensor.transfer": _transfer,
    "flow.tensor.barrier": _barrier,
    "flow.tensor.slice": _slice,
    "flow.tensor.update": _update,
    "flow.tensor.load": _load,
    "flow.tensor.store": _store,
    "flow.tensor.bitcast": _cast,
    "flow.tensor.reshape": _cast,
    "flow.dispatch": _dispatch,
}
