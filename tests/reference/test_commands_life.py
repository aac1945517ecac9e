"""Memory from its allocation to its end, its bounds and its contents: each rule with a program that
keeps it and one that does not."""

from __future__ import annotations

import pytest
from commanded import found, module, program_of, shapes, traces
from samples import Ask

from oracle.reading.raw import origin
from reference.commands.breaches import Breach, Grounds
from reference.values.content import OutOfBoundsError

MADE = """
%m, %there = stream.resource.alloca uninitialized on(<@a>) : !r<transient>{%c16} => !tp
"""


def region(*commands: str, awaits: str = "there", name: str = "one", device: str = "a") -> str:
    body = "\n".join(commands)
    return f"""
    %{name} = stream.cmd.execute on(<@{device}>) await(%{awaits}) =>
        with(%m as %x: !r<transient>{{%c16}}) {{
      {body}
    }} => !tp
    """


FILL = "stream.cmd.fill %p7, %x[%c0 for %c16] : i32 -> !r<transient>{%c16}"
READ = "stream.cmd.dispatch @foreign::@kernel { ro %x[%c0 for %c16] : !r<transient>{%c16} }"
KNOWN = "stream.cmd.dispatch @ex::@a_r_ { ro %x[%c0 for %c16] : !r<transient>{%c16} }"
COPY = "stream.cmd.copy %x[%c0], %x[%c8], %c8 : !r<transient>{%c16} -> !r<transient>{%c16}"
FREE = "%gone = stream.resource.dealloca on(<@a>) await(%one) => %m : !r<transient>{%c16} => !tp\n"
END = "util.return"
UNAWAITED = FREE.replace("await(%one) => ", "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (MADE + region(FILL) + FREE, []),
        (MADE + region(FILL).replace("await(%there) =>", ""), ["before-allocation/region"]),
        (MADE + region(FILL) + UNAWAITED.replace("on", "on"), ["given-back-too-early"]),
        (MADE + UNAWAITED, ["before-allocation/deallocation"]),
        (
            MADE + region(FILL) + FREE + region(READ, awaits="one", name="two"),
            ["given-back-too-early"],
        ),
        (
            MADE + region(FILL) + FREE + region(READ, awaits="gone", name="two"),
            ["given-back-too-early"],
        ),
        (MADE + region(FILL) + FREE + FREE.replace("%gone", "%again"), ["given-back-too-early"]),
    ],
)
def test_memory_lives_from_here_to_there(ask: Ask, body: str, expected: list[str]) -> None:
    assert shapes(found(ask, body + END)) == expected


@pytest.mark.parametrize(
    ("lifetime", "command", "expected"),
    [
        ("constant", "FILL", ["read-only"]),
        ("constant", "READ", []),
        ("variable", "FILL", []),
    ],
)
def test_constants_are_not_written(
    ask: Ask, lifetime: str, command: str, expected: list[str]
) -> None:
    """They may be the program's own file, mapped."""
    made = f"""
    %m, %there = stream.resource.constants on(<@a>) :
      !r<{lifetime}>{{%c16}} = dense<7> : tensor<16xi8> => !tp
    """
    text = made + region({"FILL": FILL, "READ": KNOWN}[command]) + END
    assert shapes(found(ask, text.replace("<transient>", f"<{lifetime}>"))) == expected


def test_what_is_given_back_too_early_becomes_another_value_s(ask: Ask) -> None:
    (early,) = found(ask, MADE + region(FILL) + UNAWAITED + END)
    _, free, user = early.what
    for places, led in (((user, "x"), True), (("x", free), True), (("x", "y"), False)):
        assert (
            early.led_to(Breach(("unordered", "without-wait"), ("unordered", *places), ())) is led
        )
    assert not early.led_to(Breach(("unwritten",), ("unwritten", user), ()))
    assert not Breach(("unwritten",), ("unwritten", user), ()).led_to(early)


def test_memory_of_the_host_is_there_at_once(ask: Ask) -> None:
    made = "%m = stream.resource.alloc uninitialized on(<@a>) : !r<transient>{%c16}\n"
    body = made + region(FILL).replace("await(%there) =>", "") + END
    assert found(ask, body) == []


def test_what_the_caller_gets_is_alive(ask: Ask) -> None:
    made = MADE.replace("transient", "external") + region(FILL).replace("transient", "external")
    free = FREE.replace("transient", "external")
    wait = "%w = stream.timepoint.await %one => %m : !r<external>{%c16}\n"
    back = "util.return %w : !r<external>"
    assert found(ask, made + wait + back, results="!r<external>") == []
    dead = found(ask, made + wait + free + back, results="!r<external>")
    assert shapes(dead) == ["given-back-too-early"]


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ((FILL, COPY), []),
        ((COPY,), ["unwritten"]),
        ((FILL.replace("for %c16", "for %c8"), COPY), []),
        ((FILL.replace("[%c0 for %c16]", "[%c8 for %c8]"), COPY), ["unwritten"]),
        ((KNOWN,), ["unwritten"]),
        # Nothing is known of what this kernel reads.
        ((READ,), []),
        ((FILL, "stream.cmd.discard %x[%c0 for %c8] : !r<transient>{%c16}", COPY),
         ["unwritten"]),
    ],
)  # fmt: skip
def test_what_is_read_was_written(ask: Ask, commands: tuple[str, ...], expected: list[str]) -> None:
    assert shapes(found(ask, MADE + region(*commands) + END)) == expected


def test_what_was_unwritten_from_the_start_is_excused(ask: Ask) -> None:
    body = MADE + region(COPY + ' loc("op7")') + END
    assert shapes(found(ask, body)) == ["unwritten"]
    for places, count in (({"op7"}, 0), ({"op8"}, 1), ({None}, 1)):
        grounds = Grounds(origin, excused=frozenset(places))
        assert len(found(ask, body, grounds=grounds)) == count


def test_the_caller_reads_what_was_written(ask: Ask) -> None:
    made = MADE.replace("transient", "external")
    half = region(FILL.replace("for %c16", "for %c8")).replace("transient", "external")
    back = (
        "%w = stream.timepoint.await %one => %m : !r<external>{%c16}\nutil.return %w : !r<external>"
    )
    assert shapes(found(ask, made + half + back, results="!r<external>")) == ["unwritten"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("stream.cmd.fill %p7, %x[%c8 for %c16] : i32 -> !r<transient>{%c16}",
         ["out-of-bounds/fill"]),
        ("stream.cmd.copy %x[%c12], %x[%c0], %c8 : !r<transient>{%c16} -> !r<transient>{%c16}",
         ["out-of-bounds/copy"]),
        ("stream.cmd.flush %x[%c12 for %c8] : !r<transient>{%c16}", []),
    ],
)  # fmt: skip
def test_bytes_are_within_a_buffer(ask: Ask, command: str, expected: list[str]) -> None:
    assert shapes(found(ask, MADE + region(FILL, command) + END)) == expected


@pytest.mark.parametrize(
    ("bindings", "expected"),
    [
        ("ro %x[%c0 for %c8], wo %x[%c8 for %c8]", []),
        ("ro %x[%c0 for %c8], ro %x[%c4 for %c8]", []),
        ("ro %x[%c0 for %c8], wo %x[%c4 for %c8]", ["overlapping"]),
        ("rw %x[%c0 for %c8]", []),
    ],
)
def test_a_kernel_s_bindings_do_not_overlap(ask: Ask, bindings: str, expected: list[str]) -> None:
    typed = bindings.replace("]", "] : !r<transient>{%c16}")
    command = f"stream.cmd.dispatch @foreign::@kernel {{ {typed} }}"
    assert shapes(found(ask, MADE + region(FILL, command) + END)) == expected


def test_a_copy_does_not_overlap_itself(ask: Ask) -> None:
    command = "stream.cmd.copy %x[%c0], %x[%c4], %c8 : !r<transient>{%c16} -> !r<transient>{%c16}"
    assert shapes(found(ask, MADE + region(FILL, command) + END)) == ["overlapping"]


def test_a_view_is_part_of_its_buffer(ask: Ask) -> None:
    view = "%v = stream.resource.subview %m[%c8] : !r<transient>{%c16} -> !r<transient>{%c8}\n"
    use = """
    %two = stream.cmd.execute on(<@a>) await(%AT) => with(%v as %y: !r<transient>{%c8}) {
      stream.cmd.fill %p7, %y[%c0 for %c8] : i32 -> !r<transient>{%c8}
    } => !tp
    util.return
    """
    first = region(FILL.replace("for %c16", "for %c8"))
    assert found(ask, MADE + first + view + use.replace("AT", "there")) == []
    assert len(found(ask, MADE + region(FILL) + view + use.replace("AT", "there"))) == 1
    assert found(ask, MADE + region(FILL) + view + use.replace("AT", "one")) == []


def test_a_view_beyond_its_buffer(ask: Ask) -> None:
    view = "%v = stream.resource.subview %m[%c12] : !r<transient>{%c16} -> !r<transient>{%c8}\n"
    program = program_of(ask, module(MADE + view + END))
    with pytest.raises(OutOfBoundsError):
        traces(program)


SENT = Grounds(origin, sent=frozenset({("op1", "a", "b")}))
FLUSH = "stream.cmd.flush to(<@b>) %x[%c0 for %c16] : !r<transient>{%c16}"
INVALIDATE = "stream.cmd.invalidate from(<@a>) %x[%c0 for %c16] : !r<transient>{%c16}"
MOVE = COPY + ' loc("op1")'


@pytest.mark.parametrize(
    ("written", "read", "expected"),
    [
        ((FILL, FLUSH), (MOVE,), []),
        ((FILL,), (INVALIDATE, MOVE), []),
        ((FILL,), (MOVE,), ["not-flushed/copy/cross-device"]),
        ((FILL, FLUSH, FILL), (MOVE,), ["not-flushed/copy/cross-device"]),
        ((FILL,), (COPY,), []),
        ((FILL + ' loc("op1")',), (READ,), ["not-flushed/dispatch/cross-device"]),
    ],
)
def test_what_a_transfer_carries_is_flushed_or_invalidated(
    ask: Ask, written: tuple[str, ...], read: tuple[str, ...], expected: list[str]
) -> None:
    """Between ops that are no transfer of the program's nothing is asked for."""
    body = MADE + region(*written) + region(*read, awaits="one", name="two", device="b") + END
    assert shapes(found(ask, body, grounds=SENT)) == expected


def test_on_one_device_nothing_is_flushed(ask: Ask) -> None:
    body = MADE + region(FILL) + region(MOVE, awaits="one", name="two") + END
    assert found(ask, body, grounds=SENT) == []


def test_owners_are_counted(ask: Ask) -> None:
    body = """
    %alone = stream.resource.is_terminal %m : !r<transient>{%c16}
    stream.resource.retain %m : !r<transient>{%c16}
    %shared = stream.resource.is_terminal %m : !r<transient>{%c16}
    %first = stream.resource.release %m : !r<transient>{%c16}
    %second = stream.resource.release %m : !r<transient>{%c16}
    util.return %alone, %shared, %first, %second : i1, i1, i1, i1
    """
    (trace,) = traces(program_of(ask, module(MADE + body, results="i1, i1, i1, i1")))
    assert [result.value for result in trace.outcome.results] == [1, 0, 0, 1]
