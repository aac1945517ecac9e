"""Blocks: branches that go past others, and what is known where they lead.

Rules from mlir/lib/Dialect/ControlFlow/IR/ControlFlowOps.cpp and
mlir/lib/Transforms/Utils/RegionUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from folds import (
    FALSE,
    TRUE,
    C,
    D,
    M,
    N,
    O,
    blocks,
    canonical_body,
    fork,
    go,
    kept,
    kinds,
    merged_body,
    returns,
)

from reference.folding.constants import same_value
from reference.ir import Region
from reference.ops import Branch, ConditionalBranch, HostScalar
from reference.types import I32, Scalar, Value

P, Q, R = (Value(name, I32) for name in "pqr")


def branch_of(region: Region, block: int) -> Branch | ConditionalBranch:
    last = region.blocks[block].operations[-1]
    assert isinstance(last, Branch | ConditionalBranch)
    return last


A, B, E = kept("a", M), kept("b", M), kept("e", P)


def test_a_block_that_only_one_branch_leads_to_goes_on_there() -> None:
    found = canonical_body(blocks([go(1, M)], ([P], [E, returns(*E.outputs)])))
    assert kinds(found) == [["optimization_barrier@e", "return"]]
    assert found.blocks[0].operations[0].operands == (M,)


def test_a_branch_goes_past_a_block_that_only_goes_on() -> None:
    """What that block would have handed on is handed on at once."""
    found = canonical_body(
        blocks(
            [fork(1, 2, gives=((), (M,)))],
            ([], [A, go(2, *A.outputs)]),
            ([P], [go(3, N, P)]),
            ([Q, R], [used := kept("u", Q, R), returns(*used.outputs)]),
        )
    )
    assert [words[-1] for words in kinds(found)] == ["cond_br", "br", "return"]
    one, other = branch_of(found, 0), branch_of(found, 1)
    # The first argument is the same from everywhere.
    assert found.blocks[2].operations[0].operands[0] == N
    assert (one.successors[1].arguments[-1], other.successors[0].arguments[-1]) == (M, *A.outputs)


def test_past_blocks_that_others_pass_too() -> None:
    """The block behind may end in a branch itself."""
    further = kept("further", Q)
    found = canonical_body(
        blocks(
            [fork(1, 2)],
            ([], [A, go(3, *A.outputs)]),
            ([], [B, fork(3, 5, D, (B.outputs, (N,)))]),
            ([P], [go(4, P)]),
            ([Q], [further, go(5, *further.outputs)]),
            ([R], [last := kept("last", R), returns(*last.outputs)]),
        )
    )
    assert [words[0].partition("@")[2] for words in kinds(found)] == [
        "", "a", "b", "further", "last",
    ]  # fmt: skip
    one, other = branch_of(found, 1).successors[0], branch_of(found, 2).successors[0]
    assert (one.block, one.arguments) == (other.block, A.outputs) == (3, A.outputs)
    assert other.arguments == B.outputs


def test_not_past_a_block_that_only_leads_back() -> None:
    found = canonical_body(
        blocks(
            [fork(1, 4)],
            ([], [A, go(2)]),
            ([], [go(3)]),
            ([], [kept("x", M), go(2)]),
            ([], [returns()]),
        )
    )
    assert kinds(found) == [
        ["cond_br"], ["optimization_barrier@a", "br"], ["optimization_barrier@x", "br"],
        ["return"],
    ]  # fmt: skip


def test_not_past_a_block_whose_argument_others_use_or_that_leads_to_itself() -> None:
    found = canonical_body(
        blocks(
            [fork(1, 2, gives=((), (N,)))],
            ([], [A, go(2, *A.outputs)]),
            ([P], [go(3)]),
            ([], [E, returns(*E.outputs)]),
        )
    )
    # The last two are one, since only one branch leads to the second of them.
    assert kinds(found)[-1] == ["optimization_barrier@e", "return"]
    endless = canonical_body(blocks([fork(1, 2)], ([], [go(1)]), ([], [returns()])))
    assert kinds(endless) == [["cond_br"], ["br"], ["return"]]
    pair = canonical_body(blocks([fork(1, 3)], ([], [go(2)]), ([], [go(1)]), ([], [returns()])))
    assert [words[0] for words in kinds(pair)][:2] == ["cond_br", "br"]


@pytest.mark.parametrize(("condition", "block"), [(TRUE, "a"), (FALSE, "b")])
def test_a_known_condition_leads_one_way(condition: Scalar, block: str) -> None:
    found = canonical_body(
        blocks(
            [fork(1, 2, condition)], ([], [A, returns(*A.outputs)]), ([], [B, returns(*B.outputs)])
        )
    )
    assert kinds(found) == [[f"optimization_barrier@{block}", "return"]]


def test_two_ways_to_one_block_are_a_select_of_what_differs() -> None:
    used = kept("u", P, Q)
    found = canonical_body(
        blocks([fork(1, 1, gives=((M, O), (N, O)))], ([P, Q], [used, returns(*used.outputs)]))
    )
    assert kinds(found) == [["select@fork", "optimization_barrier@u", "return"]]
    select, barrier, _ = found.blocks[0].operations
    assert isinstance(select, HostScalar)
    assert (select.arguments, barrier.operands) == ((C, M, N), (*select.outputs, O))


@pytest.mark.parametrize(("values", "merged"), [((M, N), False), ((M, M), True)])
def test_not_where_others_lead_there_unless_all_is_the_same(
    values: tuple[Scalar, Scalar], merged: bool
) -> None:
    found = canonical_body(
        blocks(
            [fork(1, 2, D, ((), (O,)))],
            ([], [A, fork(2, 2, C, ((values[0],), (values[1],)))]),
            ([P], [E, returns(*E.outputs)]),
        )
    )
    assert kinds(found)[1][-1] == ("br" if merged else "cond_br")


@pytest.mark.parametrize("rewritten", [canonical_body, merged_body])
@pytest.mark.parametrize("holds", [True, False])
def test_what_was_decided_is_decided(rewritten: Callable[[Region], Region], holds: bool) -> None:
    """On the only way here the condition held, or did not; whichever op is looked at first."""
    found = rewritten(
        blocks(
            [fork(1, 2) if holds else fork(2, 1)],
            ([], [A, fork(3, 2) if holds else fork(2, 3)]),
            ([], [kept("b", M, N), returns(M)]),
            ([], [returns(*A.outputs)]),
        )
    )
    assert sorted(kinds(found)) == [
        ["cond_br"], ["optimization_barrier@a", "return"], ["optimization_barrier@b", "return"],
    ]  # fmt: skip


def test_not_what_was_decided_on_one_of_several_ways() -> None:
    found = merged_body(
        blocks(
            [fork(1, 2)],
            ([], [A, go(2)]),
            ([], [B, fork(3, 4)]),
            ([], [kept("x", M), returns(M)]),
            ([], [returns(N)]),
        )
    )
    assert [words[-1] for words in kinds(found)].count("cond_br") == 2


def test_where_one_way_leads_the_condition_is_known() -> None:
    one, other = kept("one", C), kept("other", C)
    found = canonical_body(
        blocks([fork(1, 2)], ([], [one, returns(*one.outputs)]), ([], [other, returns(C)]))
    )
    (_, then, otherwise) = found.blocks
    assert same_value(then.operations[0].inputs[0], TRUE)
    assert same_value(otherwise.operations[0].inputs[0], FALSE)
    last = otherwise.operations[-1]
    assert same_value(last.inputs[0], FALSE)


def test_an_argument_that_is_the_same_from_everywhere_is_that() -> None:
    used = kept("u", P, Q)
    found = canonical_body(
        blocks(
            [fork(1, 2)],
            ([], [A, go(3, *A.outputs, N)]),
            ([], [B, go(3, *B.outputs, N)]),
            ([P, Q], [used, returns(*used.outputs)]),
        )
    )
    assert found.blocks[3].operations[0].operands[1] == N
    assert found.blocks[3].operations[0].operands[0] == found.blocks[3].arguments[0]


def test_blocks_that_nothing_leads_to_go() -> None:
    """Where nothing leads, a block may even be handed its own argument."""
    for others in (
        [([], [go(2, M)]), ([P], [go(1)])],
        [([], [go(2, P)]), ([P], [E, returns(*E.outputs)])],
    ):
        assert kinds(canonical_body(blocks([returns()], *others))) == [["return"]]
