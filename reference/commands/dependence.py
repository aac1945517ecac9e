"""Which values are made of which, across loops, branches, calls and globals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain

from reference.ir import Operation, Program, Region
from reference.ops import Call, GlobalLoad, GlobalStore, Return
from reference.types import Value

_Chosen = Callable[[Operation], bool]


def depends(program: Program, later: _Chosen, earlier: _Chosen) -> bool:
    """Whether an op that `later` says yes to takes what one that `earlier` says yes to makes, or
    what is made of that.

    What is in a loop or a branch is taken to depend on all that goes into it, and its results on
    all that it hands on. Values are taken to have names that are unique in the program, as those
    that were read from a compiler's output have.
    """
    makers = {
        result.name: operation for operation in program.operations() for result in operation.results
    }
    sources = _Sources(program).found
    pending = [
        operand.name
        for operation in program.operations()
        if later(operation)
        for operand in operation.operands
    ]
    seen = set(pending)
    while pending:
        name = pending.pop()
        if name in makers and earlier(makers[name]):
            return True
        new = sources[name] - seen
        seen |= new
        pending += new
    return False


class _Sources:
    """For each value: the values that it is made of, or that it stands for."""

    def __init__(self, program: Program) -> None:
        self.found: defaultdict[str, set[str]] = defaultdict(set)
        self._stored: defaultdict[str, set[str]] = defaultdict(set)
        for operation in program.operations():
            if isinstance(operation, GlobalStore):
                self._stored[operation.symbol].update(one.name for one in operation.operands)
        self._functions = {function.name: function for function in program.functions}
        for body in program.bodies():
            self._region(body, ())

    def _region(self, region: Region, taken: Iterable[str]) -> None:
        """`taken` is what comes into the region."""
        for block in region.blocks[:1]:
            for argument in block.arguments:
                self.found[argument.name].update(taken)
        for block in region.blocks:
            for operation in block.operations:
                self._operation(operation)
            for successor in block.operations[-1].successors:
                target = region.blocks[successor.block]
                for argument, value in zip(target.arguments, successor.arguments, strict=False):
                    if isinstance(value, Value):
                        self.found[argument.name].add(value.name)

    def _operation(self, operation: Operation) -> None:
        taken = {operand.name for operand in operation.operands}
        # What a region hands on comes out of it, or into it once more.
        for block in chain.from_iterable(region.blocks for region in operation.regions):
            taken.update(operand.name for operand in block.operations[-1].operands)
        for region in operation.regions:
            self._region(region, taken)
        if isinstance(operation, GlobalLoad):
            taken |= self._stored[operation.symbol]
        elif isinstance(operation, Call) and operation.callee in self._functions:
            self._call(operation)
            return
        for result in operation.results:
            self.found[result.name] |= taken

    def _call(self, call: Call) -> None:
        body = self._functions[call.callee].body
        for block in body.blocks[:1]:
            for argument, given in zip(block.arguments, call.arguments, strict=False):
                if isinstance(given, Value):
                    self.found[argument.name].add(given.name)
        for block in body.blocks:
            last = block.operations[-1]
            if isinstance(last, Return):
                for result, value in zip(call.outputs, last.operands, strict=False):
                    self.found[result.name].add(value.name)
