"""What the host does with tensors: reads and writes elements, asks for sizes, waits and signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference.affinity import Affinity
from reference.ir import Operation
from reference.ops import (
    Await,
    ChainExternal,
    HostScalar,
    Immediate,
    Join,
    Load,
    ResourceSize,
    Store,
    TimepointBarrier,
    TimepointImport,
)
from reference.tensor.expression import InexpressibleError
from reference.tensor.making import Maker
from reference.tensor.retype import dimensions
from reference.types import I64, INDEX, RESOURCES, Index, Lifetime, Literal, ScalarType, Value

Write = Callable[[Maker, Any], None]


def write_part(
    maker: Maker,
    op: Operation,
    source: Value,
    target: Value,
    start: Index,
    result: Value,
    affinity: Affinity | None,
) -> None:
    """`result` is a tensor with some of its bytes replaced."""
    whole = maker.of(target)
    # One of a pack of results has no name of its own.
    name = maker.fresh() if "#" in result.name else result.name
    made = Value(name, whole.type, whole.size)
    groups = (whole,), dimensions(whole), (start,), (source,), dimensions(source)
    maker.emit(op.identity, "flow.tensor.update", groups, (made,), affinity, ties=(0,))
    maker.same(result, made)


def _load(maker: Maker, op: Load) -> None:
    kind = op.result.type
    if not isinstance(kind, ScalarType) or kind.name == "i1":
        raise InexpressibleError(f"a load of {kind}")
    element = I64 if kind == INDEX else kind
    source = maker.seen_as(op.identity, op.source, element)
    groups = (source,), maker.open_ones(op.identity, source), (_element(op.offset, element),)
    result = Value(maker.fresh(), element) if kind == INDEX else op.result
    maker.emit(op.identity, "flow.tensor.load", groups, (result,))
    if kind == INDEX:
        maker.made.append(
            HostScalar(
                identity=op.identity,
                name="arith.index_castui",
                arguments=(result,),
                outputs=(op.result,),
            )
        )


def _store(maker: Maker, op: Store) -> None:
    kind = op.scalar.type
    if not isinstance(kind, ScalarType) or kind.name in ("i1", "index"):
        raise InexpressibleError(f"a store of {kind}")
    target = maker.seen_as(op.identity, op.target, kind)
    made = Value(maker.fresh(), target.type, target.size)
    open_ones = maker.open_ones(op.identity, target)
    groups = (op.scalar,), (target,), open_ones, (_element(op.offset, kind),)
    maker.emit(op.identity, "flow.tensor.store", groups, (made,), ties=(1,))
    whole = maker.of(op.target)
    if made.size == whole.size:
        maker.bytes_of(op.identity, made, op.result)
        return
    part = Value(maker.fresh(), RESOURCES[Lifetime.UNKNOWN], made.size)
    maker.bytes_of(op.identity, made, part)
    write_part(maker, op, maker.of(part), op.target, 0, op.result, None)


def _element(offset: Index, kind: ScalarType) -> Index:
    """The place of an element among others."""
    if kind.bytes == 1:
        return offset
    if not isinstance(offset, int) or offset % kind.bytes:
        raise InexpressibleError("an access between elements")
    return offset // kind.bytes


def _resource_size(maker: Maker, op: ResourceSize) -> None:
    size = op.source.size
    if size is None:
        raise InexpressibleError(f"{op.mnemonic} of what has no known size")
    told = Literal(size, INDEX) if isinstance(size, int) else size
    maker.made.append(
        HostScalar(
            identity=op.identity,
            name="arith.addi",
            arguments=(told, Literal(0, INDEX)),
            outputs=(op.result,),
            attributes=(("overflowFlags", "#arith.overflow<none>"),),
        )
    )


def _timepoint_import(maker: Maker, op: TimepointImport) -> None:
    if not any(op.sources == (fence,) for fence in maker.fences.waits.values()):
        raise InexpressibleError(f"{op.mnemonic} that no import waits for")


def _await(maker: Maker, op: Await) -> None:
    if not all(value.name in maker.fences.waits for value in op.sources):
        raise InexpressibleError(f"{op.mnemonic} of what is no import")
    for output, source in zip(op.outputs, op.sources, strict=True):
        maker.same(output, maker.of(source))


def _timepoint_barrier(maker: Maker, op: TimepointBarrier) -> None:
    maker.same(op.result, maker.of(op.source))


def _nothing(maker: Maker, op: Operation) -> None:
    """Timepoints are told where they are used."""


def _chain_external(maker: Maker, op: ChainExternal) -> None:
    values = maker.fences.about.get(op.source.name, ())
    if not values or len(op.externals) != 1:
        raise InexpressibleError(f"{op.mnemonic} of what is about no values")
    tensors = [maker.of(value) for value in values]
    pack = maker.fresh()
    names = [pack] if len(values) == 1 else [f"{pack}#{place}" for place in range(len(values))]
    made = [Value(name, one.type, one.size) for name, one in zip(names, tensors, strict=True)]
    groups = tensors, op.externals
    maker.emit(
        op.identity, "hal.tensor.barrier", groups, made, ties=tuple(range(len(made))),
        segmented=False,
    )  # fmt: skip


HOST_WORK: dict[type[Operation], Write] = {
    Load: _load,
    Store: _store,
    ResourceSize: _resource_size,
    TimepointImport: _timepoint_import,
    Await: _await,
    TimepointBarrier: _timepoint_barrier,
    Immediate: _nothing,
    Join: _nothing,
    ChainExternal: _chain_external,
}
