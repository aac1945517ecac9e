"""`scf.if`: ifs that become one, sides that change places, what is selected or known instead.

Rules from mlir/lib/Dialect/SCF/IR/SCF.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from folds import (
    FALSE,
    TRUE,
    C,
    D,
    M,
    N,
    folded,
    given,
    kept,
    left,
    negation,
    number,
    one_block,
    yields,
)

from reference.folding.constants import same_value
from reference.ir import Operation, Region, UnsupportedOperationError, walk
from reference.ops import HostScalar, If, Yield
from reference.types import I1, I32, Scalar, Value

A, B, G, H = (kept(name, M) for name in "abgh")
NOT = Value("not", I1)


def chosen(
    name: str,
    condition: Scalar,
    then: Sequence[Operation],
    otherwise: Sequence[Operation] | None = None,
    gives: tuple[Sequence[Scalar], Sequence[Scalar]] = ((), ()),
) -> If:
    """Results `name`, or `name#0`, … of several: what either side gives. The second side is not
    there where `otherwise` is None."""
    first, second = gives
    names = [name] if len(first) == 1 else [f"{name}#{place}" for place in range(len(first))]
    return If(
        identity=name,
        condition=condition,
        outputs=tuple(Value(one, item.type) for one, item in zip(names, first, strict=True)),
        then=one_block(*then, yields(*first)),
        otherwise=Region(()) if otherwise is None else one_block(*otherwise, yields(*second)),
    )


def chooses(name: str, condition: Scalar, then: Operation, otherwise: Operation) -> If:
    """An if that gives what the only op of either side makes."""
    return chosen(name, condition, [then], [otherwise], (then.results, otherwise.results))


def the_if(region: Region) -> If:
    (found,) = [operation for operation in walk(region) if isinstance(operation, If)]
    return found


def handed_on(region: Region) -> tuple[Scalar, ...]:
    """What a side of an if yields."""
    last = region.blocks[0].operations[-1]
    assert isinstance(last, Yield)
    return last.values


def test_ifs_in_a_row_with_one_condition_are_one() -> None:
    first, second = chosen("first", C, [A]), chooses("second", C, B, G)
    found = folded(first, second, gives=second.outputs)
    assert left(found) == ["if@second", "optimization_barrier@a", "optimization_barrier@b", "yield",
                           "optimization_barrier@g", "yield", "return"]  # fmt: skip
    one = the_if(found)
    assert given(found) == one.outputs
    assert (handed_on(one.then), handed_on(one.otherwise)) == (B.outputs, G.outputs)


def test_an_else_that_only_the_first_has_stays() -> None:
    first, second = chosen("first", C, [A], [B]), chosen("second", C, [G])
    one = the_if(folded(first, second, gives=()))
    assert left(one.then) == ["optimization_barrier@a", "optimization_barrier@g", "yield"]
    assert left(one.otherwise) == ["optimization_barrier@b", "yield"]


def test_the_second_takes_what_the_first_yields_on_its_side() -> None:
    first = chooses("first", C, A, H)
    (result,) = first.outputs
    second = chooses("second", C, kept("b", result), kept("g", result))
    found = folded(first, second, gives=(result, *second.outputs))
    one = the_if(found)
    assert left(one.then) == ["optimization_barrier@a", "optimization_barrier@b", "yield"]
    assert left(one.otherwise) == ["optimization_barrier@h", "optimization_barrier@g", "yield"]
    assert one.then.blocks[0].operations[1].operands == A.outputs
    assert one.otherwise.blocks[0].operations[1].operands == H.outputs
    assert (len(one.outputs), given(found)) == (2, one.outputs)


@pytest.mark.parametrize("negated_first", [False, True])
def test_with_the_contrary_condition_the_sides_change_places(negated_first: bool) -> None:
    conditions = (NOT, C) if negated_first else (C, NOT)
    first = chosen("first", conditions[0], [A])
    second = chooses("second", conditions[1], B, G)
    found = folded(negation("not", C), first, second, gives=(*second.outputs, NOT))
    one = the_if(found)
    # Once there is an else, a negated condition is none any more.
    assert one.condition == C
    sides = (one.otherwise, one.then) if negated_first else (one.then, one.otherwise)
    assert left(sides[0]) == ["optimization_barrier@a", "optimization_barrier@g", "yield"]
    assert left(sides[1]) == ["optimization_barrier@b", "yield"]


@pytest.mark.parametrize("between", [[kept("k", N)], []])
def test_not_with_another_condition_nor_with_an_op_between(between: list[Operation]) -> None:
    second = chosen("second", C if between else D, [B])
    found = folded(chosen("first", C, [A]), *between, second, gives=())
    assert len([one for one in left(found) if one.startswith("if@")]) == 2


def test_an_if_within_another_is_one_with_both_conditions() -> None:
    found = folded(chosen("outer", C, [chosen("inner", D, [A])]), gives=())
    assert left(found) == ["andi@outer", "if@outer", "optimization_barrier@a", "yield", "return"]
    both = found.blocks[0].operations[0]
    assert isinstance(both, HostScalar)
    assert (both.arguments, the_if(found).condition) == ((C, D), both.outputs[0])


def nested(inner_else: Scalar, outer_else: Scalar) -> Region:
    """An if that yields what one within it yields, and a number of its own."""
    inner = chosen("inner", D, [A], [], (A.outputs, (inner_else,)))
    outer = chosen("outer", C, [inner], [], ((*inner.outputs, M), (outer_else, outer_else)))
    return folded(outer, gives=outer.outputs)


def test_what_nested_ifs_yield_is_yielded_or_selected() -> None:
    """`m` where the outer condition holds, whatever the inner one says: that is a select."""
    found = nested(inner_else=N, outer_else=N)
    assert left(found) == [
        "andi@outer", "select@outer", "if@outer", "optimization_barrier@a", "yield", "yield",
        "return",
    ]  # fmt: skip
    select, one = found.blocks[0].operations[1], the_if(found)
    assert isinstance(select, HostScalar)
    assert select.arguments == (C, M, N)
    assert (handed_on(one.then), handed_on(one.otherwise)) == (A.outputs, (N,))
    assert given(found) == (*one.outputs, *select.outputs)


def test_nested_ifs_stay_where_the_else_values_differ() -> None:
    found = nested(inner_else=number(7), outer_else=N)
    assert [one for one in left(found) if one.startswith("if@")] == ["if@outer", "if@inner"]


@pytest.mark.parametrize(
    ("inner", "more", "otherwise"),
    [
        # The inner if does something otherwise; something follows it; the outer one does.
        (chosen("inner", D, [A], [B]), [], None),
        (chosen("inner", D, [A]), [B], None),
        (chosen("inner", D, [A]), [], [B]),
    ],
)
def test_nested_ifs_stay_where_more_is_done(
    inner: If, more: list[Operation], otherwise: list[Operation] | None
) -> None:
    found = folded(chosen("outer", C, [inner, *more], otherwise), gives=())
    assert left(found).count("if@inner") == left(found).count("if@outer") == 1


def test_a_negated_condition_changes_the_sides() -> None:
    found = folded(negation("not", C), outer := chooses("i", NOT, A, B), gives=outer.outputs)
    one = the_if(found)
    assert one.condition == C
    assert (handed_on(one.then), handed_on(one.otherwise)) == (B.outputs, A.outputs)
    # Without an else there is nothing to change places with.
    kept_as_it_is = folded(negation("not", C), chosen("i", NOT, [A]), gives=())
    assert the_if(kept_as_it_is).condition == NOT


def test_within_a_side_the_condition_is_known() -> None:
    asked = chooses("i", C, kept("a", C), kept("b", C))
    deep = chosen("j", D, [kept("x", D), chosen("k", C, [kept("y", D)]), kept("z", M)])
    one = the_if(folded(asked, gives=asked.outputs))
    assert same_value(one.then.blocks[0].operations[0].inputs[0], TRUE)
    assert same_value(one.otherwise.blocks[0].operations[0].inputs[0], FALSE)
    inner = {op.identity: op for op in walk(folded(deep, gives=()))}
    assert same_value(inner["y"].inputs[0], TRUE)


def test_what_both_sides_only_hand_on_is_selected() -> None:
    """A number, and one that is the same on both sides; what one side makes itself stays."""
    one = chosen("i", C, [A], [], ((*A.outputs, M, M, N), (N, N, M, N)))
    found = folded(one, gives=one.outputs)
    assert left(found) == ["select@i", "if@i", "optimization_barrier@a", "yield", "yield", "return"]
    select, rest = found.blocks[0].operations[0], the_if(found)
    assert isinstance(select, HostScalar)
    assert select.arguments == (C, M, N)
    assert handed_on(rest.then) == A.outputs
    assert given(found) == (*rest.outputs, *select.outputs, M, N)


def test_a_constant_that_both_sides_make_is_refused() -> None:
    """A fold within makes them, so that no select takes them before."""

    def made(name: str, value: int) -> HostScalar:
        return HostScalar(
            identity=name, name="arith.addi", arguments=(number(value), number(1)),
            outputs=(Value(name, I32),),
        )  # fmt: skip

    one = chooses("i", C, made("p", 1), made("q", 2))
    with pytest.raises(UnsupportedOperationError) as told:
        folded(one, gives=one.outputs)
    assert str(told.value) == "scf.if that yields constants made within"
    beside = chooses("i", C, made("p", 1), A)
    assert left(folded(beside, gives=beside.outputs))[0] == "if@i"


def test_known_conditions_and_sides_that_do_nothing() -> None:
    one = chooses("i", TRUE, A, B)
    assert left(folded(one, gives=one.outputs)) == ["optimization_barrier@a", "return"]
    assert left(folded(chosen("i", FALSE, [A]), gives=())) == ["return"]
    assert not the_if(folded(chosen("i", C, [A], []), gives=())).otherwise.blocks
    assert the_if(folded(chosen("i", C, [], [A]), gives=())).otherwise.blocks
