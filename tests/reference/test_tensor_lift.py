"""Programs written on tensors: every op has a form, and what has none is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from gen.profiles import profile_named
from gen.programs import program
from reference.affinity import Affinity
from reference.contracts.handed_back import broken, promises
from reference.ir import Block, Function, Operation, Program, Region
from reference.ops import (
    Binding,
    Call,
    Dispatch,
    Export,
    Fill,
    Import,
    Return,
    Slice,
    Splat,
    Transfer,
)
from reference.ops.assembly import Range
from reference.ops.tensor_phase import TensorOperation
from reference.tensor import InexpressibleError, expressible, lifted
from reference.text import print_program
from reference.types import (
    BUFFER_VIEW,
    I8,
    I32,
    INDEX,
    RESOURCES,
    Lifetime,
    Literal,
    Value,
)

A, B = Affinity("dev_a"), Affinity("dev_b")
ANY, EXTERNAL = RESOURCES[Lifetime.UNKNOWN], RESOURCES[Lifetime.EXTERNAL]
VIEW = Value("view", BUFFER_VIEW)

EVERY_OPERATION = {
    "hal.tensor.import", "hal.tensor.export", "hal.tensor.barrier",
    "flow.tensor.constant", "flow.tensor.empty", "flow.tensor.splat", "flow.tensor.clone",
    "flow.tensor.transfer", "flow.tensor.barrier", "flow.tensor.slice", "flow.tensor.update",
    "flow.tensor.load", "flow.tensor.store", "flow.tensor.bitcast", "flow.tensor.reshape",
    "flow.dispatch",
    "util.optimization_barrier", "util.call", "util.global.load", "util.global.store",
    "arith.select", "scf.for", "scf.while", "scf.if", "cf.br", "cf.cond_br",
}  # fmt: skip
"""Every op that a program on tensors may have."""


def module(*operations: Operation, result: Value | None = None) -> Program:
    """A program with one function that takes a buffer view."""
    values = () if result is None else (result,)
    body = Block((*operations, Return(identity="end", values=values)), (VIEW,))
    types = tuple(value.type for value in values)
    main = Function("main", Region((body,)), types)
    return Program(("dev_a", "dev_b"), (main,), tensors=True)


def imported(name: str = "in", affinity: Affinity | None = A) -> Import:
    return Import(
        identity=f"import_{name}",
        source=VIEW,
        encoding="tensor<4xi32>",
        dimensions=(),
        result=Value(name, EXTERNAL, 16),
        affinity=affinity,
    )


def moved(source: Value, name: str, start: Affinity, end: Affinity) -> Transfer:
    return Transfer(
        identity=f"move_{name}",
        source=source,
        result=Value(name, ANY, source.size),
        source_affinity=start,
        target_affinity=end,
    )


def lines(program: Program) -> list[str]:
    """What is printed of the function's body, without locations."""
    text = print_program(program, locations=False)
    body = text.partition("util.func")[2].splitlines()[1:]
    return [line.strip() for line in body if "arith.constant" not in line][:-2]


def test_a_change_of_lifetime_alone_is_nothing() -> None:
    first = imported()
    told = lines(module(first, moved(first.result, "x", A, A), moved(first.result, "y", A, B)))
    assert told == [
        "%in = hal.tensor.import on(#hal.device.affinity<@dev_a>) %view : !hal.buffer_view -> "
        "tensor<16xi8>",
        "%y = flow.tensor.transfer %in : tensor<16xi8> to #hal.device.affinity<@dev_b>",
        "util.return",
    ]


def test_a_pattern_of_several_bytes_is_a_tensor_of_such_elements() -> None:
    splat = Splat(identity="s", pattern=Literal(7, I32), result=Value("s", ANY, 16), affinity=A)
    fill = Fill(
        identity="f",
        pattern=Literal(3, I8),
        target=splat.result,
        span=Range.of(4, 8),
        result=Value("f", ANY, 16),
        affinity=A,
    )
    on_a = " attributes {stream.affinity = #hal.device.affinity<@dev_a>}"
    assert lines(module(splat, fill)) == [
        f"%t0 = flow.tensor.splat %c7_i32 : tensor<4xi32>{on_a}",
        "%s = flow.tensor.bitcast %t0 : tensor<4xi32> -> tensor<16xi8>",
        f"%t1 = flow.tensor.splat %c3_i8 : tensor<8xi8>{on_a}",
        f"%f = flow.tensor.update %t1, %s[%c4] : tensor<8xi8> -> %s as tensor<16xi8>{on_a}",
        "util.return",
    ]


def test_a_kernel_over_part_of_a_value_takes_a_slice_that_is_put_back() -> None:
    first = imported()
    work = Dispatch(
        identity="d",
        kernel="ex::k",
        workload=(),
        arguments=(Binding(first.result, Range.of(4, 8)),),
        outputs=(Value("d", EXTERNAL, 16),),
        ties=(0,),
        affinity=A,
    )
    assert lines(module(first, work))[1:] == [
        "%t0 = flow.tensor.slice %in[%c4 for %c8] : tensor<16xi8> -> tensor<8xi8> "
        "attributes {stream.affinity = #hal.device.affinity<@dev_a>}",
        "%t1 = flow.dispatch @ex::@k(%t0) {stream.affinity = #hal.device.affinity<@dev_a>} : "
        "(tensor<8xi8>) -> %t0",
        "%d = flow.tensor.update %t1, %in[%c4] : tensor<8xi8> -> %in as tensor<16xi8> "
        "attributes {stream.affinity = #hal.device.affinity<@dev_a>}",
        "util.return",
    ]


def test_what_has_no_form_is_named() -> None:
    first = imported()
    explicit = replace(moved(first.result, "x", A, B), explicit_affinity=A)
    assert expressible(module(first, replace(explicit, explicit_affinity=B))) is None
    assert expressible(module(first, explicit)) == (
        "on(#hal.device.affinity<@dev_a>) of a transfer"
    )
    with pytest.raises(InexpressibleError, match=r"on\(#hal\.device\.affinity<@dev_a>\)"):
        print_program(module(first, explicit))


def test_resources_of_the_callers_become_views() -> None:
    value = Value("x", RESOURCES[Lifetime.VARIABLE], 16)
    body = Block((Return(identity="end", values=(value,)),), (value,))
    main = Function("main", Region((body,)), (value.type,))
    told = lines(Program(("dev_a",), (main,), tensors=True))
    assert told == [
        "%view1 = hal.tensor.import %view0 : !hal.buffer_view -> tensor<16xi8>",
        "%view3 = hal.tensor.export %view1 : tensor<16xi8> -> !hal.buffer_view",
        "util.return %view3 : !hal.buffer_view",
    ]


def programs() -> Iterator[Program]:
    profile = profile_named("tensor")
    for index in range(1200):
        yield program(3, index, profile)


def test_the_generator_makes_every_op_on_tensors_and_nothing_without_a_form() -> None:
    found: Counter[str] = Counter()
    for one in programs():
        assert one.tensors
        for operation in lifted(one).operations():
            told = operation.name if isinstance(operation, TensorOperation) else None
            found[told or operation.mnemonic] += 1
    assert EVERY_OPERATION - set(found) == set()
    assert not [name for name in found if name.startswith("stream.")]


def test_a_program_says_its_level_in_its_text() -> None:
    text = print_program(program(3, 1, profile_named("tensor")))
    assert not re.search(r"stream\.async|!stream\.resource", text)


def exported(source: Value, affinity: Affinity) -> tuple[Transfer, Export]:
    outer = Value(f"{source.name}_out", EXTERNAL, source.size)
    lifetime = replace(moved(source, "out", affinity, affinity), result=outer)
    export = Export(
        identity="export",
        source=outer,
        encoding="tensor<4xi32>",
        dimensions=(),
        result=Value("given", BUFFER_VIEW),
        affinity=affinity,
    )
    return lifetime, export


def passed_through(source: Affinity, target: Affinity, *between: Transfer) -> Program:
    first = imported(affinity=source)
    value = between[-1].result if between else first.result
    leaving = exported(value, target)
    return module(first, *between, *leaving, result=leaving[-1].result)


def test_what_goes_out_on_another_device_is_promised_there() -> None:
    (promise,) = promises(passed_through(B, A))
    assert (promise.argument, promise.source, promise.result, promise.target) == (0, B, 0, A)
    assert broken(promise, module(result=VIEW))
    assert not broken(promise, passed_through(B, A))


def test_what_stays_or_is_moved_is_no_promise_to_be_kept_by_others() -> None:
    first = imported(affinity=B)
    assert list(promises(passed_through(A, A))) == []
    assert list(promises(passed_through(B, A, moved(first.result, "m", B, A)))) == []


def test_slices_keep_their_places() -> None:
    first = imported()
    part = Slice(
        identity="p", source=first.result, start=4, end=12, result=Value("p", ANY, 8), affinity=None
    )
    assert lines(module(first, part))[1] == (
        "%p = flow.tensor.slice %in[%c4 for %c8] : tensor<16xi8> -> tensor<8xi8>"
    )


def test_a_value_of_unknown_length_is_told() -> None:
    taken = imported()
    inner = Block((taken, Return(identity="inner", values=(taken.result,))), (VIEW,))
    callee = Function("callee", Region((inner,)), (EXTERNAL,), public=False)
    call = Call(
        identity="call", callee="callee", arguments=(VIEW,), outputs=(Value("r", EXTERNAL),)
    )
    whole = module(call)
    with pytest.raises(InexpressibleError, match="%r, of which nothing says how long it is"):
        lifted(replace(whole, functions=(*whole.functions, callee)))


def test_of_two_results_only_the_one_of_another_type_is_reshaped() -> None:
    """The caller knows the length of the second by an index only."""
    one, other = Value("one", ANY, 16), Value("other", ANY, 8)
    made = [
        Splat(identity=value.name, pattern=Literal(1, I8), result=value, affinity=A)
        for value in (one, other)
    ]
    inner = Block((*made, Return(identity="inner", values=(one, other))))
    callee = Function("callee", Region((inner,)), (ANY, ANY), public=False)
    length = Value("length", INDEX)
    called = Value("r", ANY, 16), Value("s", ANY, length)
    whole = module(
        Call(identity="call", callee="callee", arguments=(), outputs=called),
        moved(called[0], "x", A, B),
        moved(called[1], "y", A, B),
    )
    (main,) = whole.functions
    body = Block(main.entry.operations, (*main.entry.arguments, length))
    found = lines(replace(whole, functions=(replace(main, body=Region((body,))), callee)))
    assert found[:4] == [
        "%t0, %t1 = util.call @callee() : () -> (tensor<16xi8>, tensor<8xi8>)",
        "%s = flow.tensor.reshape %t1 : tensor<8xi8> -> tensor<?xi8>{%length}",
        "%x = flow.tensor.transfer %t0 : tensor<16xi8> to #hal.device.affinity<@dev_b>",
        "%y = flow.tensor.transfer %s : tensor<?xi8>{%length} to #hal.device.affinity<@dev_b>",
    ]
