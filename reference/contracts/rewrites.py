"""When canonicalization patterns may take an op away and put nothing in its place.

Facts of ops, not the order in which patterns are applied: a result that has the bytes of a value
which exists already, or an op whose users all do without it. From
compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from reference.contracts.regions import located
from reference.ir import Operation, Region
from reference.ops import Barrier, Cast, Clone, Copy, Fill, Slice, Splat, Transfer, Update
from reference.types import Index, Lifetime, Value


class Rewrites:
    """What patterns may leave out of one body. `needed` says which ops of it are not dead."""

    def __init__(self, body: Region, needed: Callable[[Operation], bool]) -> None:
        self._makers: dict[Value, Operation] = {}
        self._users: dict[Value, list[Operation]] = defaultdict(list)
        for operation, _ in located(body):
            for result in operation.results:
                self._makers[result] = operation
            if operation.terminator or needed(operation):
                unread = overwritten(operation)
                for value in dict.fromkeys(operation.operands):
                    if value != unread:
                        self._users[value].append(operation)

    def leave_nothing_of(self, operation: Operation) -> bool:
        """Whether the op may go without another in its place."""
        return self.is_its_source(operation) or self._is_bypassed(operation)

    def is_its_source(self, operation: Operation) -> bool:
        """Whether the result is what another op makes already."""
        match operation:
            case Barrier():
                return True
            case Slice():
                return operation.result.size == operation.source.size
            case Update():
                # All is overwritten (`AsyncUpdateOp::fold`, `ElideInPlaceUpdate`).
                return operation.source.size == operation.target.size
            case Cast():
                maker = self.maker(operation.source)
                types = {operation.source.type}
                if isinstance(maker, Cast):
                    types.add(maker.source.type)
                return operation.result.type in types
            case Clone():
                return self._is_of_cloneable(operation)
            case Transfer():
                # Back where it came from (`AsyncTransferOp::fold`), or between two ends that are
                # one, which is a clone (`SameAffinityTransferToClone`).
                maker = self.maker(operation.source)
                if isinstance(maker, Transfer) and maker.source.type == operation.result.type:
                    return True
                return _may_be_clone(operation) and self._is_of_cloneable(operation)
            case Fill():
                # `ElideRedundantFill`, `CoalesceAdjacentFills`
                maker = self.maker(operation.target)
                return isinstance(maker, Splat | Fill) and maker.pattern == operation.pattern
        return False

    def maker(self, value: Value) -> Operation | None:
        """What makes a value, barriers left out: they are removed along with the patterns' work."""
        maker = self._makers.get(value)
        while isinstance(maker, Barrier):
            maker = self._makers.get(maker.source)
        return maker

    def real_users(self, value: Value) -> Iterator[tuple[Operation, Value]]:
        """The ops that need a value, each with what it takes; the users of its copies instead of
        copies that patterns leave nothing of."""
        for user in self._users[value]:
            if isinstance(user, Barrier | Clone | Cast | Slice) and self.is_its_source(user):
                yield from self.real_users(user.results[0])
            else:
                yield user, value

    def takers(self, value: Value) -> Iterator[Operation]:
        """The ops that need a value; the users of its copies instead of all copies but transfers,
        since any pass may leave those out."""
        for user in self._users[value]:
            if not isinstance(user, Transfer) and copied(user) == value:
                yield from self.takers(user.results[0])
            else:
                yield user

    def _is_of_cloneable(self, operation: Clone | Transfer) -> bool:
        """Whether users get copies of the op that makes the source (`PropagateCloneableOps`)."""
        maker = self.maker(operation.source)
        if isinstance(maker, Transfer):
            return _may_be_clone(maker)
        return maker is not None and maker.prefers_clone_to_consumers

    def _is_bypassed(self, operation: Operation) -> bool:
        """Whether every user takes what the op was made of instead, or makes it itself."""
        users = [pair for result in operation.results for pair in self.real_users(result)]
        return bool(users) and all(_bypasses(user, taken, operation) for user, taken in users)


def copied(operation: Operation) -> Value | None:
    """What the bytes of an op's only result are a copy of, None for an op that makes others."""
    match operation:
        case Transfer() | Clone() | Barrier() | Cast():
            return operation.source
        case Slice() if operation.result.size == operation.source.size:
            return operation.source
        case Update() if operation.source.size == operation.target.size:
            return operation.source
        case Copy() if operation.source_span.length == operation.source.size and (
            operation.source.size == operation.target.size
        ):
            return operation.source
    return None


def written(operation: Operation) -> tuple[Value, Index, Index] | None:
    """What an op in place is written into, and the bytes [start, end) that it writes without
    having read them; None for any other op."""
    match operation:
        case Fill() | Copy():
            span = operation.span if isinstance(operation, Fill) else operation.target_span
            return operation.target, span.start, span.end
        case Update():
            return operation.target, operation.start, operation.end
    return None


def _may_be_clone(operation: Transfer) -> bool:
    """Whether a transfer's ends may be one once what equals the region's affinity is stripped
    (`SameAffinityTransferToClone`)."""
    lifetimes = {operation.source.lifetime, operation.result.lifetime}
    ends = {operation.source_affinity, operation.target_affinity} - {None}
    return len(ends) < 2 and Lifetime.STAGING not in lifetimes


def overwritten(operation: Operation) -> Value | None:
    """What an op takes only to write over all of it, None for any other op.

    The op may be rewritten so that it does not take it (`FlattenFullFillToSplat`,
    `AsyncUpdateOp::fold`, `AsyncCopyFullSourceToUpdate`).
    """
    wrote = written(operation)
    if wrote is None:
        return None
    target, start, end = wrote
    return target if start == 0 and end == target.size else None


def _bypasses(user: Operation, taken: Value, operation: Operation) -> bool:
    """Whether a pattern may have `user` do without `operation`, which made what it takes."""
    match user:
        case Transfer():
            # `IntermediateTransferElision`
            return isinstance(operation, Transfer)
        case Slice():
            # `PropagateSplatsThroughSlices`
            return isinstance(operation, Splat)
        case Copy():
            # It becomes an update first (`AsyncCopyFullSourceToUpdate`).
            return taken == user.source and isinstance(operation, Splat)
        case Update():
            # `CombineSplatUpdateFromToFill`, `CombineSliceUpdateFromToCopy`
            return taken == user.source and isinstance(operation, Splat | Slice)
    return False
