"""Timepoints, sizes and what the model passes through: what is left of waits, joins and questions.

Rules from compiler/src/iree/compiler/Dialect/Stream/IR/StreamOpFolders.cpp, HALOpFolders.cpp and
UtilOpFolders.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from folds import TRUE, C, X, Y, folded, given, kept, left
from straight import A as ON_A
from straight import barrier, dispatch, imported, resource, splat

from reference.folding.constants import same_value
from reference.ir import Operation, Region, UnsupportedOperationError, walk
from reference.ops import (
    Await,
    ChainExternal,
    Fill,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    Immediate,
    Join,
    OpaqueOperation,
    ResourceSize,
    Select,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transients,
)
from reference.ops.assembly import Range
from reference.types import FENCE, I1, I8, INDEX, TIMEPOINT, Literal, Scalar, Value

T, U, V = (Value(name, TIMEPOINT) for name in ("t1", "t2", "t3"))
F, G, H = (Value(name, FENCE) for name in ("f1", "f2", "f3"))
P, Q, R = (resource(name) for name in ("p", "q", "r"))
START = Immediate(identity="start", result=Value("start", TIMEPOINT))


def join(name: str, *timepoints: Value) -> Join:
    return Join(identity=name, sources=timepoints, result=Value(name, TIMEPOINT))


def await_(name: str, timepoint: Value, *sources: Value, sync: bool = False) -> Await:
    names = [name] if len(sources) == 1 else [f"{name}#{place}" for place in range(len(sources))]
    outputs = tuple(replace(source, name=one) for one, source in zip(names, sources, strict=True))
    return Await(identity=name, awaits=timepoint, sources=sources, outputs=outputs, sync=sync)


def ready(name: str, source: Value) -> TimepointBarrier:
    return TimepointBarrier(
        identity=name, source=source, result=replace(source, name=name),
        timepoint=Value(f"{name}_time", TIMEPOINT), affinity=ON_A,
    )  # fmt: skip


def fence_in(name: str, *fences: Value) -> TimepointImport:
    return TimepointImport(
        identity=name, sources=fences, result=Value(name, TIMEPOINT), affinity=ON_A
    )


def without_immediates(region: Region) -> list[str]:
    return [words for words in left(region) if not words.startswith("immediate")]


def the_join(region: Region) -> Join:
    (found,) = [operation for operation in walk(region) if isinstance(operation, Join)]
    return found


def test_joins() -> None:
    """Of nothing but what is reached, of one, and each timepoint once, however it got there."""
    nothing = join("j", START.result, START.result)
    found = folded(START, nothing, gives=(nothing.result,))
    assert (without_immediates(found), len(left(found))) == (["return"], 2)
    one = join("j", T)
    assert given(folded(one, gives=(one.result,))) == (T,)
    inner = join("i", T, START.result, U, T)
    outer = join("j", inner.result, V, U)
    found = folded(START, inner, outer, gives=(outer.result,))
    assert the_join(found).sources == (T, U, V)
    assert given(found) == (outer.result,)
    two = join("j", T, U)
    assert the_join(folded(two, gives=(two.result,))) == two


def test_what_is_ready_already_is_not_marked() -> None:
    """What was imported; what was awaited, unless for good; an argument may not be ready."""
    taken = imported("taken", ON_A)
    marked = ready("m", taken.result)
    found = folded(taken, marked, gives=(marked.result, marked.timepoint))
    assert without_immediates(found) == ["import@taken", "return"]
    (immediate,) = [op for op in walk(found) if isinstance(op, Immediate)]
    assert given(found) == (taken.result, immediate.result)

    for sync in (False, True):
        wait = await_("w", T, P, Q, sync=sync)
        marked = ready("m", wait.outputs[1])
        found = folded(wait, marked, gives=(*wait.outputs[:1], marked.result, marked.timepoint))
        if sync:
            assert left(found) == ["await@w", "barrier@m", "return"]
        else:
            assert given(found)[1:] == (Q, T)
    marked = ready("m", P)
    assert left(folded(marked, gives=(marked.result, marked.timepoint)))[0] == "barrier@m"


def test_a_wait_for_what_is_reached_is_none() -> None:
    wait = await_("w", START.result, P)
    assert given(folded(START, wait, gives=wait.outputs)) == (P,)


@pytest.mark.parametrize(("sync", "order"), [(False, "dw"), (True, "wd")])
def test_a_wait_sinks_to_its_first_user_unless_it_is_for_good(sync: bool, order: str) -> None:
    wait = await_("w", T, P, sync=sync)
    between = dispatch("d", Q, on=ON_A)
    user = dispatch("u", *wait.outputs, on=ON_A)
    found = folded(wait, between, user, gives=(*between.results, *user.results))
    assert [words[-1] for words in left(found)[:2]] == list(order)


def test_waits_for_one_timepoint_are_one() -> None:
    """Unless the second is for good, or takes what is made behind the first."""
    one = await_("v", T, P)
    for other, merged in (
        (await_("w", T, Q), True), (await_("w", T, Q, sync=True), False),
        (await_("w", U, Q), False),
    ):  # fmt: skip
        found = folded(one, other, gives=(*one.outputs, *other.outputs))
        assert left(found).count("await@v") == 1
        assert ("await@w" in left(found)) is not merged
        if merged:
            (wait,) = [op for op in walk(found) if isinstance(op, Await)]
            assert (wait.sources, given(found)) == ((P, Q), wait.outputs)
    made = dispatch("d", *one.outputs, on=ON_A)
    late = await_("w", T, *made.results)
    found = folded(one, made, late, gives=(*one.outputs, *late.outputs))
    assert left(found) == ["await@v", "dispatch@d", "await@w", "return"]


def test_each_resource_is_awaited_once() -> None:
    wait = await_("w", T, P, Q, P)
    found = folded(wait, gives=wait.outputs)
    (made,) = [op for op in walk(found) if isinstance(op, Await)]
    assert made.sources == (P, Q)
    assert given(found) == (made.outputs[0], made.outputs[1], made.outputs[0])


def exported(name: str, timepoint: Value) -> TimepointExport:
    return TimepointExport(
        identity=name, source=timepoint, outputs=(Value(f"{name}_out", FENCE),), affinity=ON_A
    )


def test_a_fence_that_is_imported_and_exported_is_the_fence() -> None:
    taken = fence_in("i", F)
    out = exported("e", taken.result)
    assert given(folded(taken, out, gives=out.outputs)) == (F,)
    both = fence_in("i", F, G)
    out = exported("e", both.result)
    assert left(folded(both, out, gives=out.outputs)) == ["import@i", "export@e", "return"]
    out = exported("e", T)
    assert left(folded(out, gives=out.outputs)) == ["export@e", "return"]


def opaque(
    name: str, operation: str, *arguments: Scalar, gives: Sequence[Value] = ()
) -> OpaqueOperation:
    return OpaqueOperation(identity=name, name=operation, arguments=arguments, outputs=tuple(gives))


def chain(timepoint: Value, *fences: Value) -> ChainExternal:
    return ChainExternal(identity="c", source=timepoint, externals=fences, affinity=ON_A)


MADE_FENCE = opaque("g", "hal.fence.create", gives=(G,))


def test_a_new_fence_that_is_chained_to_an_imported_one_is_that() -> None:
    taken = fence_in("i", F)
    found = folded(taken, MADE_FENCE, chain(taken.result, G), gives=(G,))
    assert (left(found), given(found)) == (["return"], (F,))


@pytest.mark.parametrize(
    ("before", "chained"),
    [
        # A fence of the caller's; what was not imported; more fences than one.
        ([fence_in("i", F)], chain(Value("i", TIMEPOINT), H)),
        ([MADE_FENCE], chain(T, G)),
        ([fence_in("i", F, H), MADE_FENCE], chain(Value("i", TIMEPOINT), G)),
    ],
)  # fmt: skip
def test_other_chains_stay(before: list[Operation], chained: ChainExternal) -> None:
    found = folded(*before, chained, gives=())
    assert "chain_external@c" in left(found)


def size_of(name: str, value: Value) -> ResourceSize:
    return ResourceSize(identity=name, source=value, result=Value(name, INDEX))


def unsized(name: str) -> Value:
    return replace(resource(name), size=None)


def test_the_size_of_what_an_op_near_by_tells() -> None:
    """The op that makes it, else one that takes it, whose size is there already."""
    made = splat("s", ON_A)
    asked = size_of("z", made.result)
    assert same_value(given(folded(made, asked, gives=(asked.result,)))[0], Literal(16, INDEX))
    taken = replace(P, size=X)
    used = barrier("b", taken, ON_A)
    used = replace(used, source=taken, result=replace(used.result, size=X))
    asked = size_of("z", unsized("p"))
    assert given(folded(asked, used, gives=(asked.result, used.result)))[0] == X
    alone = size_of("z", unsized("p"))
    assert left(folded(alone, gives=(alone.result,))) == ["size@z", "return"]
    # A size that comes only behind the question does not answer it.
    later = kept("later", Y)
    taken = replace(P, size=later.outputs[0])
    used = replace(used, source=taken, result=replace(used.result, size=later.outputs[0]))
    found = folded(alone, later, used, gives=(alone.result, used.result))
    assert left(found)[0] == "size@z"


@pytest.mark.parametrize("known", [True, False])
def test_the_size_of_what_is_selected_is_selected(known: bool) -> None:
    made = replace(splat("s", ON_A), result=replace(resource("s"), size=X))
    select = Select(
        identity="c", condition=C, then=made.result, otherwise=unsized("p"), result=unsized("c")
    )
    asked = size_of("z", unsized("c"))
    told = size_of("y", unsized("p"))
    operations = [made, *([told] if known else []), select, asked]
    gives = (asked.result, *([told.result] if known else []))
    found = folded(*operations, gives=gives)
    (choice,) = [op for op in walk(found) if isinstance(op, HostScalar)]
    queries = [op for op in walk(found) if isinstance(op, ResourceSize)]
    assert choice.arguments == (C, X, queries[0].result)
    assert len(queries) == 1
    assert given(found)[0] == choice.outputs[0]


FLAG = Value("flag", I1)


def test_assertions_that_hold_and_fences_that_nobody_takes_go() -> None:
    for condition, remains in ((TRUE, False), (C, True), (Literal(0, I1), True)):
        found = folded(opaque("a", "cf.assert", condition), gives=())
        assert ("assert@a" in left(found)) is remains
    assert left(folded(MADE_FENCE, gives=())) == ["return"]
    assert left(folded(MADE_FENCE, gives=(G,))) == ["create@g", "return"]


def test_ops_that_may_fold_are_refused_and_those_that_have_no_rules_are_not() -> None:
    asked = opaque("a", "util.cmp.eq", F, G, gives=(FLAG,))
    with pytest.raises(UnsupportedOperationError) as told:
        folded(asked, gives=(FLAG,))
    assert str(told.value) == "folding util.cmp.eq"
    plain = opaque("a", "hal.fence.query", F, gives=(FLAG,))
    assert left(folded(plain, gives=(FLAG,))) == ["query@a", "return"]


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        # Pure; only reading; allocating, which stays; not known to have no effect.
        ("hal.device.resolve", True), ("util.list.size", True), ("util.list.create", False),
        ("hal.fence.query", False),
    ],
)  # fmt: skip
def test_which_ops_go_when_nobody_uses_them(name: str, goes: bool) -> None:
    found = folded(opaque("a", name, gives=(Value("o", INDEX),)), gives=())
    assert (left(found) == ["return"]) is goes


def test_each_kernel_is_named_once() -> None:
    made = replace(dispatch("d", P, on=ON_A), kernel="k", other_kernels=("l", "k", "l"))
    (found, _) = folded(made, gives=made.results).blocks[0].operations
    assert found == replace(made, other_kernels=("l",))
    for others in ((), ("l", "m")):
        plain = replace(made, other_kernels=others)
        assert folded(plain, gives=plain.results).blocks[0].operations[0] == plain


def test_a_store_of_what_the_global_held_goes() -> None:
    """Also where another value was stored in between, as in the source."""
    load = GlobalLoad(identity="l", symbol="g", result=P)
    back = GlobalStore(identity="back", symbol="g", source=P)
    other = GlobalStore(identity="other", symbol="g", source=Q)
    assert "store@back" not in left(folded(load, other, back, gives=()))
    elsewhere = replace(back, symbol="h")
    assert "store@back" in left(folded(load, elsewhere, gives=()))
    assert "store@other" in left(folded(other, gives=()))


def test_of_two_storages_for_transients_the_last_is_taken() -> None:
    def backed(name: str, source: Value, storage: Value) -> Transients:
        return Transients(
            identity=name, source=source, storage=storage, awaits=None,
            result=replace(source, name=name), timepoint=Value(f"{name}_time", TIMEPOINT),
            affinity=ON_A,
        )  # fmt: skip

    first = backed("one", P, Q)
    second = backed("two", first.result, R)
    found = folded(first, second, gives=(second.result, second.timepoint))
    (made,) = [op for op in walk(found) if op.identity == "two"]
    assert isinstance(made, Transients)
    assert (made.source, made.storage) == (P, R)


def filled(name: str, target: Value, span: Range, pattern: int = 7) -> Fill:
    return Fill(
        identity=name, pattern=Literal(pattern, I8), target=target, span=span,
        result=replace(target, name=name), affinity=ON_A,
    )  # fmt: skip


def fills(first: Range, second: Range, pattern: int = 7) -> list[Fill]:
    """What is left of two fills, one of what the other gave."""
    one = filled("a", P, first)
    other = filled("b", one.result, second, pattern)
    found = folded(one, other, gives=(other.result,))
    return [op for op in walk(found) if isinstance(op, Fill)]


def test_adjacent_fills_of_one_pattern_are_one() -> None:
    (one,) = fills(Range.of(0, 4), Range.of(4, 8))
    assert (one.span.start, one.span.end, one.span.length) == (0, 12, 12)
    # Towards the start the offsets are added, too, which is right from 0 on only.
    (one,) = fills(Range.of(4, 8), Range.of(0, 4))
    assert (one.span.start, one.span.end, one.span.length) == (4, 12, 12)
    assert len(fills(Range.of(0, 4), Range.of(8, 4))) == 2
    assert len(fills(Range.of(0, 4), Range.of(4, 8), pattern=9)) == 2


def test_lengths_of_adjacent_fills_that_the_caller_knows_are_added() -> None:
    """Once for the end and once for the length, as in the source; equal ops are for others."""
    first = filled("a", P, Range.of(0, X))
    second = filled("b", first.result, Range(X, Value("end", INDEX), Y))
    one, other, fill, _ = folded(first, second, gives=(second.result,)).blocks[0].operations
    for made in (one, other):
        assert isinstance(made, HostScalar)
        assert (made.name, made.arguments) == ("arith.addi", (X, Y))
        assert made.identity.partition("~")[0] == "a+b"
    assert isinstance(fill, Fill)
    assert (fill.span.start, fill.span.end, fill.span.length) == (
        0, *one.results, *other.results,
    )  # fmt: skip


def test_fills_whose_length_comes_too_late_stay() -> None:
    later = kept("later", Y)
    one = filled("a", P, Range.of(0, 4))
    other = filled("b", one.result, Range(4, X, later.outputs[0]))
    found = folded(one, later, other, gives=(other.result,))
    assert [type(op) for op in walk(found)].count(Fill) == 2
