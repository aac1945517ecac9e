"""Every op: what it prints is what IREE reads, and it knows when it is not valid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

import pytest
from samples import (
    ARGUMENT,
    DYNAMIC,
    LENGTH,
    SAMPLES,
    SEVEN,
    VIEW,
    A,
    Ask,
    canonical,
    function,
    resource,
    with_operation,
)

from oracle.reader import read_program
from reference.affinity import Affinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError
from reference.ops import (
    OPERATIONS,
    Alloca,
    Barrier,
    Binding,
    Cast,
    Clone,
    Constant,
    Copy,
    Dispatch,
    Export,
    Fill,
    HostScalar,
    Import,
    Load,
    Return,
    Slice,
    Splat,
    Store,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.ops.constant import tensor_bytes
from reference.text import print_program
from reference.types import (
    F32,
    F64,
    I1,
    I8,
    I64,
    INDEX,
    RESOURCES,
    Lifetime,
    Literal,
    Value,
)

STAGING = resource("staging", Lifetime.STAGING)
OTHER = resource("other")
SHORT = resource("short", size=8)


def with_affinities() -> Iterable[Operation]:
    for sample in SAMPLES.values():
        yield sample
        for affinity in (None, Affinity("dev_b", 0b101)):
            names = [item.name for item in fields(sample) if item.name.endswith("affinity")]
            if names:
                yield replace(sample, **dict.fromkeys(names, affinity))


def other_forms() -> Iterable[Operation]:
    splat, dispatch = SAMPLES[Splat], SAMPLES[Dispatch]
    assert isinstance(splat, Splat)
    assert isinstance(dispatch, Dispatch)
    yield replace(splat, pattern=Literal(-1, I8))
    yield replace(splat, pattern=Literal(1 << 40, I64))
    yield replace(dispatch, workload=())
    for number in (Literal(1e-5, F64), Literal(-0.0, F32), Literal(1, I1), Literal(3, INDEX)):
        yield replace(dispatch, arguments=(number, *dispatch.arguments[1:]))
    external = replace(dispatch.outputs[0], type=RESOURCES[Lifetime.TRANSIENT])
    yield replace(dispatch, ties=(None, None), outputs=(external, dispatch.outputs[1]))
    yield replace(SAMPLES[Import], encoding="tensor<?x4xi8>", dimensions=(4,))
    yield replace(SAMPLES[Export], encoding="tensor<?x?xi8>", dimensions=(LENGTH, 4))
    yield replace(
        SAMPLES[HostScalar],
        name="arith.cmpi",
        outputs=(Value("sum", I1),),
        attributes=(("predicate", "2"),),
    )
    yield replace(
        SAMPLES[HostScalar],
        name="affine.apply",
        arguments=(LENGTH,),
        attributes=(("map", "affine_map<(d0) -> (d0 * 4)>"),),
    )


@pytest.mark.parametrize(
    "operation", [*with_affinities(), *other_forms()], ids=lambda op: op.mnemonic
)
def test_prints_what_iree_reads(ask: Ask, operation: Operation) -> None:
    text = print_program(with_operation(operation))
    read = read_program(ask(text, ["read"])[0])
    assert read.unsupported == ()
    assert canonical(print_program(read.program)) == canonical(text)
    (lifted,) = (op for op in read.program.operations() if op.identity == operation.identity)
    assert type(lifted) is type(operation)
    assert lifted.execution_affinity == operation.execution_affinity
    assert [str(value.type) for value in lifted.results] == [
        str(value.type) for value in operation.results
    ]
    assert len(lifted.inputs) == len(operation.inputs)
    assert len(lifted.tied) == len(operation.tied)


@pytest.mark.parametrize("operation", [*with_affinities(), *other_forms()])
def test_inputs_are_in_mlir_order(ask: Ask, operation: Operation) -> None:
    """`inputs` is MLIR's operand list: what the compiler reports for the op has its length."""
    (raw,) = ask(print_program(with_operation(operation)), ["read"])
    body = raw["regions"][0][0]["operations"][2]["regions"][0][0]["operations"]  # type: ignore[index]
    (entry,) = (op for op in body if op["location"] == operation.identity)
    assert len(entry["operands"]) == len(operation.inputs)


def test_each_op_has_a_sample() -> None:
    assert set(SAMPLES) == set(OPERATIONS.values())


@pytest.mark.parametrize("operation", SAMPLES.values(), ids=lambda op: op.mnemonic)
def test_a_sample_has_no_problems(operation: Operation) -> None:
    assert list(operation.problems()) == []


BROKEN: list[tuple[type[Operation], dict[str, object], str]] = [
    (Import, {"result": OTHER}, "not external"),
    (Import, {"source": LENGTH}, "not !hal.buffer_view"),
    (Export, {"source": OTHER}, "not external"),
    (Export, {"result": Value("exported", INDEX)}, "not !hal.buffer_view"),
    (Constant, {"length": 12}, "its elements have 12"),
    (Constant, {"result": STAGING}, "does not take"),
    (Alloca, {"result": STAGING}, "does not take"),
    (Splat, {"result": STAGING}, "does not take"),
    (Splat, {"pattern": Literal(1.0, F32)}, "not an i8, i16, i32 or i64"),
    (Splat, {"result": resource("splat", size=18)}, "no multiple of the pattern's 4"),
    (Clone, {"source": STAGING}, "source %staging"),
    (Clone, {"result": STAGING}, "result %staging"),
    (Clone, {"result": SHORT}, "but %short has 8 bytes"),
    (Slice, {"source": STAGING}, "does not take"),
    (Slice, {"result": resource("slice", Lifetime.EXTERNAL, 4)}, "but %slice is"),
    (Slice, {"result": SHORT}, "is not 8 bytes"),
    (Slice, {"start": 16, "end": 20}, "passes the end at 16"),
    (Slice, {"start": -4, "end": 0}, "negative"),
    (Fill, {"target": STAGING, "result": STAGING}, "does not take"),
    (Fill, {"result": resource("filled", Lifetime.EXTERNAL)}, "but %filled is"),
    (Fill, {"result": SHORT}, "but %short has 8 bytes"),
    (Fill, {"span": Range.of(16, 4)}, "passes the end"),
    (Fill, {"span": Range(0, 8, 4)}, "is not 4 bytes"),
    (Fill, {"span": Range.of(2, 4)}, "offset of 2 bytes is no multiple"),
    (Fill, {"span": Range.of(4, 2)}, "length of 2 bytes is no multiple"),
    (Fill, {"pattern": Literal(1, I1)}, "not an i8, i16, i32 or i64"),
    (Update, {"target": STAGING, "result": STAGING}, "does not take"),
    (Update, {"source": STAGING}, "does not take"),
    (Update, {"result": resource("updated", Lifetime.EXTERNAL)}, "but %updated is"),
    (Update, {"result": SHORT}, "but %short has 8 bytes"),
    (Update, {"target": SAMPLES[Slice].results[0]}, "written over itself"),
    (Update, {"start": 16, "end": 20}, "passes the end"),
    (Copy, {"target": STAGING, "result": STAGING}, "does not take"),
    (Copy, {"source": STAGING}, "does not take"),
    (Copy, {"result": resource("copied", Lifetime.EXTERNAL)}, "but %copied is"),
    (Copy, {"result": SHORT}, "but %short has 8 bytes"),
    (Copy, {"source_span": Range.of(14, 4)}, "source range"),
    (Copy, {"target_span": Range.of(14, 4)}, "target range"),
    (Copy, {"source": OTHER, "target": OTHER, "source_span": Range.of(2, 4)}, "ranges overlap"),
    (Dispatch, {"arguments": (SEVEN, Binding(STAGING, Range.of(0, 16)), SEVEN)}, "does not take"),
    (Dispatch, {"arguments": (SEVEN, Binding(OTHER, Range.of(8, 16)), SEVEN)}, "passes the end"),
    (Dispatch, {"outputs": (SAMPLES[Dispatch].results[0], STAGING)}, "result %staging"),
    (Dispatch, {"ties": (1, 1)}, "tied to one operand"),
    (Dispatch, {"outputs": (SHORT, OTHER)}, "but %"),
    (Dispatch, {"arguments": (SEVEN, *(Binding(OTHER, Range.of(0, 16)),) * 2)}, "read as another"),
    (Transfer, {"source": LENGTH}, "not a resource"),
    (Transfer, {"result": SHORT}, "but %short has 8 bytes"),
    (Barrier, {"result": STAGING}, "but %staging is"),
    (Barrier, {"result": SHORT}, "but %short has 8 bytes"),
    (Cast, {"source": STAGING}, "source %staging"),
    (Cast, {"result": STAGING}, "result %staging"),
    (Cast, {"result": SHORT}, "same size"),
    (Load, {"source": OTHER}, "not staging"),
    (Load, {"offset": 13}, "pass the end of %staged"),
    (Store, {"target": OTHER}, "not staging"),
    (Store, {"result": OTHER}, "but %other is"),
    (Store, {"result": resource("stored", Lifetime.STAGING, 8)}, "but %stored has 8 bytes"),
    (Store, {"offset": 13}, "pass the end of %scratch"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change", "expected"), BROKEN)
def test_a_broken_op_says_why(
    kind: type[Operation], change: dict[str, object], expected: str
) -> None:
    assert any(expected in problem for problem in replace(SAMPLES[kind], **change).problems())


SOUND: list[tuple[type[Operation], dict[str, object]]] = [
    (Splat, {"pattern": Literal(1, I8), "result": resource("splat", size=7)}),
    (Splat, {"result": DYNAMIC}),
    (Clone, {"source": DYNAMIC, "result": resource("fresh", size=32)}),
    (Slice, {"start": 12, "end": 16}),
    (Fill, {"span": Range.of(16, 0)}),
    (Update, {"start": 12, "end": 16}),
    (Copy, {"source": OTHER, "target": OTHER, "result": OTHER, "source_span": Range.of(0, 4)}),
    (Dispatch, {"arguments": (), "outputs": (), "ties": (), "workload": ()}),
    (Dispatch, {"outputs": (resource("in_place", Lifetime.EXTERNAL), OTHER)}),
    (Transfer, {"source": STAGING, "result": resource("moved", Lifetime.STAGING)}),
    (Barrier, {"source": STAGING, "result": resource("behind", Lifetime.STAGING)}),
    (Cast, {"result": resource("cast", Lifetime.UNKNOWN)}),
    (Load, {"offset": 12}),
    (Store, {"offset": 12}),
    (Constant, {"length": None}),
    (Constant, {"result": resource("constant", Lifetime.CONSTANT, Value("n", INDEX))}),
]


@pytest.mark.parametrize(("kind", "change"), SOUND)
def test_a_bound_is_within(kind: type[Operation], change: dict[str, object]) -> None:
    assert list(replace(SAMPLES[kind], **change).problems()) == []


@pytest.mark.parametrize(
    ("kind", "attributes", "operands"),
    [
        (Constant, {"value": "dense_resource<blob> : tensor<4xi32>"}, (16,)),
        (Constant, {"value": "dense<1> : tensor<4xi32>"}, (16, ARGUMENT)),
        (Alloca, {"affinity": "#hal.device.promise<@late>"}, (16,)),
        (Splat, {}, (SEVEN, SEVEN)),
        (Clone, {}, (16, 16, 16)),
        (Import, {"consume": True}, (VIEW, 16)),
        (Dispatch, {"entry_points": ("@a::@b", "@a::@c"), "operandSegmentSizes": ()}, ()),
        (Dispatch, {"entry_points": ("@a::@b",), "operandSegmentSizes": None}, ()),
        (HostScalar, {}, (ARGUMENT,)),
        (HostScalar, {"fastmath": None}, (LENGTH,)),
        (Operation, {}, ()),
    ],
)
def test_an_unknown_form_is_unsupported(
    kind: type[Operation], attributes: dict[str, object], operands: tuple[object, ...]
) -> None:
    generic = GenericOperation("some.op", "op0", operands, (OTHER,), attributes)  # type: ignore[arg-type]
    if kind is HostScalar:
        generic = replace(generic, results=(Value("sum", INDEX),))
    with pytest.raises(UnsupportedOperationError):
        kind.from_generic(generic)


def test_results_of_a_pack_are_printed_as_one(ask: Ask) -> None:
    outputs = (resource("pair#0"), resource("pair#1"))
    dispatch = Dispatch(
        identity="op0", kernel="ex::d", workload=(), arguments=(), outputs=outputs,
        ties=(None, None), affinity=A,
    )  # fmt: skip
    user = Clone(identity="op1", source=outputs[1], result=OTHER, affinity=A)
    whole = replace(
        with_operation(SAMPLES[Alloca]), functions=(function(dispatch, user, Return(
            identity="op2", values=(OTHER,))),),
    )  # fmt: skip
    assert "%pair:2 = " in print_program(whole)
    read = read_program(ask(print_program(whole), ["read"])[0]).program
    copy = read.functions[0].entry.operations[1]
    assert isinstance(copy, Clone)
    assert copy.source == read.functions[0].entry.operations[0].results[1]


@pytest.mark.parametrize(
    ("tensor", "size"),
    [("tensor<4xi32>", 16), ("tensor<2x3xf16>", 12), ("tensor<i8>", 1), ("tensor<0xi8>", 0),
     ("tensor<4xi1>", None), ("tensor<?xi8>", None), ("vector<4xi8>", None)],
)  # fmt: skip
def test_the_bytes_of_a_tensor(tensor: str, size: int | None) -> None:
    assert tensor_bytes(tensor) == size
