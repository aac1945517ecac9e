"""What programs are run with and compared by: kernels, arming, bytes, blame, what tools print."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import A, B, function, resource

from oracle.compiling.stock import outcome_of
from oracle.running import pipeline
from oracle.running.arming import arm
from oracle.running.blame import maker
from oracle.running.kernels import (
    BUILTINS,
    KernelInterfaces,
    compute,
    executable,
    kernel_symbol,
    letters_of,
)
from oracle.running.numeric import Bytes, Evaluator
from oracle.running.replay import QueueOperation, queue_operations, told
from oracle.running.stock import printed_difference
from oracle.running.trial import Argument, Expected, difference, shown, signed, trials
from reference.ir import Operation, Program, UnsupportedOperationError, walk
from reference.ops import (
    Alloca,
    Binding,
    ChainExternal,
    Clone,
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
    TimepointImport,
    Transfer,
    Update,
)
from reference.ops.assembly import Range
from reference.text import print_program
from reference.types import (
    BUFFER_VIEW,
    F32,
    FENCE,
    I8,
    I32,
    I64,
    INDEX,
    TIMEPOINT,
    Lifetime,
    Literal,
    Scalar,
    Value,
)
from reference.values.content import Content, literal, made_of
from reference.values.terms import UNWRITTEN, Terms

EXTERNAL = Lifetime.EXTERNAL
SEVEN, NINE = Literal(7, I8), Literal(9, I8)
VIEW = Value("view", BUFFER_VIEW)


def imported(name: str = "in") -> Import:
    return Import(
        identity=name, source=VIEW, encoding="tensor<4xi32>", dimensions=(),
        result=resource(name, EXTERNAL), affinity=A,
    )  # fmt: skip


def dispatch(
    name: str,
    *sources: Value,
    tied: bool = False,
    kernel: str = "ex::k",
    scalars: tuple[Scalar, ...] = (),
    span: Range | None = None,
) -> Dispatch:
    bindings = tuple(Binding(source, span or Range.of(0, 16)) for source in sources)
    output = replace(sources[0], name=name) if tied else resource(name)
    return Dispatch(
        identity=name, kernel=kernel, workload=(4,), arguments=(*scalars, *bindings),
        outputs=(output,), ties=(len(scalars) if tied else None,), affinity=A,
    )  # fmt: skip


def returning(*operations: Operation, of: tuple[Value, ...]) -> Program:
    end = Return(identity="end", values=of)
    main = function(*operations, end, arguments=(VIEW,))
    return Program((A.device, B.device), (main,))


def dispatches(program: Program) -> list[Dispatch]:
    return [one for one in program.operations() if isinstance(one, Dispatch)]


def test_a_kernel_is_known_by_what_it_does_to_its_bindings() -> None:
    assert letters_of(kernel_symbol("wro", 5)) == "wro"
    assert letters_of("ex::a_wr_t") is None
    told = executable(kernel_symbol("wro", 5))
    assert (told.scalars, told.access) == (5, ("rw", "ro", "wo"))
    assert told.source.count("dispatch.tensor.store") == 2
    assert "dispatch.tensor" not in told.stub
    assert told.packed.count(": i32, ") == 10


def test_what_a_kernel_does_not_read_is_blind() -> None:
    interfaces = KernelInterfaces()
    assert interfaces.blind(kernel_symbol("owro", 5), 4) == {0, 3}
    assert interfaces.blind("ex::a_r_n", 2) == {1}


@given(st.binary(min_size=1, max_size=40), st.data())
def test_every_byte_that_is_read_shows(content: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(content) - 1))
    changed = bytearray(content)
    changed[place] ^= data.draw(st.integers(1, 255))
    before = compute("ro", 1, (1, 2), (content, 16), 16)
    assert before != compute("ro", 1, (1, 2), (bytes(changed), 16), 16)
    assert before != compute("ro", 1, (1, 3), (content, 16), 16)
    assert before != compute("roo", 2, (1, 2), (content, 16, 16), 16)


@given(st.binary(max_size=40), st.integers(0, 60), st.integers(0, 60))
def test_how_much_is_written_does_not_change_what(content: bytes, one: int, other: int) -> None:
    short, long = sorted((one, other))
    given = ("wo", 1, (5,), (content, long))
    assert compute(*given, long)[:short] == compute(*given, short)


def test_each_dispatch_gets_the_kernel_of_its_bindings() -> None:
    first, second = imported(), dispatch("made", imported().result, scalars=(NINE,))
    third = dispatch("worked", second.outputs[0], tied=True)
    armed = arm(returning(first, second, third, of=()))
    made, worked = dispatches(armed.program)
    assert made.kernel == kernel_symbol("ro", 5)
    assert worked.kernel == kernel_symbol("w", 4)
    assert made.arguments[1:5] == (
        Literal(9, I64), Literal(0, I64), Literal(16, I64), Literal(16, I64),
    )  # fmt: skip
    assert made.workload == ()
    assert worked.ties == (4,)
    assert [one.name for one in armed.executables] == ["kernel_ro_5", "kernel_w_4"]
    assert armed.devices == (A.device, B.device)


def test_kernels_of_two_names_are_told_apart() -> None:
    one = dispatch("one", imported().result, kernel="ex::one")
    other = dispatch("other", imported().result, kernel="ex::other")
    armed = arm(returning(imported(), one, other, of=()))
    salts = {made.arguments[0] for made in dispatches(armed.program)}
    assert len(salts) == 2


@pytest.mark.parametrize(
    ("kind", "ops"),
    [
        (I64, []),
        (INDEX, ["arith.index_castui"]),
        (I8, ["arith.extui"]),
        (F32, ["arith.bitcast", "arith.extui"]),
    ],
)
def test_what_a_kernel_takes_is_widened(kind: object, ops: list[str]) -> None:
    number = Value("wide0", kind)  # type: ignore[arg-type]
    made = dispatch("made", imported().result, scalars=(number,))
    main = function(imported(), made, Return(identity="end", values=()), arguments=(VIEW, number))
    armed = arm(Program((A.device,), (main,)))
    added = [one for one in armed.program.operations() if isinstance(one, HostScalar)]
    assert [one.name for one in added] == ops
    (wide,) = dispatches(armed.program)[0].arguments[1:2]
    assert (wide.type if isinstance(wide, Value) else None) == I64
    assert all(one.outputs[0].name != "wide0" for one in added)


def test_arming_twice_changes_nothing() -> None:
    made = dispatch("made", imported().result)
    sent = Clone(identity="c", source=made.outputs[0], result=resource("c", EXTERNAL), affinity=A)
    armed = arm(returning(imported(), made, sent, of=(sent.result,)))
    again = arm(armed.program)
    assert again.program == armed.program
    assert again.whole_text == armed.whole_text


def test_resources_are_returned_as_views() -> None:
    armed = arm(returning(imported(), of=(imported().result,)))
    *_, export, end = armed.program.functions[0].body.blocks[0].operations
    assert isinstance(export, Export)
    assert isinstance(end, Return)
    assert end.values == (export.result,)
    assert armed.program.functions[0].result_types == (BUFFER_VIEW,)


def test_an_index_is_loaded_as_a_number() -> None:
    staged = resource("staged", Lifetime.STAGING)
    load = Load(identity="load", source=staged, offset=0, result=Value("n", INDEX))
    main = function(load, Return(identity="end", values=()), arguments=(staged,))
    armed = arm(Program((A.device,), (main,)))
    loaded, cast, _ = armed.program.functions[0].body.blocks[0].operations
    assert isinstance(loaded, Load)
    assert isinstance(cast, HostScalar)
    assert loaded.result.type == I64
    assert cast.outputs == (load.result,)


def test_patterns_of_eight_bytes_need_builtins() -> None:
    splat = Splat(identity="s", pattern=Literal(7, I64), result=resource("s"), affinity=A)
    armed = arm(returning(splat, of=()))
    assert [one.name for one in armed.executables] == list(BUILTINS)
    assert "__builtin" not in armed.fast_text + armed.whole_text


@pytest.mark.parametrize(("tensors", "needed"), [(True, list(BUILTINS)), (False, [])])
def test_a_store_in_a_tensor_is_a_pattern(tensors: bool, needed: list[str]) -> None:
    staged = Transfer(
        identity="staged", source=imported().result, result=resource("s", Lifetime.STAGING),
        source_affinity=A, target_affinity=A, explicit_affinity=None,
    )  # fmt: skip
    store = Store(
        identity="store", target=staged.result, offset=8, scalar=Literal(7, I64),
        result=resource("written", Lifetime.STAGING),
    )  # fmt: skip
    program = replace(returning(imported(), staged, store, of=()), tensors=tensors)
    assert [one.name for one in arm(program).executables] == needed


def test_a_dispatch_on_nothing_cannot_be_run() -> None:
    nothing = Dispatch(
        identity="none", kernel="ex::k", workload=(), arguments=(), outputs=(), ties=(),
        affinity=A,
    )  # fmt: skip
    with pytest.raises(UnsupportedOperationError):
        arm(returning(nothing, of=()))


def test_devices_that_only_ops_name_are_devices() -> None:
    program = replace(returning(imported(), of=()), devices=())
    assert arm(program).devices == (A.device,)


def test_bytes_that_nobody_wrote_mean_nothing() -> None:
    evaluator = Evaluator(0)
    terms = Terms()
    half = Content((*literal(b"ab").pieces, (UNWRITTEN, 0, 2)), 4)
    assert evaluator.content(half) == Bytes(b"ab\0\0", b"\1\1\0\0")
    kernel = terms.kernel(kernel_symbol("ro", 3), 1, (1, 2, 3), (half, 4))
    assert not any(evaluator.content(made_of(kernel, 4)).defined)


def test_bytes_of_a_kernel_are_computed() -> None:
    evaluator = Evaluator(0)
    kernel = Terms().kernel(kernel_symbol("ro", 3), 1, (1, 2, 3), (literal(b"ab"), 8))
    whole = compute("ro", 1, (1, 2, 3), (b"ab", 8), 8)
    assert evaluator.content(made_of(kernel, 4)).data == whole[:4]
    assert evaluator.content(made_of(kernel, 4, offset=4)).data == whole[4:]


def test_what_is_passed_in_depends_on_its_name_and_set_only() -> None:
    long, short = Evaluator(0).input("a", 1000), Evaluator(0).input("a", 10)
    assert long[:10] == short
    assert Evaluator(0).input("b", 10) != short != Evaluator(1).input("a", 10)


def test_kernels_without_arithmetic_cannot_be_run() -> None:
    foreign = Terms().kernel("ex::foreign", 1, (), (4, 4))
    for term in (foreign, Terms().foreign("dense<…>")):
        with pytest.raises(UnsupportedOperationError):
            Evaluator(0).content(made_of(term, 4))


def test_two_sets_of_inputs_give_two_results() -> None:
    armed = arm(returning(imported(), of=(imported().result,)))
    one, other = trials(armed.program)
    assert one.expected[0].what == "result 0 of @main"
    assert one.expected[0].value != other.expected[0].value
    (argument,) = one.calls[0].arguments
    assert isinstance(one.expected[0].value, Bytes)
    assert argument.value == one.expected[0].value.data
    told = base64.b64encode(argument.value).decode()
    assert one.request == [["main", [{"view": told}]]]


def test_a_fence_that_the_program_does_not_reach_is_reached() -> None:
    fences = [Value("waited", FENCE), Value("signaled", FENCE)]
    done = Value("done", TIMEPOINT)
    given = TimepointImport(identity="i", sources=(fences[0],), result=done, affinity=A)
    chained = ChainExternal(identity="c", source=done, externals=(fences[1],), affinity=A)
    end = Return(identity="end", values=())
    main = function(given, chained, end, arguments=tuple(fences))
    (first, *_) = trials(Program((A.device,), (main,)))
    assert first.request == [["main", [{"fence": 1}, {"fence": 0}]]]


def expected(value: Bytes | int, kind: object = BUFFER_VIEW) -> Expected:
    return Expected("result 0 of @main", value, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "actual", "place"),
    [
        (Bytes(b"abc", b"\1\1\1"), {"bytes": "YWJj"}, None),
        (Bytes(b"abd", b"\1\1\1"), {"bytes": "YWJj"}, 2),
        (Bytes(b"abd", b"\1\1\0"), {"bytes": "YWJj"}, None),
        (Bytes(b"ab", b"\1\1"), {"bytes": "YWJj"}, 2),
        (Bytes(b"ab", b"\1\1"), {}, 0),
    ],
)
def test_bytes_are_compared_where_they_mean_something(
    wanted: Bytes, actual: dict[str, object], place: int | None
) -> None:
    assert difference(expected(wanted), actual) == place  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "kind", "actual"),
    [
        (255, I8, {"i64": -1}),
        (0xFFFFFFFF, I32, {"i64": -1}),
        (1 << 63, I64, {"i64": -(1 << 63)}),
        (0x3FC00000, F32, {"real": 1.5}),
    ],
)
def test_numbers_are_compared_by_their_bits(
    wanted: int, kind: object, actual: dict[str, object]
) -> None:
    assert difference(expected(wanted, kind), actual) is None  # type: ignore[arg-type]
    assert difference(expected(wanted ^ 1, kind), actual) == 0  # type: ignore[arg-type]
    assert shown(actual, kind) == wanted  # type: ignore[arg-type]


def test_what_is_no_number_is_not_told_apart() -> None:
    signalling, quiet = 0xFFA9061F, {"real": math.nan}
    assert difference(expected(signalling, F32), quiet) is None
    assert difference(expected(signalling, I32), {"i64": 0x7FC00000}) == 0
    assert difference(expected(0x7F800000, F32), quiet) == 0
    printed = "EXEC @main\nresult[0]: f32=nan\n"
    assert printed_difference([expected(signalling, F32)], printed) is None
    assert printed_difference([expected(0x7F800000, F32)], printed) is not None


def test_arguments_are_told_with_their_sign() -> None:
    assert signed(Argument(I8, 255)) == -1
    assert signed(Argument(I64, 5)) == 5


PRINTED = """EXEC @main
result[0]: hal.buffer_view
2x2xi16=[1 2][-1 4]
result[1]: hal.buffer
(no printer)
result[2]: i32=-1
"""


def test_what_the_tool_prints_is_compared() -> None:
    data = bytes.fromhex("01000200ffff0400")
    whole = [
        expected(Bytes(data, b"\1" * 8)),
        expected(Bytes(b"unseen", b"\1" * 6)),
        expected(255, I8),
    ]
    assert printed_difference(whole, PRINTED) is None
    wrong = expected(Bytes(b"\2" + data[1:], b"\1" * 8))
    assert printed_difference([wrong, *whole[1:]], PRINTED) is wrong
    unsaid = expected(Bytes(b"\2" + data[1:], b"\0" + b"\1" * 7))
    assert printed_difference([unsaid, *whole[1:]], PRINTED) is None
    number = expected(254, I8)
    assert printed_difference([*whole[:2], number], PRINTED) is number


@pytest.mark.parametrize(
    ("version", "known_first"),
    [("3.9.0", True), ("3.11.0", True), ("3.12.0", True), ("3.13.0", False), ("3.14.0", False)],
)
def test_arguments_that_are_known_are_propagated_where_calls_mix_up_many(
    version: str, known_first: bool
) -> None:
    conversion, _ = pipeline.vm(version)
    # What a call is told may be known only once the call before it returns nothing that is.
    assert (conversion.passes.count("iree-util-ipo") > 1) == known_first
    assert (conversion.passes[0] == "iree-util-ipo") == known_first


def test_a_tool_s_end_is_told_in_words() -> None:
    assert [outcome_of(code) for code in (0, 1, -11, 139, 245)] == [
        "exit 0", "exit 1", "SIGSEGV", "SIGSEGV", "SIGSEGV",
    ]  # fmt: skip


def test_the_maker_of_a_byte_is_found_through_copies() -> None:
    made = dispatch("made", imported().result)
    sent = Transfer(
        identity="sent", source=made.outputs[0], result=resource("sent"), source_affinity=A,
        target_affinity=B,
    )  # fmt: skip
    filled = Fill(
        identity="filled", pattern=SEVEN, target=sent.result, span=Range.of(4, 4),
        result=replace(sent.result, name="filled"), affinity=B,
    )  # fmt: skip
    part = Slice(
        identity="part", source=filled.result, start=4, end=12, result=resource("part", size=8),
        affinity=B,
    )  # fmt: skip
    base = Alloca(identity="base", result=resource("base"), affinity=B)
    updated = Update(
        identity="updated", source=part.result, target=base.result, start=8, end=16,
        result=replace(base.result, name="updated"), affinity=B,
    )  # fmt: skip
    copied = Copy(
        identity="copied", source=updated.result, source_span=Range.of(8, 4),
        target=resource("base2"), target_span=Range.of(0, 4),
        result=resource("copied", EXTERNAL), affinity=B,
    )  # fmt: skip
    worked = dispatch("worked", copied.result, tied=True, span=Range.of(12, 4))
    program = returning(
        imported(), made, sent, filled, part, base, updated, copied, worked,
        of=(worked.outputs[0], updated.result, copied.result),
    )  # fmt: skip
    told = [
        (result, byte, maker(program, "main", result, byte, {}).shape)
        for result, byte in ((0, 12), (0, 0), (1, 12), (1, 0), (2, 9))
    ]
    assert told == [
        (0, 12, ("dispatch", "in-place", "same-device")),
        (0, 0, ("fill", "in-place", "same-device")),
        (1, 12, ("dispatch", "new", "cross-device")),
        (1, 0, ("alloca", "new", "same-device")),
        (2, 9, ("unknown", "same-device")),
    ]


def test_every_op_of_an_armed_program_is_printed() -> None:
    made = dispatch("made", imported().result)
    armed = arm(returning(imported(), made, of=()))
    text = print_program(armed.program)
    assert armed.whole_text.count("stream.executable private") == 1
    assert all(f'loc("{one.identity}")' in text for one in walk(armed.program.functions[0].body))


def record(kind: str, **more: object) -> str:
    return json.dumps({"kind": kind, "object_type": "none", **more})


def test_a_capture_says_which_device_was_given_what() -> None:
    lines = [
        record("session"),
        record("object", object_type="device", object_id=1),
        record("object", object_type="device", object_id=3),
        record(
            "operation", operation="command_buffer.copy_buffer", device_id=3, object_id=9,
            payload={"target": {"length": 16}},
        ),
        record("operation", operation="command_buffer.dispatch", device_id=3, object_id=9),
        record("operation", operation="command_buffer.end", device_id=3, object_id=9),
        record(
            "operation", operation="device.queue_execute", device_id=3, object_id=3,
            payload={
                "command_buffer_id": 9,
                "wait_semaphores": [{"semaphore_id": 4, "value": 1}],
                "signal_semaphores": [{"semaphore_id": 5, "value": 2}],
            },
        ),
        record("operation", operation="device.queue_alloca", device_id=1, object_id=1),
    ]  # fmt: skip
    executed, allocated = queue_operations("\n".join(lines))
    assert executed == QueueOperation(1, "execute", ("copy 16", "dispatch"), ((4, 1),), ((5, 2),))
    assert (allocated.device, allocated.kind) == (0, "alloca")
    shown = told("\n".join(lines), ["local-sync", "local-task"])
    assert "device 1 (local-task): execute [copy 16, dispatch], after #4=1, signals #5=2" in shown
    assert told("not JSON", []) == ""


def test_what_says_nowhere_to_run_gets_the_first_device() -> None:
    plain = returning(imported(), of=())
    assert arm(plain).program.default_affinity == A
    assert arm(replace(plain, default_affinity=B)).program.default_affinity == B
    assert arm(plain).whole_text.startswith(f"module attributes {{stream.affinity.default = {A}}}")
