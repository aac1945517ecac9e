"""The reader on control flow, calls, globals, time and whole modules that others wrote."""

from __future__ import annotations

import pytest
from language import LANGUAGE, whole_language
from samples import A, Ask, B, canonical

from oracle.reading.raw import function_type, printed
from oracle.reading.reader import ReadProgram, read_program
from reference.affinity import Affinity, Link, Topology
from reference.ir import Operation, Program, Region, walk
from reference.ops import (
    Call,
    Clone,
    Execute,
    GlobalLoad,
    HostScalar,
    If,
    OpaqueOperation,
    Select,
)
from reference.ops.tensor_phase import (
    BoundaryTensorOperation,
    PlacelessTensorOperation,
    TensorOperation,
)
from reference.text import print_program
from reference.types import I32, INDEX, OpaqueType, TensorType, Value
from reference.verifier import verify


def read(ask: Ask, text: str, tensors: bool = False) -> ReadProgram:
    return read_program(ask(text, ["read"])[0], tensors)


def one(program: Program, kind: type[Operation]) -> Operation:
    (found,) = (op for op in program.operations() if type(op) is kind)
    return found


def test_the_whole_language_comes_back(ask: Ask) -> None:
    whole = whole_language()
    result = read(ask, print_program(whole))
    assert result.complete
    assert canonical(print_program(result.program)) == canonical(print_program(whole))
    again = read(ask, print_program(result.program)).program
    assert list(map(shape, again.bodies())) == list(map(shape, whole.bodies()))
    assert again.globals == whole.globals
    assert again.default_affinity == whole.default_affinity
    for left, right in zip(again.functions, whole.functions, strict=True):
        assert left.ties == right.ties
        assert left.result_types == right.result_types
        assert left.argument_types == right.argument_types
        assert (left.public, left.attributes) == (right.public, right.attributes)
        assert left.default_affinity == right.default_affinity
        assert left.is_declaration == right.is_declaration
    assert verify(result.program) == ()


def shape(body: Region) -> list[object]:
    """What of a body does not depend on names."""
    return [
        (type(op), op.identity, len(op.inputs), op.successors and [s.block for s in op.successors])
        for op in walk(body)
    ]


def test_every_size_is_learned(ask: Ask) -> None:
    """Block arguments and results without a size of their own have that of their uses."""
    program = read(ask, print_program(whole_language())).program
    unsized = {
        value.name
        for body in program.bodies()
        for op in walk(body)
        for value in op.results
        if value.is_resource and value.size is None
    }
    used = {
        value.name for op in program.operations() for value in op.operands if value.size is not None
    }
    assert not unsized & used
    (hidden,) = (op.outputs[0] for op in program.operations() if isinstance(op, Call))
    assert hidden.size is None
    (carried,) = (
        op.source for op in program.operations() if isinstance(op, Clone) and op.identity == "op16"
    )
    assert carried.size == 16


def test_sizes_of_results_and_arguments_inside_regions(ask: Ask) -> None:
    text = """
      util.global private mutable @state : !stream.resource<variable>
      util.func public @main(%choice: i1, %n: index, %x: !stream.resource<*>) {
        %held = util.global.load @state : !stream.resource<variable>
        %chosen = scf.if %choice -> !stream.resource<*> {
          scf.yield %x : !stream.resource<*>
        } else {
          scf.yield %x : !stream.resource<*>
        }
        %a = stream.async.clone %held : !stream.resource<variable>{%n}
          -> !stream.resource<variable>{%n}
        %b = stream.async.clone %chosen : !stream.resource<*>{%n} -> !stream.resource<*>{%n}
        util.return
      }"""
    program = read(ask, text).program
    load, chosen = one(program, GlobalLoad), one(program, If)
    (length,) = (value for value in program.functions[0].arguments if value.type == INDEX)
    assert load.results[0].size == length
    assert chosen.results[0].size == length
    assert program.functions[0].arguments[2].size is None


def test_a_block_may_stand_before_one_that_dominates_it(ask: Ask) -> None:
    text = """
      util.func public @main() -> !hal.device {
        cf.br ^second
      ^first:
        util.return %d : !hal.device
      ^second:
        %d = util.null : !hal.device
        cf.br ^first
      }"""
    result = read(ask, text)
    assert result.complete
    (main,) = result.program.functions
    assert main.entry.operations[0].successors[0].block == 2
    assert verify(result.program) == ()


def test_scopes_of_devices(ask: Ask) -> None:
    text = """
      module attributes {
        stream.affinity.default = #hal.device.affinity<@dev_a, [0]>,
        stream.resources = #stream.resource_config<{max_allocation_size = 1073741824}>,
        stream.topology = #hal.device.topology<links = [
          (@dev_a -> @dev_b = {transparent_access = true})]>,
        some.other = 1 : i8
      } {
        util.global private @dev_a : !hal.device
        util.global private @dev_b : !hal.device
        util.global private @late {stream.affinity = #hal.device.promise<@dev_b>} : i32
        util.func private @f() attributes {
          stream.affinity.default = #hal.device.affinity<@dev_b>
        } {
          util.return
        }
      }"""
    program = read(ask, text).program
    assert program.default_affinity == Affinity(A.device, 1)
    assert program.topology == Topology((Link(A.device, B.device, transparent_access=True),))
    assert program.functions[0].default_affinity == B
    (late,) = program.globals
    assert late.affinity == B


def test_attributes_without_meaning_are_kept(ask: Ask) -> None:
    text = """
      util.global private mutable @g {noinline, hal.kept = [1, "a\\22b"]} = 4 : i32
      util.func private @f(%x: i32 {iree.kept = @g}, %y: !hal.fence)
          -> (%x as i64 {iree.given = dense<1> : tensor<2xi8>}) attributes {
            iree.abi.model = "coarse-fences", some.flag, some.number = 1.0e-05 : f32,
            some.nested = {"a b" = array<i64: 1, 2>, empty = array<i8>, yes = true,
                           kind = i32, ref = @"x y"::@z}
          }"""
    result = read(ask, text)
    assert result.complete
    again = read(ask, print_program(result.program))
    assert again.program.functions == result.program.functions
    assert again.program.globals == result.program.globals
    assert dict(result.program.functions[0].attributes)["iree.abi.model"] == '"coarse-fences"'


def test_select_is_of_scalars_or_of_other_values(ask: Ask) -> None:
    text = """
      util.func public @main(%c: i1, %n: index, %t: !stream.timepoint, %f: !hal.fence) {
        %a = arith.select %c, %n, %n : index
        %b = arith.select %c, %t, %t : !stream.timepoint
        %d = arith.select %c, %f, %f : !hal.fence
        util.return
      }"""
    kinds = [type(op) for op in read(ask, text).program.operations()]
    assert kinds[:3] == [HostScalar, Select, Select]


def test_host_ops_that_nobody_listed(ask: Ask) -> None:
    text = """
      util.func public @main(%view: !hal.buffer_view, %list: !util.list<?>) {
        %d = hal.buffer_view.dim<%view : !hal.buffer_view>[0] : index
        %c0 = arith.constant 0 : index
        util.list.resize %list, %c0 : !util.list<?>
        %f = math.absf %arg : f32
        %v = arith.addi %w, %w : vector<4xi32>
        util.return
      }"""
    text = text.replace(
        "%list: !util.list<?>", "%list: !util.list<?>, %arg: f32, %w: vector<4xi32>"
    )
    program = read(ask, text).program
    pure, effect, unknown, vector, _ = program.operations()
    assert type(pure) is OpaqueOperation
    assert not pure.side_effects
    assert type(effect) is OpaqueOperation
    assert effect.side_effects
    assert type(unknown) is OpaqueOperation
    assert unknown.side_effects
    assert isinstance(vector, HostScalar)
    assert "index = 0 : index" in pure.assembly()
    assert canonical(print_program(read(ask, print_program(program)).program)) == canonical(
        print_program(program)
    )


def test_effects_of_what_stands_within(ask: Ask) -> None:
    text = """
      util.func public @main(%c: i1, %n: index) {
        scf.if %c {
          %a = arith.addi %n, %n : index
        }
        scf.if %c {
          scf.if %c {
            %c7 = arith.constant 7 : i8
            %a = stream.async.splat %c7 : i8 -> !stream.resource<*>{%n}
          }
        }
        util.return
      }"""
    pure, _, effect, *_ = (
        op for op in read(ask, text).program.operations() if isinstance(op, If | HostScalar)
    )
    assert not pure.side_effects
    assert effect.side_effects


TENSORS = """
  util.global private @held {stream.affinity = #hal.device.affinity<@dev_b>}
    = dense<1> : tensor<4xi32>
  util.func public @main(%view: !hal.buffer_view, %storage: !hal.buffer, %fence: !hal.fence)
      -> !hal.buffer_view {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %k = arith.constant dense<2> : tensor<4xi32>
    %in = hal.tensor.import on(#hal.device.affinity<@dev_a>) %view "input"
      : !hal.buffer_view -> tensor<4xi32>
    %load = util.global.load @held : tensor<4xi32>
    %moved = flow.tensor.transfer %load : tensor<4xi32> to #hal.device.affinity<@dev_a>
    %fixed = flow.tensor.barrier %moved : tensor<4xi32> on #hal.device.affinity<@dev_a>
    %made:2 = flow.dispatch @ex::@d[%c4](%c0, %in, %fixed)
      {stream.affinity = #hal.device.affinity<@dev_b>}
      : (index, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, %fixed)
    %number = flow.tensor.load %made#0[%c0] : tensor<4xi32>
    %shared = hal.tensor.alias on(#hal.device.affinity<@dev_b>) %made#1 : tensor<4xi32>
      to %storage : !hal.buffer
    %done = hal.tensor.barrier join(%shared : tensor<4xi32>) => %fence : !hal.fence
    %out = hal.tensor.export %done "output" : tensor<4xi32> -> !hal.buffer_view
    util.return %out : !hal.buffer_view
  }"""


def test_ops_on_tensors_are_read_on_request(ask: Ask) -> None:
    assert {item.operation for item in read(ask, TENSORS).unsupported} >= {
        "util.global", "arith.constant", "hal.tensor.import", "flow.dispatch", "flow.tensor.load",
    }  # fmt: skip
    result = read(ask, TENSORS, tensors=True)
    assert result.complete
    (held,) = result.program.globals
    assert isinstance(held.type, TensorType)
    found = {op.name: op for op in result.program.operations() if isinstance(op, TensorOperation)}
    assert found["hal.tensor.import"].pins
    assert not found["hal.tensor.import"].requires_affinity
    assert not found["hal.tensor.export"].pins
    assert type(found["hal.tensor.export"]) is BoundaryTensorOperation
    assert found["flow.tensor.transfer"].execution_affinity == A
    assert not found["flow.tensor.transfer"].pins
    assert found["flow.tensor.barrier"].pins
    assert found["flow.tensor.barrier"].requires_affinity
    dispatch = found["flow.dispatch"]
    assert dispatch.execution_affinity == B
    ((result_value, operand),) = dispatch.tied
    assert result_value == dispatch.outputs[1]
    assert operand == found["flow.tensor.barrier"].outputs[0]
    assert found["flow.tensor.load"].tied == ()
    assert not found["flow.tensor.load"].takes_affinity
    assert found["arith.constant"].takes_affinity
    assert found["hal.tensor.barrier"].side_effects
    assert not found["flow.tensor.load"].side_effects
    assert type(found["hal.tensor.barrier"]) is PlacelessTensorOperation
    again = read(ask, print_program(result.program), tensors=True).program
    assert canonical(print_program(again)) == canonical(print_program(result.program))


@pytest.mark.parametrize(
    ("text", "takes", "gives"),
    [
        ("() -> ()", (), ()),
        ("(index, i32) -> i32", (INDEX, I32), (I32,)),
        (
            "(vector<4xi32>, (index) -> i32) -> (memref<2xi8, strided<[1], offset: 0>>, index)",
            (OpaqueType("vector<4xi32>"), OpaqueType("(index) -> i32")),
            (OpaqueType("memref<2xi8, strided<[1], offset: 0>>"), INDEX),
        ),
    ],
)
def test_function_types(text: str, takes: tuple[object, ...], gives: tuple[object, ...]) -> None:
    assert function_type(text) == (takes, gives)


def test_attributes_as_text() -> None:
    assert printed({"unit": True}) == "unit"
    assert printed({"float": 2.0, "type": "f32"}) == "2.0 : f32"
    assert printed({"symbol": ["a", "b c"]}) == '@a::@"b c"'
    assert printed('say "é"\n') == '"say \\22\\C3\\A9\\22\\0A"'
    assert printed(3) == "3"


def test_no_op_of_the_language_is_left_out() -> None:
    assert {type(op) for op in whole_language().operations()} >= set(LANGUAGE)
    assert isinstance(LANGUAGE[Execute], Execute)
    assert Value("x", INDEX) not in LANGUAGE[Execute].operands
