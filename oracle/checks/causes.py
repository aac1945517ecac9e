"""Rules of passes whose faults have one name each: `hazard` and `value` name what is wrong by how
it shows, and what these rules do to a program shows in many ways.

Signatures are made of these names (`oracle/verdict.py`), so that one cause has one signature.
"""

from __future__ import annotations

from oracle.compiling import stages
from reference.commands.breaches import MISSING, Breach
from reference.commands.events import Kind
from reference.values.blame import CHANGED, WRITTEN_OVER
from reference.values.sharing import ALIASED, DIRECTLY, EXPORTED, HANDED_ON

_SHARED = "shared"

_KERNEL = "dispatch"

_SHARED_IN_MEMORY = frozenset({Kind.OVERLAPPING.value, Kind.UNORDERED.value})
"""How it shows that two values have become one in memory."""

_LOST_WAITS = frozenset({Kind.UNORDERED.value, Kind.EARLY.value, "given-back-too-early"})
_WITHOUT_WAIT = (Kind.UNORDERED.value, MISSING[0])

_CLONES = frozenset(
    {"without-splat", "without-constant", "read-without-clone", "read-without-transfer"}
)
"""What clones may have become, and readers' own: those between linked devices are elided by another
rule (`without-transfer`)."""

_ONE_IN_MEMORY = frozenset({stages.CSE.name, "emplace-transients"})
"""CSE makes any two equal ops one, EmplaceTransients gives all turns of a loop one memory."""

_ONE_AS_VALUES = frozenset({stages.CSE.name, "emplace-allocations", "refine-usage"})
"""CSE makes any two equal ops one, whatever they make and for whom, RefineUsage an update of all of
a value its source, however that is used further, and EmplaceAllocations what is copied a part of
its target."""

_FILLS = frozenset({"for-copy", "for-update"})
"""What canonicalization makes fills of, where the source is a splat."""


def hazard_shape(stage: str, shape: tuple[str, ...]) -> tuple[str, ...]:
    """The words for a breach at the command level. Who makes the memory of two values one does so
    whatever then is written while another uses it; ElideTimepoints takes a wait away whatever is
    not waited for then."""
    if stage == "elide-timepoints" and shape[0] in _LOST_WAITS:
        return _WITHOUT_WAIT
    if stage in _ONE_IN_MEMORY and shape[0] in _SHARED_IN_MEMORY:
        return (_SHARED,)
    return shape


def hazard_shapes(breach: Breach) -> frozenset[tuple[str, ...]]:
    """All words that `hazard` may have for a breach, whichever pass is guilty and at whichever
    level it shows first."""
    kind, found = breach.what[0], {breach.shape}
    if kind == Kind.EARLY.value:
        found |= {(Kind.UNORDERED.value, word) for word in MISSING}
    elif breach.shape[0] in _LOST_WAITS:
        found.add(_WITHOUT_WAIT)
    elif kind == Kind.OVERLAPPING.value:
        found.add((*breach.shape, HANDED_ON))
    if kind in _SHARED_IN_MEMORY:
        found.add((_SHARED,))
    return frozenset(found)


def value_shape(stage: str, shape: tuple[str, ...]) -> tuple[str, ...]:
    """The words for a value that is wrong.

    What an analysis of one name cannot see is not seen whatever made the storage; canonicalization
    does not ask who uses it, so that an update of all of a value becomes its source whoever else
    reads that. ElideAsyncCopies drops clones, whatever canonicalization made of them and whoever
    they were for. Some passes make two values one, whatever uses them. All that becomes a kernel is
    splats and fills, in one way: what one leaves unwritten shows there, or as what was there
    before. What a splat is written by becomes a fill before it goes.
    """
    if shape[0] == WRITTEN_OVER and shape[-1] in (ALIASED, HANDED_ON):
        told = stage == stages.CANONICALIZE.name and shape[2:] == (ALIASED,)
        shape = (*shape[:-1], DIRECTLY) if told else (WRITTEN_OVER, shape[-1])
    if stage == "elide-async-copies" and not _CLONES.isdisjoint(shape[1:2]):
        return (WRITTEN_OVER, "without-clone", *shape[2:])
    if stage in _ONE_AS_VALUES and shape[0] == WRITTEN_OVER:
        return (WRITTEN_OVER, _SHARED)
    if stage == "materialize-builtins" and shape[0] == CHANGED:
        return (CHANGED, _KERNEL)
    if stage == stages.CANONICALIZE.name and shape[-1] in _FILLS:
        return (*shape[:-1], "for-fill")
    if stage == stages.CANONICALIZE.name and shape[-1] == EXPORTED:
        return (*shape[:-1], DIRECTLY)
    return shape
