"""`scf.while` and `scf.for`: what is known within, what is carried, and loops that are none.

Rules from mlir/lib/Dialect/SCF/IR/SCF.cpp and mlir/lib/Interfaces/ControlFlowInterfaces.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from folds import (
    FALSE,
    TRUE,
    C,
    M,
    N,
    X,
    Y,
    compare,
    folded,
    given,
    kept,
    left,
    number,
    one_block,
    yields,
)

from reference.folding.constants import same_value
from reference.ir import Operation, Region, walk
from reference.ops import Condition, For, If, While
from reference.types import I1, I32, I64, INDEX, Index, Literal, Scalar, Value

P, Q, R, S = (Value(name, I32) for name in "pqrs")
FLAG, ASKED = Value("flag", I1), Value("asked#0", I1)


def loop(
    name: str,
    initial: Sequence[Scalar],
    before: tuple[Sequence[Value], Sequence[Operation], Scalar, Sequence[Scalar]],
    after: tuple[Sequence[Value], Sequence[Operation], Sequence[Scalar]],
) -> While:
    """`before` is arguments, ops, the condition and what is handed on; `after` likewise."""
    asked, asking, condition, handed = before
    turned, turning, carried = after
    names = [name] if len(handed) == 1 else [f"{name}#{place}" for place in range(len(handed))]
    last = Condition(identity="condition", condition=condition, values=tuple(handed))
    return While(
        identity=name,
        initial=tuple(initial),
        outputs=tuple(Value(one, item.type) for one, item in zip(names, handed, strict=True)),
        before=one_block(*asking, last, arguments=asked),
        after=one_block(*turning, yields(*carried), arguments=turned),
    )


def counted(
    name: str,
    bounds: tuple[Index, Index, Index],
    initial: Sequence[Scalar],
    arguments: Sequence[Value],
    operations: Sequence[Operation],
    carried: Sequence[Scalar],
) -> For:
    lower, upper, step = bounds
    names = [name] if len(carried) == 1 else [f"{name}#{place}" for place in range(len(carried))]
    return For(
        identity=name, lower=lower, upper=upper, step=step, initial=tuple(initial),
        outputs=tuple(Value(one, item.type) for one, item in zip(names, carried, strict=True)),
        body=one_block(
            *operations, yields(*carried), arguments=(Value("turn", INDEX), *arguments)
        ),
    )  # fmt: skip


def the_loop(region: Region) -> While:
    (found,) = [operation for operation in walk(region) if isinstance(operation, While)]
    return found


def named(region: Region, identity: str) -> Operation:
    (found,) = [operation for operation in walk(region) if operation.identity == identity]
    return found


def test_in_the_body_the_condition_holds() -> None:
    """It is handed on to the body; after the loop it does not hold, and stays what it is."""
    asked = kept("asked", P)
    truth = kept("truth", FLAG)
    one = loop(
        "w", (M, C),
        ((P, FLAG), [asked, truth], truth.outputs[0], (*asked.outputs, *truth.outputs)),
        ((Q, Value("g", I1)), [used := kept("used", Q), said := kept("said", Value("g", I1))],
         (*used.outputs, *said.outputs)),
    )  # fmt: skip
    found = folded(one, gives=one.outputs)
    assert same_value(named(found, "said").inputs[0], TRUE)
    assert not isinstance(named(found, "used").inputs[0], Literal)
    assert not any(isinstance(item, Literal) for item in given(found))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("slt", TRUE), ("sge", FALSE), ("sle", None), ("ult", None)],
)
def test_in_the_body_a_comparison_is_as_it_was(asked: str, answer: Scalar | None) -> None:
    """`p < n` held, so it does of what `p` is handed on as; other comparisons are not known."""
    condition = compare("condition_of_it", "slt", P, N)
    again = compare("again", asked, Q, N)
    used = kept("used", Q)
    said = kept("said", *again.outputs)
    one = loop(
        "w", (M,), ((P,), [condition], condition.outputs[0], (P,)),
        ((Q,), [again, said, used], used.outputs),
    )  # fmt: skip
    found = folded(one, gives=one.outputs)
    (taken,) = named(found, "said").inputs
    if answer is None:
        assert taken == again.outputs[0]
    else:
        assert isinstance(taken, Literal)
        assert same_value(taken, answer)


def test_a_comparison_with_another_number_is_not_known() -> None:
    condition = compare("condition_of_it", "slt", P, N)
    again = compare("again", "slt", Q, number(7))
    said, used = kept("said", *again.outputs), kept("used", Q)
    one = loop(
        "w", (M,), ((P,), [condition], condition.outputs[0], (P,)),
        ((Q,), [again, said, used], used.outputs),
    )  # fmt: skip
    assert named(folded(one, gives=one.outputs), "said").inputs == again.outputs


def test_what_is_handed_on_in_another_order_is_put_in_order() -> None:
    wide, wide_turned = Value("wide", I64), Value("wide_turned", I64)
    asked = kept("asked", C)
    turn = kept("turned", wide_turned, Q)
    one = loop(
        "w", (M, wide_given := Value("wide_given", I64)),
        ((P, wide), [asked], asked.outputs[0], (wide, P)),
        ((wide_turned, Q), [turn], (turn.outputs[1], turn.outputs[0])),
    )  # fmt: skip
    found = folded(one, gives=one.outputs)
    made = the_loop(found)
    (before,), (after,) = made.before.blocks, made.after.blocks
    last = before.operations[-1]
    assert isinstance(last, Condition)
    assert last.values == before.arguments
    assert [value.type for value in after.arguments] == [I32, I64]
    assert made.initial == (M, wide_given)
    # Each is used as before: by the op in the body, and by who takes the loop's results.
    assert named(found, "turned").inputs == (after.arguments[1], after.arguments[0])
    assert given(found) == (made.outputs[1], made.outputs[0])


def test_what_the_first_half_makes_itself_is_handed_on_where_it_was() -> None:
    asked = kept("asked", C)
    made = kept("made", P)
    turned = kept("turned", Q, R)
    one = loop(
        "w", (M, N), ((P, S), [asked, made], asked.outputs[0], (S, *made.outputs)),
        ((Q, R), [turned], turned.outputs),
    )  # fmt: skip
    last = the_loop(folded(one, gives=one.outputs)).before.blocks[0].operations[-1]
    assert isinstance(last, Condition)
    assert last.values == (S, *made.outputs)


def chosen_in(condition: Scalar, otherwise: Region) -> While:
    """A loop with an if on its condition just before it is asked, which gives what is handed on."""
    asked = kept("asked", C, P)
    inner = kept("inner", asked.outputs[1])
    choice = If(
        identity="i", condition=condition, outputs=(Value("i", I32),),
        then=one_block(inner, yields(*inner.outputs)), otherwise=otherwise,
    )  # fmt: skip
    used = kept("used", Q)
    return loop(
        "w", (M,), ((P,), [asked, choice], ASKED, choice.outputs),
        ((Q,), [used], used.outputs),
    )  # fmt: skip


def test_an_if_on_the_condition_of_a_loop_goes_to_its_body() -> None:
    """In the body it would have held; where the loop ends it is what it yields otherwise."""
    one = chosen_in(ASKED, one_block(yields(N)))
    found = folded(one, gives=one.outputs)
    assert left(found) == [
        "while@w", "optimization_barrier@asked", "condition", "optimization_barrier@inner",
        "optimization_barrier@used", "yield", "return",
    ]  # fmt: skip
    made = the_loop(found)
    (after,) = made.after.blocks
    # What the if took of the loop's first half is handed on to the body.
    last = made.before.blocks[0].operations[-1]
    assert isinstance(last, Condition)
    assert last.values == (Value("asked#1", I32),)
    assert named(found, "inner").inputs == after.arguments
    assert named(found, "used").inputs == named(found, "inner").results
    assert given(found) == (N,)


OTHER = kept("other", N)


@pytest.mark.parametrize(
    ("condition", "otherwise"),
    [
        # On another condition; with something to do where it does not hold.
        (Value("d", I1), one_block(yields(N))),
        (ASKED, one_block(OTHER, yields(*OTHER.outputs))),
    ],
)
def test_other_ifs_stay_before_the_condition(condition: Scalar, otherwise: Region) -> None:
    one = chosen_in(condition, otherwise)
    assert "if@i" in left(the_loop(folded(one, gives=one.outputs)).before)


def test_a_loop_whose_condition_does_not_hold_is_its_first_half() -> None:
    asked = kept("asked", P)
    turned = kept("turned", Q)
    one = loop("w", (M,), ((P,), [asked], FALSE, asked.outputs), ((Q,), [turned], turned.outputs))
    found = folded(one, gives=one.outputs)
    assert left(found) == ["optimization_barrier@asked", "return"]
    assert (named(found, "asked").inputs, given(found)) == ((M,), asked.outputs)


@pytest.mark.parametrize(
    ("bounds", "turns"),
    [
        ((4, 4, 1), 0), ((X, X, 1), 0), ((5, 4, 1), 0), ((4, 8, 5), 1), ((4, 8, 4), 1),
        ((0, 8, 4), None), ((0, Y, 1), None), ((0, 1, Y), None), ((0, 1, 0), None),
    ],
)  # fmt: skip
def test_loops_of_no_or_of_one_turn_are_none(
    bounds: tuple[Index, Index, Index], turns: int | None
) -> None:
    turned = kept("turned", P)
    one = counted("l", bounds, (M,), (P,), [turned], turned.outputs)
    found = folded(one, gives=one.outputs)
    if turns is None:
        assert left(found) == ["for@l", "optimization_barrier@turned", "yield", "return"]
    elif turns == 0:
        assert (left(found), given(found)) == (["return"], (M,))
    else:
        assert left(found) == ["optimization_barrier@turned", "return"]
        assert (named(found, "turned").inputs, given(found)) == ((M,), turned.outputs)


def test_the_index_of_a_loop_of_one_turn_is_where_it_starts() -> None:
    turned = kept("turned", Value("turn", INDEX))
    one = counted("l", (4, 5, 1), (X,), (Y,), [turned], turned.outputs)
    (taken,) = named(folded(one, gives=one.outputs), "turned").inputs
    assert same_value(taken, Literal(4, INDEX))


def test_what_a_loop_carries() -> None:
    """Not what it hands on unchanged, nor the same twice, nor what nobody uses."""
    turned = kept("turned", P, Q)
    whole = counted(
        "l", (0, Y, 1), (M, M, N, N), (P, Q, R, S), [turned],
        (turned.outputs[0], turned.outputs[0], R, turned.outputs[1]),
    )  # fmt: skip
    found = folded(whole, gives=whole.outputs[:3])
    (made,) = [operation for operation in walk(found) if isinstance(operation, For)]
    assert made.initial == (M,)
    assert given(found) == (made.outputs[0], made.outputs[0], N)
    (_, carried) = made.body.blocks[0].arguments
    assert named(found, "turned").inputs == (carried, carried)


def test_after_two_turns_or_more_it_is_what_the_body_yields() -> None:
    turned = kept("turned", P)
    for upper, result in ((2, N), (Y, None)):
        one = counted("l", (0, upper, 1), (M,), (P,), [turned], (N,))
        found = folded(one, gives=one.outputs)
        (made,) = [operation for operation in walk(found) if isinstance(operation, For)]
        # Of a loop that may have no turn at all the result is not known.
        assert given(found) == ((result,) if result else made.outputs)
