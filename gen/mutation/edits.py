"""A program taken apart and put together again, with an op more, less or other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from reference.folding.layouts import with_inputs
from reference.ir import Block, Function, Operation, Program, Region, walk
from reference.ops import Return
from reference.types import Literal, Value

T = TypeVar("T")


def with_function(program: Program, place: int, function: Function) -> Program:
    """The program with another function at `place`."""
    functions = program.functions
    return replace(program, functions=(*functions[:place], function, *functions[place + 1 :]))


def put(function: Function, identity: str, operations: Sequence[Operation]) -> Function:
    """The function with these ops where the op of that identity stands."""
    return replace(function, body=_put(function.body, identity, tuple(operations)))


def _put(region: Region, identity: str, operations: tuple[Operation, ...]) -> Region:
    blocks = []
    for block in region.blocks:
        made: list[Operation] = []
        for operation in block.operations:
            if operation.identity == identity:
                made += operations
            elif operation.regions:
                inner = tuple(_put(one, identity, operations) for one in operation.regions)
                made.append(operation.with_regions(inner))
            else:
                made.append(operation)
        blocks.append(Block(tuple(made), block.arguments))
    return Region(tuple(blocks))


def taking(operation: Operation, old: Value, new: Value) -> Operation:
    """The op with `new` for each operand that is `old`. Raises UnsupportedOperationError."""
    if old not in operation.operands:
        return operation
    return with_inputs(operation, [new if one == old else one for one in operation.inputs])


def with_uses(
    function: Function, old: Value, new: Value, besides: frozenset[str] = frozenset()
) -> Function:
    """The function with `new` wherever an op takes `old`, but for ops of these identities.

    Raises UnsupportedOperationError for an op that the model cannot make anew.
    """

    def change(region: Region) -> Region:
        return Region(
            tuple(
                Block(tuple(map(one, block.operations)), block.arguments) for block in region.blocks
            )
        )

    def one(operation: Operation) -> Operation:
        if operation.regions:
            operation = operation.with_regions(tuple(map(change, operation.regions)))
        return operation if operation.identity in besides else taking(operation, old, new)

    return replace(function, body=change(function.body))


def mapped(item: T, change: Callable[[Value], Value]) -> T:
    """A function, an op or a part of one with each value in it changed, sizes of values first."""
    made: T = _mapped(item, change)
    return made


def _mapped(item: Any, change: Callable[[Value], Value]) -> Any:
    if isinstance(item, Value):
        if isinstance(item.size, Value):
            size = change(item.size)
            if size is not item.size:
                item = replace(item, size=size)
        return change(item)
    if isinstance(item, tuple):
        new = tuple([_mapped(inner, change) for inner in item])
        same = all(one is other for one, other in zip(new, item, strict=True))
        return item if same else new
    changes = {
        name: new
        for name in _parts(item.__class__)
        if (new := _mapped(old := getattr(item, name), change)) is not old
    }
    return replace(item, **changes) if changes else item


@cache
def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a kind of object in which a value may be."""
    if not is_dataclass(kind) or kind is Literal:
        return ()
    return tuple(one.name for one in fields(kind))


def returns(function: Function) -> list[Return]:
    """The ends of a function."""
    return [one for one in walk(function.body) if isinstance(one, Return)]


def with_signature(function: Function) -> Function:
    """The function with the results that it returns; those there were keep their ties."""
    ends = returns(function)
    if not ends:
        return function
    types = tuple(value.type for value in ends[0].values)
    if types == function.result_types:
        return function
    ties = function.ties
    if ties:
        ties = (*ties, *([None] * len(types)))[: len(types)]
    return replace(function, result_types=types, ties=ties)


def giving_back(
    function: Function, operations: Sequence[Operation], value: Value
) -> Function | None:
    """The function with these ops before its end and `value` as one result more; None where it
    ends in several places."""
    ends = returns(function)
    if len(ends) != 1:
        return None
    (end,) = ends
    longer = replace(end, values=(*end.values, value))
    return with_signature(put(function, end.identity, (*operations, longer)))


def visible_at_end(function: Function) -> tuple[Value, ...]:
    """The resources made in the block in which a function ends, and its arguments."""
    for block in function.body.blocks:
        if block.operations and isinstance(block.operations[-1], Return):
            made = [value for one in block.operations for value in one.results]
            found = dict.fromkeys((*function.arguments, *block.arguments, *made))
            return tuple(value for value in found if value.lifetime is not None)
    return ()


def defined(function: Function) -> Iterator[Value]:
    """Every value that a function's ops make, arguments apart."""
    for operation in walk(function.body):
        yield from operation.results
