"""`coverage`: each streamable op is in one execution region, and what it makes is waited for.

An op of a function's blocks, or of those of an op with control flow, is after
`iree-stream-schedule-execution` in exactly one region, unless

- it is cheap and is repeated in the regions that need it (`preferCloneToConsumers`: splat, clone,
  alloca, a dispatch that reads no resource), or becomes so by a pattern and is repeated in its one
  region;
- nobody needs it (`reference/contracts/liveness.py`), or no run shows that anybody does
  (`reference/contracts/witness.py`);
- it is a barrier, which the pass removes (ScheduleExecution.cpp, `RemoveBarriers`);
- a canonicalization pattern rewrote it. The pass runs them all at its end. What a pattern makes in
  an op's place has the op's location, so ops are told apart by location, not by kind; where a
  pattern leaves nothing in an op's place, `reference/contracts/rewrites.py` says when that is
  right.

A program need only be valid: nothing here depends on where its values live.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial

from reference.contracts.breach import Breach, Origin, said
from reference.contracts.liveness import Liveness
from reference.contracts.regions import Site, located, sites_by_origin
from reference.contracts.rewrites import Rewrites
from reference.contracts.waits import broken_waits, lost_waits
from reference.contracts.witness import Witness
from reference.ir import Block, Operation, Program, Region
from reference.ops import Barrier
from reference.types import Value

OUTSIDE = "outside-of-every-region"
"""The shape of what is in no region though it has to run."""


def coverage(before: Program, after: Program, origin: Origin) -> Iterator[Breach]:
    """What is not where it belongs in `after`, which the pass made of `before`."""
    yield from membership(before, after, origin)
    yield from broken_waits(before, after, origin)
    yield from lost_waits(before, after, origin)


def membership(before: Program, after: Program, origin: Origin) -> Iterator[Breach]:
    """Ops in no region, in several, or gone."""
    sites = sites_by_origin(after, origin)
    earlier: dict[str, list[tuple[int, Operation]]] = defaultdict(list)
    for ordinal, body in enumerate(before.bodies()):
        for operation, region in located(body):
            if operation.streamable and region is None:
                earlier[origin(operation.identity)].append((ordinal, operation))

    @cache
    def patterns() -> _Patterns:
        stranded = (
            place for place, there in sites.items() if any(one.region is None for one in there)
        )
        return _Patterns(before, origin, frozenset(stranded))

    judge: _Vanishing | None = None
    for place, group in earlier.items():
        found = sites.get(place, [])
        outside = [site for site in found if site.region is None]
        if outside:
            left = outside[0].operation
            yield _stranded(place, left, patterns().of_group(group, left), origin)
        if not any(operation.prefers_clone_to_consumers for _, operation in group):
            yield from _repeated(patterns, place, group, found, origin)
        if len(found) < len(group):
            judge = judge or _Vanishing(before)
            lost = [one for one in group if not judge.may_vanish(*one)]
            if len(lost) > len(found):
                yield _gone(place, lost[0][1], origin)


class _Patterns:
    """How ops that are not where they belong stand to others: what befalls any op that stands so
    has one cause."""

    def __init__(self, program: Program, origin: Origin, stranded: frozenset[str]) -> None:
        self._origin = origin
        self._stranded = stranded
        self._makers: dict[tuple[int, Value], Operation] = {}
        self._users: dict[tuple[int, Value], list[Operation]] = defaultdict(list)
        self._blocks: dict[int, Block] = {}
        for ordinal, body in enumerate(program.bodies()):
            self._enter(ordinal, body)

    def of(self, body: int, operation: Operation) -> str:
        """The pattern of an op of that body; its kind where nothing is known to matter."""
        return self._found(body, operation) or operation.mnemonic

    def of_group(self, group: Sequence[tuple[int, Operation]], left: Operation) -> str:
        """The pattern of the one among ops of one location that `left` is: of those of its kind the
        first that stands in one."""
        alike = [one for one in group if type(one[1]) is type(left)] or group
        found = (self._found(*one) for one in alike)
        return next((one for one in found if one is not None), left.mnemonic)

    def _found(self, body: int, operation: Operation) -> str | None:
        if any(
            isinstance(self._makers.get((body, value)), Barrier) for value in operation.operands
        ):
            return "behind-a-barrier"
        users = [user for value in operation.results for user in self._users[body, value]]
        block = self._blocks[id(operation)]
        if any(user.regions or self._blocks[id(user)] is not block for user in users):
            return "taken-by-control-flow"
        # What is repeated in the regions that need it takes what they take; and an op may be where
        # it is only because who takes it is.
        following = (
            self._found(body, user)
            for user in users
            if user.prefers_clone_to_consumers or self._origin(user.identity) in self._stranded
        )
        return next((found for found in following if found is not None), None)

    def _enter(self, body: int, region: Region) -> None:
        for block in region.blocks:
            for operation in block.operations:
                self._blocks[id(operation)] = block
                self._makers.update(((body, value), operation) for value in operation.results)
                for value in operation.operands:
                    self._users[body, value].append(operation)
                for nested in operation.regions:
                    self._enter(body, nested)


def _stranded(place: str, operation: Operation, pattern: str, origin: Origin) -> Breach:
    return Breach(
        place,
        (OUTSIDE, pattern),
        f"{said(operation, origin)} remains outside of every execution region",
    )


def _repeated(
    patterns: Callable[[], _Patterns],
    place: str,
    group: list[tuple[int, Operation]],
    found: list[Site],
    origin: Origin,
) -> Iterator[Breach]:
    """Copies of an op that is not repeated in several regions. In one region it may be, once a
    pattern made it a clone (`SameAffinityTransferToClone`, then `PropagateCloneableOps`)."""
    regions = {id(site.region) for site in found}
    once = [site for site in found if not site.operation.prefers_clone_to_consumers]
    operation = group[0][1]
    if len(regions) > len(group) or len(once) > len(group):
        yield Breach(
            place,
            (
                "in-several-regions" if len(regions) > len(group) else "repeated",
                patterns().of(*group[0]),
            ),
            f"{said(operation, origin)} is executed {len(found)} times in {len(regions)} regions",
        )


def _gone(place: str, operation: Operation, origin: Origin) -> Breach:
    return Breach(
        place,
        ("gone", operation.mnemonic),
        f"{said(operation, origin)} is needed but is in no execution region",
    )


class _Vanishing:
    """Which ops of a program may be gone after the pass."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._liveness = Liveness(program)
        self._rewrites = [
            Rewrites(body, partial(self._liveness.needs, ordinal))
            for ordinal, body in enumerate(program.bodies())
        ]

    @cached_property
    def _witness(self) -> Witness:
        return Witness(self._program)

    def may_vanish(self, body: int, operation: Operation) -> bool:
        """Whether nobody misses an op of that body."""
        if isinstance(operation, Barrier) or not self._liveness.needs(body, operation):
            return True
        if self._rewrites[body].leave_nothing_of(operation):
            return True
        return not self._witness.misses(body, operation)
