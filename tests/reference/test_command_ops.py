"""The ops of the command level: what they print is what IREE reads, and they know what is wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from commanded import module, program_of
from samples import Ask, canonical

from oracle.reading.reader import read_program
from reference.affinity import Affinity, OptimalAffinity
from reference.ir import GenericOperation, Operation, UnsupportedOperationError, walk
from reference.ops import OPERATIONS
from reference.ops.command import (
    COMMAND_OPERATIONS,
    CommandConcurrent,
    CommandCopy,
    CommandDispatch,
    CommandExecute,
    CommandFill,
    CommandSerial,
    Discard,
    FileConstant,
    FileRead,
    Flush,
    Invalidate,
    IsTerminal,
    Pack,
    Part,
    Release,
    ResourceAlloc,
    ResourceAlloca,
    ResourceConstants,
    ResourceDealloca,
    ResourceLoad,
    ResourceStore,
    Retain,
    Subview,
    TryMap,
    Use,
)
from reference.text import print_program
from reference.types import TIMEPOINT, Value

EVERY_OP = """
%made, %there = stream.resource.alloca uninitialized on(<@a>) : !r<transient>{%c64} => !tp
%late, %later = stream.resource.alloca uninitialized indeterminate
    on(#hal.device.optimal<[<@a>, <@b>]>) await(%there) => !r<staging>{%c16} => !tp
%now = stream.resource.alloc uninitialized on(<@a>) : !r<constant>{%c64}
%unplaced = stream.resource.alloc : !r<constant>{%c64}
%total, %first, %second = stream.resource.pack on(<@a>)
    slices({[0, 1] = %c16, [1, 2] = %c8}) : index
%based, %third = stream.resource.pack offset(%c64) slices({[0, 0] = %c16}) : index
%one, %other, %uploaded = stream.resource.constants on(<@a>) :
  !r<constant>{%c16} = dense<[1, 2, 3, 4]> : tensor<4xi32>,
  !r<constant>{%c16} = dense<7> : tensor<4xi32> => !tp
%buffer = util.buffer.constant : !util.buffer = dense<[1, 2, 3, 4]> : tensor<4xi32>
%mapped, %memory = stream.resource.try_map on(<@a>) %buffer[%c0] :
    !util.buffer -> i1, !r<constant>{%c16}
%file = stream.file.constant on(<@a>) %buffer[%c0 for %c16] : !util.buffer{%c16} -> !stream.file
%read = stream.file.read on(<@a>) await(%uploaded) => %file[%c0_i64], %now[%c0], %c16 :
    !stream.file -> !r<constant>{%c64} => !tp
%unawaited = stream.file.read : %file[%c0_i64], %now[%c16], %c16 :
    !stream.file -> !r<constant>{%c64} => !tp
%all = stream.timepoint.join max(%later, %read) => !tp
%part = stream.resource.subview %made[%c16] : !r<transient>{%c64} -> !r<transient>{%c32}
%done = stream.cmd.execute once on(<@a>) await(%all) => with(%made as %m: !r<transient>{%c64},
    %late as %l: !r<staging>{%c16}, %one as %o: !r<constant>{%c16}) {
  stream.cmd.fill %p7, %m[%c0 for %c16] : i32 -> !r<transient>{%c64}
  stream.cmd.concurrent {
    stream.cmd.copy %o[%c0], %m[%c16], %c16 : !r<constant>{%c16} -> !r<transient>{%c64}
    stream.cmd.serial {
      stream.cmd.invalidate from(<@b>) %m[%c0 for %c16] : !r<transient>{%c64}
      stream.cmd.invalidate %l[%c0 for %c16] : !r<staging>{%c16}
      stream.cmd.flush to(<@b>) %m[%c0 for %c16] : !r<transient>{%c64}
      stream.cmd.flush %l[%c0 for %c16] : !r<staging>{%c16}
      stream.cmd.discard %m[%c48 for %c16] : !r<transient>{%c64}
    }
  }
  stream.cmd.dispatch @ex::@a_ri32_n[%c4, %c8](%p7 : i32) {
    ro %m[%c0 for %c8] : !r<transient>{%c64}, wo %m[%c16 for %c8] : !r<transient>{%c64},
    rw %m[%c32 for %c8] : !r<transient>{%c64}
  }
  stream.cmd.dispatch {@ex::@one, @ex::@two} { ro %o[%c0 for %c4] : !r<constant>{%c16} }
} => !tp
%unwaiting = stream.cmd.execute with() {
} => !tp
%kept = stream.timepoint.await %done => %late : !r<staging>{%c16}
%loaded = stream.resource.load %kept[%c4] : !r<staging>{%c16} -> i32
stream.resource.store %loaded, %kept[%c8] : i32 -> !r<staging>{%c16}
stream.resource.retain %part : !r<transient>{%c32}
%last = stream.resource.is_terminal %part : !r<transient>{%c32}
%let = stream.resource.release %part : !r<transient>{%c32}
%freed = stream.resource.dealloca origin on(<@a>) await(%done) => %made : !r<transient>{%c64} => !tp
%gone = stream.resource.dealloca %now : !r<constant>{%c64} => !tp
util.return
"""


@pytest.fixture(scope="module")
def operations(ask: Ask) -> dict[type[Operation], list[Operation]]:
    found: dict[type[Operation], list[Operation]] = {}
    for operation in program_of(ask, module(EVERY_OP)).operations():
        found.setdefault(type(operation), []).append(operation)
    return found


def test_every_op_is_read_and_comes_back(ask: Ask) -> None:
    first = program_of(ask, module(EVERY_OP))
    kinds = {type(operation) for operation in first.operations()}
    assert set(COMMAND_OPERATIONS.values()) <= kinds
    again = program_of(ask, print_program(first))
    assert canonical(print_program(again)) == canonical(print_program(first))
    assert [type(one) for one in again.operations()] == [type(one) for one in first.operations()]


def test_the_registry_has_them() -> None:
    assert COMMAND_OPERATIONS.items() <= OPERATIONS.items()


def test_no_op_finds_fault_with_itself(operations: dict[type[Operation], list[Operation]]) -> None:
    for kind in COMMAND_OPERATIONS.values():
        for operation in operations[kind]:
            assert list(operation.problems()) == []


def only(operations: dict[type[Operation], list[Operation]], kind: type[Operation]) -> Operation:
    return operations[kind][0]


def test_what_an_execution_region_says(
    operations: dict[type[Operation], list[Operation]],
) -> None:
    first, unwaiting = operations[CommandExecute]
    assert isinstance(first, CommandExecute)
    assert isinstance(unwaiting, CommandExecute)
    assert (first.once, unwaiting.once) == (True, False)
    assert first.execution_affinity == Affinity("a")
    assert first.await_timepoints == (first.awaits,)
    assert unwaiting.await_timepoints == ()
    assert [type(one) for one in walk(first.body)][1] is CommandConcurrent
    assert unwaiting.with_regions(first.regions).regions == first.regions
    for kind in (CommandConcurrent, CommandSerial):
        wave = only(operations, kind)
        assert wave.with_regions(wave.regions) == wave
        assert wave.side_effects


def test_timepoints(operations: dict[type[Operation], list[Operation]]) -> None:
    made, late = operations[ResourceAlloca]
    assert isinstance(made, ResourceAlloca)
    assert isinstance(late, ResourceAlloca)
    assert isinstance(late.affinity, OptimalAffinity)
    assert (made.await_timepoints, late.await_timepoints) == ((), (made.timepoint,))
    assert late.indeterminate
    freed, gone = operations[ResourceDealloca]
    assert isinstance(freed, ResourceDealloca)
    assert freed.origin
    assert (len(freed.await_timepoints), gone.await_timepoints) == (1, ())
    read, unawaited = operations[FileRead]
    assert (len(read.await_timepoints), unawaited.await_timepoints) == (1, ())
    for operation in (made, freed, read, only(operations, ResourceConstants)):
        assert operation.results[-1].type == TIMEPOINT


def test_ties_and_parts(operations: dict[type[Operation], list[Operation]]) -> None:
    view, copy = only(operations, Subview), only(operations, CommandCopy)
    assert isinstance(view, Subview)
    assert isinstance(copy, CommandCopy)
    assert view.tied == ((view.result, view.source),)
    assert (copy.read.offset, copy.written.offset, copy.written.length) == (0, 16, 16)
    dispatch, several = operations[CommandDispatch]
    assert isinstance(dispatch, CommandDispatch)
    assert isinstance(several, CommandDispatch)
    uses = [binding.use for binding in dispatch.bindings]
    assert uses == [Use.READ, Use.WRITE, Use.READ | Use.WRITE]
    assert (several.kernel, several.other_kernels) == ("ex::one", ("ex::two",))


NUMBER = Value("number", TIMEPOINT, 0)


def beyond(operation: Operation) -> Operation:
    """The op with bytes that its buffer does not have."""
    if isinstance(operation, CommandFill | Flush | Invalidate | Discard | FileRead):
        return replace(operation, part=replace(operation.part, offset=60))
    if isinstance(operation, CommandCopy):
        return replace(operation, source_offset=60)
    if isinstance(operation, Subview | ResourceLoad | ResourceStore):
        return replace(operation, offset=60)
    assert isinstance(operation, CommandDispatch)
    (binding, *_) = operation.bindings
    return replace(operation, bindings=(replace(binding, part=replace(binding.part, offset=60)),))


@pytest.mark.parametrize(
    "kind",
    [
        CommandFill, Flush, Invalidate, Discard, FileRead, CommandCopy, Subview, ResourceLoad,
        ResourceStore, CommandDispatch,
    ],
)  # fmt: skip
def test_bytes_that_are_not_there(
    operations: dict[type[Operation], list[Operation]], kind: type[Operation]
) -> None:
    (problem,) = beyond(only(operations, kind)).problems()
    assert "pass the end" in problem


def test_a_part_of_a_size_that_only_the_caller_knows() -> None:
    buffer = Value("buffer", NUMBER.type, NUMBER)
    assert list(Part(buffer, 1 << 20, 4).problems()) == []


def test_a_slice_lives_forwards(operations: dict[type[Operation], list[Operation]]) -> None:
    pack = only(operations, Pack)
    assert isinstance(pack, Pack)
    turned = replace(pack.slices[0], start=3, end=2)
    (problem,) = replace(pack, slices=(turned,)).problems()
    assert "lives from 3 to 2" in problem


def test_what_is_waited_for_is_a_timepoint(
    operations: dict[type[Operation], list[Operation]],
) -> None:
    wrong = only(operations, ResourceLoad).results[0]
    for kind in (CommandExecute, ResourceAlloca, ResourceDealloca):
        changed = replace(only(operations, kind), awaits=wrong)  # type: ignore[call-arg]
        assert any("not !stream.timepoint" in problem for problem in changed.problems())


def test_host_memory_is_staging(operations: dict[type[Operation], list[Operation]]) -> None:
    (alloc, _) = operations[ResourceAlloc]
    load, store = only(operations, ResourceLoad), only(operations, ResourceStore)
    assert isinstance(load, ResourceLoad)
    assert isinstance(store, ResourceStore)
    (memory,) = alloc.results
    for changed in (replace(load, source=memory), replace(store, target=memory)):
        assert any("not staging" in problem for problem in changed.problems())


def test_who_has_effects(operations: dict[type[Operation], list[Operation]]) -> None:
    for kind in (Retain, Release, IsTerminal, ResourceStore, CommandDispatch, FileRead):
        assert only(operations, kind).side_effects
    for kind in (TryMap, FileConstant, Subview, ResourceAlloc):
        assert not only(operations, kind).side_effects


def test_an_affinity_that_is_none() -> None:
    generic = GenericOperation(
        "stream.resource.alloc", "x", (16,), (Value("x", NUMBER.type),), {"affinity": "elsewhere"}
    )
    with pytest.raises(UnsupportedOperationError, match="affinity elsewhere"):
        ResourceAlloc.from_generic(generic)


def test_what_is_not_known_is_named(ask: Ask) -> None:
    text = module(
        """
        %done = stream.cmd.execute with() {
          "stream.cmd.call"() <{callee = @elsewhere, resource_operand_accesses = [],
            operandSegmentSizes = array<i32: 0, 0, 0, 0, 0>}> : () -> ()
        } => !tp
        util.return
        """,
        outside="stream.cmd.func private @elsewhere()",
    )
    (answer,) = ask(text, ["read"])
    assert "stream.cmd.call" in str(read_program(answer).unsupported)
