"""Ops on tensors in IREE's custom assembly, as a framework's user reads them.

The formats are those of compiler/src/iree/compiler/Dialect/Flow/IR/FlowOps.td and
compiler/src/iree/compiler/Dialect/HAL/IR/HALOps.td.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reference.ops.assembly import ref, result_names
from reference.types import Scalar, Value

SEGMENTS = "operandSegmentSizes"
_NUMBER = re.compile(r"\d+")
_INHERENT = frozenset(
    {
        SEGMENTS, "tied_operands", "entry_points", "target", "affinity", "consume", "name",
        "target_encoding", "source_encoding", "value",
    }
)  # fmt: skip


def segments_text(*sizes: int) -> str:
    """`operandSegmentSizes` as MLIR prints it."""
    return f"array<i32: {', '.join(map(str, sizes))}>"


def grouped(
    arguments: Sequence[Scalar], attributes: Sequence[tuple[str, str]]
) -> list[tuple[Scalar, ...]]:
    """The operands in the groups that the op's segments tell; all in one where it has none."""
    told = dict(attributes).get(SEGMENTS)
    if told is None:
        return [tuple(arguments)]
    groups, start = [], 0
    for size in map(int, _NUMBER.findall(told.partition(":")[2])):
        groups.append(tuple(arguments[start : start + size]))
        start += size
    return groups


@dataclass(frozen=True, slots=True)
class Parts:
    """What an op's assembly is made of."""

    arguments: tuple[Scalar, ...]
    groups: list[tuple[Scalar, ...]]
    outputs: tuple[Value, ...]
    ties: tuple[int | None, ...]
    attributes: dict[str, str]

    @property
    def own(self) -> str:
        """The attributes that are not part of the format, in braces; nothing without any."""
        pairs = [f"{key} = {text}" for key, text in self.attributes.items() if key not in _INHERENT]
        return f" {{{', '.join(pairs)}}}" if pairs else ""

    @property
    def marked(self) -> str:
        """The same behind `attributes`."""
        return f" attributes{self.own}" if self.own else ""

    @property
    def on(self) -> str:
        """`on(…)` of an op at the boundary."""
        affinity = self.attributes.get("affinity")
        return "" if affinity is None else f"on({affinity}) "


def custom_assembly(
    name: str,
    arguments: tuple[Scalar, ...],
    outputs: tuple[Value, ...],
    ties: tuple[int | None, ...],
    attributes: tuple[tuple[str, str], ...],
) -> str | None:
    """The op in its own format; None for one that has none here."""
    write = _FORMATS.get(name)
    if write is None:
        return None
    parts = Parts(arguments, grouped(arguments, attributes), outputs, ties, dict(attributes))
    return f"{result_names(outputs)}{name} {write(parts)}"


def _typed(value: Scalar, dimensions: Sequence[Scalar]) -> str:
    """A tensor's type with its dynamic dimensions."""
    return f"{value.type}{_braced(dimensions)}"


def _braced(dimensions: Sequence[Scalar]) -> str:
    return f"{{{', '.join(map(ref, dimensions))}}}" if dimensions else ""


def _listed(items: Sequence[Scalar]) -> str:
    return f"[{', '.join(map(ref, items))}]"


def _constant(parts: Parts) -> str:
    return f"{parts.own.lstrip()} {parts.attributes['value']}".lstrip()


def _made(parts: Parts) -> str:
    (output,) = parts.outputs
    return f": {_typed(output, parts.arguments)}{parts.marked}"


def _splat(parts: Parts) -> str:
    value, *dimensions = parts.arguments
    (output,) = parts.outputs
    return f"{ref(value)} : {_typed(output, dimensions)}{parts.marked}"


def _clone(parts: Parts) -> str:
    source, *dimensions = parts.arguments
    return f"{ref(source)} : {_typed(source, dimensions)}{parts.marked}"


def _transfer(parts: Parts) -> str:
    source, *dimensions = parts.arguments
    return f"{ref(source)} : {_typed(source, dimensions)} to {parts.attributes['target']}"


def _barrier(parts: Parts) -> str:
    source, *dimensions = parts.arguments
    return f"{ref(source)} : {_typed(source, dimensions)} on {parts.attributes['target']}"


def _slice(parts: Parts) -> str:
    (source,), dimensions, starts, lengths, given = parts.groups
    (output,) = parts.outputs
    bounds = f"{', '.join(map(ref, starts))} for {', '.join(map(ref, lengths))}"
    return (
        f"{ref(source)}[{bounds}] : {_typed(source, dimensions)} -> "
        f"{_typed(output, given)}{parts.marked}"
    )


def _update(parts: Parts) -> str:
    (target,), dimensions, starts, (source,), given = parts.groups
    (output,) = parts.outputs
    return (
        f"{ref(source)}, {ref(target)}{_listed(starts)} : {_typed(source, given)} -> "
        f"{ref(target)} as {_typed(output, dimensions)}{parts.marked}"
    )


def _load(parts: Parts) -> str:
    (source,), dimensions, places = parts.groups
    return f"{ref(source)}{_listed(places)} : {_typed(source, dimensions)}"


def _store(parts: Parts) -> str:
    (value,), (target,), dimensions, places = parts.groups
    return f"{ref(value)}, {ref(target)}{_listed(places)} : {_typed(target, dimensions)}"


def _cast(parts: Parts) -> str:
    (source,), dimensions, given = parts.groups
    (output,) = parts.outputs
    return f"{ref(source)} : {_typed(source, dimensions)} -> {_typed(output, given)}"


def _dispatch(parts: Parts) -> str:
    workload, arguments, dimensions, given = parts.groups
    first = len(workload)
    taken, made = iter(dimensions), iter(given)
    types = ", ".join(_typed(one, _take(one, taken)) for one in arguments)
    results = [
        f"{'' if tie is None else f'{ref(parts.arguments[tie])}'}"
        f"{_result(output, None if tie is None else parts.arguments[tie], _take(output, made))}"
        for output, tie in zip(parts.outputs, parts.ties, strict=True)
    ]
    assert all(tie is None or tie >= first for tie in parts.ties)
    told = results[0] if len(results) == 1 else f"({', '.join(results)})"
    symbols = parts.attributes["entry_points"].strip("[]")
    called = f"{symbols}{_listed(workload) if workload else ''}"
    return f"{called}({', '.join(map(ref, arguments))}){parts.own} : ({types}) -> {told}"


def _result(output: Value, tied: Scalar | None, dimensions: Sequence[Scalar]) -> str:
    if tied is None:
        return _typed(output, dimensions)
    return _braced(dimensions) if tied.type == output.type else f" as {_typed(output, dimensions)}"


def _take(value: Scalar, dimensions: Iterator[Scalar]) -> list[Scalar]:
    """As many dimensions as a type leaves open."""
    return [next(dimensions) for _ in range(str(value.type).count("?"))]


def _import(parts: Parts) -> str:
    (source,), dimensions, fence, *_ = parts.groups
    (output,) = parts.outputs
    wait = f"wait({ref(fence[0])}) => " if fence else ""
    consume = "consume " if "consume" in parts.attributes else ""
    return (
        f"{parts.on}{wait}{consume}{ref(source)} : {source.type} -> "
        f"{_typed(output, dimensions)}{parts.own}"
    )


def _export(parts: Parts) -> str:
    source, *dimensions = parts.arguments
    (output,) = parts.outputs
    return f"{parts.on}{ref(source)} : {_typed(source, dimensions)} -> {output.type}{parts.own}"


def _signal(parts: Parts) -> str:
    *sources, fence = parts.arguments
    types = ", ".join(str(one.type) for one in sources)
    return f"join({', '.join(map(ref, sources))} : {types}) => {ref(fence)} : {fence.type}"


_FORMATS: dict[str, Callable[[Parts], str]] = {
    "flow.tensor.constant": _constant,
    "flow.tensor.alloca": _made,
    "flow.tensor.empty": _made,
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
    "hal.tensor.import": _import,
    "hal.tensor.export": _export,
    "hal.tensor.barrier": _signal,
}
