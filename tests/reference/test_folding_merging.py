"""Blocks that do the same become one, and what keeps blocks apart.

Rules from mlir/lib/Transforms/Utils/RegionUtils.cpp, which the rewriter's default configuration
uses and the pass `canonicalize` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from folds import (
    C,
    D,
    M,
    N,
    blocks,
    compare,
    fork,
    go,
    host,
    kept,
    left,
    merged_body,
    number,
    one_block,
    returns,
    yields,
)
from straight import resource, splat

from reference.affinity import Affinity
from reference.ir import Operation, Region
from reference.ops import Binding, ConditionalBranch, Dispatch, HostScalar, If, Splat
from reference.ops.assembly import Range
from reference.tensor.retype import with_values
from reference.types import I32, I64, INDEX, Literal, Value

P, Q, R = (Value(name, I32) for name in "pqr")


def pair(
    one: Sequence[Operation],
    other: Sequence[Operation],
    ends: Callable[[Sequence[Operation]], Operation] = lambda made: go(3, *made[-1].results),
    taken: Sequence[Value] = (P,),
) -> Region:
    """Two blocks that a fork leads to and that go on to a third one, after merging."""
    used = kept("u", *taken) if taken else kept("u", M)
    return merged_body(
        blocks(
            [fork(1, 2)],
            ([], [*one, ends(one)]),
            ([], [*other, ends(other)]),
            (taken, [used, returns(*used.outputs)]),
        )
    )


def merged_to_one(region: Region) -> bool:
    """Whether the two blocks have become one, to which both ways lead: no fork is left."""
    return not any(isinstance(block.operations[-1], ConditionalBranch) for block in region.blocks)


def test_blocks_that_do_the_same_become_one() -> None:
    found = pair([kept("a", M)], [kept("b", M)])
    assert left(found) == ["optimization_barrier@a", "optimization_barrier@u", "return"]


def test_what_differs_is_handed_to_the_one_that_is_left() -> None:
    found = pair([kept("a", M, M, N)], [kept("b", N, N, M)], taken=(P, Q, R))
    # Both ways to one block are selects then: one for what is the same twice.
    assert left(found) == [
        "select@fork", "select@fork", "optimization_barrier@a", "optimization_barrier@u", "return",
    ]  # fmt: skip
    first, second, barrier = found.blocks[0].operations[:3]
    assert isinstance(first, HostScalar)
    assert isinstance(second, HostScalar)
    assert (first.arguments, second.arguments) == ((C, M, N), (C, N, M))
    assert barrier.operands == (*first.outputs, *first.outputs, *second.outputs)


def test_ops_within_are_compared_by_where_their_operands_are_made() -> None:
    def chained(name: str, swapped: bool) -> list[Operation]:
        one, other = kept(f"{name}1", M), kept(f"{name}2", N)
        operands = (*one.outputs, *other.outputs)
        return [one, other, host(f"{name}3", "divui", *(operands[::-1] if swapped else operands))]

    assert merged_to_one(pair(chained("a", False), chained("b", False)))
    assert not merged_to_one(pair(chained("a", False), chained("b", True)))


WIDE = Value("wide", I64)
ON_A, ON_B = Affinity("device_a"), Affinity("device_b")


def used(operation: Operation) -> list[Operation]:
    """An op, and one that takes what it makes and stays."""
    return [operation, kept(f"use_of_{operation.identity}", *operation.results)]


BOUND = Binding(resource("given"), Range(0, 16, 16))


def worked(name: str, *arguments: Binding | Literal) -> Dispatch:
    return Dispatch(
        identity=name, kernel="ex::k", workload=(), arguments=arguments,
        outputs=(resource(name),), ties=(None,), affinity=ON_A,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # More ops, and others.
        (used(kept("a", M)), [*used(kept("b", M)), kept("b2", M)]),
        (used(kept("a", M)), used(host("b", "divui", M, N))),
        # The same op with another attribute, on another device, of another type.
        (used(compare("a", "slt", M, N)), used(compare("b", "ult", M, N))),
        (used(splat("a", ON_A)), used(splat("b", ON_B))),
        (used(host("a", "extui", C, gives=I32)), used(host("b", "extui", C, gives=I64))),
        (
            used(host("a", "index_cast", M, gives=INDEX)),
            used(host("b", "index_cast", WIDE, gives=INDEX)),
        ),
        # The same in another place.
        (used(worked("a", BOUND, number(1))), used(worked("b", number(1), BOUND))),
        # One takes what its block makes, the other what is there before.
        (used(kept("a", M)), [kept("b", M), kept("use_of_b", M)]),
    ],
)
def test_blocks_that_do_something_else_stay(
    one: Sequence[Operation], other: Sequence[Operation]
) -> None:
    found = pair(one, other, ends=lambda made: go(3), taken=())
    assert left(found)[0] == "cond_br"
    assert len(found.blocks) == 4
    assert merged_to_one(pair(one, again(one), ends=lambda made: go(3), taken=()))


def again(operations: Sequence[Operation]) -> list[Operation]:
    """The same ops under other names."""
    made = {value.name for operation in operations for value in operation.results}

    def renamed(value: Value) -> Value:
        return replace(value, name=f"{value.name}_too") if value.name in made else value

    return [
        with_values(replace(operation, identity=f"{operation.identity}_too"), renamed)
        for operation in operations
    ]


def test_blocks_with_regions_within_stay() -> None:
    def held(name: str) -> list[Operation]:
        inner = one_block(kept(f"{name}_in", M), yields())
        return [If(identity=name, condition=D, outputs=(), then=inner, otherwise=Region(()))]

    assert not merged_to_one(pair(held("a"), held("b"), ends=lambda made: go(3), taken=()))


def test_blocks_whose_values_others_use_stay() -> None:
    """What a block makes, or what it is given, is used where it leads."""
    one, other = kept("a", D, P), kept("b", D, Q)
    (going, given), (going_too, given_too) = one.outputs, other.outputs

    def left_of(used_further_on: Value) -> Region:
        return merged_body(
            blocks(
                [fork(1, 4, gives=((M,), ()))],
                ([P], [one, fork(3, 2, going, ((), (given,)))]),
                ([Q], [other, fork(3, 2, going_too, ((), (given_too,)))]),
                ([], [kept("further", used_further_on), returns(M)]),
                ([], [kept("before", M, N), fork(1, 5, D, ((N,), ()))]),
                ([], [returns(N)]),
            )
        )

    assert len(left_of(M).blocks) == 5
    for value in (P, given):
        assert len(left_of(value).blocks) == 6


def test_blocks_that_take_other_arguments_stay() -> None:
    found = merged_body(
        blocks(
            [fork(1, 2, gives=((M,), (WIDE,)))],
            ([P], [kept("a", P), go(3)]),
            ([Value("q", I64)], [kept("b", Value("q", I64)), go(3)]),
            ([], [kept("u", M), fork(1, 2, D, ((N,), (WIDE,)))]),
        )
    )
    assert len(found.blocks) == 4


@pytest.mark.parametrize(("pattern", "selected"), [(0x01010101, False), (0x02020202, True)])
def test_constants_that_were_just_made_are_compared_too(pattern: int, selected: bool) -> None:
    """Of a pattern that repeats a byte only that byte is kept."""
    one = replace(splat("a", ON_A), pattern=Literal(0x01010101, I32))
    other = replace(splat("b", ON_A), pattern=Literal(pattern, I32))
    found = pair(used(one), used(other), ends=lambda made: go(3), taken=())
    assert merged_to_one(found)
    assert ("select@fork" in left(found)) is selected
    made = [operation for operation in found.blocks[0].operations if isinstance(operation, Splat)]
    assert [isinstance(one_left.pattern, Literal) for one_left in made] == [not selected]
