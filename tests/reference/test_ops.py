"""Every op: what it prints is what IREE reads, and it knows when it is not valid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

import pytest
from language import LANGUAGE, one_block, with_nested
from samples import (
    ARGUMENT,
    DYNAMIC,
    LENGTH,
    SAMPLES,
    SEVEN,
    A,
    Ask,
    canonical,
    function,
    resource,
    with_operation,
)

from oracle.reading.reader import read_program
from reference.affinity import Affinity
from reference.ir import (
    GenericOperation,
    Operation,
    Program,
    Region,
    Successor,
    UnsupportedOperationError,
)
from reference.ops import (
    OPERATIONS,
    Alloca,
    Await,
    Barrier,
    Binding,
    Branch,
    Call,
    Cast,
    ChainExternal,
    Clone,
    Concurrent,
    Condition,
    ConditionalBranch,
    Constant,
    Copy,
    Dispatch,
    Execute,
    Export,
    Fill,
    For,
    GlobalLoad,
    GlobalStore,
    HostScalar,
    If,
    Immediate,
    Import,
    Join,
    Load,
    OpaqueOperation,
    OptimizationBarrier,
    ResourceSize,
    Return,
    Select,
    Slice,
    Splat,
    Store,
    StreamYield,
    TimepointBarrier,
    TimepointExport,
    TimepointImport,
    Transfer,
    Transients,
    Update,
    While,
    Yield,
)
from reference.ops.assembly import Range
from reference.ops.command import COMMAND_OPERATIONS
from reference.ops.constant import tensor_bytes
from reference.text import print_program
from reference.types import (
    BUFFER,
    F32,
    F64,
    FENCE,
    I1,
    I8,
    I64,
    INDEX,
    RESOURCES,
    TIMEPOINT,
    Lifetime,
    Literal,
    OpaqueType,
    Value,
)

STAGING = resource("staging", Lifetime.STAGING)
OTHER = resource("other")
SHORT = resource("short", size=8)


def with_affinities() -> Iterable[Operation]:
    for sample in (*SAMPLES.values(), *LANGUAGE.values()):
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
    yield replace(dispatch, other_kernels=("ex::other", "plain"))
    yield replace(SAMPLES[Import], consume=True)
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


def program_with(operation: Operation) -> Program:
    """A program that holds the op in its place."""
    return (with_nested if type(operation) in LANGUAGE else with_operation)(operation)


def forms_of_the_language() -> Iterable[Operation]:
    going = Condition(identity="inner", condition=Literal(1, I1), values=())
    end = Yield(identity="end", values=())
    yield If(
        identity="op30", condition=Literal(1, I1), outputs=(), then=one_block(end),
        otherwise=Region(()),
    )  # fmt: skip
    yield If(
        identity="op30", condition=Literal(1, I1), outputs=(), then=one_block(end),
        otherwise=one_block(replace(end, identity="other")),
    )  # fmt: skip
    yield For(
        identity="op30", lower=0, upper=LENGTH, step=2, initial=(), outputs=(),
        body=one_block(end, arguments=(Value("index", INDEX),)),
    )  # fmt: skip
    yield While(
        identity="op30", initial=(), outputs=(), before=one_block(going), after=one_block(end)
    )
    yield replace(LANGUAGE[Await], sync=True)
    yield replace(LANGUAGE[GlobalLoad], symbol="state", immutable=False)
    yield replace(LANGUAGE[GlobalStore], symbol="size", source=Literal(5, INDEX))
    yield replace(LANGUAGE[Transients], awaits=None)
    yield replace(LANGUAGE[Execute], awaits=None, ties=(0, None))
    yield replace(LANGUAGE[Branch], target=Successor(2, (resource("waved"), 7)))
    inside = resource("in")
    yield replace(LANGUAGE[StreamYield], identity="op25", values=(resource("wave"), inside))
    yield replace(LANGUAGE[Concurrent], affinity=A, ties=(0,))
    device = Value("device", OpaqueType("!hal.device"))
    yield OpaqueOperation(
        identity="op29", name="hal.device.resolve", arguments=(), outputs=(device,),
        attributes=(("affinity", str(A)),),
    )  # fmt: skip
    yield replace(
        LANGUAGE[OpaqueOperation], attributes=(("affinity", str(A)), ("kept", "[1 : i64, 2 : i64]"))
    )


@pytest.mark.parametrize(
    "operation",
    [*with_affinities(), *other_forms(), *forms_of_the_language()],
    ids=lambda op: op.mnemonic,
)
def test_prints_what_iree_reads(ask: Ask, operation: Operation) -> None:
    text = print_program(program_with(operation))
    read = read_program(ask(text, ["read"])[0])
    assert read.unsupported == ()
    assert canonical(print_program(read.program)) == canonical(text)
    (lifted,) = (op for op in read.program.operations() if op.identity == operation.identity)
    assert type(lifted) is type(operation)
    assert lifted.execution_affinity == operation.execution_affinity
    assert lifted.side_effects == operation.side_effects
    assert lifted.pins == operation.pins
    assert [str(value.type) for value in lifted.results] == [
        str(value.type) for value in operation.results
    ]
    assert len(lifted.inputs) == len(operation.inputs)
    assert len(lifted.tied) == len(operation.tied)
    assert len(lifted.regions) == len(operation.regions)
    assert len(lifted.await_timepoints) == len(operation.await_timepoints)
    assert [successor.block for successor in lifted.successors] == [
        successor.block for successor in operation.successors
    ]


@pytest.mark.parametrize(
    "operation", [*with_affinities(), *other_forms(), *forms_of_the_language()]
)
def test_inputs_are_in_mlir_order(ask: Ask, operation: Operation) -> None:
    """`inputs` is MLIR's operand list: what the compiler reports for the op has its length."""
    text = print_program(program_with(operation))
    (found,) = ask(text, ["find", [generic_name(operation)]])
    entries = [op for op in found if op["location"] == operation.identity]  # type: ignore[attr-defined]
    assert [len(op["operand_types"]) for op in entries] == [len(operation.inputs)]


def generic_name(operation: Operation) -> str:
    """The op's name in MLIR."""
    named = isinstance(operation, HostScalar | OpaqueOperation)
    return operation.name if named else operation.mnemonic


def test_each_op_has_a_sample() -> None:
    # Commands have theirs in `test_command_ops.py`.
    commands = set(COMMAND_OPERATIONS.values())
    assert set(SAMPLES) | set(LANGUAGE) == set(OPERATIONS.values()) - commands
    assert not set(SAMPLES) & set(LANGUAGE)


@pytest.mark.parametrize(
    "operation", [*SAMPLES.values(), *LANGUAGE.values()], ids=lambda op: op.mnemonic
)
def test_a_sample_has_no_problems(operation: Operation) -> None:
    assert list(operation.problems()) == []


BROKEN: list[tuple[type[Operation], dict[str, object], str]] = [
    (Import, {"result": STAGING}, "not external"),
    (Import, {"source": LENGTH}, "not !hal.buffer or !hal.buffer_view"),
    (Export, {"source": OTHER}, "not external"),
    (Export, {"result": Value("exported", INDEX)}, "not !hal.buffer or"),
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
    (Import, {"source": Value("view", FENCE)}, "not !hal.buffer"),
    (Splat, {"awaits": LENGTH}, "not !stream.timepoint"),
    (Constant, {"awaits": LENGTH}, "not !stream.timepoint"),
    (If, {"condition": LENGTH}, "the condition is index"),
    (If, {"otherwise": Region(())}, "no else region"),
    (ConditionalBranch, {"condition": Literal(1, I8)}, "the condition is i8"),
    (Condition, {"condition": LENGTH}, "the condition is index"),
    (For, {"step": 0}, "leads nowhere"),
    (Select, {"condition": LENGTH}, "the condition is index"),
    (Select, {"otherwise": STAGING}, "but %staging is"),
    (Select, {"result": STAGING}, "but %staging is"),
    (OptimizationBarrier, {"sources": (STAGING,)}, "takes (!stream.resource<staging>)"),
    (Call, {"ties": (0, None)}, "1 results have 2 ties"),
    (Call, {"ties": (3,)}, "tied to argument 3 of 3"),
    (Transients, {"source": STAGING, "result": STAGING}, "does not take"),
    (Transients, {"result": STAGING}, "but %staging is"),
    (Transients, {"result": SHORT}, "but %short has 8 bytes"),
    (Transients, {"storage": LENGTH}, "not a resource"),
    (Transients, {"awaits": LENGTH}, "not !stream.timepoint"),
    (Transients, {"timepoint": LENGTH}, "not !stream.timepoint"),
    (Execute, {"timepoint": LENGTH}, "not !stream.timepoint"),
    (Execute, {"awaits": LENGTH}, "not !stream.timepoint"),
    (Immediate, {"result": LENGTH}, "not !stream.timepoint"),
    (TimepointImport, {"result": LENGTH}, "not !stream.timepoint"),
    (TimepointExport, {"source": LENGTH}, "not !stream.timepoint"),
    (ChainExternal, {"source": LENGTH}, "not !stream.timepoint"),
    (Join, {"sources": (LENGTH,)}, "not !stream.timepoint"),
    (TimepointBarrier, {"timepoint": LENGTH}, "not !stream.timepoint"),
    (TimepointBarrier, {"result": STAGING}, "but %staging is"),
    (TimepointBarrier, {"result": SHORT}, "but %short has 8 bytes"),
    (Await, {"awaits": LENGTH}, "not !stream.timepoint"),
    (Await, {"outputs": (STAGING,)}, "but %staging is"),
    (Await, {"outputs": (SHORT,)}, "but %short has 8 bytes"),
    (Await, {"sources": (), "outputs": ()}, "hands no resource on"),
    (ResourceSize, {"source": LENGTH}, "not a resource"),
    (ResourceSize, {"result": SHORT}, "not index"),
]  # fmt: skip
ALL = {**SAMPLES, **LANGUAGE}


@pytest.mark.parametrize(("kind", "change", "expected"), BROKEN)
def test_a_broken_op_says_why(
    kind: type[Operation], change: dict[str, object], expected: str
) -> None:
    assert any(expected in problem for problem in replace(ALL[kind], **change).problems())


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
    (Import, {"source": Value("buffer", BUFFER), "result": OTHER}),
    (Splat, {"awaits": Value("ready", TIMEPOINT)}),
    (For, {"step": LENGTH}),
    (If, {"outputs": (), "otherwise": Region(())}),
    (Call, {"ties": ()}),
    (Select, {"then": LENGTH, "otherwise": LENGTH, "result": LENGTH}),
]


@pytest.mark.parametrize(("kind", "change"), SOUND)
def test_a_bound_is_within(kind: type[Operation], change: dict[str, object]) -> None:
    assert list(replace(ALL[kind], **change).problems()) == []


@pytest.mark.parametrize(
    ("kind", "attributes", "operands"),
    [
        (Constant, {"value": "dense_resource<blob> : tensor<4xi32>"}, (16,)),
        (Alloca, {"affinity": "#hal.device.optimal<[]>"}, (16,)),
        (Splat, {}, (SEVEN, SEVEN)),
        (Clone, {}, (16, 16, 16)),
        (Dispatch, {"entry_points": ("@a::@b",), "operandSegmentSizes": None}, ()),
        (HostScalar, {}, (ARGUMENT,)),
        (HostScalar, {"fastmath": None}, (LENGTH,)),
        (OpaqueOperation, {}, (LENGTH,)),
        (OpaqueOperation, {}, (ARGUMENT,)),
        (Select, {}, (Literal(1, I1), 7, 8)),
        (Operation, {}, ()),
    ],
)
def test_an_unknown_form_is_unsupported(
    kind: type[Operation], attributes: dict[str, object], operands: tuple[object, ...]
) -> None:
    generic = GenericOperation("some.op", "op0", operands, (OTHER,), attributes)  # type: ignore[arg-type]
    if kind is HostScalar:
        generic = generic._replace(results=(Value("sum", INDEX),))
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
