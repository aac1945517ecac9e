"""Mutants: well-formed, the same everywhere, and changed in the way that their kind says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language import whole_language
from samples import SEVEN, A, B, every_op, program, resource

from gen.choices import SeededChoices
from gen.mutation.deciding import has_transfer_to_decide
from gen.mutation.material import Features
from gen.mutation.mutants import fitting, mutant, tried
from gen.mutation.registry import MUTATIONS
from gen.mutation.seeds import prepared, why_not_mutable
from gen.profiles import PROFILES
from gen.programs import program as generated
from reference.affinity import Affinity
from reference.ir import Operation, Program
from reference.ops import Cast, Clone, Dispatch, Return, Splat, Transfer
from reference.text import print_program
from reference.types import INDEX, Lifetime, Value
from reference.verifier import verify

_MADE, _SENT, _COPY = resource("made"), resource("sent"), resource("copy")
_BACK = resource("back", Lifetime.EXTERNAL)


def splat(result: Value, name: str, affinity: Affinity | None = A) -> Splat:
    return Splat(identity=name, pattern=SEVEN, result=result, affinity=affinity)


SMALL = program(
    splat(_MADE, "a"),
    Transfer(
        identity="b", source=_MADE, result=_SENT, source_affinity=A, target_affinity=B,
        explicit_affinity=B,
    ),
    Clone(identity="c", source=_SENT, result=_COPY, affinity=B),
    Transfer(
        identity="d", source=_COPY, result=_BACK, source_affinity=B, target_affinity=A
    ),
    Return(identity="e", values=(_SENT, _BACK)),
)  # fmt: skip
EMPTY = program()
PLACELESS = program(splat(_MADE, "a", None), Return(identity="b", values=(_MADE,)))
SIMPLE = program(splat(_MADE, "a"), Return(identity="b", values=(_MADE,)))


def test_the_samples_are_well_formed() -> None:
    assert [verify(one) for one in (SMALL, EMPTY, PLACELESS, SIMPLE)] == [()] * 4


def made(kind: str, parent: Program, features: Features | None = None) -> list[Program]:
    """What that kind of mutation makes of a program, given other choices each time."""
    found = [
        tried(kind, parent, [SMALL, SIMPLE], SeededChoices(f"{kind} {number}"),
              features or Features())
        for number in range(40)
    ]  # fmt: skip
    return [one for one in found if one is not None]


def transfers(one: Program) -> list[Transfer]:
    return [op for op in one.operations() if isinstance(op, Transfer)]


def kinds(one: Program) -> Counter[str]:
    return Counter(op.mnemonic for op in one.operations())


def lines(one: Program) -> Counter[str]:
    return Counter(line.strip() for line in print_program(one).splitlines())


def inserted(one: Program) -> bool:
    return len(transfers(one)) > len(transfers(SMALL))


def dropped(one: Program) -> bool:
    return len(transfers(one)) == len(transfers(SMALL)) - 1


def retargeted(one: Program) -> bool:
    before = {op.identity: op.target_affinity for op in transfers(SMALL)}
    after = {op.identity: op.target_affinity for op in transfers(one)}
    return sum(after[name] != before[name] for name in before) == 1


def of_another_lifetime(one: Program) -> bool:
    def lifetimes(side: Program) -> Counter[object]:
        return Counter(value.type for op in side.operations() for value in op.results)

    return lifetimes(one) != lifetimes(SMALL)


def pinned(one: Program) -> bool:
    return any(op.pins for op in one.operations())


def executed_elsewhere(one: Program) -> bool:
    before = {op.identity: op for op in transfers(SMALL)}
    after = {op.identity: op for op in transfers(one)}
    changed = [name for name in before if before[name] != after[name]]
    (name,) = changed
    alike = replace(after[name], explicit_affinity=before[name].explicit_affinity)
    return len(one.devices) <= 3 and alike == before[name]


def on_another_device(one: Program) -> bool:
    places = {op.identity: op.execution_affinity for op in one.operations()}
    return places["a"] != A or places["c"] != B


def reordered(one: Program) -> bool:
    return lines(one) == lines(SMALL) and one != SMALL


def taking_another(one: Program) -> bool:
    kept = {op.identity: op.operands for op in one.operations()}
    before = {op.identity: op.operands for op in SMALL.operations()}
    return sum(kept[name] != before[name] for name in before) == 1


def spliced(one: Program) -> bool:
    return sum(kinds(one).values()) > sum(kinds(SMALL).values()) and kinds(one)["util.return"] == 1


SHOWS: dict[str, Callable[[Program], bool]] = {
    "insert-transfer": inserted,
    "drop-transfer": dropped,
    "retarget-transfer": retargeted,
    "lifetime": of_another_lifetime,
    "pin": pinned,
    "execution": executed_elsewhere,
    "device": on_another_device,
    "use": taking_another,
    "splice": spliced,
}


@pytest.mark.parametrize("kind", SHOWS)
def test_a_kind_changes_what_it_says(kind: str) -> None:
    found = made(kind, SMALL)
    assert found
    for one in found:
        assert SHOWS[kind](one), print_program(one)
        assert verify(one) == ()


def test_order_changes_the_order_only() -> None:
    two = program(
        splat(_MADE, "a"), splat(_SENT, "b", B), Return(identity="e", values=(_MADE, _SENT))
    )
    (one,) = {print_program(one): one for one in made("order", two)}.values()
    assert [op.identity for op in one.operations()] == ["b", "a", "e"]
    assert lines(one) == lines(two)
    # Each op takes what the one before made.
    assert made("order", SMALL) == []


NOTHING_TO_CHANGE = {
    "insert-transfer": EMPTY,
    "drop-transfer": SIMPLE,
    "retarget-transfer": SIMPLE,
    "lifetime": EMPTY,
    "pin": EMPTY,
    "execution": SIMPLE,
    "device": PLACELESS,
    "order": SIMPLE,
    "use": SIMPLE,
}


@pytest.mark.parametrize("kind", NOTHING_TO_CHANGE)
def test_a_kind_leaves_alone_what_has_nothing_of_it(kind: str) -> None:
    assert made(kind, NOTHING_TO_CHANGE[kind]) == []


def test_splice_needs_another_program() -> None:
    for number in range(10):
        assert tried("splice", SMALL, [], SeededChoices(str(number)), Features()) is None


def test_every_kind_is_tried_here() -> None:
    assert {*SHOWS, "order"} == {*MUTATIONS} == {*NOTHING_TO_CHANGE, "splice"}


def test_spliced_programs_hang_together() -> None:
    """What one makes is taken by the other, at least now and then."""
    kernel = Dispatch(
        identity="k",
        kernel="ex::d",
        workload=(),
        arguments=(),
        outputs=(_COPY,),
        ties=(None,),
        affinity=A,
    )
    other = program(
        Clone(identity="c", source=_MADE, result=_SENT, affinity=B),
        Return(identity="r", values=(_SENT,)),
        arguments=(_MADE,),
    )  # fmt: skip
    first = program(kernel, Return(identity="r", values=(_COPY,)))
    found = []
    for number in range(30):
        one = tried("splice", first, [other], SeededChoices(f"s{number}"), Features())
        assert one is not None
        found.append(one)
    linked = [one for one in found if not one.functions[0].arguments]
    assert 0 < len(linked) < len(found)
    assert all(verify(one) == () for one in found)


def parents() -> list[Program]:
    """Programs of all kinds."""
    some = [generated(5, number, PROFILES["nightly"]) for number in range(30)]
    told = [every_op(), whole_language(), SMALL, *some]
    return [prepared(one) for one in told if why_not_mutable(one) is None]


PARENTS = parents()


@settings(max_examples=150)
@given(seed=st.integers(0, 1 << 20), number=st.integers(0, 1 << 20))
def test_every_mutant_is_well_formed_and_the_same_again(seed: int, number: int) -> None:
    one = mutant(PARENTS, seed, number)
    assert verify(one.program) == ()
    assert print_program(mutant(PARENTS, seed, number).program) == print_program(one.program)


def test_mutants_differ_from_their_parents_and_leave_something_to_decide() -> None:
    found = [mutant(PARENTS, 3, number) for number in range(100)]
    for one in found:
        assert one.kinds
        assert print_program(one.program) != print_program(PARENTS[one.parent])
    assert len({print_program(one.program) for one in found}) >= 95
    assert {kind for one in found for kind in one.kinds} == {*MUTATIONS}
    assert sum(has_transfer_to_decide(one.program) for one in found) >= 98


def test_mutants_are_made_of_what_a_release_has() -> None:
    old = Features(explicit_on=False, casts=False)
    some = [one for one in PARENTS if not any(isinstance(op, Cast) for op in one.operations())]
    for number in range(60):
        made_of: list[Operation] = list(mutant(some, 1, number, old).program.operations())
        assert not any(isinstance(op, Cast) for op in made_of)
        assert all(op.explicit_affinity is None for op in made_of if isinstance(op, Transfer))
    assert fitting(SMALL, Features()) is SMALL


def chain(*hops: tuple[Affinity, Affinity]) -> Program:
    """A splat, transfers one of the other, and the return of the last."""
    ops: list[Operation] = [splat(_MADE, "a", hops[0][0])]
    value = _MADE
    for place, (source, target) in enumerate(hops):
        result = resource(f"t{place}")
        ops.append(
            Transfer(
                identity=f"h{place}", source=value, result=result, source_affinity=source,
                target_affinity=target,
            )
        )  # fmt: skip
        value = result
    return program(*ops, Return(identity="r", values=(value,)))


def test_what_is_left_to_decide() -> None:
    assert has_transfer_to_decide(chain((A, B)))
    # Cleanup leaves nothing of one there and back, or on the spot.
    assert not has_transfer_to_decide(chain((A, B), (B, A)))
    assert not has_transfer_to_decide(chain((A, A)))
    # Nobody needs what is sent.
    (function,) = chain((A, B)).functions
    ops = (*function.entry.operations[:-1], Return(identity="r", values=()))
    assert not has_transfer_to_decide(program(*ops))
    # It says so itself.
    assert not has_transfer_to_decide(
        program(*SMALL.functions[0].entry.operations[:2], Return(identity="r", values=(_SENT,)))
    )


def test_a_seed_stands_for_itself() -> None:
    """Devices that it only names are its own, its function is not dropped, lengths are numbers."""
    length = Value("n", INDEX)
    given_value, sent = resource("x", size=length), resource("y", size=length)
    told = program(
        Transfer(
            identity="line9", source=given_value, result=sent, source_affinity=A,
            target_affinity=Affinity("elsewhere"),
        ),
        Return(identity="line10", values=(sent,)),
        arguments=(given_value, length),
    )  # fmt: skip
    (function,) = told.functions
    told = replace(told, functions=(replace(function, public=False),))
    assert why_not_mutable(told) is None
    one = prepared(told)
    assert one.devices == (A.device, B.device, "elsewhere")
    assert one.functions[0].public
    assert [op.identity for op in one.operations()] == ["op0", "op1"]
    assert [value.known for value in one.functions[0].arguments] == [None, 64]
    assert verify(one) == ()


def test_what_is_not_mutated_says_why() -> None:
    assert "no function" in (why_not_mutable(Program((), ())) or "")
    assert "scheduled" in (why_not_mutable(whole_language()) or "")
    wrong = Clone(identity="b", source=_MADE, result=_COPY, affinity=B)
    assert "lives on" in (why_not_mutable(program(splat(_MADE, "a"), wrong)) or "")
