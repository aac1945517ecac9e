"""Feature profiles: which programs a run asks for.

A profile is data. It holds weights (how often relative to each other) and probabilities in [0, 1];
0 turns a feature off. `PROFILES` names the ones the command line offers.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType


class Level(enum.Enum):
    """How a program is written down."""

    TENSOR = "tensor"
    STREAM = "stream"
    RESOLVED = "resolved"


_OPERATIONS = {
    "splat": 0.7, "transfer": 2.6, "dispatch": 2.4, "fill": 1.0, "update": 1.2, "copy": 1.2,
    "clone": 1.4, "slice": 0.8, "cast": 0.9, "barrier": 0.6, "alloca": 0.4, "constant": 0.7,
    "import": 0.6, "argument": 0.3, "export": 0.4, "load": 0.6, "store": 0.35,
}  # fmt: skip
_MOTIFS = {
    "fan_out": 0.3, "round_trip": 0.4, "chain": 0.3, "diamond": 0.35, "write_after_send": 0.5,
    "send_both": 0.35, "concatenation": 0.3, "staging_trip": 0.25, "pinned": 0.6, "tied_chain": 1.6,
}  # fmt: skip
_CONTROL_FLOW = {
    "if": 0.5, "for": 0.5, "while": 0.4, "diamond": 0.45, "loop": 0.3, "select": 0.5,
    "optimization_barrier": 0.4,
}  # fmt: skip
_CALLS = {"call": 1.0}
_GLOBALS = {"global_load": 0.6, "global_store": 0.5, "global_update": 0.3}
_TIMEPOINTS = {"fence": 0.4, "signal": 0.3, "await": 0.4, "transients": 0.15}
_SIMPLIFIED = {
    "if_pair": 0.14, "while_form": 0.16, "block_form": 0.16, "select_pair": 0.1,
    "computed_size": 0.12, "computed_number": 0.14, "asked_size": 0.1, "bitcast": 0.08,
    "view_back": 0.05, "fills": 0.07, "fence_back": 0.05, "immediate": 0.03,
}  # fmt: skip
"""What a compiler says in fewer words when it cleans up."""

Weights = tuple[tuple[str, float], ...]
"""Names and how often each is chosen, relative to each other."""


def _table(weights: Mapping[str, float], factor: float = 1.0) -> Weights:
    return tuple((name, weight * factor) for name, weight in weights.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What programs a generator makes."""

    name: str
    level: Level = Level.RESOLVED
    stream_share: float = 0.0
    """Probability that a program is of level `stream` whatever `level` says."""
    tensor_share: float = 0.0
    """Probability that a program is of level `tensor` whatever `level` says."""

    operations: Weights = tuple(_OPERATIONS.items())
    """Weight of each single op, by its name in `gen.ops`."""
    motifs: Weights = tuple(_MOTIFS.items())
    """Weight of each motif, by its name in `gen.motifs`, on the same scale as `operations`."""
    constructs: Weights = ()
    """Weight of each construct, by its name in `gen.constructs.registry`, on the same scale."""
    minimum: int = 4
    average: float = 15.0
    maximum: int = 26
    """Ops before the program is closed; closing adds what returns the values still unused."""

    device_weights: tuple[float, ...] = (1.0, 4.0, 3.0, 4.0)
    """Weight of programs of 1, 2, 3 and 4 devices."""
    queues: float = 0.04
    """Probability that one home of a program is a single queue of a device."""
    absent_home: float = 0.08
    """Probability that a program also has values that live nowhere in particular: no affinity."""
    omitted: float = 0.05
    """Probability that an op does not say where it runs although its operands live somewhere."""

    queue_subsets: float = 0.0
    """Probability that homes of a program are subsets of the queues of a device."""
    module_default: float = 0.0
    """Probability that the module has a default affinity."""
    function_default: float = 0.0
    """Probability that a function has a default affinity of its own."""
    topology: float = 0.0
    """Probability that some devices of a program share or reach each other's memory."""
    second_entry: float = 0.0
    """Probability of a second public function."""
    one_sided_if: float = 0.0
    """Probability that an `scf.if` has one region and no results, and stores to a global."""
    early_return: float = 0.0
    """Probability that a function returns in two places."""
    computed_conditions: float = 0.0
    """Probability that a condition is computed although it could be said shorter, or is known."""
    never_inlined: float = 0.6
    """Probability that a private function stays, with all calls of it."""
    mixed_homes: float = 0.0
    """Probability that what a region, block, call or loop hands on does not move to where the other
    values live that it stands for, which makes a program that is merely valid."""

    loop_bounds: float = 0.0
    """Probability that an `scf.for` does not start from 0, and may turn never or once."""
    uneven_loops: float = 0.2
    """Probability that a region of an `scf.while` hands on more or fewer values than it is given,
    which few frontends make, and past which releases before 3.12 read in memory."""
    any_lifetimes: float = 0.5
    """Probability that a program takes any lifetime an op accepts, not only those that IREE's
    conversion gives."""
    cross: float = 0.75
    """Probability that a transfer goes to another device, where there is one."""
    explicit_on: float = 0.25
    """Probability that a transfer says `on(…)`; needs IREE 3.12."""
    casts: bool = True
    """Whether there is `stream.async.cast`; needs IREE 3.12. A clone stands in where not."""
    to_staging: float = 0.13
    """Probability that a single transfer ends in staging memory."""

    pins: float = 0.4
    """Probability that an import or export has `on(…)`, which pins its value."""
    consumed: float = 0.0
    """Probability that an import takes the caller's buffer over."""
    all_pinned: float = 0.45
    """Probability that every import and export of a program has `on(…)`."""
    unused_first: float = 0.55
    """Probability that an op reads a value nobody reads yet, where there is one."""
    in_place_of_used: float = 0.6
    """Probability that an op in place writes over a value that others read, where there is one."""
    gather: float = 0.35
    """Probability that a dispatch operand is fetched from another device."""
    dynamic_sizes: float = 0.2
    """Probability that a new size is an argument of the function."""
    loaded_scalars: float = 0.6
    """Probability that an op takes a scalar loaded from staging, where there is one."""
    stray: float = 0.0
    """Probability that an op says something else than where its values live, which makes a program
    that is merely valid."""
    dead: float = 0.02
    """Probability that a value which is unused at the end stays unused."""
    results: float = 0.0
    """Probability that a function which nothing makes return a value returns one."""


_DEFAULT = Profile(name="default", stream_share=0.15)
_WELL_FORMED = replace(_DEFAULT, name="well-formed", any_lifetimes=0.0)
_FAMILY = replace(_WELL_FORMED, minimum=3, average=7.0, maximum=24, stream_share=0.35, results=0.98)
_NIGHTLY = replace(
    _FAMILY,
    name="nightly",
    average=5.5,
    stream_share=0.45,
    tensor_share=0.05,
    constructs=_table({**_CONTROL_FLOW, **_CALLS, **_GLOBALS, **_TIMEPOINTS, **_SIMPLIFIED}, 1.6),
    computed_conditions=0.1,
    loop_bounds=0.1,
    one_sided_if=0.15,
    early_return=0.05,
    queues=0.1,
    queue_subsets=0.1,
    module_default=0.08,
    function_default=0.05,
    topology=0.15,
    second_entry=0.15,
    consumed=0.15,
    absent_home=0.15,
    omitted=0.1,
    explicit_on=0.3,
    dynamic_sizes=0.3,
)

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            _DEFAULT,
            Profile(
                name="placement",
                operations=_table(
                    {
                        "splat": 0.6, "transfer": 9.0, "dispatch": 1.6, "fill": 0.6, "update": 0.5,
                        "clone": 0.4, "barrier": 0.4, "cast": 0.2, "import": 0.7, "export": 0.8,
                        "argument": 0.3,
                    }
                ),
                motifs=_table(
                    {
                        "fan_out": 0.5, "round_trip": 0.5, "chain": 0.5, "diamond": 0.4,
                        "pinned": 1.0, "tied_chain": 0.3,
                    }
                ),
                minimum=9,
                average=13.0,
                maximum=16,
                any_lifetimes=0.6,
                explicit_on=0.35,
                pins=0.5,
                all_pinned=0.4,
                dynamic_sizes=0.1,
                absent_home=0.12,
            ),
            _WELL_FORMED,
            replace(_NIGHTLY, name="tensor", level=Level.TENSOR, casts=False),
            replace(_DEFAULT, name="no-on", explicit_on=0.0),
            Profile(name="stream", level=Level.STREAM),
            _NIGHTLY,
            replace(
                _FAMILY,
                name="control-flow",
                constructs=_table(_CONTROL_FLOW, 3.0),
                early_return=0.15,
            ),
            replace(
                _FAMILY,
                name="calls",
                average=5.5,
                constructs=_table(_CALLS, 3.0),
                second_entry=0.3,
            ),
            replace(
                _FAMILY,
                name="globals",
                average=6.0,
                constructs=_table(_GLOBALS, 3.0),
                second_entry=0.3,
            ),
            replace(_FAMILY, name="timepoints", constructs=_table(_TIMEPOINTS, 3.0), consumed=0.3),
            replace(
                _FAMILY,
                name="affinities",
                queue_subsets=0.4,
                module_default=0.3,
                function_default=0.2,
                topology=0.4,
                absent_home=0.25,
                omitted=0.15,
            ),
            replace(
                _NIGHTLY,
                name="nightly-valid",
                any_lifetimes=0.3,
                stray=0.05,
                mixed_homes=0.3,
                # On tensors IREE itself moves values to where they are used.
                tensor_share=0.0,
            ),
            replace(_DEFAULT, name="valid", stray=0.1),
            replace(_DEFAULT, name="small", minimum=0, average=4.0, maximum=8),
        )
    }
)  # fmt: skip
"""The named profiles.

`tensor` writes what a framework hands over: whatever of `nightly` has a form on tensors. `default`
mixes everything; `well-formed` is `default` without lifetimes that IREE's conversion
would not give, so that every contract applies to every program; `placement` is resolved level,
heavy in transfers, pins and `on`; `no-on` is `default` for releases before 3.12; `stream` is stream
level only; `valid` writes programs that are merely valid, for the checks that need no more; `small`
writes short ones. None of these has constructs: their programs are one straight function.

`nightly` turns all on that a well-formed program may have; `nightly-valid` adds what makes programs
merely valid. `control-flow`, `calls`, `globals`, `timepoints` and `affinities` (defaults, queue
subsets, topologies) are one family of constructs each.
"""


_NOT_ON_TENSORS = frozenset({"await", "transients", *_SIMPLIFIED})
"""Constructs that a framework cannot say."""


@lru_cache(maxsize=64)
def on_tensors(profile: Profile) -> Profile:
    """The profile without what has no form on tensors."""
    return replace(
        profile,
        explicit_on=0.0,
        any_lifetimes=0.0,
        computed_conditions=0.0,
        loop_bounds=0.0,
        # IREE's conversion to resources ends at those more often than not.
        uneven_loops=profile.uneven_loops / 4,
        constructs=tuple(
            (name, 0.0 if name in _NOT_ON_TENSORS else weight)
            for name, weight in profile.constructs
        ),
    )


def profile_named(name: str) -> Profile:
    """The profile of that name. Raises ValueError that lists the names there are."""
    try:
        return PROFILES[name]
    except KeyError:
        known = ", ".join(PROFILES)
        raise ValueError(f"no profile is called {name!r}; there are {known}") from None
