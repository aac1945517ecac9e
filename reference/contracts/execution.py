"""`execution`: what says `on(D)` runs on D, or does not exist any more.

From a program's input to the execution regions of `iree-stream-schedule-execution`: as long as a
copy of an op with explicit `on(D)` exists, the region that holds it has an affinity, and one that
can execute together with D, in either direction (queue 0 and all queues of a device may share a
region). The region decides, not what is left on the op: `ScheduleExecution` strips what equals the
region's affinity, and everything after it looks at the region. Copies are told by location.

`on` says where an op executes, not that it has to. So an op may vanish, and only so, when

- nobody needs it (`reference/contracts/liveness.py`), or no run shows that anybody does
  (`reference/contracts/witness.py`);
- it is a duplicate: ops that remain make the same bytes whenever it does, under the same `on`
  (CSE merges pure ops);
- an op that is left stands for it, since their blocks were made one
  (`reference/contracts/merged.py`);
- it is an inner link of a collapsed chain of transfers: all who take its result, or a copy of it,
  are transfers themselves. The decision: `on` of an inner link may go with the link, whatever it
  says, since a hop that is not made is made nowhere; the last link is the one that makes the move
  and keeps its own `on` (`IntermediateTransferElision` in
  compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp passes it on, and IREE's test
  `PreserveTransferExecutionAffinity` wants it);
- it is neither a dispatch nor a transfer: barriers are removed, and what copies or writes a pattern
  (clone, slice, update, fill, copy, splat, constant, alloca) is left out or done by a neighbour
  wherever passes see that nothing is copied (ElideAsyncCopies.cpp, EmplaceAllocations.cpp, the
  patterns of StreamOpFolders.cpp); `coverage` and the values say whether that is right;
- it is a transfer that need not be made, and D is at home there: both of its ends are on one
  device, or on linked ones (`unified_memory`, `transparent_access`), and D on one of them, be the
  source the transfer's own or that of an earlier link of its chain. A transfer whose D is
  elsewhere asks for a device that neither end has: its `on` would be lost. IREE's own folds keep
  such transfers (`AsyncTransferOp::fold`).

On tensors an op shares its location with what IREE's conversion adds for it: transfers of what it
takes, and clones where a tensor changes its shape
(compiler/src/iree/compiler/Dialect/Stream/Conversion/FlowToStream/Patterns.cpp). Every other op
becomes one op of its own kind, so there a copy of an op is what has its location and its kind,
transfers and clones left aside.

A program need only be valid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial

from reference.affinity import AnyAffinity, Topology, can_execute_together
from reference.contracts.breach import Breach, Origin, said
from reference.contracts.chains import Chains
from reference.contracts.liveness import Liveness
from reference.contracts.merged import merged_into
from reference.contracts.regions import Site, located, sites_by_origin
from reference.contracts.rewrites import Rewrites
from reference.contracts.witness import Witness
from reference.ir import Operation, Program, walk
from reference.ops import Barrier, Clone, Dispatch, Transfer
from reference.types import Lifetime

_ADDED_BY_CONVERSION = frozenset({Clone, Transfer})
"""What has the location of an op on tensors without being that op."""


def explicit_affinity(operation: Operation) -> AnyAffinity | None:
    """What an op that may be in a region says with `on(…)`, None where it does not."""
    if not operation.streamable:
        return None
    if isinstance(operation, Transfer):
        return operation.explicit_affinity
    return operation.execution_affinity


def goes_with(one: AnyAffinity | None, other: AnyAffinity | None) -> bool:
    """Whether one of two can execute where the other does."""
    return can_execute_together(one, other) or can_execute_together(other, one)


def execution(
    program: Program, before: Program, after: Program, origin: Origin
) -> Iterator[Breach]:
    """The lost `on(…)` of `program`; `before` is what scheduling took, `after` what it made."""
    wanted: dict[str, list[tuple[int, Operation]]] = defaultdict(list)
    for ordinal, body in enumerate(program.bodies()):
        for operation, _ in located(body):
            if explicit_affinity(operation) is not None:
                wanted[origin(operation.identity)].append((ordinal, operation))
    later, earlier = sites_by_origin(after, origin), sites_by_origin(before, origin)
    copies, copied = (
        (_of_own_kind(wanted, found) for found in (later, earlier))
        if program.tensors
        else (later, earlier)
    )
    judge: _Vanishing | None = None
    told: set[int] = set()
    for place, group in wanted.items():
        sites = copies.get(place, [])
        before_it = [site.operation for site in copied.get(place, ())]
        for site in sites:
            if id(site.region) not in told and not any(_is_kept(one, site) for _, one in group):
                told.add(id(site.region))
                yield _misplaced(_named(group, site), site, before_it, earlier, origin)
        if not sites:
            judge = judge or _Vanishing(program, frozenset(copies), origin)
            for ordinal, operation in group:
                if not judge.may_vanish(ordinal, operation):
                    yield _vanished(operation, before_it, origin)


def _of_own_kind(
    wanted: Mapping[str, list[tuple[int, Operation]]], sites: Mapping[str, list[Site]]
) -> dict[str, list[Site]]:
    """Of the ops at each location those that stand for one of a program on tensors."""
    found = {}
    for place, group in wanted.items():
        kinds = {type(operation) for _, operation in group} - _ADDED_BY_CONVERSION
        kept = [site for site in sites.get(place, ()) if type(site.operation) in kinds]
        if kept:
            found[place] = kept
    return found


def _named(group: list[tuple[int, Operation]], site: Site) -> Operation:
    """Of the ops at one location the one that a copy is of, as far as kinds tell."""
    ops = [operation for _, operation in group]
    return next((one for one in ops if type(one) is type(site.operation)), ops[0])


def still_says(affinity: AnyAffinity | None, copies: Iterable[Operation]) -> bool:
    """Whether one of the copies of an op that says `on(affinity)` executes there by its own
    word."""
    said_there = (copy.execution_affinity for copy in copies)
    return any(other is not None and goes_with(affinity, other) for other in said_there)


def _is_kept(operation: Operation, site: Site) -> bool:
    """Whether the region that holds a copy of an op runs where the op says."""
    if site.region is None:
        # Another promise, that of `coverage`.
        return True
    affinity = site.region.affinity
    return affinity is not None and goes_with(explicit_affinity(operation), affinity)


def _misplaced(
    operation: Operation,
    site: Site,
    copies: list[Operation],
    earlier: Mapping[str, list[Site]],
    origin: Origin,
) -> Breach:
    affinity = explicit_affinity(operation)
    assert site.region is not None
    # A function that is inlined makes copies, of which one may become what others do not.
    alike = [copy for copy in copies if type(copy) is type(site.operation)] or copies
    lost = bool(alike) and not still_says(affinity, alike)
    where = "has no affinity"
    if site.region.affinity is not None:
        where = f"runs on {site.region.affinity}"
    if lost:
        shape = _lost_shape(operation)
    elif site.region.affinity is None:
        shape = (
            "region-without-affinity",
            f"against-{_opponents(affinity, site, earlier, origin)}",
        )
    else:
        shape = ("region-elsewhere", operation.mnemonic)
    return Breach(
        origin(operation.identity),
        shape,
        f"{said(operation, origin)} says on({affinity}); the region that holds it, as "
        f"{site.operation.mnemonic}, {where}",
        before=lost,
        affinity=affinity,
        became=site.operation.mnemonic if still_says(affinity, copies) else None,
    )


def _opponents(
    affinity: AnyAffinity | None, site: Site, earlier: Mapping[str, list[Site]], origin: Origin
) -> str:
    """The kinds of the ops that may have kept a region from having an affinity: those in it before
    canonicalization, and those which are gone now but took something of them."""
    assert site.region is not None
    held: list[Operation] = []
    for inner in walk(site.region.body):
        copies = [one.operation for one in earlier.get(origin(inner.identity), ())]
        # Of an op that is repeated for several devices only the copy that is here counts.
        here = [one for one in copies if one.execution_affinity == inner.execution_affinity]
        held += here or copies
    made = {result for operation in held for result in operation.results}
    held += (
        one.operation
        for sites in earlier.values()
        for one in sites
        if isinstance(one.operation, Barrier) and one.operation.source in made
    )
    said_there = {operation: operation.execution_affinity for operation in held}
    kinds = {
        operation.mnemonic.rpartition(".")[2]
        for operation, other in said_there.items()
        if not goes_with(affinity, other)
    }
    if not kinds and any(other not in (None, affinity) for other in said_there.values()):
        return "another-queue"
    # An op that joins the region of what it takes made it homeless; others joined it then.
    joined = [kind for kind in ("transfer", "barrier") if kind in kinds]
    return joined[0] if joined else "+".join(sorted(kinds)) or "nothing"


def _vanished(operation: Operation, copies: list[Operation], origin: Origin) -> Breach:
    affinity = explicit_affinity(operation)
    lost = not still_says(affinity, copies)
    return Breach(
        origin(operation.identity),
        _lost_shape(operation) if lost else ("vanished", operation.mnemonic),
        f"{said(operation, origin)} says on({affinity}) and is gone, though it is needed and "
        "nothing else does its work there",
        before=lost,
        affinity=affinity,
    )


def _lost_shape(operation: Operation) -> tuple[str, ...]:
    """The shape of what was lost on the way to scheduling: gone, or made into something else."""
    if not isinstance(operation, Transfer):
        return ("lost", operation.mnemonic)
    staging = operation.result.lifetime is Lifetime.STAGING
    return ("lost", operation.mnemonic, "to-staging" if staging else "to-device")


def _kind(operation: Operation) -> object:
    """What ops have in common of which one may stand for the other, where they make the same."""
    target = operation.target_affinity if isinstance(operation, Transfer) else None
    return type(operation), explicit_affinity(operation), target


class _Vanishing:
    """Which ops of a program may be gone; `remaining` are the locations of those that are not."""

    def __init__(self, program: Program, remaining: frozenset[str], origin: Origin) -> None:
        self._program = program
        self._remaining = remaining
        self._origin = origin
        self._topology = program.topology or Topology(())
        self._liveness = Liveness(program)
        self._bodies = tuple(program.bodies())

    def may_vanish(self, body: int, operation: Operation) -> bool:
        """Whether nothing is lost without an op of that body."""
        if not isinstance(operation, Dispatch | Transfer):
            return True
        if not self._liveness.needs(body, operation):
            return True
        if isinstance(operation, Transfer) and (
            self._is_inner_link(body, operation) or self._is_at_home(body, operation)
        ):
            return True
        if not self._witness.misses(body, operation) or self._witness.is_made_by(
            operation, self._doers[_kind(operation)]
        ):
            return True
        needed = partial(self._liveness.needs, body)
        return merged_into(self._bodies[body], operation, needed, self._remains)

    def _remains(self, operation: Operation) -> bool:
        return self._origin(operation.identity) in self._remaining

    @cached_property
    def _witness(self) -> Witness:
        return Witness(self._program)

    @cached_property
    def _rewrites(self) -> list[Rewrites]:
        return [
            Rewrites(body, partial(self._liveness.needs, ordinal))
            for ordinal, body in enumerate(self._program.bodies())
        ]

    @cached_property
    def _doers(self) -> dict[object, list[Operation]]:
        """The ops that remain, by kind."""
        found: dict[object, list[Operation]] = defaultdict(list)
        for body in self._program.bodies():
            for operation, _ in located(body):
                if operation.streamable and self._remains(operation):
                    found[_kind(operation)].append(operation)
        return found

    def _is_inner_link(self, body: int, operation: Transfer) -> bool:
        takers = list(self._rewrites[body].takers(operation.result))
        return bool(takers) and all(isinstance(taker, Transfer) for taker in takers)

    def _is_at_home(self, body: int, operation: Transfer) -> bool:
        """Whether a transfer, or the one that a chain of them may collapse into, need not be made
        and its `on` is one of its ends."""
        target = operation.target_affinity
        return any(
            self._reaches(source, target)
            and (
                goes_with(operation.explicit_affinity, source)
                or goes_with(operation.explicit_affinity, target)
            )
            for source in (link.source_affinity for link in self._chains.links(body, operation))
        )

    @cached_property
    def _chains(self) -> Chains:
        return Chains(self._program)

    def _reaches(self, source: AnyAffinity | None, target: AnyAffinity | None) -> bool:
        if source is None or target is None or source == target:
            return True
        links = self._topology
        return links.has_unified_memory(source, target) or links.has_transparent_access(
            source, target
        )
