"""Which device may touch which memory: each rule with a program that keeps it and one that does
not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from commanded import module, program_of, traces
from samples import Ask

from oracle.reading.raw import origin
from reference.affinity import Affinity, Link, Topology
from reference.commands.access import Placement, breaches
from reference.commands.lineage import overlapping
from reference.ir import Program
from reference.ops import Transfer

NOWHERE = Placement(placed=frozenset(), transfers=frozenset(), chosen={}, pins={}, sources={})
PLACED = replace(NOWHERE, placed=frozenset({"f"}))


def found(program: Program, placement: Placement = PLACED) -> list[str]:
    (trace,) = traces(program)
    return ["/".join(one.shape) for one in breaches(trace, program, placement, origin)]


BODY = """
%m, %there = stream.resource.alloca uninitialized MEMORY: !r<transient>{%c16} => !tp
%one = stream.cmd.execute REGION await(%there) => with(%m as %x: !r<transient>{%c16}) {
  stream.cmd.fill %p7, %x[%c0 for %c16] : i32 -> !r<transient>{%c16} loc("f")
} => !tp
util.return
"""


def filled(ask: Ask, memory: str, region: str) -> Program:
    return program_of(ask, module(BODY.replace("MEMORY", memory).replace("REGION", region)))


ON_BOTH = "on(#hal.device.optimal<[<@a>, <@b>]>) "


@pytest.mark.parametrize(
    ("memory", "region", "expected"),
    [
        ("on(<@a>) ", "on(<@a>)", []),
        ("on(<@a>) ", "on(<@b>)", ["by-another-device/placed"]),
        (ON_BOTH, "on(<@b>)", []),
        ("", "on(<@b>)", []),
        ("on(<@a>) ", "", ["by-no-device"]),
    ],
)
def test_memory_is_for_devices(ask: Ask, memory: str, region: str, expected: list[str]) -> None:
    assert found(filled(ask, memory, region)) == expected


def test_an_op_that_says_no_place(ask: Ask) -> None:
    """It may run anywhere: where nobody says where, nobody is to blame."""
    foreign = filled(ask, "on(<@a>) ", "on(<@b>)")
    assert found(foreign, NOWHERE) == ["by-another-device/unplaced"]
    assert found(filled(ask, "on(<@a>) ", ""), NOWHERE) == []


def test_with_one_device_every_region_is_there(ask: Ask) -> None:
    program = filled(ask, "on(<@a>) ", "")
    assert found(replace(program, devices=("a",))) == []


@pytest.mark.parametrize("link", ["unified_memory", "transparent_access"])
def test_linked_devices_share(ask: Ask, link: str) -> None:
    program = filled(ask, "on(<@a>) ", "on(<@b>)")
    linked = Topology((Link("b", "a", **{link: True}),))
    assert found(replace(program, topology=linked)) == []
    assert len(found(replace(program, topology=Topology((Link("a", "b"),))))) == 1


def test_who_chose_the_device(ask: Ask) -> None:
    program = filled(ask, "on(<@a>) ", "on(<@b>)")
    assert found(program, replace(PLACED, chosen={"f": "b"})) == []
    assert len(found(program, replace(PLACED, chosen={"f": "a"}))) == 1


IMPORTED = """
%i = stream.tensor.import on(<@a>) %view : !hal.buffer_view -> tensor<4xi32> in !r<external>{%c16}
%m, %there = stream.resource.alloca uninitialized on(<@b>) : !r<external>{%c16} => !tp
%one = stream.cmd.execute on(<@b>) await(%there) => with(%i as %x: !r<external>{%c16},
    %m as %y: !r<external>{%c16}) {
  stream.cmd.copy COPY, %c16 : !r<external>{%c16} -> !r<external>{%c16} loc("f")
} => !tp
util.return
"""


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ("%x[%c0], %y[%c0]", []),
        ("%y[%c0], %x[%c0]", ["by-another-device/placed"]),
    ],
)
def test_what_the_caller_made_may_be_read(ask: Ask, copy: str, expected: list[str]) -> None:
    program = program_of(ask, module(IMPORTED.replace("COPY", copy), "%view: !hal.buffer_view"))
    assert found(program) == expected
    lent = [one.replace("placed", "lent") for one in expected]
    assert found(program, replace(PLACED, lends=True)) == lent


TWO = """
%m, %there = stream.resource.alloca uninitialized on(<@a>) : !r<external>{%c16} => !tp
%n, %then = stream.resource.alloca uninitialized on(<@b>) await(%there) =>
    !r<external>{%c16} => !tp
%one = stream.cmd.execute on(<@b>) await(%then) => with(%m as %x: !r<external>{%c16},
    %n as %y: !r<external>{%c16}) {
  stream.cmd.copy COPY, %c16 : !r<external>{%c16} -> !r<external>{%c16} loc("f")
} => !tp
%w = stream.timepoint.await %one => %m : !r<external>{%c16}
%view = stream.tensor.export on(<@a>) %w : tensor<4xi32> in !r<external>{%c16} -> !hal.buffer_view
util.return %view : !hal.buffer_view
"""


def two(ask: Ask, copy: str) -> Program:
    return program_of(ask, module(TWO.replace("COPY", copy), results="!hal.buffer_view"))


def test_a_transfer_reads_at_either_end(ask: Ask) -> None:
    program = two(ask, "%x[%c0], %y[%c0]")
    assert found(program) == ["by-another-device/placed"]
    assert found(program, replace(PLACED, transfers=frozenset({"f"}))) == []


def test_what_is_pinned_is_written_there(ask: Ask) -> None:
    program = two(ask, "%y[%c0], %x[%c0]")
    assert found(program) == ["by-another-device/placed"]
    pinned = replace(PLACED, pins={"f": "a"})
    assert found(program, pinned) == ["off-the-pin/copy/unplaced-end"]
    for source, ends in (("a", "one-device"), ("b", "placed-ends")):
        told = replace(pinned, sources={"f": source})
        assert found(program, told) == [f"off-the-pin/copy/{ends}"]
    linked = Topology((Link("b", "a", unified_memory=True),))
    assert found(replace(program, topology=linked), pinned) == []


SENT = """
%x = stream.tensor.import on(<@b>) %given : !hal.buffer_view -> tensor<4xi32> in
    !r<external>{%c16} loc("x")
%t = stream.async.transfer ON%x : !r<external>{%c16} from(<@b>) -> to(TO)
    !r<external>{%c16} loc("t")
%view = stream.tensor.export on(<@a>) %t : tensor<4xi32> in !r<external>{%c16} -> !hal.buffer_view
    loc("e")
OTHER
util.return %view : !hal.buffer_view loc("end")
"""
UNUSED = (
    "%more = stream.tensor.export on(<@b>) %t : tensor<4xi32> in !r<external>{%c16} -> "
    "!hal.buffer_view"
)
SECOND = UNUSED + "\nutil.optimization_barrier %more : !hal.buffer_view"


@pytest.mark.parametrize(
    ("on", "to", "other", "pins"),
    [
        ("", "<@a>", "", {"t": "a"}),
        ("", "<@b>", "", {}),
        ("", "<@a>", SECOND, {}),
        ("", "<@a>", UNUSED, {"t": "a"}),
    ],
)
def test_what_a_program_pins(ask: Ask, on: str, to: str, other: str, pins: dict[str, str]) -> None:
    text = SENT.replace("ON", on).replace("TO", to).replace("OTHER", other)
    program = program_of(ask, module(text, "%given: !hal.buffer_view", "!hal.buffer_view"))
    placement = Placement.of(program, origin)
    assert placement.pins == pins
    assert placement.transfers == {"t"}


def test_on_tensors_a_transfer_says_where_to_only(ask: Ask) -> None:
    text = SENT.replace("ON", "").replace("TO", "<@a>").replace("OTHER", "")
    program = program_of(ask, module(text, "%given: !hal.buffer_view", "!hal.buffer_view"))
    for tensors, said in ((False, "t"), (True, None)):
        placement = Placement.of(replace(program, tensors=tensors), origin)
        assert ("t" in placement.placed) is (said is not None)
        assert placement.sources == ({"t": "b"} if said else {})


def test_of_transfers_in_a_row_the_first_says_where_bytes_come_from(ask: Ask) -> None:
    text = SENT.replace("ON", "").replace("TO", "<@a>").replace("OTHER", "")
    program = program_of(ask, module(text, "%given: !hal.buffer_view", "!hal.buffer_view"))
    (main,) = program.functions
    sent = next(one for one in main.entry.operations if isinstance(one, Transfer))
    for source, said in ((Affinity("c"), {"s": "c", "t": "c"}), (None, {})):
        hop = replace(
            sent, identity="s", result=replace(sent.result, name="hop"), source_affinity=source
        )
        row = [
            part
            for one in main.entry.operations
            for part in ((hop, replace(sent, source=hop.result)) if one is sent else (one,))
        ]
        block = replace(main.entry, operations=tuple(row))
        body = replace(main.body, blocks=(block,))
        whole = replace(program, functions=(replace(main, body=body),))
        assert Placement.of(whole, origin).sources == said
        # What does not change the device is no transfer any more.
        still = replace(hop, target_affinity=source)
        operations = tuple(still if one is hop else one for one in row)
        body = replace(main.body, blocks=(replace(main.entry, operations=operations),))
        whole = replace(program, functions=(replace(main, body=body),))
        kept = {"t": "b"} if source is None else {"s": "c", "t": "b"}
        assert Placement.of(whole, origin).sources == ({} if source is None else kept)


LOOPED = """
%s = stream.async.transfer %given : !r<transient>{%c16} -> to(<@b>) !r<transient>{%c16} loc("s")
%m = stream.async.clone on(<@b>) %s : !r<transient>{%c16} -> !r<transient>{%c16} loc("m")
%l = scf.for %i = %c0 to %c16 step %c4 iter_args(%a = %s) -> (!r<transient>) {
  scf.yield %YIELDED : !r<transient> loc("y")
} loc("l")
%t = stream.async.transfer %l : !r<transient>{%c16} from(<@b>) -> to(<@a>) !r<external>{%c16}
    loc("t")
util.return %t : !r<external> loc("end")
"""


@pytest.mark.parametrize(("yielded", "said"), [("s", {}), ("a", {}), ("m", {"t": "b"})])
def test_transfers_are_in_a_row_behind_a_loop_that_changes_nothing(
    ask: Ask, yielded: str, said: dict[str, str]
) -> None:
    text = LOOPED.replace("YIELDED", yielded)
    given, returned = "%given: !r<transient>", "!r<external>"
    assert Placement.of(program_of(ask, module(text, given, returned)), origin).sources == said


def test_a_pin_that_the_program_contradicts(ask: Ask) -> None:
    text = SENT.replace("ON", "").replace("TO", "<@a>").replace("OTHER", "")
    program = program_of(ask, module(text, "%given: !hal.buffer_view", "!hal.buffer_view"))
    (main,) = program.functions
    for device, pins in (("a", {"t": "a"}), ("b", {})):
        operations = tuple(
            replace(one, explicit_affinity=Affinity(device))  # type: ignore[call-arg]
            if one.identity == "t"
            else one
            for one in main.entry.operations
        )
        block = replace(main.entry, operations=operations)
        body = replace(main.body, blocks=(block,))
        placement = Placement.of(replace(program, functions=(replace(main, body=body),)), origin)
        assert placement.pins == pins
        assert placement.chosen == {"t": device}


TWICE = """
%p = stream.async.splat on(<@a>) %p7 : i32 -> !r<transient>{%c16} loc("p")
%done, %tp0 = stream.async.execute on(<@a>) with(%p as %x: !r<transient>{%c16}) ->
    %p{%c16} {
  %w:2 = stream.async.concurrent with(%x as %y: !r<transient>{%c16}) ->
      (!r<transient>{%c16}, !r<transient>{%c16}) {
    %c = stream.async.clone %y : !r<transient>{%c16} -> !r<transient>{%c16}
    stream.yield YIELD : !r<transient>{%c16}, !r<transient>{%c16}
  }
  %o = stream.async.copy %w#0[%c0 to %c8], %w#1[%c8 to %c16], %c8 : !r<transient>{%c16} ->
      %w#1 as !r<transient>{%c16} loc("o")
  stream.yield %o : !r<transient>{%c16}
} => !tp
util.return %done : !r<transient>
"""


@pytest.mark.parametrize(("yielded", "expected"), [("%c, %c", True), ("%c, %y", False)])
def test_an_op_that_takes_its_target_twice(ask: Ask, yielded: str, expected: bool) -> None:
    program = program_of(ask, module(TWICE.replace("YIELD", yielded), results="!r<transient>"))
    assert overlapping(program, lambda one: one.identity == "o") is expected
    assert not overlapping(program, lambda one: one.identity == "p")
