"""Every construct by the name under which profiles give it a weight, and where it may stand."""

from __future__ import annotations

from collections.abc import Callable

from gen.builder import Builder
from gen.constructs import (
    bits,
    block_forms,
    branches,
    call,
    conditional,
    counted_loop,
    fills,
    global_variables,
    if_pairs,
    numbers,
    optimization_barrier,
    select,
    select_pairs,
    sizes,
    timepoints,
    transients,
    views,
    while_forms,
    while_loop,
)
from gen.scope import Place

_ANYWHERE = frozenset(Place)
_WITH_REGIONS = _ANYWHERE - {Place.LEAF}
_OUTSIDE_REGIONS = frozenset({Place.ENTRY, Place.CALLEE, Place.ARM})
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
    "if_pair": (if_pairs.add, _OUTSIDE_REGIONS),
    "computed_size": (sizes.add_computed, _WITH_BLOCKS),
    "asked_size": (sizes.add_asked, _ANYWHERE),
    "bitcast": (bits.add, _ANYWHERE),
    "view_back": (views.add, _WITH_CALLER),
    "fills": (fills.add, _ANYWHERE),
    "fence_back": (timepoints.add_handed_back, _WITH_CALLER),
    "immediate": (timepoints.add_immediate, _ANYWHERE),
    "select_pair": (select_pairs.add, _ANYWHERE),
    "computed_number": (numbers.add, _ANYWHERE),
    "block_form": (block_forms.add, _WITH_BLOCKS),
    "while_form": (while_forms.add, _OUTSIDE_REGIONS),
}
"""The constructs, each with the places it may stand at."""
