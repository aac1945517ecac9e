"""`stream.tensor.*` read as the ops on bytes that they mean, and what has no such form."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tensors import A

from reference.ir import Attribute, GenericOperation, Operation, UnsupportedOperationError
from reference.ops import Alloca, Constant, Dispatch, Fill, Slice, Update
from reference.ops.encoded import ENCODED, SIZEOF, known_size
from reference.types import F32, I8, I16, I32, INDEX, RESOURCES, Index, Lifetime, Literal, Value

ANY = RESOURCES[Lifetime.UNKNOWN]
STAGING = RESOURCES[Lifetime.STAGING]
N, M = Value("n", INDEX), Value("m", INDEX)
SOURCE, MADE = Value("source", ANY), Value("made", ANY)

Operands = Sequence[Index | Literal]


def read(
    name: str, *groups: Operands, results: Sequence[Value] = (MADE,), **attributes: Attribute
) -> Operation:
    """`stream.tensor.NAME` on device A, its operands in the groups of its definition."""
    generic = GenericOperation(
        name=f"stream.tensor.{name}",
        identity="op",
        operands=tuple(operand for group in groups for operand in group),
        results=tuple(results),
        attributes={
            "affinity": A, "operandSegmentSizes": tuple(map(len, groups)), **attributes
        },
    )  # fmt: skip
    return ENCODED[generic.name](generic)


def refused(name: str, *groups: Operands, **attributes: Attribute) -> str:
    """Why the model does not know an op."""
    with pytest.raises(UnsupportedOperationError) as told:
        read(name, *groups, results=(MADE,), **attributes)
    return str(told.value)


def test_what_a_size_is_where_nothing_has_to_be_computed() -> None:
    assert known_size("tensor<4x2xi32>", []) == 32
    assert known_size("tensor<f64>", []) == 8
    assert known_size("tensor<?x1xi8>", [N]) == N
    for encoding, open_ones in (("tensor<?xi16>", [N]), ("tensor<?x?xi8>", [N, M])):
        assert known_size(encoding, open_ones) is None
    for encoding in ("tensor<4xi1>", "tensor<4xi32, #encoding>"):
        with pytest.raises(UnsupportedOperationError) as told:
            known_size(encoding, [])
        assert str(told.value) == f"the encoding {encoding}"


def test_a_size_with_one_open_dimension_is_a_product() -> None:
    size = Value("size", INDEX)
    made = read("sizeof", (N,), results=(size,), encoding="tensor<4x?xi32>")
    assert made.assembly() == (
        '%size = "arith.muli"(%n, %c16) <{overflowFlags = #arith.overflow<none>}> '
        ": (index, index) -> (index)"
    )
    told = refused("sizeof", (N, M), encoding="tensor<?x?xi32>")
    assert told == f"{SIZEOF} of several open dimensions"


def test_what_makes_values() -> None:
    elements = "dense<[1, 2]> : tensor<2xi32>"
    constant = read("constant", value=elements, result_encoding="tensor<2xi32>")
    assert isinstance(constant, Constant)
    assert (constant.elements, constant.length, constant.result.size) == (elements, 8, 8)
    assert constant.affinity == A
    empty = read("empty", (N,), (M,))
    assert isinstance(empty, Alloca)
    assert (empty.result.size, empty.affinity) == (M, A)
    splat = read("splat", (Literal(7, I8),), (N,), (M,))
    assert splat.assembly() == (
        f"%made = stream.async.splat on({A}) %c7_i8 : i8 -> !stream.resource<*>{{%m}}"
    )
    clone = read("clone", (SOURCE,), (N,), (16,), (N,), (16,))
    assert clone.assembly() == (
        f"%made = stream.async.clone on({A}) %source : !stream.resource<*>{{%c16}} "
        "-> !stream.resource<*>{%c16}"
    )


@pytest.mark.parametrize(
    ("elements", "encoding"),
    [
        ("dense_resource<blob> : tensor<2xi32>", "tensor<2xi32>"),
        ("dense<true> : tensor<2xi1>", "tensor<2xi1>"),
    ],
)
def test_a_constant_whose_bytes_the_text_does_not_tell(elements: str, encoding: str) -> None:
    told = refused("constant", value=elements, result_encoding=encoding)
    assert told == "stream.tensor.constant whose contents are not known"


def cut(
    encoding: str, starts: Operands, lengths: Operands, size: Index
) -> tuple[Index, Index, Index | None]:
    """Where a slice of a tensor of 16 bytes starts and ends, and how long it is."""
    made = read(
        "slice", (SOURCE,), (), (16,), starts, lengths, (), (size,), source_encoding=encoding
    )
    assert isinstance(made, Slice)
    assert (made.source.size, made.affinity) == (16, A)
    return made.start, made.end, made.result.size


@pytest.mark.parametrize(
    ("encoding", "starts", "lengths", "size", "place"),
    [
        ("tensor<4x2xi16>", (1, 0), (2, 2), 8, (4, 12, 8)),
        ("tensor<4x2xi16>", (3, 1), (1, 1), 2, (14, 16, 2)),
        ("tensor<?x2xi16>", (1, 0), (2, 2), 8, (4, 12, 8)),
        ("tensor<?x?xi16>", (0, 3), (1, 2), 4, (6, 10, 4)),
        ("tensor<16xi8>", (5,), (3,), 3, (5, 8, 3)),
        ("tensor<16xi8>", (0,), (N,), N, (0, N, N)),
        ("tensor<4x2xi16>", (0, 0), (N, 2), M, (0, M, M)),
        ("tensor<2x2x2xi16>", (1, 1, 0), (1, 1, 2), 4, (12, 16, 4)),
    ],
)
def test_a_slice_of_whole_rows_or_of_one(
    encoding: str,
    starts: Operands,
    lengths: Operands,
    size: Index,
    place: tuple[Index, Index, Index],
) -> None:
    assert cut(encoding, starts, lengths, size) == place


@pytest.mark.parametrize(
    ("encoding", "starts", "lengths", "size", "why"),
    [
        ("tensor<4x2xi16>", (0, 0), (2, 1), 4, "a part of {} that does not lie together"),
        ("tensor<4x?xi16>", (0, 0), (2, 2), 8, "a part of {} that does not lie together"),
        ("tensor<4x?xi16>", (1, 0), (1, 2), 4, "a place in {} that is computed"),
        ("tensor<8xi16>", (N,), (1,), 2, "a place in {} that is computed"),
        ("tensor<16xi8>", (N,), (4,), 4, "a range whose end would have to be computed"),
        ("tensor<16xi8>", (4,), (N,), N, "a range whose end would have to be computed"),
    ],
)
def test_a_slice_that_is_no_range_of_known_bytes(
    encoding: str, starts: Operands, lengths: Operands, size: Index, why: str
) -> None:
    with pytest.raises(UnsupportedOperationError) as told:
        cut(encoding, starts, lengths, size)
    assert str(told.value) == why.format(encoding)


def filled(encoding: str, starts: Operands, lengths: Operands) -> Operation:
    return read(
        "fill", (SOURCE,), (), (16,), starts, lengths, (Literal(9, I8),), target_encoding=encoding
    )


def test_a_fill_is_as_long_as_its_elements() -> None:
    rows = filled("tensor<4x2xi16>", (1, 0), (2, 2))
    assert isinstance(rows, Fill)
    assert (rows.span.start, rows.span.end, rows.span.length) == (4, 12, 8)
    assert (rows.result.size, rows.pattern, rows.affinity) == (16, Literal(9, I8), A)
    bytes_of_it = filled("tensor<16xi8>", (0,), (N,))
    assert isinstance(bytes_of_it, Fill)
    assert (bytes_of_it.span.start, bytes_of_it.span.length) == (0, N)
    with pytest.raises(UnsupportedOperationError) as told:
        filled("tensor<8xi16>", (0,), (N,))
    assert str(told.value) == "stream.tensor.fill of a length that is computed"
    with pytest.raises(UnsupportedOperationError, match="does not lie together"):
        filled("tensor<4x2xi16>", (0, 0), (2, 1))


def updated(update_encoding: str, starts: Operands, size: Index) -> Operation:
    part = Value("part", ANY)
    return read(
        "update", (SOURCE,), (), (16,), starts, (part,), (), (size,),
        target_encoding="tensor<4x2xi16>", update_encoding=update_encoding,
    )  # fmt: skip


def test_an_update_writes_as_many_bytes_as_it_is_given() -> None:
    made = updated("tensor<2x2xi16>", (1, 0), 8)
    assert isinstance(made, Update)
    assert (made.start, made.end, made.source.size) == (4, 12, 8)
    assert (made.target.size, made.result.size, made.affinity) == (16, 16, A)
    rows = updated("tensor<?x2xi16>", (0, 0), N)
    assert isinstance(rows, Update)
    assert (rows.start, rows.end) == (0, N)
    for encoding in ("tensor<2x1xi16>", "tensor<2x?xi16>"):
        with pytest.raises(UnsupportedOperationError, match="does not lie together"):
            updated(encoding, (1, 0), 4)


def test_the_host_reads_and_writes_elements() -> None:
    here = Value("here", STAGING)
    load = read(
        "load", (here,), (), (16,), (2, 1), results=(Value("x", I16),),
        source_encoding="tensor<4x2xi16>",
    )  # fmt: skip
    assert load.assembly() == (
        "%x = stream.async.load %here[%c10] : !stream.resource<staging>{%c16} -> i16"
    )
    store = read(
        "store", (here,), (), (16,), (N,), (Literal(3, I8),), results=(Value("y", STAGING),),
        target_encoding="tensor<16xi8>",
    )  # fmt: skip
    assert store.assembly() == (
        "%y = stream.async.store %c3_i8, %here[%n] : i8 -> %here as !stream.resource<staging>{%c16}"
    )
    told = refused("load", (here,), (), (16,), (N,), source_encoding="tensor<4xi32>")
    assert told == "a place in tensor<4xi32> that is computed"
    told = refused("load", (here,), (), (16,), (Literal(1.5, F32),), source_encoding="tensor<4xi8>")
    assert told == "index operand is the constant 1.5: f32"


def test_a_dispatch_takes_whole_resources() -> None:
    other, long = Value("other", ANY), Value("long", ANY)
    operands = ((4, N), (SOURCE, Literal(3, I32), other), (16, M), (), (M, 8), ())
    made = read(
        "dispatch", *operands, results=(MADE, long), entry_points=("@ex::@inner::@k",),
        tied_operands=(2, -1),
    )  # fmt: skip
    assert isinstance(made, Dispatch)
    assert (made.kernel, made.workload, made.affinity) == ("ex::inner::k", (4, N), A)
    assert made.ties == (2, None)
    first, number, second = made.arguments
    assert number == Literal(3, I32)
    assert [getattr(one, "span").length for one in (first, second)] == [16, M]  # noqa: B009
    assert [output.size for output in made.outputs] == [M, 8]
    plain = read("dispatch", *operands, results=(MADE, long), entry_points=("@ex::@k",))
    assert isinstance(plain, Dispatch)
    assert plain.ties == (None, None)


def test_a_dispatch_of_one_of_several_kernels_is_not_known() -> None:
    groups = ((), (), (), (), (8,), ())
    told = refused("dispatch", *groups, entry_points=("@ex::@k", "@ex::@l"))
    assert told == "stream.tensor.dispatch of one of several kernels"


def test_operands_that_nothing_tells_apart() -> None:
    told = refused("clone", (SOURCE,), (16,), (16,), operandSegmentSizes=None)
    assert told == "stream.tensor.clone without operand segments"
