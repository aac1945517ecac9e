"""What each op on resources returns, byte by byte; then laws that hold between ops."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from valued import (
    SIZE,
    A,
    alloca,
    barrier,
    bound,
    clone,
    constant,
    copy,
    data,
    dispatch,
    evaluated,
    fill,
    function,
    load,
    program,
    resource,
    returns,
    slice_of,
    splat,
    staged,
    store,
    transfer,
    update,
    values,
)

from reference.ir import UnsupportedOperationError
from reference.ops import Cast, Export, Import
from reference.ops.assembly import Range
from reference.types import (
    BUFFER_VIEW,
    F32,
    I1,
    I16,
    I32,
    I64,
    INDEX,
    Lifetime,
    Literal,
    OpaqueType,
    Value,
)
from reference.values.content import Content, OutOfBoundsError, literal, made_of
from reference.values.kernels import Interfaces, own_interface
from reference.values.terms import UNWRITTEN, Origin

EIGHT = constant("eight", "dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi8>", 8)
NINE = Literal(9, I32)
ARGUMENT = resource("argument")
COUNT = Value("count", I32)


def test_what_makes_values():
    assert data(splat("s", 7, kind=I16), gives=splat("s", 7)) == b"\7\0" * 4
    assert data(EIGHT, gives=EIGHT) == bytes(range(8))
    assert returns(alloca("a"), gives=(alloca("a"),)) == [made_of(UNWRITTEN, 8)]


def test_what_copies():
    cut = slice_of("cut", EIGHT, 2, 6)
    for made in (clone("c", EIGHT), transfer("t", EIGHT), barrier("b", EIGHT)):
        assert data(EIGHT, made, gives=made) == bytes(range(8))
    assert data(EIGHT, cut, gives=cut) == b"\2\3\4\5"


def test_what_writes_in_place():
    filled = fill("f", EIGHT, 2, 4, 0x0908, I16)
    assert data(EIGHT, filled, gives=filled) == b"\0\1\x08\x09\x08\x09\6\7"
    small = splat("small", 9, 2)
    updated = update("u", small, EIGHT, 3, 5)
    assert data(EIGHT, small, updated, gives=updated) == b"\0\1\2\x09\x09\5\6\7"
    copied = copy("c", EIGHT, 1, splat("s", 9), 4, 3)
    assert data(EIGHT, splat("s", 9), copied, gives=copied) == b"\x09\x09\x09\x09\1\2\3\x09"


def test_the_host_reads_and_writes():
    here = staged("here", EIGHT)
    word = load("word", here, 4)
    assert returns(EIGHT, here, word, gives=(word,)) == [0x07060504]
    stored = store("stored", here, 4, 0x0A0B, I16)
    assert data(EIGHT, here, stored, gives=stored) == b"\0\1\2\3\x0b\x0a\6\7"
    flag = load("flag", here, 2, I1)
    assert returns(EIGHT, here, flag, gives=(flag,)) == [0]
    real = load("real", here, 4, F32)
    assert returns(EIGHT, here, real, gives=(real,)) == [0x07060504]


def test_a_scalar_of_unknown_bytes_is_the_same_wherever_these_are():
    cut = staged("cut", slice_of("part", ARGUMENT, 4, 8))
    here, one, two = staged("here", ARGUMENT), load("one", cut, 0), load("two", cut, 0)
    again, other = load("again", here, 4), load("other", here, 0)
    part = slice_of("part", ARGUMENT, 4, 8)
    found = returns(
        part, cut, here, one, two, again, other, gives=(one, two, again, other),
        arguments=(ARGUMENT,),
    )  # fmt: skip
    assert found[0] == found[1] == found[2] != found[3]


@pytest.mark.parametrize("kind", [INDEX, F32, I1, I64])
def test_a_scalar_of_unknown_bytes_fits_its_type(kind):
    here = staged("here", ARGUMENT)
    word = load("word", here, 0, kind)
    (found,) = returns(here, word, gives=(word,), arguments=(ARGUMENT,))
    assert isinstance(found, int)
    assert found < {INDEX: 1 << 10, F32: 1 << 32, I1: 2, I64: 1 << 64}[kind]


def test_views_are_the_memory_of_resources():
    view, shown = Value("view", BUFFER_VIEW), Value("shown", BUFFER_VIEW)
    external = resource("external", lifetime=Lifetime.EXTERNAL)
    taken = Import(
        identity="i", source=view, encoding="tensor<8xi8>", dimensions=(), result=external,
        affinity=A,
    )  # fmt: skip
    given = Export(
        identity="e", source=external, encoding="tensor<8xi8>", dimensions=(), result=shown,
        affinity=A,
    )  # fmt: skip
    (found,) = returns(taken, given, gives=(shown,), arguments=(view,))
    assert isinstance(found, Content)
    (((source, offset, length),)) = found.pieces
    assert (source.name, offset, length) == ("argument 0 of @main", 0, 8)
    buffer = Value("buffer", OpaqueType("!hal.fence"))
    with pytest.raises(UnsupportedOperationError):
        returns(replace(taken, source=buffer), gives=(), arguments=(buffer,))


@pytest.mark.parametrize("target", [Lifetime.TRANSIENT, Lifetime.EXTERNAL, Lifetime.UNKNOWN])
def test_a_cast_changes_no_byte(target):
    made = Cast(identity="c", source=EIGHT.result, result=resource("c", 8, target), affinity=A)
    assert data(EIGHT, made, gives=made) == bytes(range(8))


# Kernels


def kernel_of(content: Content | int):
    assert isinstance(content, Content)
    ((term, offset, length),) = content.pieces
    assert offset == 0
    return term, length


def test_a_kernel_sees_its_ranges_and_scalars():
    one = dispatch(
        "k", "ex::a_rri32_n", bound(EIGHT, 2, 4), bound(EIGHT), NINE, workload=(4, COUNT), size=16
    )
    (found,) = returns(EIGHT, one, gives=(one,), arguments=(COUNT,))
    term, length = kernel_of(found)
    assert (term.name, term.number, length) == ("ex::a_rri32_n", 2, 16)
    assert term.contents == (literal(b"\2\3\4\5"), literal(bytes(range(8))), 16)
    assert term.scalars == (4, 37, 9)


def test_a_kernel_writes_its_tied_range_only():
    one = dispatch("k", "ex::a_w_t", bound(EIGHT, 2, 4), ties=(0,))
    (found,) = returns(EIGHT, one, gives=(one,))
    assert isinstance(found, Content)
    (before, _, two), (term, offset, four), (after, _, rest) = found.pieces
    assert (before, two, offset, four, after, rest) == (b"\0\1", 2, 0, 4, b"\6\7", 2)
    assert term.contents == (literal(b"\2\3\4\5"),)


def test_results_are_bindings_behind_the_operands():
    one = dispatch("k", "ex::a_rw_nt", bound(EIGHT), bound(splat("s", 1)), ties=(None, 1))
    found = returns(EIGHT, splat("s", 1), one, gives=one.outputs)
    assert [kernel_of(content)[0].number for content in found] == [2, 1]


def test_a_result_that_became_an_operand_is_the_same():
    """As `EmplaceAllocations` makes of an update with a result."""
    new = dispatch("k", "ex::a_r_n", bound(EIGHT), size=4)
    into = update("u", new, splat("s", 1), 2, 6)
    tied = dispatch("k", "ex::a_r_n", bound(EIGHT), bound(splat("s", 1), 2, 4), ties=(1,))
    whole = program(
        function(EIGHT, splat("s", 1), new, into, gives=(into,), name="one"),
        function(EIGHT, splat("s", 1), tied, gives=(tied,), name="other"),
    )
    one, other = values(evaluated(whole))
    assert one == other


def test_a_kernel_that_only_writes_does_not_depend_on_what_was_there():
    blind = [
        dispatch("k", "ex::a_o_t", bound(target), ties=(0,)) for target in (EIGHT, alloca("x"))
    ]
    whole = program(
        function(EIGHT, blind[0], gives=(blind[0],), name="one"),
        function(alloca("x"), blind[1], gives=(blind[1],), name="other"),
    )
    one, other = values(evaluated(whole))
    assert one == other


@pytest.mark.parametrize(
    ("kernel", "interface"),
    [
        ("ex::a_wrri32_tn", (4, {3})),
        ("ex::b_orf64index_t", (2, {0})),
        ("ex::a__n", (1, {0})),
        ("ex::a_rr_", (2, set())),
        ("main::dispatch_0", None),
        ("other::a_r_n", None),
    ],
)
def test_a_name_tells_the_interface(kernel, interface):
    assert own_interface(kernel) == interface


def test_interfaces_of_other_kernels_are_learnt_from_new_results():
    unknown = dispatch("k", "other::kernel", bound(EIGHT), ties=(None,))
    known = Interfaces(program(function(EIGHT, unknown, gives=(unknown,))))
    assert known.blind("other::kernel", 2) == {1}
    assert known.blind("other::unheard", 2) == frozenset()
    # A name that tells another number of bindings is only a name.
    assert known.blind("ex::a_o_t", 3) == frozenset()


def test_kernels_that_do_the_same_work_are_one():
    pair = [
        dispatch("k", name, bound(EIGHT), others=(other,))
        for name, other in (("a::x", "b::y"), ("b::y", "a::x"))
    ]
    one, other = (returns(EIGHT, made, gives=(made,)) for made in pair)
    assert kernel_of(one[0])[0].name == kernel_of(other[0])[0].name == "a::x|b::y"


def test_builtins_are_splats_and_fills():
    name = "__builtin_splat_i64::__builtin_splat_i64"
    made = dispatch("k", name, Literal(0x0102, I64), Literal(2, INDEX), size=20, workload=(2,))
    (found,) = returns(made, gives=(made,))
    assert isinstance(found, Content)
    assert found == made_of(UNWRITTEN, 20).with_part(0, literal(b"\2\1\0\0\0\0\0\0" * 2))
    name = "__builtin_fill_i16::__builtin_fill_i16"
    scalars = (Literal(0x0908, I16), Literal(2, INDEX))
    filled = dispatch("k", name, bound(EIGHT, 2, 4), *scalars, ties=(0,), workload=(2,))
    assert data(EIGHT, filled, gives=filled) == b"\0\1\x08\x09\x08\x09\6\7"
    beyond = dispatch("k", name, bound(EIGHT, 6, 2), *scalars, ties=(0,), workload=(2,))
    with pytest.raises(OutOfBoundsError):
        returns(EIGHT, beyond, gives=(beyond,))


# Accesses that there cannot be


@pytest.mark.parametrize(
    "wrong",
    [
        slice_of("x", EIGHT, 4, 12),
        slice_of("x", EIGHT, 4, 8, size=2),
        fill("x", EIGHT, 6, 4, 1),
        replace(fill("x", EIGHT, 0, 4, 1), span=Range(0, 2, 4)),
        replace(copy("x", EIGHT, 0, EIGHT, 0, 4), target_span=Range.of(0, 2)),
        update("x", EIGHT, EIGHT, 4, 12),
        load("x", EIGHT, 6, I32),
        store("x", EIGHT, 6, 1, I32),
        dispatch("x", "ex::a_r_n", bound(EIGHT, 4, 8)),
        replace(EIGHT, result=resource("x", 4)),
    ],
)  # fmt: skip
def test_an_access_out_of_bounds_is_said(wrong):
    with pytest.raises(OutOfBoundsError):
        returns(EIGHT, wrong, gives=(wrong,))


def test_what_the_model_does_not_know_is_said():
    here = staged("here", EIGHT)
    vector = load("x", here, 0, OpaqueType("vector<4xi8>"))  # type: ignore[arg-type]
    with pytest.raises(UnsupportedOperationError):
        returns(EIGHT, here, vector, gives=())
    sizeless = replace(clone("x", EIGHT), source=replace(EIGHT.result, size=None))
    with pytest.raises(UnsupportedOperationError):
        returns(EIGHT, sizeless, gives=())
    fence = Value("fence", OpaqueType("!hal.fence"))
    opaque = dispatch("x", "ex::a_r_n", bound(EIGHT), fence)
    with pytest.raises(UnsupportedOperationError):
        returns(EIGHT, opaque, gives=(), arguments=(fence,))


# Laws


@st.composite
def places(draw: st.DrawFn) -> tuple[int, int]:
    start = draw(st.integers(0, SIZE))
    return start, draw(st.integers(0, SIZE - start))


@given(places(), st.integers(0, 255), st.sampled_from([EIGHT, splat("s", 3), alloca("a")]))
def test_laws_between_ops(place, pattern, start):
    start_at, length = place
    end = start_at + length
    filled = fill("f", start, start_at, length, pattern)
    again = fill("g", filled, start_at, length, pattern)
    part = slice_of("p", start, start_at, end)
    back = update("u", part, start, start_at, end)
    small = splat("small", pattern, length)
    filled_by_update = update("w", small, start, start_at, end)
    written = slice_of("q", filled_by_update, start_at, end)
    in_place = copy("c", start, start_at, start, start_at, length)
    cloned = clone("d", start)
    one, two, three, four, five, six, seven, eight = returns(
        start, filled, again, part, back, small, filled_by_update, written, in_place, cloned,
        gives=(start, filled, again, back, filled_by_update, small, written, in_place),
    )  # fmt: skip
    assert two == three  # what is filled twice is filled
    assert four == one  # what is taken out and put back changes nothing
    assert five == two  # a fill is an update with a splat
    assert seven == six  # what was put in is there
    assert eight == one  # a copy onto itself changes nothing
    assert returns(start, cloned, gives=(cloned,)) == [one]


def test_values_are_named_by_position_and_origin_only():
    other = replace(ARGUMENT, name="by_another_name")
    one = returns(gives=(ARGUMENT,), arguments=(ARGUMENT,))
    assert kernel_of(one[0])[0].origin is Origin.INPUT
    assert [kernel_of(two)[0].name for two in returns(gives=(other,), arguments=(other,))] == [
        "argument 0 of @main"
    ]
