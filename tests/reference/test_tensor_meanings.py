"""What each op on tensors means: the bytes it makes, and where it stops to mean anything."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tensors import A, B, contents, dense, known_bytes, meaning, on_tensors, tensor

from reference.ir import Operation, UnsupportedOperationError
from reference.ops import (
    Alloca,
    Await,
    Barrier,
    Binding,
    ChainExternal,
    Clone,
    Constant,
    Dispatch,
    Export,
    HostScalar,
    Import,
    Join,
    Load,
    Slice,
    Splat,
    Store,
    TimepointBarrier,
    TimepointImport,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.ops.tensor_phase import TensorOperation
from reference.types import BUFFER_VIEW, FENCE, I8, I16, I32, INDEX, Lifetime, Literal, Value
from reference.values.content import literal, made_of
from reference.values.terms import UNWRITTEN

VIEW, FENCE_IN = Value("view", BUFFER_VIEW), Value("fence", FENCE)
I = Value("i", INDEX, known=2)  # noqa: E741
BYTES = dense("bytes", "[0, 1, 2, 3, 4, 5, 6, 7]", "8xi8", on=A)
WORDS = dense("words", "[[0, 1], [2, 3], [4, 5], [6, 7]]", "4x2xi16", on=A)
"""Element [row, column] is 2 * row + column, in two bytes."""

Places = tuple[int | Value, ...]


def sliced(
    source: TensorOperation, starts: Places, lengths: Places, kind: str, *open_ones: Value
) -> TensorOperation:
    return on_tensors(
        "flow.tensor.slice", source.outputs, (), starts, lengths, open_ones,
        gives=tensor("part", kind), on=B,
    )  # fmt: skip


def updated(
    source: TensorOperation, target: TensorOperation, starts: Places, *open_ones: Value
) -> TensorOperation:
    return on_tensors(
        "flow.tensor.update", target.outputs, (), starts, source.outputs, open_ones,
        gives=replace(target.outputs[0], name="whole"), on=B, ties=(0,),
    )  # fmt: skip


def kinds(operations: tuple[Operation, ...]) -> list[type[Operation]]:
    return [type(operation) for operation in operations]


def words(*numbers: int) -> bytes:
    """Numbers of two bytes each, as memory holds them."""
    return b"".join(number.to_bytes(2, "little") for number in numbers)


def test_what_makes_tensors() -> None:
    assert known_bytes(WORDS, gives=WORDS.outputs[0]) == words(*range(8))
    in_arith = replace(WORDS, name="arith.constant")
    assert known_bytes(in_arith, gives=WORDS.outputs[0]) == words(*range(8))
    same = on_tensors("flow.tensor.splat", (Literal(0x102, I16),), gives=tensor("s", "2x2xi16"))
    assert known_bytes(same, gives=same.outputs[0]) == b"\2\1" * 4
    for name in ("flow.tensor.empty", "flow.tensor.alloca"):
        empty = on_tensors(name, gives=tensor("e", "3xi32"), on=B)
        assert contents(empty, gives=empty.outputs) == [made_of(UNWRITTEN, 12)]
        (made,) = meaning(empty)
        assert isinstance(made, Alloca)
        assert (made.affinity, made.result.size) == (B, 12)


def test_a_constant_gets_the_lifetime_of_all_tensors_by_a_transfer_where_it_is() -> None:
    made, lifetime = meaning(WORDS)
    assert isinstance(made, Constant)
    assert (made.result.lifetime, made.length, made.affinity) == (Lifetime.CONSTANT, 16, A)
    assert isinstance(lifetime, Transfer)
    assert lifetime.source == made.result
    assert (lifetime.source_affinity, lifetime.target_affinity) == (A, A)
    assert (lifetime.result.name, lifetime.result.lifetime) == ("words", Lifetime.UNKNOWN)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("flow.tensor.clone", Clone),
        ("flow.tensor.transfer", Transfer),
        ("flow.tensor.barrier", Barrier),
    ],
)
def test_what_copies_runs_where_it_says(name: str, kind: type[Operation]) -> None:
    one = on_tensors(name, BYTES.outputs, gives=tensor("copied", "8xi8"), on=B)
    assert known_bytes(BYTES, one, gives=one.outputs[0]) == bytes(range(8))
    made = meaning(BYTES, one)[-1]
    assert type(made) is kind
    assert made.identity == "copied"
    if isinstance(made, Transfer):
        # Where the value comes from is for the affinity analysis to say.
        assert (made.source_affinity, made.target_affinity) == (None, B)
    else:
        assert made.execution_affinity == B


@pytest.mark.parametrize(
    ("starts", "lengths", "kind", "held"),
    [
        ((1, 0), (2, 2), "2x2xi16", words(2, 3, 4, 5)),
        ((2, 0), (1, 2), "1x2xi16", words(4, 5)),
        ((3, 1), (1, 1), "1x1xi16", words(7)),
        ((0, 0), (4, 2), "4x2xi16", words(*range(8))),
    ],
)
def test_a_slice_of_whole_rows_or_of_one(
    starts: Places, lengths: Places, kind: str, held: bytes
) -> None:
    part = sliced(WORDS, starts, lengths, kind)
    assert known_bytes(WORDS, part, gives=part.outputs[0]) == held


def test_a_slice_of_parts_of_several_rows_is_not_known() -> None:
    part = sliced(WORDS, (0, 0), (2, 1), "2x1xi16")
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(WORDS, part)
    assert str(told.value) == "flow.tensor.slice of bytes that do not lie together"


def test_lengths_that_the_caller_knows() -> None:
    rows = sliced(WORDS, (0, 0), (I, 2), "?x2xi16", I)
    later_rows = sliced(WORDS, (1, 0), (I, 2), "?x2xi16", I)
    in_a_row = sliced(WORDS, (3, 0), (1, I), "1x?xi16", I)
    for part, held in ((rows, (0, 1, 2, 3)), (later_rows, (2, 3, 4, 5)), (in_a_row, (6, 7))):
        assert contents(WORDS, part, gives=part.outputs, arguments=(I,)) == [literal(words(*held))]
    # From the start on the end is the length; further on it has to be computed.
    assert kinds(meaning(WORDS, rows, arguments=(I,)))[0] is HostScalar
    assert kinds(meaning(WORDS, rows, arguments=(I,)))[3:] == [Slice]
    times, *_, plus, _ = meaning(WORDS, later_rows, arguments=(I,))
    assert isinstance(times, HostScalar)
    assert isinstance(plus, HostScalar)
    assert (times.name, times.arguments) == ("arith.muli", (I, Literal(4, INDEX)))
    assert (plus.name, plus.arguments) == ("arith.addi", (Literal(4, INDEX), *times.outputs))
    whole_rows = sliced(WORDS, (0, 0), (2, I), "2x?xi16", I)
    with pytest.raises(UnsupportedOperationError, match="do not lie together"):
        meaning(WORDS, whole_rows, arguments=(I,))


def test_places_that_the_caller_knows_are_places_among_bytes_only() -> None:
    part = sliced(BYTES, (I,), (4,), "4xi8")
    assert contents(BYTES, part, gives=part.outputs, arguments=(I,)) == [literal(b"\2\3\4\5")]
    one_word = dense("w", "[1, 2]", "2xi16")
    for source, starts, lengths in ((one_word, (I,), (1,)), (WORDS, (I, 0), (1, 2))):
        cut = sliced(source, starts, lengths, f"{'x'.join(map(str, lengths))}xi16")
        with pytest.raises(UnsupportedOperationError) as told:
            meaning(source, cut, arguments=(I,))
        assert str(told.value) == "flow.tensor.slice at a place that is computed"


def test_places_in_tensors_with_open_dimensions() -> None:
    """How many rows there are does not matter, how long they are does."""
    for kind, known in (("?x2xi16", True), ("4x?xi16", False)):
        taken = on_tensors(
            "hal.tensor.import", (VIEW,), (I,), (), gives=tensor("taken", kind), on=A
        )
        element = on_tensors(
            "flow.tensor.load", taken.outputs, (I,), (1, 1), gives=Value("element", I16)
        )
        if known:
            made = meaning(taken, element, arguments=(VIEW, I))[-1]
            assert isinstance(made, Load)
            assert made.offset == (1 * 2 + 1) * 2
        else:
            with pytest.raises(UnsupportedOperationError, match=r"flow\.tensor\.load at a place"):
                meaning(taken, element, arguments=(VIEW, I))


def test_an_update_is_a_write_of_bytes_that_lie_together() -> None:
    nines = dense("nines", "9", "2x2xi16")
    into = updated(nines, WORDS, (1, 0))
    assert known_bytes(WORDS, nines, into, gives=into.outputs[0]) == words(0, 1, 9, 9, 9, 9, 6, 7)
    made = meaning(WORDS, nines, into)[-1]
    assert isinstance(made, Update)
    assert (made.start, made.end, made.affinity) == (4, 12, B)
    column = dense("column", "9", "2x1xi16")
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(WORDS, column, updated(column, WORDS, (1, 0)))
    assert str(told.value) == "flow.tensor.update of bytes that do not lie together"


def test_an_update_with_as_many_rows_as_the_caller_says() -> None:
    rows = on_tensors(
        "flow.tensor.splat", (Literal(9, I16), I), gives=tensor("rows", "?x2xi16"), on=A
    )
    into = updated(rows, WORDS, (1, 0), I)
    given = contents(WORDS, rows, into, gives=into.outputs, arguments=(I,))
    assert given == [literal(words(0, 1, 9, 9, 9, 9, 6, 7))]


def test_the_host_reads_and_writes_in_memory_of_its_own() -> None:
    element = on_tensors("flow.tensor.load", WORDS.outputs, (), (2, 1), gives=Value("element", I16))
    assert contents(WORDS, element, gives=element.outputs) == [5]
    staging, load = meaning(WORDS, element)[-2:]
    assert isinstance(staging, Transfer)
    assert isinstance(load, Load)
    assert (staging.source_affinity, staging.target_affinity) == (None, None)
    assert staging.result.lifetime is Lifetime.STAGING
    assert (load.source, load.offset) == (staging.result, 10)

    stored = on_tensors(
        "flow.tensor.store", (Literal(0x908, I16),), WORDS.outputs, (), (1, 1),
        gives=tensor("stored", "4x2xi16"), ties=(1,),
    )  # fmt: skip
    held = known_bytes(WORDS, stored, gives=stored.outputs[0])
    assert held == words(0, 1, 2, 0x908, 4, 5, 6, 7)
    there, store, back = meaning(WORDS, stored)[-3:]
    assert isinstance(there, Transfer)
    assert isinstance(store, Store)
    assert isinstance(back, Transfer)
    assert (store.target, store.offset, back.source) == (there.result, 6, store.result)
    assert (back.result.name, back.result.lifetime) == ("stored", Lifetime.UNKNOWN)


@pytest.mark.parametrize("name", ["flow.tensor.bitcast", "flow.tensor.reshape"])
def test_another_type_is_no_op(name: str) -> None:
    seen = on_tensors(name, WORDS.outputs, (), (), gives=tensor("seen", "16xi8"), ties=(0,))
    assert meaning(WORDS, seen) == meaning(WORDS)
    part = sliced(seen, (3,), (2,), "2xi8")
    assert known_bytes(WORDS, seen, part, gives=part.outputs[0]) == words(*range(8))[3:5]


def test_a_type_that_says_more_of_the_size_is_believed() -> None:
    taken = on_tensors("hal.tensor.import", (VIEW,), (I,), (), gives=tensor("taken", "?xi8"), on=A)
    seen = on_tensors(
        "flow.tensor.bitcast", taken.outputs, (I,), (), gives=tensor("seen", "1xi16"), ties=(0,)
    )
    again = on_tensors("flow.tensor.clone", seen.outputs, gives=tensor("again", "1xi16"), on=A)
    made = meaning(taken, seen, again, arguments=(VIEW, I))[-1]
    assert isinstance(made, Clone)
    assert (made.source.name, made.source.size, made.result.size) == ("taken", 2, 2)


def dispatched(points: str = "[@ex::@inner::@k]") -> TensorOperation:
    """A kernel of one tensor, one number and one tensor that it writes; then a tensor that it
    makes, as long as the caller says."""
    return on_tensors(
        "flow.dispatch", (4, I), (*BYTES.outputs, Literal(9, I32), *WORDS.outputs), (), (I,),
        gives=(tensor("d#0", "4x2xi16"), tensor("d#1", "?xi8")), ties=(4, None), on=B,
        attributes=(("entry_points", points),),
    )  # fmt: skip


def test_a_dispatch_takes_whole_tensors() -> None:
    made = meaning(BYTES, WORDS, dispatched(), arguments=(I,))[-1]
    assert isinstance(made, Dispatch)
    assert (made.kernel, made.workload, made.affinity) == ("ex::inner::k", (4, I), B)
    assert made.arguments[1] == Literal(9, I32)
    spans = [one.span for one in made.arguments if isinstance(one, Binding)]
    assert spans == [Range.of(0, 8), Range.of(0, 16)]
    # Ties are among the arguments; the workload stands before them on tensors.
    assert made.ties == (2, None)
    assert [output.size for output in made.outputs] == [16, I]


def test_a_dispatch_of_one_of_several_kernels_is_not_known() -> None:
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(BYTES, WORDS, dispatched("[@ex::@k, @ex::@l]"), arguments=(I,))
    assert str(told.value) == "flow.dispatch of one of several kernels"


def test_an_import_is_memory_of_the_callers() -> None:
    taken = on_tensors(
        "hal.tensor.import", (VIEW,), (I,), (), gives=tensor("taken", "?x2xi8"), on=A
    )
    count, made, lifetime = meaning(taken, arguments=(VIEW, I))
    assert isinstance(made, Import)
    assert (made.encoding, made.dimensions, made.consume) == ("tensor<?x2xi8>", (I,), False)
    assert (made.result.lifetime, made.result.size) == (Lifetime.EXTERNAL, count.results[0])
    assert isinstance(lifetime, Transfer)
    assert (lifetime.source, lifetime.result.name) == (made.result, "taken")
    assert (lifetime.source_affinity, lifetime.target_affinity) == (A, A)
    given_away = replace(taken, attributes=(("consume", "unit"), *taken.attributes))
    _, made, _ = meaning(given_away, arguments=(VIEW, I))
    assert isinstance(made, Import)
    assert made.consume


def test_an_import_behind_a_fence_is_awaited() -> None:
    taken = on_tensors(
        "hal.tensor.import", (VIEW,), (), (FENCE_IN,), gives=tensor("taken", "8xi8"), on=A
    )
    made, reached, awaited, lifetime = meaning(taken, arguments=(VIEW, FENCE_IN))
    assert isinstance(reached, TimepointImport)
    assert isinstance(awaited, Await)
    assert (reached.sources, reached.affinity) == ((FENCE_IN,), A)
    assert (awaited.awaits, awaited.sources) == (reached.result, made.results)
    assert lifetime.operands[0] == awaited.outputs[0]


def test_an_import_of_a_part_of_a_buffer_is_not_known() -> None:
    at_four = on_tensors(
        "hal.tensor.import", (VIEW,), (), (), (4,), gives=tensor("taken", "8xi8"), on=A
    )
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(at_four, arguments=(VIEW,))
    assert str(told.value) == "hal.tensor.import at an offset"


def test_an_export_is_a_view_of_memory_for_the_caller() -> None:
    rows = on_tensors("flow.tensor.splat", (Literal(9, I8), I), gives=tensor("rows", "?x2xi8"))
    out = on_tensors("hal.tensor.export", (*rows.outputs, I), gives=Value("out", BUFFER_VIEW), on=B)
    _, splat, lifetime, made = meaning(rows, out, arguments=(I,))
    assert isinstance(splat, Splat)
    assert isinstance(lifetime, Transfer)
    assert isinstance(made, Export)
    assert (lifetime.source, lifetime.result.lifetime) == (splat.result, Lifetime.EXTERNAL)
    assert (made.source, made.encoding, made.dimensions) == (
        lifetime.result,
        "tensor<?x2xi8>",
        (I,),
    )
    assert (made.result, made.affinity, lifetime.target_affinity) == (out.outputs[0], B, B)


def test_a_fence_is_signalled_when_a_tensor_is_ready() -> None:
    one = on_tensors(
        "hal.tensor.barrier", (*BYTES.outputs, FENCE_IN), gives=tensor("r", "8xi8"), ties=(0,)
    )
    ready, signal = meaning(BYTES, one, arguments=(FENCE_IN,))[2:]
    assert isinstance(ready, TimepointBarrier)
    assert isinstance(signal, ChainExternal)
    assert (ready.identity, ready.source.name, ready.result.name) == ("r", "bytes", "r")
    assert (signal.source, signal.externals) == (ready.timepoint, (FENCE_IN,))


def test_a_fence_is_signalled_when_all_of_several_tensors_are_ready() -> None:
    taken = on_tensors("hal.tensor.import", (VIEW,), (I,), (), gives=tensor("taken", "?xi8"), on=A)
    both = on_tensors(
        "hal.tensor.barrier", (*BYTES.outputs, *taken.outputs, FENCE_IN),
        gives=(tensor("r#0", "8xi8"), tensor("r#1", "?xi8")), ties=(0, 1),
    )  # fmt: skip
    one, other, joined, signal = meaning(BYTES, taken, both, arguments=(VIEW, I, FENCE_IN))[-4:]
    assert isinstance(one, TimepointBarrier)
    assert isinstance(other, TimepointBarrier)
    assert isinstance(joined, Join)
    assert isinstance(signal, ChainExternal)
    # The op says nothing of sizes: they are those of what it takes.
    assert [made.result.size for made in (one, other)] == [8, I]
    assert joined.sources == (one.timepoint, other.timepoint)
    assert (signal.source, signal.externals) == (joined.result, (FENCE_IN,))
    assert len({one.identity, other.identity, joined.identity, signal.identity}) == 4
