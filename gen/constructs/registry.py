"""Every construct by the name under which profiles give it a weight, and where it may stand."""

from __future__ import annotations

from collections.abc import Callable

from gen.builder import Builder
from gen.constructs import (
    branches,
    call,
    conditional,
    counted_loop,
    global_variables,
    optimization_barrier,
    select,
    timepoints,
    transients,
    while_loop,
)
from gen.scope import Place

_ANYWHERE = frozenset(Place)
_WITH_REGIONS = _ANYWHERE - {Place.LEAF}
_WITH_BLOCKS = frozenset({Place.ENTRY, Place.CALLEE})
_WITH_CALLER = frozenset({Place.ENTRY})

CONSTRUCTS: dict[str, tuple[Callable[[Builder], object], frozenset[Place]]] = {
    "if": (conditional.add, _WITH_REGIONS),
    "for": (counted_loop.add, _WITH_REGIONS),
    "while": (while_loop.add, _WITH_REGIONS),
    "diamond": (branches.add_diamond, _WITH_BLOCKS),
    "loop": (branches.add_loop, _WITH_BLOCKS),
    "select": (select.add, _ANYWHERE),
    "optimization_barrier": (optimization_barrier.add, _ANYWHERE),
    "call": (call.add, _ANYWHERE),
    "global_load": (global_variables.add_load, _ANYWHERE),
    "global_store": (global_variables.add_store, _ANYWHERE),
    "global_update": (global_variables.add_update, _ANYWHERE),
    "fence": (timepoints.add_import, _WITH_CALLER),
    "signal": (timepoints.add_signal, _WITH_CALLER),
    "await": (timepoints.add_await, _ANYWHERE),
    "transients": (transients.add, _WITH_CALLER),
}
"""The constructs, each with the places it may stand at."""
