"""What each op on resources is on tensors."""

from __future__ import annotations

from dataclasses import replace

from reference.affinity import Affinity
from reference.ir import Operation
from reference.ops import (
    Alloca,
    Barrier,
    Binding,
    Cast,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    Import,
    OptimizationBarrier,
    Slice,
    Splat,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.tensor.expression import InexpressibleError
from reference.tensor.making import Maker
from reference.tensor.retype import as_tensor, dimensions, tensor_type
from reference.tensor.work_host import HOST_WORK, Write, write_part
from reference.types import (
    RESOURCES,
    Index,
    Lifetime,
    Scalar,
    ScalarType,
    TensorType,
    Value,
)


def _import(maker: Maker, op: Import) -> None:
    result = as_tensor(op.result)
    attributes = [("consume", "unit")] if op.consume else []
    attributes.append(("target_encoding", str(result.type)))
    fence = maker.fences.waits.get(op.result.name)
    groups = (op.source,), dimensions(result), () if fence is None else (fence,)
    maker.emit(op.identity, "hal.tensor.import", groups, (result,), op.affinity, attributes)


def _export(maker: Maker, op: Export) -> None:
    source = maker.of(op.source)
    groups = (source,), dimensions(source)
    attributes = (("source_encoding", str(source.type)),)
    maker.emit(
        op.identity, "hal.tensor.export", groups, (op.result,), op.affinity, attributes,
        segmented=False,
    )  # fmt: skip


def _constant(maker: Maker, op: Constant) -> None:
    if op.awaits is not None:
        raise InexpressibleError(f"{op.mnemonic} that waits")
    kind = op.elements.rpartition(" : ")[2]
    made = maker.new(TensorType(kind), op.result.size)
    attributes = (("value", op.elements),)
    maker.emit(
        op.identity, "flow.tensor.constant", (), (made,), op.affinity, attributes, segmented=False
    )
    maker.bytes_of(op.identity, made, op.result)


def _alloca(maker: Maker, op: Alloca) -> None:
    result = as_tensor(op.result)
    maker.emit(
        op.identity, "flow.tensor.empty", (dimensions(result),), (result,), op.affinity,
        segmented=False,
    )  # fmt: skip


def _splat(maker: Maker, op: Splat) -> None:
    if op.awaits is not None:
        raise InexpressibleError(f"{op.mnemonic} that waits")
    assert op.result.size is not None
    made = _repeated(maker, op, op.pattern, op.result.size, op.affinity)
    maker.bytes_of(op.identity, made, op.result)


def _fill(maker: Maker, op: Fill) -> None:
    made = _repeated(maker, op, op.pattern, op.span.length, op.affinity)
    source = Value(maker.fresh(), RESOURCES[Lifetime.UNKNOWN], op.span.length)
    maker.bytes_of(op.identity, made, source)
    write_part(maker, op, maker.of(source), op.target, op.span.start, op.result, op.affinity)


def _repeated(
    maker: Maker, op: Operation, pattern: Scalar, size: Index, affinity: Affinity | None
) -> Value:
    """A tensor of a pattern's elements, `size` bytes of it."""
    kind = pattern.type
    assert isinstance(kind, ScalarType)
    if isinstance(size, int):
        count, rest = divmod(size, kind.bytes)
        if rest:
            raise InexpressibleError(f"{op.mnemonic} of a part of a pattern")
        made = maker.new(TensorType(f"tensor<{count}x{kind}>"), size)
        groups: tuple[tuple[Index | Scalar, ...], ...] = ((pattern,), ())
    else:
        count_of = maker.count(op.identity, size, kind)
        made = maker.new(TensorType(f"tensor<?x{kind}>"), size)
        groups = (pattern,), (count_of,)
    maker.emit(op.identity, "flow.tensor.splat", groups, (made,), affinity, segmented=False)
    return made


def _clone(maker: Maker, op: Clone) -> None:
    _copied(maker, op, maker.of(op.source))


def _copied(maker: Maker, op: Clone | Copy | Update, source: Value) -> None:
    groups = (source,), dimensions(source)
    result = Value(op.result.name, source.type, source.size)
    maker.emit(op.identity, "flow.tensor.clone", groups, (result,), op.affinity, segmented=False)
    maker.same(op.result, result)


def _transfer(maker: Maker, op: Transfer) -> None:
    """A change of lifetime alone is nothing; where a value goes to no device in particular, a
    framework says nothing either."""
    if op.explicit_affinity not in (None, op.default_execution_affinity):
        raise InexpressibleError(f"on({op.explicit_affinity}) of a transfer")
    source = maker.of(op.source)
    stays = op.source_affinity == op.target_affinity
    lifetimes = op.source.lifetime, op.result.lifetime
    if op.target_affinity is None or (stays and lifetimes[0] is not lifetimes[1]):
        maker.same(op.result, source)
        return
    _moved(maker, op, source, op.result, op.target_affinity)


def _moved(maker: Maker, op: Operation, source: Value, result: Value, target: Affinity) -> None:
    made = Value(result.name, source.type, source.size)
    groups = (source,), dimensions(source)
    maker.emit(op.identity, "flow.tensor.transfer", groups, (made,), target, segmented=False)
    maker.same(result, made)


def _slice(maker: Maker, op: Slice) -> None:
    assert op.result.size is not None
    made = _part(maker, op, op.source, op.start, op.result.size, op.affinity, op.result.name)
    maker.same(op.result, made)


def _part(
    maker: Maker,
    op: Operation,
    value: Value,
    start: Index,
    length: Index,
    affinity: Affinity | None,
    name: str | None = None,
) -> Value:
    """Some bytes of a tensor."""
    source = maker.of(value)
    made = Value(name or maker.fresh(), tensor_type(length), length)
    groups = (source,), dimensions(source), (start,), (length,), dimensions(made)
    maker.emit(op.identity, "flow.tensor.slice", groups, (made,), affinity)
    return made


def _update(maker: Maker, op: Update) -> None:
    _written(maker, op, maker.of(op.source), op.start)


def _copy(maker: Maker, op: Copy) -> None:
    span = op.source_span
    if _is_whole(span, op.source):
        source = maker.of(op.source)
    else:
        source = _part(maker, op, op.source, span.start, span.length, op.affinity)
    _written(maker, op, source, op.target_span.start)


def _written(maker: Maker, op: Copy | Update, source: Value, start: Index) -> None:
    if source == maker.of(op.target):
        # Of transfers between the two nothing is left: a value over itself is the value.
        _copied(maker, op, source)
    else:
        write_part(maker, op, source, op.target, start, op.result, op.affinity)


def _is_whole(span: Range, value: Value) -> bool:
    return span.start == 0 and span.length == value.size


def _dispatch(maker: Maker, op: Dispatch) -> None:
    """A kernel takes whole tensors: of a part of one, a slice, which is put back where the kernel
    wrote it."""
    if op.other_kernels:
        raise InexpressibleError("a dispatch of one of several kernels")
    arguments: list[Scalar] = []
    taken: list[Index] = []
    for argument in op.arguments:
        if not isinstance(argument, Binding):
            arguments.append(maker.of(argument) if isinstance(argument, Value) else argument)
            continue
        span = argument.span
        if _is_whole(span, argument.value):
            tensor = maker.of(argument.value)
        else:
            tensor = _part(maker, op, argument.value, span.start, span.length, op.affinity)
        arguments.append(tensor)
        taken += dimensions(tensor)
    outputs: list[Value] = []
    given: list[Index] = []
    put_back: list[tuple[Value, Binding, Value]] = []
    pack = any("#" in output.name for output in op.outputs)
    for output, tie in zip(op.outputs, op.ties, strict=True):
        made = as_tensor(output)
        if tie is not None:
            binding, target = op.arguments[tie], arguments[tie]
            assert isinstance(binding, Binding)
            assert isinstance(target, Value)
            made = Value(output.name, target.type, target.size)
            if not _is_whole(binding.span, binding.value):
                made = replace(made, name=maker.fresh())
                put_back.append((made, binding, output))
        outputs.append(made)
        given += dimensions(made)
    if pack and put_back:
        outputs, put_back = _renamed(maker, op, outputs, put_back)
    else:
        for output, made in zip(op.outputs, outputs, strict=True):
            if output.name == made.name:
                maker.same(output, made)
    symbol = "::".join(f"@{part}" for part in op.kernel.split("::"))
    first = len(op.workload)
    ties = tuple(None if tie is None else first + tie for tie in op.ties)
    told = ", ".join(str(-1 if tie is None else tie) + " : index" for tie in op.ties)
    attributes = [("entry_points", f"[{symbol}]")]
    if any(tie is not None for tie in op.ties):
        attributes.append(("tied_operands", f"[{told}]"))
    groups = op.workload, arguments, taken, given
    maker.emit(op.identity, "flow.dispatch", groups, outputs, op.affinity, attributes, ties)
    for made, binding, output in put_back:
        write_part(maker, op, made, binding.value, binding.span.start, output, op.affinity)


def _renamed(
    maker: Maker,
    op: Dispatch,
    outputs: list[Value],
    put_back: list[tuple[Value, Binding, Value]],
) -> tuple[list[Value], list[tuple[Value, Binding, Value]]]:
    """Names of their own for results of which some are put back: one pack has one name."""
    pack, later = maker.fresh(), {output.name: binding for _, binding, output in put_back}
    made = [replace(one, name=f"{pack}#{place}") for place, one in enumerate(outputs)]
    back = []
    for output, one in zip(op.outputs, made, strict=True):
        if output.name in later:
            # What is put back is under one name from then on, no part of a pack.
            back.append((one, later[output.name], output))
        else:
            maker.same(output, one)
    return made, back


def _barrier(maker: Maker, op: Barrier) -> None:
    source = maker.of(op.source)
    made = Value(op.result.name, source.type, source.size)
    if op.affinity is None:
        maker.made.append(
            OptimizationBarrier(identity=op.identity, sources=(source,), outputs=(made,))
        )
    else:
        groups = (source,), dimensions(source)
        maker.emit(
            op.identity, "flow.tensor.barrier", groups, (made,), op.affinity, ties=(0,),
            segmented=False,
        )  # fmt: skip
    maker.same(op.result, made)


def _cast(maker: Maker, op: Cast) -> None:
    maker.same(op.result, maker.of(op.source))


WORK: dict[type[Operation], Write] = {
    **HOST_WORK,
    Import: _import,
    Export: _export,
    Constant: _constant,
    Alloca: _alloca,
    Splat: _splat,
    Clone: _clone,
    Transfer: _transfer,
    Slice: _slice,
    Fill: _fill,
    Update: _update,
    Copy: _copy,
    Dispatch: _dispatch,
    Barrier: _barrier,
    Cast: _cast,
}
