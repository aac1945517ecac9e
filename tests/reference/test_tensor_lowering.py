"""Programs on tensors as programs of the Stream phase: sizes, shapes, and that nothing is lost."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flow import CHOICE, choose, region, when
from hypothesis import given, settings
from samples import canonical
from tensors import A, B, body_of, contents, dense, meaning, on_tensors, program_of, tensor
from valued import copy, function, program, splat, transfer, update

from gen.profiles import profile_named
from gen.strategies import programs
from reference.ir import (
    Function,
    Global,
    Initializer,
    Operation,
    Program,
    Region,
    UnsupportedOperationError,
)
from reference.ops import (
    Call,
    Clone,
    GlobalStore,
    HostScalar,
    If,
    OptimizationBarrier,
    Return,
    Yield,
)
from reference.ops.tensor_phase import TensorOperation
from reference.tensor import is_on_tensors, lifted, lowered
from reference.tensor.lowering import TENSOR
from reference.tensor.shapes import shape_of, told_dimensions
from reference.text import print_program
from reference.types import (
    BUFFER_VIEW,
    FENCE,
    I8,
    I16,
    INDEX,
    Index,
    Literal,
    Value,
    parse_type,
)
from reference.values.content import literal
from reference.values.evaluation import evaluate
from reference.values.inputs import inputs_of
from reference.values.kernels import Interfaces
from reference.values.outcome import difference
from reference.values.terms import Terms
from reference.verifier import verify

I, J = Value("i", INDEX, known=2), Value("j", INDEX, known=3)  # noqa: E741
BYTES = dense("bytes", "[0, 1, 2, 3, 4, 5, 6, 7]", "8xi8", on=A)
VIEW, FENCE_OUT = Value("view", BUFFER_VIEW), Value("fence", FENCE)


@pytest.mark.parametrize(
    ("kind", "extents", "width"),
    [
        ("tensor<4x?xi32>", (4, None), 4),
        ("tensor<f64>", (), 8),
        ("tensor<0xi8>", (0,), 1),
        ("tensor<2xbf16>", (2,), 2),
    ],
)
def test_what_a_type_tells(kind: str, extents: tuple[int | None, ...], width: int) -> None:
    shape = shape_of(parse_type(kind))
    assert (shape.extents, shape.width) == (extents, width)


@pytest.mark.parametrize("kind", ["tensor<4xi1>", "tensor<*xi32>", "tensor<4xindex>", "i32"])
def test_elements_that_are_not_whole_bytes_have_no_shape(kind: str) -> None:
    with pytest.raises(UnsupportedOperationError) as told:
        shape_of(parse_type(kind))
    assert str(told.value) == f"a value of type {kind}"


T, U = tensor("t", "?x?xi8"), tensor("u", "?xi8")


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        (on_tensors("flow.tensor.clone", (T, I, J), gives=U), [(T, (I, J)), (U, (I, J))]),
        (on_tensors("flow.tensor.transfer", (U, 4), gives=T), [(U, (4,)), (T, (4,))]),
        (
            on_tensors("hal.tensor.export", (T, I, J), gives=Value("v", BUFFER_VIEW)),
            [(T, (I, J))],
        ),
        (on_tensors("flow.tensor.splat", (Literal(1, I8), I), gives=U), [(U, (I,))]),
        (on_tensors("flow.tensor.empty", (I, J), gives=T), [(T, (I, J))]),
        (
            on_tensors("flow.tensor.slice", (T,), (I, J), (0, 0), (1, 4), (4,), gives=U),
            [(T, (I, J)), (U, (4,))],
        ),
        (
            on_tensors("flow.tensor.update", (T,), (I, J), (0, 0), (U,), (4,), gives=T),
            [(T, (I, J)), (U, (4,)), (T, (I, J))],
        ),
        (on_tensors("flow.tensor.load", (T,), (I, J), (0, 0), gives=Value("x", I8)), [(T, (I, J))]),
        (
            on_tensors("flow.tensor.store", (Literal(1, I8),), (U,), (J,), (0,), gives=T),
            [(U, (J,)), (T, (J,))],
        ),
        (
            on_tensors("flow.tensor.reshape", (T,), (I, J), (4,), gives=U),
            [(T, (I, J)), (U, (4,))],
        ),
        (on_tensors("hal.tensor.import", (VIEW,), (I, J), (), gives=T), [(T, (I, J))]),
        (
            on_tensors("flow.dispatch", (I,), (T, J, U), (I, J, 4), (J,), gives=U),
            [(T, (I, J)), (U, (4,)), (U, (J,))],
        ),
        (on_tensors("hal.tensor.barrier", (T, FENCE_OUT), gives=U), []),
    ],
)  # fmt: skip
def test_what_an_op_tells_of_open_dimensions(
    operation: TensorOperation, told: list[tuple[Value, tuple[Index, ...]]]
) -> None:
    assert told_dimensions(operation) == told


def splat_of(kind: str, *open_ones: Index) -> TensorOperation:
    return on_tensors(
        "flow.tensor.splat", (Literal(9, I16), *open_ones), gives=tensor("s", kind), on=A
    )


@pytest.mark.parametrize(
    ("kind", "open_ones", "size"),
    [
        ("4x2xi16", (), 16),
        ("i16", (), 2),
        ("?x2xi16", (3,), 12),
        ("?x1xi8", (I,), I),
        ("?x0xi16", (I,), None),
    ],
)
def test_sizes_for_which_nothing_has_to_be_computed(
    kind: str, open_ones: tuple[Index, ...], size: Index | None
) -> None:
    *before, made = meaning(splat_of(kind, *open_ones), arguments=(I,))
    (result,) = made.results
    if size is None:
        (product,) = before
        assert (result.size, product.results) == (product.results[0], (result.size,))
    else:
        assert (before, result.size) == ([], size)


def test_a_size_is_the_product_of_its_open_dimensions_and_the_bytes_of_the_rest() -> None:
    first, second, made = meaning(splat_of("?x5x?xi16", I, J), arguments=(I, J))
    assert isinstance(first, HostScalar)
    assert isinstance(second, HostScalar)
    assert (first.name, first.arguments) == ("arith.muli", (I, J))
    assert second.arguments == (first.outputs[0], Literal(5 * 2, INDEX))
    assert made.results[0].size == second.outputs[0]
    assert len({one.identity for one in (first, second, made)}) == 3
    splat = splat_of("?x5x?xi16", I, J)
    (held,) = contents(splat, gives=splat.outputs, arguments=(I, J))
    assert held == literal(b"\x09\0" * (2 * 5 * 3))


def test_bytes_are_as_many_as_were_divided_into_elements() -> None:
    """Nothing is multiplied again: what was divided is the size."""

    def sized(width: int, kind: str) -> Index | None:
        divided = HostScalar(
            identity="count", name="arith.divui", arguments=(I, Literal(width, INDEX)),
            outputs=(Value("count", INDEX),),
        )  # fmt: skip
        splat = splat_of(kind, *divided.outputs)
        return meaning(divided, splat, arguments=(I,))[-1].results[0].size

    assert sized(2, "?xi16") == I
    assert sized(4, "?x2xi16") == I
    # Words of two bytes, but quarters were counted.
    for width, kind in ((4, "?xi16"), (2, "?x2xi16")):
        size = sized(width, kind)
        assert isinstance(size, Value)
        assert size.name not in (I.name, "count")


def test_of_a_division_by_what_is_not_constant_nothing_is_known() -> None:
    divided = HostScalar(
        identity="count", name="arith.divui", arguments=(I, J), outputs=(Value("count", INDEX),)
    )
    *_, product, made = meaning(divided, splat_of("?xi16", *divided.outputs), arguments=(I, J))
    assert made.results[0].size == product.results[0]


def test_a_tensor_whose_size_no_op_tells_has_none() -> None:
    held = OptimizationBarrier(identity="b", sources=(U,), outputs=(tensor("kept", "?xi8"),))
    (made,) = meaning(held, arguments=(U,))
    assert isinstance(made, OptimizationBarrier)
    for value in (*made.operands, *made.results):
        assert (value.type, value.size) == (TENSOR, None)


READY = tensor("ready", "?xi8")


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("flow.tensor.update", (BYTES.outputs, (), (0,), (READY,), (I,))),
        ("flow.dispatch", ((), (READY,), (I,), ())),
    ],
)
def test_what_went_through_a_barrier_without_a_known_length_is_named(
    name: str, groups: tuple[tuple[Index, ...], ...]
) -> None:
    """A barrier for a fence does not say how long its tensors are."""
    ready = on_tensors("hal.tensor.barrier", (U, FENCE_OUT), gives=READY, ties=(0,))
    used = on_tensors(
        name, *groups, gives=tensor("out", "8xi8"),
        attributes=(("entry_points", "[@ex::@k]"),),
    )  # fmt: skip
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(BYTES, ready, used, arguments=(U, FENCE_OUT, I))
    assert str(told.value) == f"{name} of unknown length"


def test_a_size_is_computed_once_and_before_all_that_have_it() -> None:
    """Behind what tells it: an op of the host has no place for it, nor do others see a region."""
    rows = tensor("rows", "?x2xi16")
    kept = OptimizationBarrier(identity="b", sources=(rows,), outputs=(tensor("kept", "?x2xi16"),))
    cloned = on_tensors("flow.tensor.clone", (rows, I), gives=tensor("c", "?x2xi16"))
    product, barrier, clone = meaning(kept, cloned, arguments=(rows, I))
    assert isinstance(product, HostScalar)
    assert (product.name, product.arguments) == ("arith.muli", (I, Literal(4, INDEX)))
    assert isinstance(barrier, OptimizationBarrier)
    assert isinstance(clone, Clone)
    assert (clone.source.size, clone.result.size) == (*product.outputs, *product.outputs)


def test_a_size_first_told_within_a_region_is_there_behind_it() -> None:
    rows = tensor("rows", "?x2xi16")
    within = on_tensors("flow.tensor.clone", (rows, I), gives=tensor("c", "?x2xi16"))
    behind = on_tensors("flow.tensor.clone", (rows, I), gives=tensor("d", "?x2xi16"))
    program = program_of(when("r", within), behind, arguments=(CHOICE, rows, I))
    assert list(verify(lowered(program))) == []


def test_a_program_on_resources_is_left_as_it_is() -> None:
    plain = program_of(gives=(I,), arguments=(I,))
    assert not is_on_tensors(plain)
    assert lowered(plain) is plain


def test_one_tensor_anywhere_makes_a_program_on_tensors() -> None:
    (main,) = program_of().functions
    outer = Function("outer", Region(()), (), declared=(U.type,))
    given = Function("given", Region(()), (U.type,))
    for whole in (
        program_of(BYTES),
        program_of(globals=(Global("g", U.type),)),
        program_of(arguments=(U,)),
        Program((), (main, outer)),
        Program((), (main, given)),
    ):
        assert is_on_tensors(whole)
        assert lowered(whole).tensors


def test_signatures_globals_and_initializers_are_of_resources() -> None:
    stored = GlobalStore(identity="store", symbol="g", source=BYTES.outputs[0])
    setup = region(BYTES, stored, Return(identity="end_setup", values=()))
    outer = Function("outer", Region(()), (U.type, I8), declared=(I8, U.type))
    whole = replace(
        program_of(globals=(Global("g", BYTES.outputs[0].type, mutable=True), Global("n", I8))),
        initializers=(Initializer(setup),),
    )
    found = lowered(replace(whole, functions=(*whole.functions, outer)))
    assert [one.type for one in found.globals] == [TENSOR, I8]
    assert found.functions[1].declared == (I8, TENSOR)
    assert found.functions[1].result_types == (TENSOR, I8)
    (initializer,) = found.initializers
    store = initializer.body.blocks[0].operations[-2]
    assert isinstance(store, GlobalStore)
    assert store.source.type == TENSOR
    strange = replace(whole, globals=(Global("g", parse_type("tensor<4xi1>")),), initializers=())
    with pytest.raises(UnsupportedOperationError, match=r"a value of type tensor<4xi1>"):
        lowered(strange)


def test_an_op_without_a_meaning_is_named() -> None:
    encoded = on_tensors("flow.tensor.encode", BYTES.outputs, gives=tensor("e", "8xi8"))
    with pytest.raises(UnsupportedOperationError) as told:
        meaning(BYTES, encoded)
    assert str(told.value) == "flow.tensor.encode"


def test_ops_of_the_host_take_resources_and_hold_regions_of_such() -> None:
    cloned = on_tensors("flow.tensor.clone", BYTES.outputs, gives=tensor("c", "8xi8"), on=B)
    chosen = replace(
        choose("r", [cloned], cloned, [], BYTES), outputs=(tensor("r", "8xi8"),)
    )  # fmt: skip
    called = Call(identity="call", callee="f", arguments=chosen.outputs, outputs=())
    *_, one, other = body_of(lowered(program_of(BYTES, chosen, called, arguments=(CHOICE,))))
    assert isinstance(one, If)
    inner, handed_on = one.then.blocks[0].operations
    assert isinstance(inner, Clone)
    assert isinstance(handed_on, Yield)
    assert handed_on.values == (inner.result,)
    assert (one.outputs[0].type, one.outputs[0].size) == (TENSOR, 8)
    assert other.operands == one.outputs


@settings(max_examples=60)
@given(programs(profile_named("tensor")))
def test_what_a_program_means_is_what_was_written(written: Program) -> None:
    """From resources to tensors and back: the same results, a valid program, the same tensors."""
    on_paper = lifted(written)
    assert is_on_tensors(on_paper) or not any(map(_is_about_tensors, written.operations()))
    meant = lowered(on_paper)
    terms, interfaces = Terms(), Interfaces(written)
    for inputs in inputs_of(written):
        ours = evaluate(written, inputs, terms, interfaces)
        assert difference(ours, evaluate(meant, inputs, terms, interfaces)) is None
    # Several ops have the location, or the pack of names, of the one that they were made of.
    assert {one.rule for one in verify(meant)} <= {"unique-identities", "printable-names"}
    assert numbered(lifted(meant)) == numbered(on_paper)


@pytest.mark.parametrize("way", ["update", "copy"])
def test_a_value_over_itself_is_the_value(way: str) -> None:
    """A transfer without ends is nothing on tensors: what copies a value over it writes nothing."""
    start = splat("start", 1)
    moved = replace(transfer("moved", start), source_affinity=None, target_affinity=None)
    over = {
        "update": update("over", start, moved, 0, 8),
        "copy": copy("over", start, 0, moved, 0, 8),
    }[way]
    written = program(function(start, moved, over))
    on_paper = lifted(replace(written, tensors=True))
    ops = [one for one in on_paper.operations() if isinstance(one, TensorOperation)]
    assert [one.name for one in ops][-1] == "flow.tensor.clone"
    assert not list(verify(lowered(on_paper)))


def numbered(program: Program) -> list[str]:
    """Each body's text with its values numbered in order."""
    text = print_program(program, locations=False)
    return [canonical(part) for part in re.split(r"(?=util\.(?:func|initializer) )", text)]


def _is_about_tensors(operation: Operation) -> bool:
    return any(value.is_resource for value in (*operation.operands, *operation.results))
