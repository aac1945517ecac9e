"""Fences of the caller's: what a framework waits for and signals.

A tensor may be imported once a fence is reached, and a fence is reached once some tensors are
ready. IREE's conversion makes timepoints of that
(compiler/src/iree/compiler/Dialect/Stream/Conversion/HALToStream/Patterns.cpp); other timepoints
have no form on tensors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reference.ir import Region, walk
from reference.ops import Await, Immediate, Import, Join, TimepointBarrier, TimepointImport
from reference.types import Value


@dataclass(slots=True)
class Fences:
    """Which fence each import waits for, and which values each timepoint is about."""

    body: Region
    waits: dict[str, Value] = field(default_factory=dict)
    """The fence that an imported value waits for, by the name of the import's result."""
    about: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    """The values that a timepoint says to be ready, by its name."""

    def __post_init__(self) -> None:
        imported: set[str] = set()
        fences: dict[str, Value] = {}
        for op in walk(self.body):
            if isinstance(op, Import):
                imported.add(op.result.name)
            elif isinstance(op, TimepointImport) and len(op.sources) == 1:
                fences[op.result.name] = op.sources[0]
            elif isinstance(op, Await) and op.awaits.name in fences:
                if all(value.name in imported for value in op.sources):
                    for value in op.sources:
                        self.waits[value.name] = fences[op.awaits.name]
            elif isinstance(op, TimepointBarrier):
                self.about[op.timepoint.name] = (op.source,)
            elif isinstance(op, Immediate):
                self.about[op.result.name] = ()
            elif isinstance(op, Join) and all(one.name in self.about for one in op.sources):
                values = [value for one in op.sources for value in self.about[one.name]]
                self.about[op.result.name] = tuple(dict.fromkeys(values))
