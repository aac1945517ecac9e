"""What shares storage inside an execution region, and what leaves it.

Rules from compiler/src/iree/compiler/Dialect/Stream/Transforms/ScheduleAllocation.cpp
(`computeRegionValueAliases`, `computeExecutionRegionLivenessIntervals`, `findLocalValueAffinity`,
`findEscapingResultValue`, `findTiedYieldResult`) and from `TiedOpInterface::findTiedBaseValue` in
compiler/src/iree/compiler/Dialect/Util/IR/UtilTypes.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from reference.affinity import AnyAffinity
from reference.ir import Operation, walk
from reference.ops import Concurrent, Dispatch, Execute, StreamYield, Transfer
from reference.types import Value


@dataclass(frozen=True, slots=True)
class Use:
    """One operand of `operation`, and the results that are its storage when taken there."""

    operation: Operation
    position: int
    tied_results: tuple[Value, ...]


@dataclass(slots=True)
class _AliasSets:
    """Disjoint sets of values; a value that was never joined is a set by itself."""

    _parents: dict[Value, Value] = field(default_factory=dict)

    def join(self, one: Value, other: Value) -> None:
        """The two sets become one."""
        self._parents[self.leader(one)] = self.leader(other)

    def leader(self, value: Value) -> Value:
        """The same value for all members of a set."""
        root = value
        while (parent := self._parents.get(root, root)) != root:
            root = parent
        while (parent := self._parents.get(value, root)) != root:
            self._parents[value] = root
            value = parent
        return root


class RegionStorage:
    """One `stream.async.execute`, looked at from the storage of its values."""

    def __init__(self, execute: Execute) -> None:
        (block,) = execute.body.blocks
        self.operations = block.operations
        self.arguments = block.arguments
        self.yielded = _yielded(execute)
        self.makers: dict[Value, Operation] = {}
        """The op that makes each value, in waves as well; arguments have none."""
        self.uses: dict[Value, list[Use]] = {}
        """Oldest first: in the order of ops, then of operands. A parsed module lists them newest
        first."""
        self._origins: dict[Value, Value] = {}
        """An operand that a tied result is the storage of, however many ties up."""
        self._wave_values: dict[Value, Value] = {}
        """What a wave yields for each of its results."""
        self._aliases = _AliasSets()
        for operation in walk(execute.body):
            self._note(operation)
        self._join_results(execute)

    def _note(self, operation: Operation) -> None:
        ties = _ties(operation)
        for result in operation.results:
            self.makers[result] = operation
        for position, item in enumerate(operation.inputs):
            if isinstance(item, Value) and item.is_resource:
                results = tuple(result for result, tie in ties if tie == position)
                self.uses.setdefault(item, []).append(Use(operation, position, results))
        for result, operand in operation.tied:
            self._origins[result] = operand
            self._aliases.join(result, operand)
        if isinstance(operation, Concurrent):
            self._wave_values.update(zip(operation.outputs, _yielded(operation), strict=True))
            self._join_results(operation)

    def _join_results(self, outer: Execute | Concurrent) -> None:
        """What is yielded for a tied result is the storage of the argument of its operand."""
        arguments = outer.body.blocks[0].arguments
        for value, tie in zip(_yielded(outer), outer.ties, strict=False):
            if tie is not None:
                self._aliases.join(value, arguments[tie])

    def alias_set(self, value: Value) -> Value:
        """The same value for all that share storage with `value`."""
        return self._aliases.leader(value)

    def base(self, value: Value) -> Value:
        """Where the storage of `value` is first named: up the ties, to an argument or an untied
        result. A wave's untied result is its own base."""
        passed = []
        while (origin := self._origins.get(value)) is not None:
            passed.append(value)
            value = origin
        # Results of one chain of ties would otherwise walk it again each.
        self._origins.update(dict.fromkeys(passed, value))
        return value

    def local_affinity(self, value: Value) -> AnyAffinity | None:
        """The `to` of the transfer that makes `value`, up the ties and into waves.

        None where there is no such transfer, where it has no `to`, and at an argument of a wave,
        whose outer value is not looked at.
        """
        while (inner := self._wave_values.get(value := self.base(value))) is not None:
            value = inner
        maker = self.makers.get(value)
        return maker.target_affinity if isinstance(maker, Transfer) else None

    def first_escape(self, value: Value) -> int | None:
        """The position of the region's result that `value` leaves by, down the ties, oldest use
        first; None where it does not leave."""
        pending = [iter(self.uses.get(value, ()))]
        while pending:
            use = next(pending[-1], None)
            if use is None:
                pending.pop()
            elif isinstance(use.operation, StreamYield):
                return use.position
            else:
                pending += [iter(self.uses.get(result, ())) for result in use.tied_results]
        return None

    def last_escape(self, value: Value) -> int | None:
        """As `first_escape`, but newest use first, and a value's own uses before its ties'."""
        pending = [value]
        while pending:
            for use in reversed(self.uses.get(pending.pop(), ())):
                if isinstance(use.operation, StreamYield):
                    return use.position
                pending += use.tied_results
        return None

    def only_yielded(self, value: Value) -> bool:
        """Whether no op of the region takes `value`: it is yielded or unused."""
        return all(isinstance(use.operation, StreamYield) for use in self.uses.get(value, ()))

    def stored_values(self) -> Iterator[Value]:
        """The values that storage is planned for: those of waves that nothing takes, then those of
        the region's own ops, in order.

        A value made in a wave is planned for outside of it when the wave yields it. One that the
        wave itself takes is not planned for at all.
        """
        for operation in self.operations:
            for nested in operation.regions:
                for inner in walk(nested):
                    for result in inner.results:
                        if result.is_resource and not (
                            result in self._origins or result in self.uses
                        ):
                            yield result
        for operation in self.operations:
            yield from (result for result in operation.results if result.is_resource)


def _yielded(outer: Execute | Concurrent) -> tuple[Value, ...]:
    last = outer.body.blocks[0].operations[-1]
    assert isinstance(last, StreamYield)
    return last.values


def _ties(operation: Operation) -> tuple[tuple[Value, int], ...]:
    """Each tied result with the position in `inputs` of the operand that is its storage."""
    if isinstance(operation, (Dispatch, Concurrent)):
        first = len(operation.workload) if isinstance(operation, Dispatch) else 0
        pairs = zip(operation.outputs, operation.ties, strict=False)
        return tuple((output, first + tie) for output, tie in pairs if tie is not None)
    # Every other op of a region has its tied operand first.
    return tuple((result, 0) for result, _ in operation.tied)
