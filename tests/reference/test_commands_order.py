"""Who waits for whom at the command level: each rule with a program that keeps it and one that does
not."""

from __future__ import annotations

import pytest
from commanded import found, module, program_of, shapes
from samples import Ask

from oracle.reading.raw import origin
from reference.commands.breaches import Grounds, missing_wait

MADE = """
%m, %there = stream.resource.alloca uninitialized on(<@a>) : !r<transient>{%c16} => !tp
"""


def fill(name: str, awaits: str | None, device: str = "a", part: str = "[%c0 for %c16]") -> str:
    """A region that fills memory `m`."""
    waits = "" if awaits is None else f"await(%{awaits}) => "
    return f"""
    %{name} = stream.cmd.execute on(<@{device}>) {waits}with(%m as %x: !r<transient>{{%c16}}) {{
      stream.cmd.fill %p7, %x{part} : i32 -> !r<transient>{{%c16}}
    }} => !tp
    """


def kernel(name: str, awaits: str, device: str = "a", use: str = "ro") -> str:
    """A region with a kernel, of which nothing but `use` is known, over memory `m`."""
    return f"""
    %{name} = stream.cmd.execute on(<@{device}>) await(%{awaits}) =>
        with(%m as %x: !r<transient>{{%c16}}) {{
      stream.cmd.dispatch @foreign::@kernel {{ {use} %x[%c0 for %c16] : !r<transient>{{%c16}} }}
    }} => !tp
    """


END = "util.return"


@pytest.mark.parametrize(
    ("waits", "device", "use", "expected"),
    [
        ("one", "a", "ro", []),
        ("there", "a", "ro", ["unordered/written-in-place"]),
        ("there", "b", "ro", ["unordered/written-in-place"]),
        ("there", "a", "wo", ["unordered/written-in-place"]),
    ],
)
def test_a_region_waits_for_who_wrote(
    ask: Ask, waits: str, device: str, use: str, expected: list[str]
) -> None:
    body = MADE + fill("one", "there") + kernel("two", waits, device, use) + END
    assert shapes(found(ask, body)) == expected


def test_a_region_waits_for_who_read(ask: Ask) -> None:
    start = MADE + fill("one", "there") + kernel("two", "one", "b")
    assert shapes(found(ask, start + fill("three", "two") + END)) == []
    lost = found(ask, start + fill("three", "one") + END)
    assert shapes(lost) == ["unordered/written-in-place"]


def test_what_was_never_written_may_be_read_at_any_time(ask: Ask) -> None:
    """In the program as it was written, op `r` reads bytes that nobody wrote."""
    read = kernel("two", "one", "b").replace("!r<transient>{%c16} }", "!r<transient>{%c16} }", 1)
    read = read.replace(" }\n    } =>", ' } loc("r")\n    } =>')
    body = MADE + fill("one", "there") + read + fill("three", "one") + END
    for places, expected in (({"r"}, []), ({"s"}, ["unordered/written-in-place"])):
        grounds = Grounds(origin, excused=frozenset(places))
        assert shapes(found(ask, body, grounds=grounds)) == expected


def test_what_should_have_been_waited_for(ask: Ask) -> None:
    """A value that one op takes from another, or only the same storage."""
    for source, expected in (("%p", "without-wait"), ("%x", "written-in-place")):
        text = f"""
        %p = stream.async.clone %x : !r<transient>{{%c16}} -> !r<transient>{{%c16}} loc("p")
        %q = stream.async.clone {source} : !r<transient>{{%c16}} -> !r<transient>{{%c16}} loc("q")
        util.return
        """
        program = program_of(ask, module(text, "%x: !r<transient>"))
        grounds = Grounds.of(program, origin, frozenset())
        assert missing_wait(frozenset({"p"}), frozenset({"q"}), grounds) == expected
    assert missing_wait(frozenset(), frozenset(), Grounds(origin)) == "written-in-place"


def test_two_readers_need_no_order(ask: Ask) -> None:
    readers = kernel("two", "one") + kernel("three", "one", "b")
    join = "%both = stream.timepoint.join max(%two, %three) => !tp"
    start = MADE + fill("one", "there") + readers
    assert shapes(found(ask, start + join + fill("four", "both") + END)) == []
    # The first of the readers is not forgotten for the second.
    lost = found(ask, start + fill("four", "three") + END)
    assert shapes(lost) == ["unordered/written-in-place"]


def test_other_bytes_are_another_matter(ask: Ask) -> None:
    halves = fill("one", "there", part="[%c0 for %c8]") + fill("two", "there", part="[%c8 for %c8]")
    assert found(ask, MADE + halves + END) == []
    assert shapes(found(ask, MADE + halves + kernel("three", "one") + END)) == [
        "unordered/written-in-place"
    ]


def test_the_host_orders_what_it_does_after_it_waited(ask: Ask) -> None:
    wait = "%w = stream.timepoint.await %one => %m : !r<transient>{%c16}"
    start = MADE + fill("one", "there")
    end = "util.return %w : !r<transient>"
    for lines, lost in (
        ((wait, kernel("two", "there", "b")), 0),
        ((kernel("two", "there", "b"), wait), 1),
    ):
        told = found(ask, start + "\n".join((*lines, end)), results="!r<transient>")
        assert len(told) == lost


STAGED = """
%m, %there = stream.resource.alloca uninitialized on(<@a>) : !r<staging>{%c16} => !tp
%n, %then = stream.resource.alloca uninitialized on(<@a>) await(%there) =>
    !r<transient>{%c16} => !tp
%one = stream.cmd.execute on(<@a>) await(%then) => with(%m as %x: !r<staging>{%c16},
    %n as %y: !r<transient>{%c16}) {
  stream.cmd.fill %p7, %y[%c0 for %c16] : i32 -> !r<transient>{%c16}
  stream.cmd.copy %y[%c0], %x[%c0], %c16 : !r<transient>{%c16} -> !r<staging>{%c16}
  FLUSH
} => !tp
"""
FLUSHED = STAGED.replace("FLUSH", "stream.cmd.flush %x[%c0 for %c16] : !r<staging>{%c16}")
WAIT = "%w = stream.timepoint.await %one => %m : !r<staging>{%c16}\n"
LOAD = "%v = stream.resource.load %m[%c4] : !r<staging>{%c16} -> i32\n"
STORE = "stream.resource.store %p7, %m[%c4] : i32 -> !r<staging>{%c16}\n"
DEAD = WAIT
"""Nobody takes what was waited for: a pass drops the wait."""
LOAD_WAITED, STORE_WAITED = (WAIT + one.replace("%m", "%w") for one in (LOAD, STORE))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (FLUSHED + LOAD_WAITED, []),
        (FLUSHED + STORE_WAITED + LOAD, []),
        (FLUSHED + LOAD, ["unordered/read-after-write/host"]),
        (FLUSHED + DEAD + LOAD, ["unordered/read-after-write/host"]),
        (FLUSHED + STORE, ["unordered/write-after-write/host"]),
        (STAGED.replace("FLUSH", "") + LOAD_WAITED, ["not-flushed/load/device-and-host"]),
    ],
)
def test_the_host_waits_for_what_it_touches(ask: Ask, body: str, expected: list[str]) -> None:
    assert shapes(found(ask, body + END)) == expected


def test_a_device_comes_after_what_the_host_did(ask: Ask) -> None:
    again = """
    %two = stream.cmd.execute on(<@a>) with(%m as %x: !r<staging>{%c16},
        %n as %y: !r<transient>{%c16}) {
      stream.cmd.copy %y[%c0], %x[%c0], %c16 : !r<transient>{%c16} -> !r<staging>{%c16}
    } => !tp
    """
    assert found(ask, FLUSHED + LOAD_WAITED + STORE + again + END) == []


def in_region(*commands: str) -> str:
    """Commands of one region over memory `m`, and what they need."""
    body = "\n".join(commands)
    return (
        MADE
        + f"""
    %one = stream.cmd.execute on(<@a>) await(%there) => with(%m as %x: !r<transient>{{%c16}}) {{
      {body}
    }} => !tp
    util.return
    """
    )


FILL = "stream.cmd.fill %p7, %x[%c0 for %c16] : i32 -> !r<transient>{%c16}"
HALF = "stream.cmd.fill %p7, %x[%c0 for %c8] : i32 -> !r<transient>{%c16}"
REST = "stream.cmd.fill %p7, %x[%c8 for %c8] : i32 -> !r<transient>{%c16}"
READ = "stream.cmd.dispatch @foreign::@kernel { ro %x[%c0 for %c8] : !r<transient>{%c16} }"


def wave(*commands: str) -> str:
    body = "\n".join(commands)
    return f"stream.cmd.concurrent {{\n{body}\n}}"


def row(*commands: str) -> str:
    body = "\n".join(commands)
    return f"stream.cmd.serial {{\n{body}\n}}"


@pytest.mark.parametrize(
    ("commands", "ordered"),
    [
        ((FILL, READ), True),
        ((FILL, wave(READ, READ)), True),
        ((wave(HALF, REST), READ), True),
        ((wave(HALF, REST), wave(READ, READ), FILL), True),
        ((wave(HALF, READ),), False),
        ((FILL, wave(READ, HALF)), False),
        ((wave(row(HALF, READ), REST),), True),
        ((wave(row(HALF, REST), READ),), False),
        ((wave(row(HALF, wave(READ, REST), READ)),), True),
        ((wave(row(HALF), wave(READ, REST)),), False),
        ((wave(wave(HALF, REST)), READ), True),
    ],
)
def test_commands_of_a_wave_have_no_order(
    ask: Ask, commands: tuple[str, ...], ordered: bool
) -> None:
    expected = [] if ordered else ["unordered/within-a-region"]
    assert shapes(found(ask, in_region(*commands))) == expected


def returned(*lines: str) -> str:
    return MADE.replace("transient", "external") + "\n".join(lines).replace("transient", "external")


EXPORT = """
%view = stream.tensor.export on(<@a>) %m : tensor<4xi32> in !r<external>{%c16} -> !hal.buffer_view
"""
AWAIT = "%w = stream.timepoint.await %one => %m : !r<transient>{%c16}\n"
CHAIN = "stream.timepoint.chain_external on(<@a>) %one => (%fence : !hal.fence)\n"
BACK = "util.return %view : !hal.buffer_view"


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        ((AWAIT, EXPORT.replace("%m", "%w"), BACK), True),
        ((AWAIT, EXPORT, BACK), False),
        ((CHAIN, EXPORT, BACK), True),
        ((EXPORT, BACK), False),
    ],
)
def test_the_caller_waits_for_what_it_is_told_of(
    ask: Ask, lines: tuple[str, ...], given: bool
) -> None:
    body = returned(fill("one", "there"), *lines)
    breached = found(ask, body, "%fence: !hal.fence", "!hal.buffer_view")
    expected = ["unordered/without-wait"]
    assert shapes(breached) == ([] if given else expected)


def test_a_returned_timepoint_is_waited_for(ask: Ask) -> None:
    body = returned(fill("one", "there"), "util.return %m, %one : !r<external>, !tp")
    assert found(ask, body, results="!r<external>, !tp") == []


def test_an_exported_timepoint_is_waited_for(ask: Ask) -> None:
    export = "%f = stream.timepoint.export on(<@a>) %one => (!hal.fence)\n"
    body = returned(fill("one", "there"), export, "util.return %m, %f : !r<external>, !hal.fence")
    assert found(ask, body, results="!r<external>, !hal.fence") == []


def test_a_barrier_is_reached_when_all_is_done(ask: Ask) -> None:
    barrier = "%same, %ready = stream.timepoint.barrier %m : !r<transient>{%c16} => !tp\n"
    start = MADE + fill("one", "there") + barrier
    assert found(ask, start + kernel("two", "ready", "b") + END) == []


def test_one_lost_wait_is_one_breach(ask: Ask) -> None:
    """A region that touches much without waiting, and whoever waits for it in turn."""
    lost = """
    %n, %soon = stream.resource.alloca uninitialized on(<@a>) : !r<external>{%c16} => !tp
    %two = stream.cmd.execute on(<@a>) with(%m as %x: !r<transient>{%c16},
        %n as %y: !r<external>{%c16}) {
      stream.cmd.copy %x[%c0], %y[%c0], %c16 : !r<transient>{%c16} -> !r<external>{%c16}
    } => !tp
    %w = stream.timepoint.await %two => %n : !r<external>{%c16}
    %gone = stream.resource.dealloca on(<@a>) await(%two) => %m : !r<transient>{%c16} => !tp
    util.return %w : !r<external>
    """
    breached = found(ask, MADE + fill("one", "there") + lost, results="!r<external>")
    assert shapes(breached) == ["before-allocation/region"]
