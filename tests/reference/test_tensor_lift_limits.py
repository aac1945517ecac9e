"""Where programs on resources have no form on tensors, and the forms of what the host does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from valued import A, B, bound, constant, dispatch, load, resource, splat, store

from reference.ir import (
    Block,
    Function,
    Global,
    Operation,
    Program,
    Region,
    UnsupportedOperationError,
)
from reference.ops import (
    Alloca,
    Await,
    Cast,
    ChainExternal,
    Clone,
    GlobalLoad,
    HostScalar,
    Immediate,
    Import,
    Join,
    ResourceSize,
    Return,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transfer,
)
from reference.tensor import expressible, lifted
from reference.tensor.retype import dimensions, initial_type
from reference.text import print_program
from reference.types import (
    BUFFER_VIEW,
    F32,
    FENCE,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    TIMEPOINT,
    Index,
    Lifetime,
    Literal,
    ScalarType,
    TensorType,
    Value,
)

N = Value("n", INDEX, known=12)
FENCE_IN, REACHED = Value("fence", FENCE), Value("reached", TIMEPOINT)
VIEW = Value("view", BUFFER_VIEW)
EXTERNAL, STAGING = Lifetime.EXTERNAL, Lifetime.STAGING
HERE = resource("here", 16, Lifetime.UNKNOWN)
"""A value of this function's own; memory of the host is a tensor like any other."""
MADE = Alloca(identity="here", result=HERE, affinity=A)


def program(
    *operations: Operation,
    gives: Sequence[Value] = (),
    arguments: Sequence[Value] = (),
    globals: Sequence[Global] = (),
    public: bool = False,
) -> Program:
    """A module with one function, which is the module's own unless it is `public`."""
    end = Return(identity="end", values=tuple(gives))
    body = Region((Block((*operations, end), tuple(arguments)),))
    main = Function("main", body, tuple(one.type for one in gives), public=public)
    return Program((A.device, B.device), (main,), tuple(globals))


def lines(whole: Program) -> list[str]:
    """What is printed of the function's body on tensors, without constants and locations."""
    text = print_program(lifted(whole), locations=False)
    body = [line.strip() for line in text.partition("util.func")[2].splitlines()[1:-2]]
    return [line for line in body if "arith.constant" not in line]


def loaded(offset: Index, kind: ScalarType, source: Value = HERE) -> list[str]:
    return lines(program(MADE, load("x", source, offset, kind), arguments=(N,)))[1:-1]


def stored(offset: Index, kind: ScalarType, target: Value = HERE) -> list[str]:
    made = MADE if target is HERE else Alloca(identity="t", result=target, affinity=A)
    return lines(program(made, store("y", target, offset, 3, kind), arguments=(N,)))[1:-1]


def refused(whole: Program) -> str:
    """What of a program has no form."""
    told = expressible(whole)
    assert told is not None
    return told


def test_an_element_is_read_of_the_bytes_seen_as_such_elements() -> None:
    assert loaded(N, I8) == ["%x = flow.tensor.load %here[%n] : tensor<16xi8>"]
    assert loaded(8, F32) == [
        "%t0 = flow.tensor.bitcast %here : tensor<16xi8> -> tensor<4xf32>",
        "%x = flow.tensor.load %t0[%c2] : tensor<4xf32>",
    ]
    # No tensor has elements of type index.
    assert loaded(8, INDEX) == [
        "%t0 = flow.tensor.bitcast %here : tensor<16xi8> -> tensor<2xi64>",
        "%t1 = flow.tensor.load %t0[%c1] : tensor<2xi64>",
        '%x = "arith.index_castui"(%t1) : (i64) -> (index)',
    ]


@pytest.mark.parametrize(("offset", "kind"), [(6, I32), (1, I16), (N, I32)])
def test_an_access_between_elements_has_no_form(offset: Index, kind: ScalarType) -> None:
    told = refused(program(MADE, load("x", HERE, offset, kind), arguments=(N,)))
    assert told == "an access between elements"


def test_bytes_that_make_no_whole_element_are_left_out_and_kept() -> None:
    part = resource("part", 6, Lifetime.UNKNOWN)
    assert stored(0, I32, part) == [
        "%t0 = flow.tensor.slice %part[%c0 for %c4] : tensor<6xi8> -> tensor<4xi8>",
        "%t1 = flow.tensor.bitcast %t0 : tensor<4xi8> -> tensor<1xi32>",
        "%t2 = flow.tensor.store %c3_i32, %t1[%c0] : tensor<1xi32>",
        "%t3 = flow.tensor.bitcast %t2 : tensor<1xi32> -> tensor<4xi8>",
        "%y = flow.tensor.update %t3, %part[%c0] : tensor<4xi8> -> %part as tensor<6xi8>",
    ]
    assert stored(4, I16) == [
        "%t0 = flow.tensor.bitcast %here : tensor<16xi8> -> tensor<8xi16>",
        "%t1 = flow.tensor.store %c3_i16, %t0[%c2] : tensor<8xi16>",
        "%y = flow.tensor.bitcast %t1 : tensor<8xi16> -> tensor<16xi8>",
    ]


def test_flags_are_no_elements_of_tensors() -> None:
    assert refused(program(MADE, load("x", HERE, 0, I1))) == "a load of i1"
    for kind in (I1, INDEX):
        assert refused(program(MADE, store("y", HERE, 0, 1, kind))) == f"a store of {kind}"


def asked(value: Value) -> Program:
    size = Value("size", INDEX)
    query = ResourceSize(identity="q", source=value, result=size)
    return program(query, gives=(size,), arguments=(value, N))


def test_a_size_that_is_asked_for_is_the_number_that_is_known() -> None:
    of_none = " <{overflowFlags = #arith.overflow<none>}> : (index, index) -> (index)"
    assert lines(asked(HERE))[0] == f'%size = "arith.addi"(%c16, %c0){of_none}'
    assert lines(asked(resource("long", N)))[0] == f'%size = "arith.addi"(%n, %c0){of_none}'
    told = refused(asked(replace(HERE, size=None)))
    assert told == "stream.resource.size of what has no known size"


def fenced(fence: Value, awaited: Value) -> list[Operation]:
    """What is imported, a wait for a fence, and what is there then."""
    taken = resource("taken", 16, EXTERNAL)
    return [
        Import(
            identity="taken", source=VIEW, encoding="tensor<16xi8>", dimensions=(), result=taken,
            affinity=A,
        ),
        TimepointImport(identity="reached", sources=(fence,), result=REACHED, affinity=A),
        Await(
            identity="w", awaits=REACHED, sources=(awaited,), outputs=(resource("w", 16, EXTERNAL),)
        ),
    ]  # fmt: skip


def test_an_import_waits_for_the_fence_that_is_awaited_with_it() -> None:
    operations = fenced(FENCE_IN, resource("taken", 16, EXTERNAL))
    cloned = Clone(
        identity="c", source=resource("w", 16, EXTERNAL), result=resource("c", 16), affinity=A
    )
    assert lines(program(*operations, cloned, arguments=(VIEW, FENCE_IN)))[:-1] == [
        f"%taken = hal.tensor.import on({A}) wait(%fence) => %view : !hal.buffer_view -> "
        "tensor<16xi8>",
        f"%c = flow.tensor.clone %taken : tensor<16xi8> attributes {{stream.affinity = {A}}}",
    ]


def test_other_waits_have_no_form() -> None:
    beside = fenced(FENCE_IN, HERE)
    told = refused(program(MADE, *beside, arguments=(VIEW, FENCE_IN)))
    assert told == "stream.timepoint.import that no import waits for"
    told = refused(program(MADE, beside[-1], arguments=(REACHED,)))
    assert told == "stream.timepoint.await of what is no import"


def ready(name: str, source: Value) -> TimepointBarrier:
    return TimepointBarrier(
        identity=name, source=source, result=replace(source, name=name),
        timepoint=Value(f"{name}_time", TIMEPOINT), affinity=A,
    )  # fmt: skip


def signalled(*timepoints: Value) -> list[Operation]:
    """A fence that is reached when all of these are."""
    joined = Join(identity="j", sources=timepoints, result=Value("j", TIMEPOINT))
    return [
        joined,
        ChainExternal(
            identity="end_of_it", source=joined.result, externals=(FENCE_IN,), affinity=A
        ),
    ]


def test_a_fence_is_signalled_for_the_values_that_its_timepoints_are_about() -> None:
    start = Immediate(identity="start", result=Value("start", TIMEPOINT))
    one, again = ready("one", HERE), ready("again", HERE)
    other = Alloca(identity="s", result=resource("s", 4), affinity=A)
    for further, told in (
        ((), "%t0 = hal.tensor.barrier join(%here : tensor<16xi8>) => %fence : !hal.fence"),
        (
            (other, ready("two", other.result)),
            "%t0:2 = hal.tensor.barrier join(%here, %s : tensor<16xi8>, tensor<4xi8>) => %fence "
            ": !hal.fence",
        ),
    ):
        marked = (one, again, *further)
        times = [made.timepoint for made in marked if isinstance(made, TimepointBarrier)]
        last = signalled(start.result, *times)
        assert lines(program(MADE, start, *marked, *last, arguments=(FENCE_IN,)))[-2] == told


def test_a_fence_that_is_about_no_value_has_no_form() -> None:
    start = Immediate(identity="start", result=Value("start", TIMEPOINT))
    for timepoint, before in ((start.result, [start]), (REACHED, [])):
        whole = program(*before, *signalled(timepoint), arguments=(FENCE_IN, REACHED))
        told = refused(whole)
        assert told == "stream.timepoint.chain_external of what is about no values"


def test_an_op_that_no_framework_has_is_named_with_its_location() -> None:
    export = TimepointExport(
        identity="op7", source=REACHED, outputs=(Value("out", FENCE),), affinity=A
    )
    assert refused(program(export, arguments=(REACHED,))) == "stream.timepoint.export (op7)"


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (replace(splat("x", 1), awaits=REACHED), "stream.async.splat that waits"),
        (
            replace(constant("x", "dense<1> : tensor<8xi8>", 8), awaits=REACHED),
            "stream.async.constant that waits",
        ),
        (splat("x", 1, 6, I32), "stream.async.splat of a part of a pattern"),
        (
            dispatch("x", "ex::k", bound(HERE), others=("ex::l",)),
            "a dispatch of one of several kernels",
        ),
    ],
)
def test_work_without_a_form(operation: Operation, why: str) -> None:
    assert refused(program(MADE, operation, arguments=(REACHED,))) == why


def test_a_cast_is_the_same_tensor() -> None:
    cast = Cast(identity="k", source=HERE, result=resource("k", 16, EXTERNAL), affinity=B)
    cloned = Clone(identity="c", source=cast.result, result=resource("c", 16), affinity=A)
    assert lines(program(MADE, cast, cloned))[1].startswith("%c = flow.tensor.clone %here :")


def test_new_values_have_names_that_nothing_has() -> None:
    """In nested regions neither; a name is taken whatever the number behind it."""
    assert lines(program(splat("t7", 1, 4, I32)))[0].startswith("%tt0 = flow.tensor.splat")
    assert lines(program(splat("top", 1, 4, I32)))[0].startswith("%t0 = flow.tensor.splat")


def test_as_many_elements_as_the_program_has_counted_itself() -> None:
    """A quotient that is there is taken, and only where it is one of the size by the width."""
    count = Value("count", INDEX)
    other = Value("m", INDEX, known=4)
    for by, taken in ((Literal(4, INDEX), "%count"), (Literal(2, INDEX), "%t0"), (other, "%t0")):
        divided = HostScalar(
            identity="count", name="arith.divui", arguments=(N, by), outputs=(count,)
        )
        told = lines(program(divided, splat("s", 1, N, I32), arguments=(N, other)))
        (made,) = [line for line in told if "flow.tensor.splat" in line]
        assert f"tensor<?xi32>{{{taken}}}" in made


def shared(*values: Value, operations: Sequence[Operation] = ()) -> Program:
    return program(*operations, gives=values, arguments=values, public=True)


def test_only_what_does_not_live_outside_is_given_another_lifetime() -> None:
    """A change of lifetime is nothing on tensors; both are imported and exported."""
    outer, inner = resource("outer", 16, EXTERNAL), resource("inner", N)
    told = lines(shared(outer, inner, N))
    assert [line.partition(" : ")[0] for line in told[:-1]] == [
        "%outer = hal.tensor.import %view0", "%view2 = hal.tensor.import %view1",
        "%view3 = hal.tensor.export %outer", "%view5 = hal.tensor.export %view2",
    ]  # fmt: skip
    assert "tensor<?xi8>{%n}" in told[1]


def test_names_of_views_are_new() -> None:
    named = resource("view9", 16, EXTERNAL)
    assert "%view9 = hal.tensor.import %view_0" in lines(shared(named))[0]


@pytest.mark.parametrize(
    ("whole", "why"),
    [
        (shared(resource("x", 16, STAGING)), "staging memory of the caller's"),
        (
            shared(replace(HERE, size=None)),
            "%here, of which nothing says how long it is",
        ),
        (
            program(
                MADE,
                Transfer(
                    identity="s", source=HERE, result=resource("s", 16, STAGING),
                    source_affinity=A, target_affinity=A,
                ),
                gives=(resource("s", 16, STAGING),), public=True,
            ),
            "staging memory that is returned",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_shared_with_the_caller(whole: Program, why: str) -> None:
    assert refused(whole) == why


def test_results_in_the_storage_of_an_argument_are_no_frameworks() -> None:
    (main,) = shared(HERE).functions
    tied = Program((A.device,), (replace(main, ties=(0,)),))
    assert refused(tied) == "a public function with results tied to its arguments"
    # A function of the module's own may have them.
    assert expressible(Program((A.device,), (replace(main, ties=(0,), public=False),))) is None


def test_a_function_elsewhere_may_take_no_resources() -> None:
    outer = Function("outer", Region(()), (), public=False, declared=(I32, HERE.type))
    assert refused(Program((), (outer,))) == "@outer, which takes resources elsewhere"
    numbers = replace(outer, declared=(I32,), result_types=(I64,))
    assert lifted(Program((), (numbers,))).functions == (numbers,)


def global_of(size: Index | None, initial: str | None) -> Program:
    """A program with a global that is loaded where a size is given."""
    kept = resource("kept", size or 16, Lifetime.VARIABLE)
    loads = [] if size is None else [GlobalLoad(identity="l", symbol="g", result=kept)]
    return program(*loads, arguments=(N,), globals=(Global("g", kept.type, initial=initial),))


@pytest.mark.parametrize(
    ("size", "initial", "kind"),
    [
        (16, None, "tensor<16xi8>"),
        (16, "dense<0> : tensor<4xi32>", "tensor<4xi32>"),
        (None, "dense<0> : tensor<4xi32>", "tensor<4xi32>"),
        # Nobody looks at it: it is whatever one likes.
        (None, None, "tensor<1xi8>"),
    ],
)
def test_a_global_has_the_type_of_what_it_starts_with_or_of_its_bytes(
    size: int | None, initial: str | None, kind: str
) -> None:
    assert [str(one.type) for one in lifted(global_of(size, initial)).globals] == [kind]


@pytest.mark.parametrize(
    ("size", "initial", "why"),
    [
        (N, None, "@g, whose size only the caller knows"),
        (16, "dense<0> : tensor<3xi32>", "@g, whose initial value is tensor<3xi32> in 16 bytes"),
        (2, "dense<true> : tensor<2xi1>", "@g, whose initial value is tensor<2xi1> in 2 bytes"),
    ],
)
def test_a_global_that_is_no_tensor(size: Index, initial: str | None, why: str) -> None:
    assert refused(global_of(size, initial)) == why


def test_the_type_of_an_initial_value_is_kept() -> None:
    assert initial_type("g", "dense<1> : tensor<2x2xi16>", 8) == TensorType("tensor<2x2xi16>")


def test_dimensions_are_what_the_type_leaves_open() -> None:
    assert dimensions(HERE) == ()
    assert dimensions(resource("x", N)) == (N,)
    with pytest.raises(UnsupportedOperationError) as told:
        dimensions(replace(HERE, size=None))
    assert str(told.value) == "%here, of which nothing says how long it is"
