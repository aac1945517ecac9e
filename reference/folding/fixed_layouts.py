"""Where the inputs of ops that have a fixed number of them go: a table, one line an op."""

from __future__ import annotations

from dataclasses import dataclass

from reference.ir import Operation
from reference.ops import (
    Alloca,
    Barrier,
    Cast,
    Clone,
    Constant,
    Copy,
    Fill,
    GlobalLoad,
    GlobalStore,
    If,
    Immediate,
    Load,
    ResourceSize,
    Select,
    Slice,
    Splat,
    Store,
    TimepointBarrier,
    TimepointExport,
    Transfer,
    Update,
)

_SCALAR_FIELDS = frozenset({"condition", "pattern", "scalar", "source"})
"""Fields whose constants are `Literal`, whatever their type."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where an input goes: to a field, or to a `part` of one. An `optional` field may be absent.

    A constant in a field that is `scalar` is a `Literal`, whatever its type.
    """

    field: str
    part: str
    optional: bool
    scalar: bool

    @staticmethod
    def of(written: str) -> Step:
        """As written in `_WRITTEN`."""
        field, _, part = written.removeprefix("?").partition(".")
        return Step(field, part, written.startswith("?"), field in _SCALAR_FIELDS)


_WRITTEN: dict[type[Operation], tuple[str, ...]] = {
    Alloca: ("result.size",),
    Barrier: ("source", "source.size"),
    Cast: ("source", "source.size", "result.size"),
    Clone: ("source", "source.size", "result.size"),
    Constant: ("?awaits", "result.size"),
    Copy: (
        "target", "target.size", "target_span.start", "target_span.end",
        "source", "source.size", "source_span.start", "source_span.end", "target_span.length",
    ),
    Fill: ("target", "target.size", "span.start", "span.end", "span.length", "pattern"),
    GlobalLoad: (),
    GlobalStore: ("source",),
    If: ("condition",),
    Immediate: (),
    Load: ("source", "source.size", "offset"),
    ResourceSize: ("source",),
    Select: ("condition", "then", "otherwise"),
    Slice: ("source", "source.size", "start", "end", "result.size"),
    Splat: ("?awaits", "pattern", "result.size"),
    Store: ("target", "target.size", "offset", "scalar"),
    TimepointBarrier: ("source", "source.size"),
    TimepointExport: ("source",),
    Transfer: ("source", "source.size", "result.size"),
    Update: ("target", "target.size", "start", "end", "source", "source.size"),
}  # fmt: skip
"""What each input of an op with a fixed number of them is: a field, or a part of one.

A field after a question mark is among the inputs only where the op has it.
"""

FIXED = {kind: tuple(map(Step.of, written)) for kind, written in _WRITTEN.items()}
"""The steps of `_WRITTEN`, taken apart."""
